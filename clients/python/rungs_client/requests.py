"""What both clients do with requests, without sending them: addresses, pages, retries, and the lines of a stream."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl, quote, urlsplit

from rungs_client.api_types import FoundPlayersShape, LogEntry

Item = TypeVar("Item")
#: The most texts that the site looks up in one request, and the most games that it records in one.
MAX_TEXTS, MAX_GAMES = 1_000, 1_000
#: A stream says something after 15 silent seconds; one that says nothing for so long is dead.
SILENCE = 40.0
#: The longest pause before a stream is opened again.
LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class Retries:
    """How often, and after which pauses, a request is sent again."""

    #: How often a request is sent at most; 1 never sends it again.
    attempts: int = 5
    #: Seconds of the first pause; each later one is twice as long. Up to half of a pause is left to chance.
    first: float = 0.5
    #: The longest pause. If the site asks for a longer one, the request ends with the site's refusal.
    longest: float = 60.0

    def pause(self, attempt: int, retry_after: float | None = None) -> float | None:
        """Return the seconds to wait after an attempt; None if it was the last one."""
        if attempt >= self.attempts:
            return None
        if retry_after is not None:
            return retry_after if retry_after <= self.longest else None
        longest = min(self.first * 2.0 ** (attempt - 1), self.longest)
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 -- spreads clients, guards nothing


def check_site(url: str) -> str:
    """Return a site's address without a slash at its end; raises ValueError if it is none."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("The address of a site is like https://rungs.example.")
    return url.rstrip("/")


def build_headers(token: str | None, version: str) -> dict[str, str]:
    """Return the headers of every request; raises ValueError, which does not show the token, if it cannot be one."""
    headers = {"Accept": "application/json", "User-Agent": f"rungs-client/{version}"}
    if token is None:
        return headers
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError("A token is one word without spaces or line ends; copy it again.")
    return {**headers, "Authorization": f"Bearer {token}"}


def make_key() -> str:
    """Return an ``Idempotency-Key`` that was never used."""
    return uuid.uuid4().hex


def build_path(*parts: str) -> str:
    """Return the path of an address below ``leagues/``."""
    return "/api/v1/leagues/" + "".join(f"{quote(part, safe='')}/" for part in parts)


def build_query(given: dict[str, Any]) -> dict[str, str]:
    """Return a query; ``from_`` is ``from``, which Python keeps for itself, and what is None is left out."""
    return {"from" if name == "from_" else name: str(value) for name, value in given.items() if value is not None}


def read_query(address: str) -> dict[str, str]:
    """Return the query of the next page's address.

    The rest of the address is not used: a token goes to the site that was named, whatever is behind a proxy.
    """
    return dict(parse_qsl(urlsplit(address).query))


def cut_into(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield lists of so many items; the last one may be shorter."""
    rest = iter(items)
    while piece := list(islice(rest, size)):
        yield piece


def join_found(answers: list[FoundPlayersShape]) -> FoundPlayersShape:
    """Return the answers of several lookups as one, with the earliest position: nothing after it is missed."""
    return {
        "results": [row for answer in answers for row in answer["results"]],
        "unknown": [text for answer in answers for text in answer["unknown"]],
        "ambiguous": [text for answer in answers for text in answer["ambiguous"]],
        "as_of": min(answer["as_of"] for answer in answers),
    }


class Events:
    """The entries in a stream of server-sent events, and the position after which it goes on."""

    def __init__(self, position: int) -> None:
        self.position = position
        #: Seconds after which a stream that ended is opened again.
        self.pause = 3.0
        self._rest = b""
        self._data: list[str] = []
        self._id: str | None = None

    def restart(self) -> None:
        """Forget half an event: the stream begins anew."""
        self._rest, self._data, self._id = b"", [], None

    def read(self, piece: bytes) -> Iterator[LogEntry]:
        """Yield the entries that end within a piece."""
        # Lines end with \n alone: a text may hold other ends of lines, which canonical JSON does not escape.
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            text = line.removesuffix(b"\r").decode()
            if text:
                self._read_field(text)
            elif self._data:
                entry = cast("LogEntry", json.loads("\n".join(self._data)))
                self.position = int(self._id) if self._id else self.position
                self._data, self._id = [], None
                yield entry

    def pause_after(self, failures: int, asked: float) -> float:
        """Return the seconds before the stream is opened again, after so many failures in a row; the site may ask."""
        return max(asked, min(self.pause * 2.0 ** max(failures - 1, 0), LONGEST_PAUSE))

    def _read_field(self, text: str) -> None:
        """Note what a line says; a line that begins with a colon is a comment."""
        name, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        elif name == "retry" and value.isdecimal():
            self.pause = int(value) / 1000
