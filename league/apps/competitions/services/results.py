"""Records the results of fixtures: games of the league, and forfeits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Fixture
from league.apps.competitions.records import FIXTURE_LOG
from league.apps.competitions.selectors.playable_fixtures import PlayableFixture, find_playable_fixture
from league.apps.competitions.services.attaching import FixtureAttacher, is_entered_twice, refuse_unplayable
from league.apps.competitions.services.entered import replaces
from league.apps.competitions.services.log_rows import append_change
from league.apps.competitions.services.regulations import Confirmed
from league.core.errors import Invalid, Problem, Refused
from league.core.games.services.game_input import NewGame, NewResult, check_form
from league.core.games.services.record import RecordedGame, record_in
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

    It counts if one that was entered before says the same. Two people are two accounts (``Viewer.account``).
    """
    check_form(new)

    def record(league: League, now: datetime) -> RecordedGame | EnteredResult:
        outcome = {"results": [_serialize_entered(one) for one in new.results]}
        noted = _note_entry(league, now, number, outcome, new.external_id or "", by)
        return noted or _record_result(league, now, number, new, by.name, confirmed, is_agreed=True)

    return run_with_league_lock(league_id, record)


def _note_entry(
    league: League, now: datetime, number: int, outcome: dict[str, Any], external_id: str, by: Viewer
) -> EnteredResult | None:
    """Note a result that does not count yet; None if it does: it is entered once, or one before says the same.

    Raises like ``refuse_unplayable``, and Invalid if it has not a result for each seat.
    """
    fixture = find_playable_fixture(league, number)
    if not is_entered_twice(fixture):
        return None
    competition, row = fixture.row.competition, fixture.row
    refuse_unplayable(fixture, now)
    if "results" in outcome:
        seat_players(fixture, [NewResult("")] * len(outcome["results"]))
    others = [one for one in row.entered if not replaces(one, competition.result_entries, external_id, by.account)]
    system = load_system_in_force(league)
    lowest_wins = system is not None and system.lowest_score_wins()
    if any(agree(one, outcome, lowest_wins=lowest_wins) for one in others):
        return None
    entry = {
        "by": by.name, "account": by.account, "at": format_instant(now), "external_id": external_id, **outcome
    }  # fmt: skip
    row.entered = [*others, entry][-MAX_ENTERED:]
    row.save(update_fields=["entered"])
    append_change(
        league, now, by.name, ChangeKind.FIXTURE_ENTERED, competition,
        fixtures=FIXTURE_LOG.build_payloads([row], competition=competition.slug), members={"fixture": number},
    )  # fmt: skip
    return EnteredResult(row, differs=len(row.entered) > 1)


def _serialize_entered(result: NewResult) -> dict[str, Any]:
    """Return what was entered of a seat."""
    values = {name: getattr(result, name) for name in ("score", "place", "sets", "worksheet", "retired")}
    found = {name: value for name, value in values.items() if value is not None and value is not False and value != ()}
    if "sets" in found:
        found["sets"] = list(found["sets"])
    return {**found, "worksheet": dict(found["worksheet"])} if "worksheet" in found else found


def agree(one: Mapping[str, Any], other: Mapping[str, Any], *, lowest_wins: bool) -> bool:
    """Return whether two entered results say the same. A place is compared with the place that a score gives."""
    if "forfeit" in one or "forfeit" in other:
        return one.get("forfeit") == other.get("forfeit")
    if one["results"] == other["results"]:
        return True
    orders = [_rank_entered(entered["results"], lowest_wins=lowest_wins) for entered in (one, other)]
    with_scores = [all("score" in line for line in entered["results"]) for entered in (one, other)]
    return orders[0] is not None and orders[0] == orders[1] and not all(with_scores)


def _rank_entered(lines: Sequence[Mapping[str, Any]], *, lowest_wins: bool) -> list[int] | None:
    """Return who came before whom by places, else by scores; None if sheets have more than that."""
    if all("place" in line for line in lines):
        values = [float(line["place"]) for line in lines]
    elif all(line.keys() == {"score"} for line in lines):
        values = [line["score"] if lowest_wins else -line["score"] for line in lines]
    else:
        return None
    return [sum(other < value for other in values) for value in values]


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
    problems = list(_find_forfeit_problems(fixture, losers, reason))
    if not problems and (noted := _note_entry(league, now, number, {"forfeit": sorted(set(losers))}, "", by)):
        return noted
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
