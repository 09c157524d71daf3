"""Benchmark of batches: ``POST games/batch/`` with a thousand games per request from one client, over HTTP.

It uses one web process on loopback and a temporary PostgreSQL server. It also measures the CPU seconds of the web
process and the database, and a raw COPY of the same rows.
"""

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

from bench.http import exchange, keep_data, own_postgres, serving
from bench.leagues import draw_games, moment_of, names, scores_of

SIZE = 1000
#: name -> (system, with a monthly ladder, with synchronous commits, batches in random order of time)
LEAGUES = {
    "elo": ("elo", False, False, False),
    "elo, durable": ("elo", False, True, False),
    "elo, in any order of time": ("elo", False, False, True),
    "elo, ladder of the month": ("elo", True, False, False),
    "elo, ladder of the month, in any order of time": ("elo", True, False, True),
    "barbu": ("barbu", False, False, False),
}


def measure(batches: int = 20) -> list[dict[str, Any]]:
    """Measure every league on one PostgreSQL."""
    with own_postgres(RUNGS_WEB_WORKERS="1") as (_folder, server):
        return measure_all(server.process.pid, batches)


def measure_all(database: int, batches: int) -> list[dict[str, Any]]:
    """Start the server and measure."""
    from bench.http_league import token

    written, rows = token(), []
    with serving("league.wsgi", dict(os.environ)) as port:
        for number, (name, (system, ladder, durable, shuffled)) in enumerate(LEAGUES.items()):
            slug = f"b{number}"
            fill(slug, system, ladder)
            keep_data("on" if durable else "off")
            sendings = bodies(slug, system, batches + 1, shuffled=shuffled)
            rows.append({"league": name, **sent(port, written, slug, sendings, database)})
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return rows


def fill(slug: str, system: str, ladder: bool) -> None:
    """Create a league with its players."""
    from bench.database import LADDERS, add_players
    from bench.leagues import PLAYERS
    from league.core.ladders.services.ladders import RankingRule, create_ladder
    from league.core.leagues.services.leagues import create_league

    league = create_league(slug, slug, system=system, by="bench")
    if ladder:
        method, chosen = LADDERS[system]
        create_ladder(league.pk, "month", "Month", RankingRule(method, "month", chosen), username="bench")
    add_players(slug, PLAYERS)


def sent(port: int, token: str, slug: str, sendings: list[bytes], database: int) -> dict[str, Any]:
    """Send all batches and return their durations, without the first one."""
    requests = [request(port, token, slug, body) for body in sendings]
    batches = len(requests) - 1
    exchange(port, requests[0], b"HTTP/1.1 200")
    web = spent_by(os.getpid(), deep=True)
    server, start = spent_by(database), time.perf_counter()
    took = []
    for one in requests[1:]:
        began = time.perf_counter()
        exchange(port, one, b"HTTP/1.1 200")
        took.append(time.perf_counter() - began)
    whole, games = time.perf_counter() - start, batches * SIZE
    own = (spent_by(os.getpid(), deep=True) - web) / games
    of_database = (spent_by(database) - server) / games
    check(slug, games + SIZE)
    took.sort()
    return {
        "games/s": games / whole,
        "of the quickest third/s": SIZE * (batches // 3) / sum(took[: batches // 3]),
        "web_us": 1e6 * own,
        "database_us": 1e6 * of_database,
        "games/s of their processor time": 1 / (own + of_database),
        **raw(slug, whole / games),
        "load": os.getloadavg()[0],
    }


def check(slug: str, games: int) -> None:
    """Fail unless all games are recorded and rated."""
    from league.models import League, RatingChange

    league = League.objects.get(slug=slug)
    lines = RatingChange.objects.filter(league=league, step=1).count()
    assert (league.last_number, lines, league.stale_from) == (games, 4 * games, None), (league.last_number, lines)


def raw(slug: str, seconds: float) -> dict[str, float]:
    """Return the time per game, and games per second, of a raw binary COPY of all rows, with keys and indexes."""
    from bench.imports import TABLES, copied
    from league.models import Game

    copy = sum(copied(table) for table in TABLES) / Game.objects.count()
    return {"raw_us": 1e6 * copy, "whole/raw": seconds / copy}


def bodies(slug: str, system: str, count: int, *, shuffled: bool = False) -> list[bytes]:
    """Return the request bodies of ``count`` batches; with ``shuffled``, the games of each are in random order."""
    from bench.leagues import PLAYERS

    games, handles = draw_games(count * SIZE, seed=1), [f"{slug}-{name}" for name in names(PLAYERS)]
    rows = [
        {
            "external_id": f"g{number}",
            "played_at": moment_of(number).isoformat().replace("+00:00", "Z"),
            "results": [{"player": handles[player], "score": score} for player, score in zip(*seats, strict=True)],
        }
        for number, seats in enumerate(zip(games.players.tolist(), scores_of(games, system).tolist(), strict=True))
    ]
    batches = [rows[start : start + SIZE] for start in range(0, len(rows), SIZE)]
    if shuffled:
        chance = random.Random(1)
        for batch in batches:
            chance.shuffle(batch)
    return [json.dumps(batch).encode() for batch in batches]


def request(port: int, token: str, slug: str, body: bytes) -> bytes:
    """Return a request with its body."""
    head = (
        f"POST /api/v1/leagues/{slug}/games/batch/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def spent_by(parent: int, *, deep: bool = False) -> float:
    """Return the CPU seconds of a process and its children; with ``deep``, of its descendants except the database."""
    from bench.imports import cpu_of

    tree: dict[int, list[int]] = {}
    names: dict[int, str] = {}
    ended: dict[int, float] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = place.read_text()
        except OSError:
            continue
        own, fields = int(place.parent.name), text.rsplit(")", 1)[1].split()
        names[own] = text[text.index("(") + 1 : text.rindex(")")]
        ended[own] = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
        tree.setdefault(int(fields[1]), []).append(own)
    found = [one for one in tree.get(parent, []) if not (deep and names[one] == "postgres")]
    if deep:
        return sum(map(cpu_of, [*found, *(inner for one in found for inner in tree.get(one, []))]))
    # The CPU time of an ended child counts in its parent.
    return sum(map(cpu_of, found)) + ended[parent]


if __name__ == "__main__":
    print(json.dumps(measure(*(int(word) for word in sys.argv[1:]))))
