"""``verify`` finds moments that are moved, or spoilt, where and as the database keeps them."""

from contextlib import suppress

import pytest
from django.db import connection, transaction

from league.core.locking import run_with_league_lock
from league.core.replay.services.inline import replay_from
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import duel
from tests.helpers.log_reading import free_log
from tests.helpers.restore_builders import Undone
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
#: SQLite orders moments by their text, so that one that means the same is wrong, too.
SPOILT = {
    "sqlite": ["{0} || '+05:00'", "replace({0}, ' ', 'T')", "'never'", "''"],
    "postgresql": ["{0} + interval '5 hours'", "{0} - interval '1 microsecond'"],
}[connection.vendor]


def build_two_games() -> None:
    """Make a league of two games."""
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10"))
    record(league, duel("anna", "ben", "2024-03-11"))


built = built_once(build_two_games)


def spoil(table: str, column: str, spoilt: str) -> None:
    """Let the last row of a table have another moment."""
    with connection.cursor() as cursor:
        value = spoilt.format(column)
        cursor.execute(f"UPDATE {table} SET {column} = {value} WHERE id = (SELECT max(id) FROM {table})")


@long_way
@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("table", "column", "sentence"),
    [
        ("league_logentry", "at", "Entry 4 of the log (game.recorded) does not match"),
        ("league_game", "recorded_at", "Game 2 has recorded_at “"),
        ("league_game", "played_at", "Game 2 has played_at “"),
        ("league_ratingchange", "at", "The rating change of ben in game 2 (seat 2, the player's game 2) is at "),
        ("league_rating", "last_at", "The rating of ben is last_at "),
    ],
)
def test_verify_names_it_and_a_replay_makes_it_right_where_it_is_derived(
    table: str, column: str, sentence: str
) -> None:
    league = League.objects.get()
    free_log()
    for spoilt in SPOILT:
        with suppress(Undone), transaction.atomic():
            spoil(table, column, spoilt)
            found = verify_league(league.pk).differences
            assert [text for text in found if text.startswith(sentence)], (spoilt, found)
            if table in ("league_ratingchange", "league_rating"):
                run_with_league_lock(league.pk, lambda locked, now: replay_from(locked, None))
                assert verify_league(league.pk).differences == [], spoilt
            raise Undone
