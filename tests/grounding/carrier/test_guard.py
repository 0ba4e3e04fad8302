"""Where requests may go: B4, an endpoint that leads inside."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from grounding.errors import BadInput, Refused
from grounding.interchange.models import Outcome
from grounding.judges.llm.calls import CallFailed
from grounding.judges.llm.carrier import HttpCarrier
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.llm.guard import Place, allows, is_public
from tests.grounding.carrier.asking import KEY, QUICK, outcome, request
from tests.provider import Provider, always, certificate


def carrier(url: str, *allowed: str) -> HttpCarrier:
    return HttpCarrier(Endpoint("openai", url, SecretStr(KEY), allowed), patience=QUICK)


def failure(url: str, *allowed: str) -> CallFailed:
    async def run() -> Any:
        async with carrier(url, *allowed) as made:
            return await outcome(made, request(deadline=3))

    failed = asyncio.run(run())
    assert isinstance(failed, CallFailed)
    return failed


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",  # metadata of AWS, Google, Azure
        "100.100.100.200",  # of Alibaba
        "192.0.0.192",  # of Oracle
        "168.63.129.16",  # Azure's own services
        "100.64.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "192.88.99.1",
        "203.0.113.5",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fd00:ec2::254",  # metadata of AWS
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1",
        "3fff::1",
        "100::1",
        "localhost",
        "",
    ],
)
def test_what_only_this_machine_or_its_network_reaches_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "172.15.255.255",
        "172.32.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "169.253.255.255",
        "192.167.255.255",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450:4001:81b::200e",
        "::ffff:1.1.1.1",
        "64:ff9b::1.1.1.1",  # how a network without IPv4 reaches it
    ],
)
def test_what_anyone_reaches_is_public(address: str) -> None:
    assert is_public(address)


ODD = [
    "2130706433",
    "0x7f000001",
    "0x7F.0.0.1",
    "017700000001",
    "127.1",
    "127.0.1",
    "0177.0.0.1",
    "127.0.0.0x1",
    "127.0.0.01",
    "0",
    "127.1.",
]


@pytest.mark.parametrize("host", ODD)
def test_an_odd_spelling_of_an_address_is_refused_even_where_everything_is_allowed(
    host: str,
) -> None:
    socket.inet_aton(host.rstrip("."))  # the control: the C library takes it for an address
    with pytest.raises(BadInput) as refused:
        carrier(f"https://{host}/v1", "*")
    assert refused.value.field == "OPENAI_BASE_URL"


@pytest.mark.parametrize(
    "url",
    [
        "https://１２７.0.0.1/v1",
        "https://127。0。0。1/v1",
        "https://ⓛocalhost/v1",
        "https://bücher.example/v1",
        "https://user@api.example/v1",
        "https://user:word@api.example/v1",
        "https://api.example@127.0.0.1/v1",
        "https://api.example\\@127.0.0.1/v1",
        "https://api.example#@127.0.0.1/",
        "https://api.example/v1?key=1",
        "https://api.example/v1#part",
        "https://api.example /v1",
        "https://api.example\t/v1",
        "https://api.example\r\nHost: inside/v1",
        "https://%31%32%37.0.0.1/v1",
        "https://[fe80::1%25eth0]/v1",
        "https://[::1/v1",
        "https://[12:34]/v1",
        "https://a..b/v1",
        "https://api.example../v1",
        f"https://{'a' * 64}.example/v1",
        "https:///v1",
        "https://:443/v1",
        "https://api.example:0/v1",
        "https://api.example:70000/v1",
        "//api.example/v1",
        "api.example",
        "file:///etc/passwd",
        "gopher://api.example/",
        "ftp://api.example/",
        "https://256.1.1.1/v1",
        "https://1.2.3.4.5/v1",
        "",
    ],
)
def test_an_address_that_could_be_read_in_two_ways_is_refused(url: str) -> None:
    with pytest.raises(BadInput) as refused:
        carrier(url, "*")
    assert refused.value.field == "OPENAI_BASE_URL"
    assert "word" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("HTTPS://API.Example./v1/", "https://api.example/v1"),
        ("https://127.0.0.1.:8443", "https://127.0.0.1:8443"),
        ("https://[0:0:0:0:0:0:0:1]/", "https://[::1]"),
        ("https://[::FFFF:127.0.0.1]", "https://[::ffff:7f00:1]"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
    ],
)
def test_an_address_has_one_spelling(url: str, same: str) -> None:
    assert Place.of(url, field="any").url == same


@pytest.mark.parametrize(
    ("entry", "host", "named"),
    [
        ("models.example", "models.example", True),
        ("Models.Example.", "models.example", True),
        ("models.example", "a.models.example", False),
        ("models.example", "evilmodels.example", False),
        (".example", "models.example", True),
        (".models.example", "models.example", True),
        (".models.example", "evilmodels.example", False),
        ("*", "anything", True),
        ("[::1]", "::1", True),
        ("[0:0::1]", "::1", True),
        ("[::1]", "::2", False),
        ("[::1]", "models.example", False),
        ("127.0.0.1", "127.0.0.2", False),
    ],
)
def test_a_host_is_allowed_by_its_name_or_its_domain(entry: str, host: str, named: bool) -> None:
    assert allows([entry], host) is named


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/v1",
        "https://127.0.0.1./v1",
        "https://169.254.169.254/latest",
        "https://[::1]/v1",
        "https://[::ffff:169.254.169.254]/v1",
        "https://[64:ff9b::7f00:1]/v1",
        "http://api.example/v1",  # in the clear
        "http://127.0.0.1/v1",
    ],
)
def test_an_address_inside_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(Refused, match="JUDGE_ALLOWED_HOSTS"):
        carrier(url, "other.example")


def test_a_host_that_the_operator_named_is_asked() -> None:
    """The control of the two tests below: the same provider, by the same name."""
    with Provider() as provider:
        failure_or_reply = asyncio.run(_asked(f"http://localhost:{provider.port}/v1", "localhost"))
        assert not isinstance(failure_or_reply, CallFailed)
        assert len(provider.received) == 1


async def _asked(url: str, *allowed: str) -> Any:
    async with carrier(url, *allowed) as made:
        return await outcome(made, request())


def test_a_name_that_leads_inside_is_refused_where_the_socket_is_made() -> None:
    with Provider() as provider:
        failed = failure(f"https://localhost:{provider.port}/v1")
    assert failed.outcome is Outcome.UNAVAILABLE
    assert failed.error == (
        "localhost is not a public address, and JUDGE_ALLOWED_HOSTS does not name it"
    )
    (only,) = failed.tries  # it is not asked again
    assert (only.raw, only.status) == (None, None)
    assert provider.connections == 0


class Rebinding:
    """A name server whose answers change: outside when it is asked first, inside from then on."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int, **_: Any) -> list[Any]:
        given = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in given]


