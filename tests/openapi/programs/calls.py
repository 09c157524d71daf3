"""The ten calls of the client for asyncio, of which the program for threads is made; calls.ts does the same."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any

from rungs_client import AsyncRungs, InvalidWebhook, RungsError, replace_names, verify_webhook
from rungs_client.api_types import GameInputRequest, PlayerNameShape

LEAGUE, URL, TOKEN = (os.environ[name] for name in ("LEAGUE", "URL", "TOKEN"))
SHOWN_KINDS = 4


def build_game(winner: str, loser: str) -> GameInputRequest:
    """Return a game that the first player won."""
    return {"results": [{"player": winner, "score": 1}, {"player": loser, "score": 0}]}


def show(*words: object) -> None:
    """Print a line; numbers without a fraction are whole."""
    print(*(int(word) if isinstance(word, float) and word.is_integer() else word for word in words), flush=True)


async def choose_last(name: str, candidates: list[PlayerNameShape]) -> str | None:
    """Choose the last player whom a name may mean."""
    show("choose", name, *(one["handle"] for one in candidates))
    return candidates[-1]["handle"]


async def record(rungs: AsyncRungs, chooses: AsyncRungs) -> None:
    """Record games alone: by handle, by a name that two players have, and twice under one key."""
    first = await rungs.record(LEAGUE, build_game("arena:1", "ben2"))
    show("record", first["number"], *(line["change"] for line in first["results"]))
    game = build_game("Ben", "anna")
    try:
        await rungs.record(LEAGUE, game)
    except RungsError as error:
        [(pointer, candidates)] = error.ambiguous
        show("refused", error.status, error.code, pointer, *(one["handle"] for one in candidates))
        again = await rungs.record(LEAGUE, replace_names(game, {pointer: candidates[0]["handle"]}))
        show("resolved", *(line["player"] for line in again["results"]), game["results"][0]["player"])
    for _ in range(2):
        same = await chooses.record(LEAGUE, game, key=f"evening/{LEAGUE}")
        show("chosen", same["number"], *(line["player"] for line in same["results"]))


async def record_many(chooses: AsyncRungs) -> None:
    """Record games in two batches, twice under one key; the games whose name was chosen come after their batch."""
    games = [build_game("Ben", "anna"), build_game("cleo", "anna"), build_game("nobody", "anna")]
    for _ in range(2):
        lines = await chooses.record_many(LEAGUE, games, key=f"night/{LEAGUE}", size=2)
        for line in lines:
            if line["status"] == 201:
                show("many", line["status"], line["game"]["number"], line["game"]["results"][0]["player"])
            elif line["status"] != 200:
                show("many", line["status"], line["problem"]["errors"][0]["code"])


async def read(rungs: AsyncRungs) -> None:
    """Look up more players than one request takes, preview, balance, and read board, history and stream."""
    nobody = [f"nobody-{number}" for number in range(999)]
    found = await rungs.lookup(LEAGUE, ["arena:3", *nobody, "Ben", "cleo"], ["games"])
    show("lookup", *(f"{row['asked']}={row['player']}:{row.get('games')}" for row in found["results"]))
    show("lookup", len(found["unknown"]), *found["ambiguous"], found["as_of"])
    prospect = await rungs.preview(LEAGUE, {"results": [{"player": "arena:3"}, {"player": "cleo"}]})
    show("preview", len(prospect["outcomes"]))
    answer = await rungs.balance(LEAGUE, {"players": ["anna", "arena:1", "ben2", "cleo"], "count": 1})
    show("balance", *(",".join(sorted(side["players"])) for side in answer["splits"][0]["sides"]))
    show("board", *[row["player"] async for row in rungs.board(LEAGUE, limit=1)])
    show("history", *[change["game"] async for change in rungs.history(LEAGUE, "anna", limit=2, from_="2020-01-01")])
    kinds = []
    async for entry in rungs.stream(LEAGUE, found["as_of"] - SHOWN_KINDS):
        kinds.append(entry["kind"])
        if len(kinds) == SHOWN_KINDS:
            break
    show("stream", *kinds)


async def refuse(rungs: AsyncRungs) -> None:
    """Show what is refused at once, without another attempt."""
    try:
        async for _ in rungs.stream(LEAGUE, 1_000_000):
            pass
    except RungsError as error:
        show("refused", error.status, error.code)
    try:
        await rungs.preview("no-league", build_game("anna", "cleo"))
    except RungsError as error:
        show("refused", error.status, error.code)


def verify(given: Mapping[str, str], bodies: Sequence[str]) -> None:
    """Verify what was signed with the secret, and what was changed on the way or is old."""
    headers = {f"Webhook-{name}": given[name.upper()] for name in ("Id", "Timestamp", "Signature")}
    at = float(given["TIMESTAMP"])
    for body, now in ((bodies[0], at + 299), (bodies[1], at), (bodies[0], at + 301)):
        try:
            told: Any = verify_webhook(given["SECRET"], headers, body.encode(), now=now)
            show("webhook", told["type"], told["data"]["position"])
        except InvalidWebhook as why:
            show("webhook", why)


async def main() -> None:
    """Make all calls."""
    async with AsyncRungs(URL, TOKEN) as rungs, AsyncRungs(URL + "/", TOKEN, choose=choose_last) as chooses:
        await record(rungs, chooses)
        await record_many(chooses)
        await read(rungs)
        await refuse(rungs)
    verify(os.environ, [os.environ["BODY"], os.environ["BODY"].replace("1", "2")])


asyncio.run(main())
