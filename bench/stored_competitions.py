"""Benchmark of a stored Swiss of 300 × 11: import, result, standings, pages, against a keyed SELECT and a bare page."""

import gc
import os
import statistics
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bench.competitions import USUAL, draw_large
from bench.demo import Back
from bench.pages import Cost, answer, yardstick
from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.services.import_people import ImportRequest
from league.apps.competitions.services.importing import import_competition
from league.apps.competitions.services.read_files import read_report
from league.apps.competitions.services.results import record_result
from league.core.db.bounded_cache import cache
from league.core.db.columns import is_postgres
from league.core.db.statements import execute_query
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import void_game
from league.core.leagues.services.leagues import create_league
from league.models import League
from ratings.trf.building import build_document
from ratings.trf.competition import TrfCompetition
from ratings.trf.document import TrfPlayer
from ratings.trf.formats import TrfFormat
from ratings.trf.writing import write_trf

SLUG, ENTRY = "cups", 1
#: The milliseconds that are wanted of some cases.
WANTED = {"import": 2000, "standings after a result": 50, "page": 150}
#: Pages below the competition's.
PAGES = {
    "page": "",
    "page of a round": "rounds/11/",
    "page of fixtures": "fixtures/",
    "cross table": "cross-table/",
    "page of an entry": "entries/1/",
}


def measure(rounds: int) -> list[dict[str, Any]]:
    """Measure every case; an import is rolled back."""
    settings.ALLOWED_HOSTS = ["*"]
    data = write_report()
    league = create_league(SLUG, "Cups", system="elo", by="bench")
    backend = Path(f"/proc/{execute_query('SELECT pg_backend_pid()')[0][0]}/schedstat") if is_postgres() else None
    imported = Cost()
    for _ in range(rounds):
        imported.take(partial(roll_back, partial(bring, league, data)), backend)
    competition = bring(league, data)
    fixture = reopen_fixture(competition)
    new = NewGame([NewResult("", 1.0), NewResult("", 0.0)])
    client, address = Client(), f"/leagues/{SLUG}/competitions/{competition.slug}/"
    cases: dict[str, Callable[[], Any]] = {
        "reading the file": partial(read_report, data, "UTC"),
        "recording a result": partial(roll_back, partial(record_result, league.pk, fixture, new, by="bench")),
        "load_competition": partial(load, competition),
        "standings after a result": lambda: compute_standings(load(competition)),
        **{name: partial(answer_anew, client, address + path) for name, path in PAGES.items()},
    }
    for work in cases.values():
        work()
    # As the web server does (league/web/server.py).
    gc.set_threshold(50_000, 20, 100)
    gc.collect()
    gc.freeze()
    yard, costs = Cost(), {name: Cost() for name in cases}
    for _ in range(3 * rounds):
        yard.take(yardstick(league), backend)
        for name, work in cases.items():
            costs[name].take(work, backend)
    unit = statistics.median(yard.sums)
    return [describe(name, cost, unit, cases.get(name)) for name, cost in {"import": imported, **costs}.items()] + [
        {"case": "yardstick", "yardstick_ms": 1000 * unit, "load": os.getloadavg()[0]}
    ]


def write_report() -> bytes:
    """Return the file of a drawn Swiss tournament with byes, forfeits and withdrawals."""
    drawn = draw_large()
    players = tuple(
        TrfPlayer(entry.number, f"{entry.number:03} Player", rating=entry.rating, federation="GER")
        for entry in drawn.entries
    )
    return write_trf(build_document(TrfCompetition("Large", drawn, players, TrfFormat("swiss"), tie_breaks=USUAL)))


def bring(league: League, data: bytes) -> Competition:
    """Import a file with its players."""
    return import_competition(
        league.pk, read_report(data, "UTC"), ImportRequest("bench", create_players=True)
    ).competition


def roll_back(work: Callable[[], Any]) -> None:
    """Run and roll back."""
    with suppress(Back), transaction.atomic():
        work()
        raise Back


def reopen_fixture(competition: Competition) -> int:
    """Void the last game of two; return the number of its fixture."""
    fixture = Fixture.objects.filter(competition=competition, game__kind="played").order_by("-number")[0]
    assert fixture.game is not None
    void_game(competition.league_id, fixture.game.number, reason="Bench", username="bench")
    return fixture.number


def load(competition: Competition) -> LoadedCompetition:
    """Load a competition as a request does."""
    return load_competition(Competition.objects.select_related("league").get(pk=competition.pk))


def answer_anew(client: Client, path: str) -> None:
    """Request a page that is not cached."""
    cache.clear()
    answer(client, path)


def describe(name: str, cost: Cost, unit: float, work: Callable[[], Any] | None) -> dict[str, Any]:
    """Return the shortest duration of a case in milliseconds, also as a multiple of the minimum."""
    with CaptureQueriesContext(connection) as asked:
        if work is not None:
            work()
    return {
        "case": name,
        "wall_ms": 1000 * cost.wall,
        "python_ms": 1000 * cost.python,
        "server_ms": 1000 * cost.server,
        "/ yardstick": min(cost.sums) / unit,
        "queries": len(asked),
        "wanted": WANTED.get(name, 0),
    }
