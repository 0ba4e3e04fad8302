"""Who answers, where, and with which key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pydantic import SecretStr

from grounding.errors import BadInput, Refused
from grounding.judges.llm.calls import Dialect
from grounding.judges.llm.guard import Guard, Place

_KEY = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class _Terms:
    """What is fixed by a dialect: names of variables, where its own provider is, its path."""

    key_variable: str
    base_variable: str
    base_url: str
    path: str


TERMS: Final[Mapping[Dialect, _Terms]] = MappingProxyType(
    {
        "openai": _Terms(
            "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", "/chat/completions"
        ),
        "anthropic": _Terms(
            "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com", "/v1/messages"
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A provider's address and the key to it; neither its repr nor its str tells the key.

    ``allowed_hosts`` are those of the operator: hosts that may be inside the network and may
    be spoken to without TLS. Raises BadInput, naming the variable, for an address or a key that
    cannot be one.
    """

    dialect: Dialect
    base_url: str
    key: SecretStr | None = None
    allowed_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        terms = TERMS[self.dialect]
        Place.of(self.base_url, field=terms.base_variable)
        if self.key is not None and not _KEY.fullmatch(self.key.get_secret_value()):
            raise BadInput("expected printable ASCII without spaces", field=terms.key_variable)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], dialect: Dialect) -> Endpoint:
        """As the providers' own clients read it: the key, and the address where it is another
        than the provider's. JUDGE_ALLOWED_HOSTS is a list with commas."""
        terms = TERMS[dialect]
        key = environ.get(terms.key_variable, "")
        hosts = environ.get("JUDGE_ALLOWED_HOSTS", "").split(",")
        return cls(
            dialect,
            environ.get(terms.base_variable, "").strip() or terms.base_url,
            SecretStr(key) if key else None,
            tuple(host.strip() for host in hosts if host.strip()),
        )

    @property
    def place(self) -> Place:
        return Place.of(self.base_url, field=TERMS[self.dialect].base_variable)

    @property
    def guard(self) -> Guard:
        return Guard(self.place, self.allowed_hosts)

    @property
    def url(self) -> str:
        return self.place.url + TERMS[self.dialect].path

    def require(self) -> None:
        """Raises Refused where no request can succeed or may be made: the operator has not
        allowed the host, or its key is missing."""
        objection = self.guard.objection
        if objection is not None:
            raise Refused(f"{TERMS[self.dialect].base_variable}: {objection}")
        if self.key is None and not self.place.on_this_machine:
            raise Refused(
                f"{TERMS[self.dialect].key_variable} is not set, and {self.place.host} wants a key"
            )

    def headers(self) -> dict[str, str]:
        """The headers that go with every request: the only place where the key stands."""
        fixed = {"Content-Type": "application/json", "Accept": "application/json"}
        key = self.key.get_secret_value() if self.key is not None else None
        if self.dialect == "anthropic":
            return fixed | {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})
        return fixed | ({"Authorization": f"Bearer {key}"} if key else {})
