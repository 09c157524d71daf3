"""What importing promises, over generated files and every shape of system."""

import csv
from collections.abc import Mapping, Sequence
from datetime import timedelta
from io import BytesIO, StringIO
from itertools import count as counting
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.apps.imports.services.run import ImportOptions, import_games
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import void_game
from league.core.locking import run_with_league_lock
from league.core.replay.services.inline import mark_stale, replay_from
from league.models import Game, League
from tests.helpers.builders import EVENING, derived, make_league, record, sheet
from tests.helpers.drawn_sheets import SIX
from tests.helpers.tiers import examples

pytestmark = [pytest.mark.engine, pytest.mark.django_db]
SLUGS = (f"club-{number}" for number in counting())
#: System, parameters, seats, and the game fields that the system asks for.
SHAPES: Sequence[tuple[str, Mapping[str, Any], int, Mapping[str, float]]] = (
    ("elo", {}, 2, {}),
    ("durak", {}, 4, {}),
    ("serpentine", {}, 3, {}),
    ("barbu", {}, 4, {}),
    ("barbu", {"zero_sum": "league"}, 4, {}),
    ("preferans", {}, 3, {"bula": 30.0}),
)


def text_of(games: Sequence[NewGame]) -> bytes:
    """Return games as a file, by Python's own writer of CSV."""
    out = StringIO()
    fields = sorted({key for game in games for key in game.details})
    writer = csv.writer(out)
    writer.writerow(["game_id", "played_at", "player", "score", "place", *fields])
    for game in games:
        assert game.played_at is not None
        for line in game.results:
            cells = [game.external_id, game.played_at.isoformat(), line.player, line.score, line.place]
            writer.writerow(["" if cell is None else cell for cell in [*cells, *(game.details[key] for key in fields)]])
    return out.getvalue().encode()


@st.composite
def evenings(draw: st.DrawFn) -> tuple[int, list[NewGame]]:
    """Draw a shape and games of it, many of them at the same minute."""
    which = draw(st.integers(0, len(SHAPES) - 1))
    system, _, seats, details = SHAPES[which]
    games = []
    for number in range(draw(st.integers(1, 8))):
        players = draw(st.permutations(SIX))[:seats]
        scores = draw(st.lists(st.integers(0, 60), min_size=seats, max_size=seats))
        places = draw(st.permutations(range(1, seats + 1))) if system == "durak" else None
        minutes = draw(st.integers(0, 3))
        games.append(
            sheet(
                players, None if places else scores, places, minutes=minutes, external_id=f"g{number}", details=details
            )
        )
    return which, games


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(drawn=evenings(), split=st.integers(0, 8))
def test_imports_in_parts_give_what_recording_one_by_one_and_a_replay_give(
    drawn: tuple[int, list[NewGame]], split: int
) -> None:
    which, games = drawn
    system, parameters, _, _ = SHAPES[which]
    league = make_league(system, SIX, parameters=parameters, slug=next(SLUGS))
    other = make_league(system, SIX, parameters=parameters, slug=next(SLUGS))
    for part in (games[:split], games[split:], games):
        if part:
            import_games(league.pk, BytesIO(text_of(part)), ImportOptions(by="test"))
    for game in games:
        record(other, game)
    imported = derived(league)
    assert imported == derived(other)
    run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None))
    assert derived(league) == imported
    assert Game.objects.filter(league=league).count() == len(games)


def club(count: int, start: int = 0) -> bytes:
    """Return a file of games between two players, a minute apart."""
    return text_of(
        [
            sheet(("anna", "ben"), (number % 3, number % 2), minutes=number, external_id=f"g{number}")
            for number in range(start, start + count)
        ]
    )


def test_railway_games_with_ties_of_two_to_six_players_are_imported_as_they_are_recorded() -> None:
    scores = (4000.0, 4000.0, 0.0, 250.0, 250.0, 7.5)
    games = [sheet(SIX[:seats], scores[:seats], minutes=seats, external_id=f"r{seats}") for seats in range(2, 7)]
    league, other = make_league("serpentine", SIX), make_league("serpentine", SIX, slug="other")
    import_games(league.pk, BytesIO(text_of(games)), ImportOptions(by="test"))
    for game in games:
        record(other, game)
    assert derived(league) == derived(other)


def test_an_import_asks_no_more_of_the_database_for_more_games() -> None:
    league = make_league()
    # The first games of a league are rated from the file, others with what stands in the books.
    import_games(league.pk, BytesIO(club(1, 5000)), ImportOptions(by="test"))
    counts = []
    for count, start in ((5, 0), (300, 1000)):
        with CaptureQueriesContext(connection) as queries:
            import_games(league.pk, BytesIO(club(count, start)), ImportOptions(by="test"))
        counts.append(len(queries))
    # Django writes at most 999 values with one statement on SQLite, 76 games; that is all that may come on top.
    assert 0 <= counts[1] - counts[0] <= 4


def test_voided_games_stay_known_and_a_league_that_waits_for_a_replay_is_up_to_date_after_an_import() -> None:
    league, other = make_league(), make_league(slug="other")
    for one in (league, other):
        import_games(one.pk, BytesIO(club(6)), ImportOptions(by="test"))
        void_game(one.pk, 2, reason="Played twice.", username="test")
    before = derived(league)
    report = import_games(league.pk, BytesIO(club(6)), ImportOptions(by="test"))
    assert (report.games, report.known) == (0, 6)
    assert derived(league) == before
    run_with_league_lock(league.pk, lambda locked, now: mark_stale(locked, (EVENING + timedelta(minutes=3), 4)))
    for one in (league, other):
        import_games(one.pk, BytesIO(club(2, 50)), ImportOptions(by="test"))
    assert derived(league) == derived(other)
    assert League.objects.get(pk=league.pk).stale_from is None
