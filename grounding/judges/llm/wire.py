"""HTTP itself: one POST, bounded in time and size, over a session for each event loop."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from grounding.errors import Refused
from grounding.judges.llm.bodies import BodyBroken
from grounding.judges.llm.endpoints import Endpoint
from grounding.judges.llm.guard import Forbidden

if TYPE_CHECKING:
    import aiohttp

IDLE_SECONDS: Final = 30
MOST_BYTES_OF_A_FAILURE: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back, unread: the body is packed as ``encoding`` says."""

    status: int
    encoding: str
    retry_after: str | None
    body: bytes


class WireBroken(Exception):
    """No whole answer came. The message tells nothing of what did come; ``again`` says that
    another try may fare better."""

    def __init__(self, error: str, *, again: bool = True) -> None:
        super().__init__(error)
        self.error = error
        self.again = again


class Wire:
    """POSTs to one endpoint. Follows no redirect, keeps no cookie, asks no proxy of the
    environment, trusts no certificate that the machine does not.

    A session belongs to the loop it was opened on. It is closed with `close`, and at the latest
    when that loop ends as `asyncio.run` ends it.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        try:
            import aiohttp
        except ImportError:
            raise Refused("a judge over HTTP needs aiohttp: install assize[llm]") from None
        self._aiohttp = aiohttp
        self._endpoint = endpoint
        self._url = endpoint.url
        self._sessions: dict[asyncio.AbstractEventLoop, _Opened] = {}

    async def post(self, body: bytes, most_bytes: int) -> Answered:
        """Raises WireBroken, and BodyBroken for an answer of more than ``most_bytes``."""
        session = await self._session()
        broken: WireBroken
        try:
            async with session.post(self._url, data=body, allow_redirects=False) as answer:
                return Answered(
                    answer.status,
                    answer.headers.get("Content-Encoding", ""),
                    answer.headers.get("Retry-After"),
                    await _body(answer, most_bytes),
                )
        except self._aiohttp.ClientError as error:
            broken = self._named(error)
        except (OSError, UnicodeError):
            broken = WireBroken("the connection failed")
        # Raised here, not in the clauses above: their errors hold the request with its headers.
        raise broken

    def _named(self, error: aiohttp.ClientError) -> WireBroken:
        """An error in words of our own: those of the library quote what the server sent."""
        host = self._endpoint.place.host
        if isinstance(error, self._aiohttp.ClientSSLError):
            return WireBroken(_tls(error), again=False)
        if isinstance(error, self._aiohttp.ClientConnectorError):
            if isinstance(error.os_error, Forbidden):
                return WireBroken(str(error.os_error), again=False)
            return WireBroken(f"no connection to {host}: {_reason(error.os_error)}")
        if isinstance(error, self._aiohttp.ServerDisconnectedError):
            return WireBroken("the connection ended before an answer came")
        if isinstance(error, self._aiohttp.ClientPayloadError):
            return WireBroken("the connection ended before the whole body came")
        if isinstance(error, self._aiohttp.ClientResponseError):
            return WireBroken("what came back is not an HTTP answer")
        return WireBroken("the connection failed")

    async def _session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        opened = self._sessions.get(loop)
        if opened is None or opened.session.closed:
            self._forget_ended_loops()
            opening = self._open()
            opened = self._sessions[loop] = _Opened(opening, await anext(opening))
        return opened.session

    async def _open(self) -> AsyncGenerator[aiohttp.ClientSession, None]:
        # A generator, because a loop closes those that are still open before it ends.
        aiohttp = self._aiohttp
        connector = aiohttp.TCPConnector(
            limit=0,  # how many calls are in flight is the limiter's business
            keepalive_timeout=IDLE_SECONDS,
            socket_factory=self._endpoint.guard.socket_for,
        )
        async with aiohttp.ClientSession(
            connector=connector,
            headers={"Accept-Encoding": "gzip", "User-Agent": "assize"} | self._endpoint.headers(),
            timeout=aiohttp.ClientTimeout(total=None),  # the carrier's deadline is the only one
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,  # unpacked under our own bound
            trust_env=False,
        ) as session:
            yield session

    def _forget_ended_loops(self) -> None:
        for loop in list(self._sessions):  # other threads may be opening theirs
            if loop.is_closed():
                self._sessions.pop(loop, None)

    async def close(self) -> None:
        """Close this loop's session; a further request opens another."""
        opened = self._sessions.pop(asyncio.get_running_loop(), None)
        if opened is not None:
            await opened.opening.aclose()


@dataclass(frozen=True, slots=True)
class _Opened:
    opening: AsyncGenerator[aiohttp.ClientSession, None]
    session: aiohttp.ClientSession


async def _body(answer: aiohttp.ClientResponse, most_bytes: int) -> bytes:
    """The body as sent. What is left of one that is too large is not read but hung up on; of a
    failure no more is of use than what its message takes."""
    if answer.status == 200:
        return await _whole(answer, most_bytes)
    try:
        return await _whole(answer, MOST_BYTES_OF_A_FAILURE)
    except BodyBroken:
        return b""


async def _whole(answer: aiohttp.ClientResponse, most_bytes: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in answer.content.iter_any():
        size += len(part)
        if size > most_bytes:
            raise BodyBroken(f"the body has more than {most_bytes} bytes", status=answer.status)
        parts.append(part)
    return b"".join(parts)


def _tls(error: aiohttp.ClientSSLError) -> str:
    inner = getattr(error, "certificate_error", None) or error.os_error
    if isinstance(inner, ssl.SSLCertVerificationError):
        return f"{error.host}: its certificate is not trusted ({inner.verify_message})"
    return f"{error.host}: no TLS connection"


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
