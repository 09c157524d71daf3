"""Records the results of fixtures: games of the league, and forfeits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Fixture
from league.apps.competitions.records import FIXTURE_LOG
from league.apps.competitions.selectors.entered_results import was_entered
from league.apps.competitions.selectors.playable_fixtures import PlayableFixture, find_playable_fixture
from league.apps.competitions.services.attaching import FixtureAttacher, is_entered_twice, refuse_unplayable
from league.apps.competitions.services.entered import build_said, read_entered, replaces, serialize_entered
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.regulations import Confirmed
from league.core.errors import Invalid, Problem, Refused, RungsError
from league.core.games.services.game_input import NewGame, NewResult, check_form, rebuild_input
from league.core.games.services.record import RecordedGame, check_attached, compute_recorded, record_in
from league.core.locking import locked, run_with_league_lock
from league.core.permissions import Viewer
from league.core.rules.selectors.rules import load_system_in_force
from league.core.text.instants import format_instant
from league.models import Game, League

#: The most results of a fixture that are kept while they differ.
MAX_ENTERED = 5


@dataclass(frozen=True)
class EnteredResult:
    """A result that does not count yet; ``differs``: from one that was entered before."""

    fixture: Fixture
    differs: bool


def record_result(league_id: int, number: int, new: NewGame, *, by: str, confirmed: Confirmed = ()) -> RecordedGame:
    """Record the game of a fixture; ``new`` has a result without a player for each entry, in seat order.

    Raises NotFound, Invalid, Conflict if it has a result, Refused like ``record_game`` or if it can have none, and
    ConfirmationNeeded if the regulations warn of the result of an adjourned game.
    """
    check_form(new)
    return run_with_league_lock(league_id, lambda league, now: _record_result(league, now, number, new, by, confirmed))


def enter_result(
    league_id: int, number: int, new: NewGame, *, by: Viewer, confirmed: Confirmed = ()
) -> RecordedGame | EnteredResult:
    """Record the game of a fixture like ``record_result``, or note it if results are entered twice.

    It counts if one that was entered before says the same. Two people are two accounts (``Viewer.account``). The first
    entry is checked like the game that it would be.
    """
    check_form(new)

    def record(league: League, now: datetime) -> RecordedGame | EnteredResult:
        fixture = find_playable_fixture(league, number)
        if not is_entered_twice(fixture) or fixture.is_bye():
            return _record_result(league, now, number, new, by.name, confirmed)
        seated = replace(new, results=seat_players(fixture, new.results), fixture=number)
        known = _find_counted(league, now, fixture, seated)
        if known is None:
            attacher = FixtureAttacher(league, now, by.name)
            attacher.confirmed, attacher.is_agreed = confirmed, True
            known = check_attached(league, now, seated, attacher)
        if known is not None:
            return RecordedGame(known, created=False)
        same = _find_same(league, now, fixture, seated, by)
        if same is None:
            return _note_entry(league, now, fixture, serialize_entered(new), new.external_id or "", by)
        first = read_entered(same)
        whole = replace(new, note=new.note or first.note, played_at=new.played_at or first.played_at)
        return _record_result(league, now, number, whole, by.name, confirmed, is_agreed=True)

    return run_with_league_lock(league_id, record)


def _find_same(
    league: League, now: datetime, fixture: PlayableFixture, new: NewGame, by: Viewer
) -> dict[str, Any] | None:
    """Return an entry of another that says the same as a sheet with its players."""
    said = _compute_said(league, now, new)
    for one in _list_others(fixture, new.external_id or "", by):
        if "forfeit" in one:
            continue
        try:
            first = read_entered(one)
            seated = replace(first, results=seat_players(fixture, first.results))
            if _compute_said(league, now, seated) == said:
                return one
        except RungsError:
            continue  # The rules or the declared fields have changed since: it can no longer be recorded.
    return None


def _compute_said(league: League, now: datetime, new: NewGame) -> tuple[Any, ...]:
    return _describe_recorded(league, compute_recorded(league, now, new))


def _describe_recorded(league: League, recorded: NewGame) -> tuple[Any, ...]:
    system = load_system_in_force(league)
    return build_said(recorded, lowest_wins=system is not None and system.lowest_score_wins())


def _find_counted(league: League, now: datetime, fixture: PlayableFixture, new: NewGame) -> Game | None:
    """Return the game of a fixture if a sheet that made it count is sent again: the first one or the second."""
    if fixture.game is None or new.external_id is None:
        return None
    game = league.games.filter(number=fixture.game.number).first()
    if game is None:
        return None
    is_known = game.external_id == new.external_id or was_entered(league, fixture.row.number, new.external_id)
    recorded = rebuild_input(game, game.results.select_related("player").order_by("seat"))
    same = is_known and _describe_recorded(league, recorded) == _compute_said(league, now, new)
    return game if same else None


def _list_others(fixture: PlayableFixture, external_id: str, by: Viewer) -> list[dict[str, Any]]:
    """Return the entries of a fixture that a new one does not replace."""
    choice = fixture.row.competition.result_entries
    return [one for one in fixture.row.entered if not replaces(one, choice, external_id, by.account)]


def _note_entry(
    league: League, now: datetime, fixture: PlayableFixture, outcome: dict[str, Any], external_id: str, by: Viewer
) -> EnteredResult:
    """Note a result that does not count yet."""
    competition, row = fixture.row.competition, fixture.row
    entry = {
        "by": by.name, "account": by.account, "at": format_instant(now), "external_id": external_id, **outcome
    }  # fmt: skip
    row.entered = [*_list_others(fixture, external_id, by), entry][-MAX_ENTERED:]
    row.save(update_fields=["entered"])
    append_change(
        league, now, by.name, ChangeKind.FIXTURE_ENTERED, competition,
        fixtures=FIXTURE_LOG.build_payloads([row], competition=competition.slug), members={"fixture": row.number},
    )  # fmt: skip
    return EnteredResult(row, differs=len(row.entered) > 1)


def _record_result(
    league: League,
    now: datetime,
    number: int,
    new: NewGame,
    by: str,
    confirmed: Confirmed,
    *,
    is_agreed: bool = False,
) -> RecordedGame:
    fixture = find_playable_fixture(league, number)
    if fixture.is_bye():
        refuse_unplayable(fixture, now)
    if new.kind not in (Game.Kind.PLAYED, Game.Kind.FRIENDLY):
        message = _("A result is a played game; enter a forfeit with who loses and the reason.")
        raise Refused.of([Problem("/kind", "not_played", message)])
    attacher = FixtureAttacher(league, now, by)
    attacher.confirmed, attacher.is_agreed = confirmed, is_agreed
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


@locked
def enter_forfeit(
    league: League, now: datetime, number: int, losers: Sequence[int], reason: str, *, by: Viewer
) -> RecordedGame | EnteredResult:
    """Record a forfeit like ``forfeit_fixture``, or note it if results are entered twice."""
    fixture = find_playable_fixture(league, number)
    if is_entered_twice(fixture) and not any(_find_forfeit_problems(fixture, losers, reason)):
        refuse_unplayable(fixture, now)
        said = {"forfeit": sorted(set(losers))}
        if all(one.get("forfeit") != said["forfeit"] for one in _list_others(fixture, "", by)):
            return _note_entry(league, now, fixture, said, "", by)
    return forfeit_in(league, now, number, losers, reason, by.name)


def forfeit_in(league: League, now: datetime, number: int, losers: Sequence[int], reason: str, by: str) -> RecordedGame:
    """Record a forfeit in a locked league."""
    fixture = find_playable_fixture(league, number)
    refuse_unplayable(fixture, now)
    problems = list(_find_forfeit_problems(fixture, losers, reason))
    if problems:
        raise Invalid.of(problems)
    attacher = FixtureAttacher(league, now, by)
    attacher.is_agreed = True
    attacher.reasons[number] = reason
    return record_in(league, now, build_forfeit_game(fixture, losers, now), by, attacher)


def _find_forfeit_problems(fixture: PlayableFixture, losers: Sequence[int], reason: str) -> Iterator[Problem]:
    """Yield what is wrong with a forfeit."""
    for index, loser in enumerate(losers):
        if loser not in fixture.entries:
            template = _("Entry {entry} is not in fixture {number}.")
            message = template.format(entry=loser, number=fixture.row.number)
            yield Problem(f"/forfeit/{index}", "unknown_entry", message)
    if not losers:
        yield Problem("/forfeit", "missing", _("Name the entries that lose by forfeit."))
    if reason not in Fixture.Reason.values:
        message = _("The reason of a forfeit is one of: {reasons}.").format(reasons=", ".join(Fixture.Reason.values))
        yield Problem("/reason", "unknown_reason", message)


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
