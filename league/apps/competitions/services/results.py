"""Records the results of fixtures: games of the league, and forfeits."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.models import Fixture
from league.apps.competitions.selectors.playable_fixtures import PlayableFixture, find_playable_fixture
from league.apps.competitions.services.attaching import FixtureAttacher, refuse_unplayable
from league.apps.competitions.services.regulations import Confirmed
from league.core.errors import Invalid, Problem, Refused
from league.core.games.services.game_input import NewGame, NewResult, check_form
from league.core.games.services.record import RecordedGame, record_in
from league.core.locking import locked, run_with_league_lock
from league.models import Game, League


def record_result(league_id: int, number: int, new: NewGame, *, by: str, confirmed: Confirmed = ()) -> RecordedGame:
    """Record the game of a fixture; ``new`` has a result without a player for each entry, in seat order.

    Raises NotFound, Invalid, Conflict if it has a result, Refused like ``record_game`` or if it can have none, and
    ConfirmationNeeded if the regulations warn of the result of an adjourned game.
    """
    check_form(new)
    return run_with_league_lock(league_id, lambda league, now: _record_result(league, now, number, new, by, confirmed))


def _record_result(
    league: League, now: datetime, number: int, new: NewGame, by: str, confirmed: Confirmed
) -> RecordedGame:
    fixture = find_playable_fixture(league, number)
    if fixture.is_bye():
        refuse_unplayable(fixture, now)
    if new.kind not in (Game.Kind.PLAYED, Game.Kind.FRIENDLY):
        message = _("A result is a played game; enter a forfeit with who loses and the reason.")
        raise Refused.of([Problem("/kind", "not_played", message)])
    attacher = FixtureAttacher(league, now, by)
    attacher.confirmed = confirmed
    new = replace(new, results=seat_players(fixture, new.results), fixture=number)
    return record_in(league, now, new, by, attacher)


def record_in_match(league: League, now: datetime, number: int, scores: Sequence[float], by: str) -> RecordedGame:
    """Record the game of a board by the scores of its seats, in a locked league."""
    new = NewGame([NewResult("", score) for score in scores], played_at=now)
    check_form(new)
    return _record_result(league, now, number, new, by, ())


def seat_players(fixture: PlayableFixture, results: Sequence[NewResult]) -> list[NewResult]:
    """Return the results with the players of a fixture; a side's result is that of each of its players."""
    if len(results) != len(fixture.entries):
        template = ngettext(
            "Fixture {number} has {count} seat: send a result for it.",
            "Fixture {number} has {count} seats: send a result for each, in their order.",
            len(fixture.entries),
        )
        message = template.format(number=fixture.row.number, count=len(fixture.entries))
        raise Invalid.of([Problem("/results", "count", message)])
    sides = any(len(players) > 1 for players in fixture.players)
    return [
        replace(result, player=player.handle, side=seat if sides else None)
        for seat, (players, result) in enumerate(zip(fixture.players, results, strict=True), start=1)
        for player in players
    ]


@locked
def forfeit_fixture(
    league: League, now: datetime, number: int, losers: Sequence[int], reason: str, *, by: str
) -> RecordedGame:
    """Record that some entries (or all) of a fixture lost without play; raises like ``record_result``."""
    return forfeit_in(league, now, number, losers, reason, by)


def forfeit_in(league: League, now: datetime, number: int, losers: Sequence[int], reason: str, by: str) -> RecordedGame:
    """Record a forfeit in a locked league."""
    fixture = find_playable_fixture(league, number)
    refuse_unplayable(fixture, now)
    problems = [
        Problem(
            f"/forfeit/{index}",
            "unknown_entry",
            _("Entry {entry} is not in fixture {number}.").format(entry=loser, number=number),
        )
        for index, loser in enumerate(losers)
        if loser not in fixture.entries
    ]
    if not losers:
        problems.append(Problem("/forfeit", "missing", _("Name the entries that lose by forfeit.")))
    if reason not in Fixture.Reason.values:
        message = _("The reason of a forfeit is one of: {reasons}.").format(reasons=", ".join(Fixture.Reason.values))
        problems.append(Problem("/reason", "unknown_reason", message))
    if problems:
        raise Invalid.of(problems)
    attacher = FixtureAttacher(league, now, by)
    attacher.reasons[number] = reason
    return record_in(league, now, build_forfeit_game(fixture, losers, now), by, attacher)


def build_forfeit_game(fixture: PlayableFixture, losers: Sequence[int], now: datetime) -> NewGame:
    """Return the game of a forfeit: who lost has place 2 and the score 0."""
    results = [NewResult("", *((0.0, 2) if entry in losers else (1.0, 1))) for entry in fixture.entries]
    if len(fixture.entries) != 2:
        results = [replace(result, score=None) for result in results]
    return NewGame(
        seat_players(fixture, results),
        played_at=now,
        kind=Game.Kind.FORFEIT.value,
        fixture=fixture.row.number,
    )