def rebound(provider: Provider, names: Rebinding, *allowed: str) -> Any:
    async def run() -> Any:
        asyncio.get_running_loop().getaddrinfo = names  # type: ignore[method-assign]
        url = f"{'http' if allowed else 'https'}://rebinding.example:{provider.port}/v1"
        async with carrier(url, *allowed) as made:
            return await outcome(made, request(deadline=3))

    return asyncio.run(run())


def test_a_name_that_is_bound_anew_after_it_was_looked_up_leads_nowhere() -> None:
    """What is judged is the address of the socket, so it does not matter how often and by whom
    the name was looked up before."""
    with Provider() as provider:
        looked_up = Rebinding(["1.1.1.1"], ["127.0.0.1"])
        asyncio.run(looked_up("rebinding.example", 443))  # by whoever wanted to check
        failed = rebound(provider, looked_up)
        assert isinstance(failed, CallFailed)
        assert "not a public address" in failed.error
        assert provider.connections == 0

        control = rebound(provider, Rebinding(["127.0.0.1"]), "rebinding.example")
        assert not isinstance(control, CallFailed)


def test_of_several_addresses_none_inside_is_tried() -> None:
    with Provider() as provider:
        failed = rebound(provider, Rebinding(["127.0.0.1", "127.0.0.2", "10.0.0.1"]))
        assert isinstance(failed, CallFailed)
        assert "not a public address" in failed.error
        assert provider.connections == 0


def test_a_redirect_is_not_followed_and_nothing_of_its_body_is_kept() -> None:
    with (
        Provider() as inside,
        Provider(always("redirect"), redirect_to=f"{inside.url}/v1/chat/completions") as provider,
    ):
        failed = failure(f"{provider.url}/v1", "127.0.0.1")
    assert failed.outcome is Outcome.UNAVAILABLE
    assert failed.error == "HTTP 302: redirects are not followed"
    assert inside.connections == 0
    assert [one.raw for one in failed.tries] == [None]


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with Provider() as proxy, Provider() as provider:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        reply = asyncio.run(_asked(f"{provider.url}/v1", "127.0.0.1"))
        assert not isinstance(reply, CallFailed)
        assert (proxy.connections, provider.connections) == (0, 1)


PROGRAM = """
import asyncio, sys
from tests.grounding.carrier.test_guard import _asked
print(type(asyncio.run(_asked(sys.argv[1], "127.0.0.1"))).__name__)
"""


def test_a_certificate_that_nobody_vouches_for_ends_the_call(tmp_path: Path) -> None:
    """Also for a host that the operator named: naming it allows an address, not an impostor."""
    made = certificate.write(tmp_path)
    with Provider(tls=certificate.server_context(made)) as provider:
        url = f"{provider.url}/v1"
        failed = failure(url, "127.0.0.1")
        assert failed.outcome is Outcome.UNAVAILABLE
        assert "127.0.0.1: its certificate is not trusted" in failed.error
        assert len(failed.tries) == 1
        assert provider.received == []

        # The control: where the machine trusts the certificate, the answer comes.
        trusting = os.environ | {"SSL_CERT_FILE": str(made)}
        words = [sys.executable, "-c", PROGRAM, url]
        done = subprocess.run(words, env=trusting, capture_output=True, text=True, check=False)
        assert done.stdout.strip() == "Reply", done.stderr
