"""``verify`` finds moments that are moved, or spoilt, where and as the database keeps them."""

import pytest
from django.db import connection

from league.models import League
from league.services.locking import with_league_lock
from league.services.replay.inline import replay_from
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import duel
from tests.helpers.log_reading import free_log

pytestmark = pytest.mark.django_db
#: SQLite orders moments by their text, so that one that means the same is wrong, too.
SPOILT = {
    "sqlite": ["{0} || '+05:00'", "replace({0}, ' ', 'T')", "'never'", "''"],
    "postgresql": ["{0} + interval '5 hours'", "{0} - interval '1 microsecond'"],
}[connection.vendor]


def league_with_one_spoilt(table: str, column: str, spoilt: str) -> League:
    """Return a league of two games in which the last row of a table has another moment."""
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10"))
    record(league, duel("anna", "ben", "2024-03-11"))
    free_log()
    with connection.cursor() as cursor:
        value = spoilt.format(column)
        cursor.execute(f"UPDATE {table} SET {column} = {value} WHERE id = (SELECT max(id) FROM {table})")
    return league


@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize(
    ("table", "column", "sentence"),
    [
        ("league_logentry", "at", "Entry 4 of the log (game.recorded) does not have"),
        ("league_game", "recorded_at", "Game 2 has recorded_at “"),
        ("league_game", "played_at", "Game 2 has played_at “"),
        ("league_ratingchange", "at", "The rating change of ben in game 2 (seat 2, the player's game 2) says at "),
        ("league_rating", "last_at", "The rating of ben says last_at "),
    ],
)
def test_verify_names_it(table: str, column: str, sentence: str, spoilt: str) -> None:
    league = league_with_one_spoilt(table, column, spoilt)
    found = verify_league(league.pk).differences
    assert [text for text in found if text.startswith(sentence)], found


@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize(("table", "column"), [("league_ratingchange", "at"), ("league_rating", "last_at")])
def test_a_replay_makes_it_right_where_it_is_derived(table: str, column: str, spoilt: str) -> None:
    league = league_with_one_spoilt(table, column, spoilt)
    with_league_lock(league.pk, lambda locked, now: replay_from(locked, None))
    assert verify_league(league.pk).differences == []
