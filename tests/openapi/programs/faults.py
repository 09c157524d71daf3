"""What the client for asyncio does with a site that fails (tests.helpers.faulty_site); faults.ts does the same."""

import asyncio
import logging
import os

import httpx
from rungs_client import AsyncRungs, Retries, RungsError

URL, TOKEN = os.environ["URL"], os.environ["TOKEN"]
LAST = 4


async def try_each(rungs: AsyncRungs) -> None:
    """Record a game in leagues that fail in several ways."""
    for league in ("passing", "long", "proxy", "refusing", "dead"):
        try:
            game = await rungs.record(league, {"results": [{"player": "anna", "score": 1}]}, key=f"key-{league}")
            print(league, game["number"])
        except RungsError as error:
            print(league, error.status, error.code, error.detail)
        except httpx.TransportError:
            print(league, "no answer")


async def follow(rungs: AsyncRungs) -> None:
    """Follow a stream that breaks."""
    async for entry in rungs.stream("breaking", 0):
        print("entry", entry["position"], entry["by"].encode("unicode-escape").decode())
        if entry["position"] == LAST:
            break


async def main() -> None:
    """Try everything; nothing that is logged or raised shows the token."""
    logging.basicConfig(level=logging.DEBUG)
    async with AsyncRungs(URL, TOKEN, retries=Retries(attempts=4, first=0.01)) as rungs:
        await try_each(rungs)
        await follow(rungs)
    for token in (f"{TOKEN}\n", f"{TOKEN} ", ""):
        try:
            AsyncRungs(URL, token)
        except ValueError as error:
            print(error)


asyncio.run(main())
