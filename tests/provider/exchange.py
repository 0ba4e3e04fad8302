"""One call on the wire: what came in, and the hands to answer with."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Any

_RESET = struct.pack("ii", 1, 0)  # linger for no time: what is not sent yet is thrown away


class HungUp(Exception):
    """The client closed the connection."""


@dataclass
class Received:
    """A call as it arrived. ``number`` counts from 0; ``at`` is of the loop's clock."""

    number: int
    dialect: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float
    fault: str | None = None

    @cached_property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Exchange:
    """The way back to one client. Writing raises HungUp once the client has gone."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    received: Received
    answer: bytes
    drip_seconds: float
    huge_bytes: int
    redirect_to: str
    written: int = field(default=0)
    keep_alive: bool = True

    async def send(self, status: int, body: bytes, **headers: str) -> None:
        await self.head(status, len(body), **headers)
        await self.write(body)

    async def head(self, status: int, length: int, **headers: str) -> None:
        named = {"content-type": "application/json", "content-length": str(length)} | headers
        lines = [f"{key}: {value}\r\n" for key, value in named.items()]
        await self.write(f"HTTP/1.1 {status} {_phrase(status)}\r\n{''.join(lines)}\r\n".encode())

    async def write(self, data: bytes) -> None:
        if self.writer.is_closing() or self.reader.at_eof():
            raise HungUp
        self.writer.write(data)
        try:
            await self.writer.drain()
        except ConnectionError:
            raise HungUp from None
        self.written += len(data)

    async def until_hung_up(self) -> None:
        await self.reader.read(1)
        raise HungUp

    def reset(self) -> None:
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.close()

    def close(self) -> None:
        self.keep_alive = False
        self.writer.close()


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
