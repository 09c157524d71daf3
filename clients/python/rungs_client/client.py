"""A client of a Rungs site for threads.

Generated from ``async_client.py``; see ``api_types.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from types import TracebackType
from typing import Any, TypeAlias

import httpx

from rungs_client.api_types import (
    BalanceInputRequest,
    BalanceShape,
    BatchLine,
    ChangeShape,
    FieldsEnum,
    FoundPlayersShape,
    GameInputRequest,
    GameShape,
    LogEntry,
    PlayerNameShape,
    ProblemShape,
    ProspectShape,
    RowShape,
)
from rungs_client.errors import RungsError, list_ambiguous, read_error, read_name, read_problem, replace_names
from rungs_client.requests import (
    MAX_GAMES,
    MAX_TEXTS,
    SILENCE,
    Events,
    Retries,
    build_headers,
    build_path,
    build_query,
    check_site,
    cut_into,
    join_found,
    make_key,
    read_query,
)
from rungs_client.version import VERSION

#: Chooses whom an ambiguous name means: the name, the players whom it may mean -> a handle, or None.
Choose: TypeAlias = Callable[[str, list[PlayerNameShape]], str | None]


class Rungs:
    """A site, as a program sees it.

    ``choose`` is asked whom an ambiguous name means; without it, or if it returns None, the refusal is raised, and
    ``RungsError.ambiguous`` lists the players. ``http`` is an httpx client with settings of your own; it stays open.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        choose: Choose | None = None,
        retries: Retries | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self._site = check_site(url)
        self._headers = build_headers(token, VERSION)
        self._choose = choose
        self._retries = retries or Retries()
        self._is_ours = http is None
        self._http = http or httpx.Client(timeout=httpx.Timeout(30.0, connect=10.0))

    def __enter__(self) -> Rungs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, unless they belong to an httpx client of yours."""
        if self._is_ours:
            self._http.close()

    def record(self, league: str, game: GameInputRequest, *, key: str | None = None) -> GameShape:
        """Record a game, and return it with each player's rating before and after.

        A request that is sent again takes effect once. With a ``key``, or an ``external_id`` of the game, so does a
        repeated call, also after your program was restarted.
        """
        answer: GameShape = self._ask_by_name(build_path(league, "games"), game, key or make_key())
        return answer

    def record_many(
        self, league: str, games: Iterable[GameInputRequest], *, key: str | None = None, size: int = 500
    ) -> list[BatchLine]:
        """Record games, and return one line for each: its ``game``, or the ``problem`` for which it was refused.

        They are sent in batches of ``size``, at most 1,000. If a batch fails, those before it are recorded: call again
        with the same ``key`` and the same games within a day, or with games that have an ``external_id``.
        """
        if not 1 <= size <= MAX_GAMES:
            raise ValueError(f"A batch has 1 to {MAX_GAMES:,} games.")
        key = key or make_key()
        lines: list[BatchLine] = []
        for number, part in enumerate(cut_into(games, size)):
            lines += self._record_batch(league, part, f"{key}/{number}")
        return lines

    def lookup(
        self, league: str, players: Iterable[str], fields: Sequence[FieldsEnum] | None = None
    ) -> FoundPlayersShape:
        """Look up players by external ids, handles or names, a thousand in each request.

        ``as_of`` is the position in the log to which the figures belong: ``stream`` from there misses nothing.
        """
        chosen = {} if fields is None else {"fields": list(fields)}
        path, answers = build_path(league, "players", "lookup"), []
        for part in list(cut_into(players, MAX_TEXTS)) or [[]]:
            answers.append(self._ask("POST", path, {"players": part, **chosen}))
        return join_found(answers)

    def preview(self, league: str, game: GameInputRequest) -> ProspectShape:
        """Return what a game would change, by the result that it has or by every possible one; nothing is written."""
        answer: ProspectShape = self._ask_by_name(build_path(league, "preview"), game, make_key())
        return answer

    def balance(self, league: str, people: BalanceInputRequest) -> BalanceShape:
        """Return the fairest splits of up to 24 people into sides; nothing is written."""
        answer: BalanceShape = self._ask_by_name(build_path(league, "balance"), people, make_key())
        return answer

    def board(self, league: str, **query: str | int | None) -> Iterator[RowShape]:
        """Yield the rows of the board from the first place on, page by page; ``limit`` is the size of a page."""
        yield from self._read_pages(build_path(league, "leaderboard"), query)

    def history(self, league: str, player: str, **query: str | int | None) -> Iterator[ChangeShape]:
        """Yield the changes of a player's rating, page by page; ``from_`` and ``to`` are days."""
        yield from self._read_pages(build_path(league, "players", player, "history"), query)

    def stream(self, league: str, after: int = 0, *, attempts: int | None = None) -> Iterator[LogEntry]:
        """Yield each entry of the league's log after a position, and then each new one as it is made, without an end.

        A stream that breaks is opened again where it was; ``attempts`` is how often in a row that may fail (as often as
        it takes). A refusal, such as 400 of a position beyond the end of the log, is raised.
        """
        events, failures = Events(after), 0
        while True:
            events.restart()
            asked = 0.0
            try:
                with self._open_stream(league, events.position) as answer:
                    if answer.status_code != httpx.codes.OK:
                        answer.read()
                        raise read_error(answer)
                    for piece in answer.iter_bytes():
                        failures = 0
                        yield from events.read(piece)
            except httpx.TransportError:
                failures += 1
                if failures == attempts:
                    raise
            except RungsError as error:
                failures += 1
                if failures == attempts or not error.is_temporary:
                    raise
                asked = error.retry_after or 0.0
            time.sleep(events.pause_after(failures, asked))

    def _open_stream(self, league: str, position: int) -> Any:
        """Return the request for the log after a position, not yet sent."""
        headers = {**self._headers, "Accept": "text/event-stream", "Last-Event-ID": str(position)}
        timeout = httpx.Timeout(10.0, read=SILENCE)
        return self._http.stream("GET", self._site + build_path(league, "changes"), headers=headers, timeout=timeout)

    def _record_batch(self, league: str, games: list[GameInputRequest], key: str) -> list[BatchLine]:
        """Record a batch; games with names that were ambiguous are sent again with the handles that were chosen."""
        path, query = build_path(league, "games", "batch"), {"format": "json"}
        lines: list[BatchLine] = self._ask("POST", path, games, key=key, query=query)
        again: dict[int, GameInputRequest] = {}
        for number, (game, line) in enumerate(zip(games, lines, strict=True)):
            problem = read_problem(line)
            if problem and (handles := self._choose_handles(game, problem)):
                again[number] = replace_names(game, handles)
        if again:
            answers = self._ask("POST", path, list(again.values()), key=f"{key}/chosen", query=query)
            for number, line in zip(again, answers, strict=True):
                lines[number] = line
        return lines

    def _ask_by_name(self, path: str, body: Mapping[str, Any], key: str) -> Any:
        """Send a body that names players; once more if an ambiguous name was chosen."""
        try:
            return self._ask("POST", path, body, key=key)
        except RungsError as error:
            handles = self._choose_handles(body, error.problem)
            if not handles:
                raise
        return self._ask("POST", path, replace_names(body, handles), key=f"{key}/chosen")

    def _choose_handles(self, body: Mapping[str, Any], problem: ProblemShape) -> dict[str, str]:
        """Return pointer -> handle for the ambiguous names of a body; nothing if one of them was not chosen."""
        handles: dict[str, str] = {}
        chosen: dict[str, str | None] = {}
        for pointer, candidates in list_ambiguous(problem) if self._choose else ():
            name = read_name(body, pointer)
            if name not in chosen:
                chosen[name] = self._choose(name, candidates) if self._choose else None
            handle = chosen[name]
            if handle is None:
                return {}
            handles[pointer] = handle
        return handles

    def _read_pages(self, path: str, given: Mapping[str, Any]) -> Iterator[Any]:
        """Yield the rows of a list, page by page."""
        query = build_query(dict(given))
        while True:
            page = self._ask("GET", path, query=query)
            yield from page["results"]
            if page["next"] is None:
                return
            query = read_query(page["next"])

    def _ask(
        self, method: str, path: str, body: Any = None, *, key: str | None = None, query: dict[str, str] | None = None
    ) -> Any:
        """Send a request, again if need be, and return the answer; a POST has a key, so that it takes effect once."""
        headers = dict(self._headers)
        if method == "POST":
            headers["Idempotency-Key"] = key or make_key()
        for attempt in count(1):
            try:
                answer = self._http.request(
                    method, self._site + path, params=query, json=body if method == "POST" else None, headers=headers
                )
            except httpx.TransportError:
                pause = self._retries.pause(attempt)
                if pause is None:
                    raise
            else:
                if answer.is_success:
                    return answer.json()
                error = read_error(answer)
                pause = self._retries.pause(attempt, error.retry_after) if error.is_temporary else None
                if pause is None:
                    raise error
            time.sleep(pause)
        raise AssertionError("The attempts have an end.")
