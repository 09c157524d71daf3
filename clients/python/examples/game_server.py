"""A game server: people join by the ids that they have here, two even teams play, and the result is rated.

LEAGUE=arena URL=https://rungs.example TOKEN=rungs_… python game_server.py 7 12 19 23
"""

import asyncio
import os
import sys
from collections.abc import Sequence

from rungs_client import AsyncRungs, RungsError
from rungs_client.api_types import GameInputRequest, ResultInputRequest

LEAGUE = os.environ["LEAGUE"]


async def join(rungs: AsyncRungs, accounts: Sequence[str]) -> int:
    """Show what the league knows of the people; returns the position of its log."""
    found = await rungs.lookup(LEAGUE, accounts, ["rating", "games"])
    for row in found["results"]:
        print(f"{row['asked']} is {row['player']}, who has played {row.get('games', 0)}")
    for account in found["unknown"]:
        print(f"{account} is new")
    return found["as_of"]


async def play(rungs: AsyncRungs, accounts: Sequence[str], match: str) -> None:
    """Make two even teams, let the first one win, and record it: an ``external_id`` is recorded once."""
    answer = await rungs.balance(LEAGUE, {"players": list(accounts), "count": 1})
    first, second = (side["players"] for side in answer["splits"][0]["sides"])
    print(f"{' and '.join(first)} against {' and '.join(second)}")
    won: list[ResultInputRequest] = [{"player": player, "side": 1, "place": 1} for player in first]
    lost: list[ResultInputRequest] = [{"player": player, "side": 2, "place": 2} for player in second]
    game: GameInputRequest = {"external_id": match, "results": won + lost, "create_players": True}
    recorded = await rungs.record(LEAGUE, game)
    for result in recorded["results"]:
        print(f"{result['player']} {result['change'] or 0:+.2f}")


async def follow(rungs: AsyncRungs, position: int, match: str) -> None:
    """Follow the league until it has the match, as another of your servers would."""
    async for entry in rungs.stream(LEAGUE, position):
        print(f"log {entry['kind']}")
        if entry["kind"] == "game.recorded" and entry["payload"].get("external_id") == match:
            return


async def main(numbers: Sequence[str]) -> None:
    """Run one match."""
    accounts, match = [f"arena:{number}" for number in numbers], f"arena/{'-'.join(numbers)}"
    async with AsyncRungs(os.environ["URL"], os.environ["TOKEN"]) as rungs:
        try:
            position = await join(rungs, accounts)
            await asyncio.gather(follow(rungs, position, match), play(rungs, accounts, match))
        except RungsError as error:
            sys.exit("\n".join([error.detail, *(one["detail"] for one in error.errors)]))


asyncio.run(main(sys.argv[1:]))
