"""Books for verify, and what plants a fault in them."""

from collections.abc import Callable
from datetime import date
from typing import Any

from league.core.games.services.record import correct_game, void_game
from league.core.ladders.services.decisions import carry_period
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.merges import merge_players
from league.models import Edition, League, Period, RatingChange, Standing
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.ladder_builders import close, duel, make_ladder, utc
from tests.helpers.log_reading import drop_triggers


def build_editions() -> League:
    """Return a league with three games, two ladders, and March closed in two editions."""
    league = make_league(parameters={"k": 32})
    make_ladder(league)
    make_ladder(league, "strength", "rating_score")
    record(league, duel("anna", "ben", "2024-03-10"))
    record(league, duel("cleo", "anna", "2024-04-10"))
    close(league, "2024-03")
    record(league, duel("dan", "ben", "2024-03-12"))
    close(league, "2024-03", reason="A late sheet.")
    return league


def free_editions() -> None:
    """Drop the triggers; the test's transaction brings them back."""
    drop_triggers("league_edition", "league_edition_stands")


def set_edition(**fields: Any) -> Callable[[], object]:
    """Return what changes the first edition."""

    def plant() -> None:
        free_editions()
        assert Edition.objects.filter(number=1).update(**fields) == 1

    return plant


def march() -> Period:
    """Return March of the monthly ladder."""
    return Period.objects.get(ladder__slug="month", key="2024-03")


def set_line(number: int, **fields: Any) -> Callable[[], object]:
    """Return what changes a line of the history."""
    return lambda: RatingChange.objects.filter(number=number, seat=1).update(**fields)


def set_standing(**fields: Any) -> Callable[[], object]:
    """Return what changes Anna's standing in March."""
    return lambda: Standing.objects.filter(period=march(), player__handle="anna").update(**fields)


def raw_delete(rows: Callable[[], Any]) -> Callable[[], object]:
    """Return what deletes rows and nothing with them."""
    return lambda: rows()._raw_delete("default")


def league_row(**fields: Any) -> Callable[[], object]:
    """Return what changes the bookkeeping of the league."""
    return lambda: League.objects.update(**fields)


ANNA = "The rating change of anna in game 1 (seat 1, the player's game 1)"


def build_every_entry() -> League:
    """Return a league with something of everything that a log says of, the last entry a game."""
    players = ("anna", "ben", "cleo", "dan", "eva", "finn")
    league = make_league(players=players, parameters={"k": 32}, starts={"dan": 1712.5}, time_zone="Europe/Paris")
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-10", external_id="x/1", note="At home.", metadata={"table": "7"}))
    record(league, duel("cleo", "dan", "2024-03-10"))
    record(league, duel("ben", "cleo", "2024-03-20"))
    close(league, "2024-03")
    correct_game(league.pk, 1, duel("ben", "anna", "2024-03-10"), reason="Swapped.", username="olga")
    carry_period(league.pk, "month", "2024-03", reason="Prizes were given.", username="olga")
    record(league, duel("eva", "anna", "2024-04-10"))
    void_game(league.pk, 5, reason="A friendly.", username="olga")
    record(league, duel("finn", "cleo", "2024-04-11"))
    merge_players(player_of("finn"), player_of("eva"), username="olga")
    record(league, duel("finn", "dan", "2024-04-12"))
    adopt_rule(league.pk, "elo", {"k": 10}, date(2024, 4, 12), username="olga")
    record(league, sheet(("ben",), (1.0,), kind="full_bye", played_at=utc("2024-04-13")))
    record(league, sheet(("anna", "cleo"), (0.5, 0.5), (1, 1), played_at=utc("2024-04-14")))
    league.refresh_from_db()
    return league
