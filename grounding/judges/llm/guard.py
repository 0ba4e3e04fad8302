"""Where a judge's requests may go.

A host that the operator names in JUDGE_ALLOWED_HOSTS may have any address, and may be spoken
to in the clear. Any other must be reached over TLS and at a public address: who can choose an
endpoint must not reach what only this machine can reach. The address is judged where the socket
is made, so that what was looked up before, or is looked up again, does not matter.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from grounding.errors import BadInput

_NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?"
_URL = re.compile(
    rf"(?P<scheme>[Hh][Tt][Tt][Pp][Ss]?)://(?P<host>{_NAME}|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>\d{1,5}))?(?P<path>(?:/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)*)"
)
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")

# IANA's special-purpose registries for IPv4: https://www.iana.org/assignments/
# iana-ipv4-special-registry; multicast; and the address at which Azure serves its machines.
_NOT_PUBLIC_4: Final = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
# Of IPv6 only what is given out for use, less what the like registry sets aside in it: protocols
# (Teredo among them), documentation, 6to4.
_GIVEN_OUT_6: Final = ipaddress.IPv6Network("2000::/3")
_NOT_PUBLIC_6: Final = tuple(
    ipaddress.IPv6Network(network)
    for network in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)
# A network without IPv4 reaches it through these; what counts is the address behind.
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")


class Forbidden(OSError):
    """No socket is made to such an address."""


@dataclass(frozen=True, slots=True)
class Place:
    """A base address, taken apart. ``host`` is in one spelling: lower case, without brackets
    or a last dot; ``path`` has no last slash."""

    scheme: str
    host: str
    port: int | None
    path: str

    @classmethod
    def of(cls, url: str, *, field: str) -> Place:
        """Raises BadInput at ``field``, without repeating the address: it may hold a password."""
        found = _URL.fullmatch(url)
        if found is None:
            raise BadInput(
                "expected https://HOST or https://HOST:PORT/PATH in plain ASCII, "
                "without a user, a query or a fragment",
                field=field,
            )
        port = int(found["port"]) if found["port"] else None
        if port is not None and not 0 < port < 65_536:
            raise BadInput(f"{port} is not a port", field=field)
        host = _one_spelling(found["host"], field)
        return cls(found["scheme"].lower(), host, port, found["path"].rstrip("/"))

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port}" if self.port is not None else ""
        return f"{self.scheme}://{host}{port}{self.path}"

    @property
    def on_this_machine(self) -> bool:
        address = _address(self.host)
        return self.host == "localhost" if address is None else address.is_loopback


def _one_spelling(host: str, field: str) -> str:
    """Raises BadInput for what some resolver takes for an address and another for a name."""
    plain = host.lower().removesuffix(".")
    if plain.startswith("["):
        try:
            return ipaddress.IPv6Address(plain[1:-1]).compressed
        except ValueError:
            raise BadInput("the host is not an IPv6 address", field=field) from None
    labels = plain.split(".")
    if not all(0 < len(label) < 64 for label in labels) or len(plain) > 253:
        raise BadInput("the host is not a host name", field=field)
    if _NUMBER.fullmatch(labels[-1]) and _address(plain) is None:
        raise BadInput("write an IPv4 address as four decimal numbers", field=field)
    return plain


def allows(allowed_hosts: Iterable[str], host: str) -> bool:
    """Whether the operator named ``host``: as it is, as part of ``.domain``, or by ``*``."""
    return any(_matches(entry.lower().removesuffix("."), host) for entry in allowed_hosts)


def _matches(entry: str, host: str) -> bool:
    if entry.startswith("."):
        return host == entry[1:] or host.endswith(entry)
    if entry.startswith("["):
        return _address(entry[1:-1]) == _address(host) is not None
    return entry in ("*", host)


def is_public(address: str) -> bool:
    """Whether anyone on the internet could reach ``address`` as well; what is no address is not."""
    found = _address(address)
    if isinstance(found, ipaddress.IPv4Address):
        return not any(found in network for network in _NOT_PUBLIC_4)
    if found is None or found not in _GIVEN_OUT_6:
        return False
    return not any(found in network for network in _NOT_PUBLIC_6)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a packet would go to; None for a name."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv4Address):
        return found
    if found in _NAT64:
        return ipaddress.IPv4Address(int(found) & 0xFFFF_FFFF)
    return found.ipv4_mapped or found


@dataclass(frozen=True, slots=True)
class Guard:
    """For one endpoint: may a request go there at all, and may this socket be made."""

    place: Place
    allowed_hosts: tuple[str, ...]

    @property
    def named(self) -> bool:
        return allows(self.allowed_hosts, self.place.host)

    @property
    def objection(self) -> str | None:
        """Why no request may go there, as far as the address itself tells; else None."""
        if self.named:
            return None
        if self.place.scheme != "https":
            return f"{self.place.host} is not named in JUDGE_ALLOWED_HOSTS, so it must be https"
        if _address(self.place.host) is not None and not is_public(self.place.host):
            return self.not_public
        return None

    @property
    def not_public(self) -> str:
        return (
            f"{self.place.host} is not a public address, and JUDGE_ALLOWED_HOSTS does not name it"
        )

    def socket_for(self, info: tuple[Any, ...]) -> socket.socket:
        """A socket for this very address, that nobody looks up again. Raises Forbidden."""
        family, kind, protocol, _, address = info
        if not self.named and not is_public(address[0]):
            raise Forbidden(self.not_public)
        return socket.socket(family, kind, protocol)
