"""What the next round of a competition is paired from."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any

from league.apps.competitions.models import Entry, Fixture, Round
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS
from league.apps.competitions.selectors.team_matches import build_team_rules, draw_boards
from league.core.log.chain import serialize_canonically
from ratings.contract.competition import ByeKind, CompetitionData, FixtureData, apply_primary
from ratings.contract.pairing_format import PairingReason, PairingRequest
from ratings.contract.result_table import compute_fixture_points


def build_pairing_request(loaded: LoadedCompetition, number: int) -> PairingRequest:
    """Return the input of the pairing of a round; entries that are not checked in have a zero-point bye."""
    absent: Mapping[int, ByeKind] = dict.fromkeys(list_unchecked_entries(loaded, number), "zero_bye")
    return PairingRequest(
        competition=build_data_before(loaded, number),
        number=number,
        withdrawn=frozenset(entry.number for entry in loaded.entries.values() if has_withdrawn(entry, number)),
        byes={**absent, **list_requested_byes(loaded, number)},
        not_against=list_forbidden_pairs(loaded, number),
        seed=loaded.competition.seed,
    )


def build_data_before(loaded: LoadedCompetition, number: int) -> CompetitionData:
    """Return the rounds before a round, without games that a decided match does not need.

    An adjourned game is a draw here, and nowhere else: also one that has ended since the round was made. Entries that
    came after the round was made are left out, so that the others have the places that they had then.
    """
    needless, made = set(list_needless_games(loaded)), loaded.rounds.get(number)
    later = {entry.number for entry in loaded.entries.values() if made is not None and entry.entered_at > made.made_at}
    fixtures = [
        one
        for one in loaded.fixtures
        if one.number not in needless and not (len(one.entries) == 1 and one.entries[0] in later)
    ]
    if loaded.competition.format not in BRACKET_FORMATS:
        fixtures = [_draw_adjourned(loaded, one, number) for one in fixtures]
    needed = replace(loaded, fixtures=fixtures)
    data = needed.build_data(number - 1, with_unpublished=True)
    seated = {entry for one in fixtures if (one.round or 0) <= number for entry in one.entries} if later else set()
    entries = tuple(one for one in data.entries if one.number not in later - seated)
    return apply_primary(replace(data, entries=entries, planned_rounds=loaded.planned_rounds))


def _draw_adjourned(loaded: LoadedCompetition, fixture: FixtureState, number: int) -> FixtureState:
    """Return a game that had no result when a round was paired as a draw, and a match of teams with such boards."""
    if not fixture.adjourned and not fixture.was_adjourned:
        return fixture
    if teams := build_team_rules(loaded.competition):
        return draw_boards(fixture, [one.number for one in fixture.boards if _was_open(loaded, one, number)], teams)
    if not _was_open(loaded, fixture, number):
        return fixture
    seats = tuple(seat._replace(place=1) for seat in fixture.data.seats)
    return fixture._replace(data=FixtureData(seats, "played"))


def _was_open(loaded: LoadedCompetition, fixture: FixtureState, number: int) -> bool:
    """Return whether an adjourned game had no result when a round was made, or has none if it is to be made."""
    made = loaded.rounds.get(number)
    if fixture.status == "planned" or made is None:
        return fixture.status == "planned"
    if fixture.game is not None:
        return made.made_at < fixture.game.entered_at
    # A board with an empty seat was there if it was written before the fixtures of the round.
    return fixture.number > min((one.number for one in loaded.list_fixtures(number)), default=0)


def list_reasons(one_round: Round) -> list[PairingReason]:
    """Return what the rules forced in a round."""
    return [PairingReason(tuple(one["entries"]), one["text"], one.get("values", {})) for one in one_round.reasons]


def has_withdrawn(entry: Entry, number: int) -> bool:
    """Return whether an entry has withdrawn before a round."""
    if entry.withdrawn_after is not None:
        return entry.withdrawn_after < number
    return entry.status == Entry.Status.WITHDRAWN


def list_requested_byes(loaded: LoadedCompetition, number: int) -> dict[int, ByeKind]:
    """Return entry -> the bye that it asked for in a round."""
    return {
        entry.number: bye["kind"] for entry in loaded.entries.values() for bye in entry.byes if bye["round"] == number
    }


def list_unchecked_entries(loaded: LoadedCompetition, number: int) -> list[int]:
    """Return the entries that are not checked in, if anyone is."""
    playing = [entry for entry in loaded.entries.values() if not has_withdrawn(entry, number)]
    if all(entry.checked_in_at is None for entry in playing):
        return []
    return [entry.number for entry in playing if entry.checked_in_at is None]


def list_forbidden_pairs(loaded: LoadedCompetition, number: int) -> frozenset[frozenset[int]]:
    """Return the pairs of entries that must not meet in a round."""
    return frozenset(
        frozenset((entry.number, other))
        for entry in loaded.entries.values()
        for other in (*entry.not_against, *_list_apart(entry, number))
        if other in loaded.entries and other != entry.number
    )


def _list_apart(entry: Entry, number: int) -> list[int]:
    """Return the entries that an entry must not meet in a round, but may meet in others."""
    return [one["entry"] for one in entry.apart if one["rounds"][0] <= number <= one["rounds"][1]]


def list_open_games(loaded: LoadedCompetition, before: int) -> list[FixtureState]:
    """Return the games without a result in the rounds before a round, but for those that nobody needs."""
    needless = set(list_needless_games(loaded))
    return [
        fixture
        for fixture in loaded.fixtures
        if fixture.round is not None
        and fixture.round < before
        and fixture.status == "planned"
        and not (fixture.data.adjourned and loaded.competition.format not in BRACKET_FORMATS)
        and fixture.number not in needless
    ]


def list_needless_games(loaded: LoadedCompetition) -> list[int]:
    """Return the planned games of a knock-out whose match is decided without them."""
    if loaded.competition.format not in BRACKET_FORMATS:
        return []
    matches: defaultdict[tuple[int, frozenset[int]], list[FixtureState]] = defaultdict(list)
    for fixture in loaded.fixtures:
        if fixture.kind == Fixture.Kind.GAME and fixture.status != "cancelled" and fixture.round is not None:
            matches[fixture.round, frozenset(fixture.entries)].append(fixture)
    return [game.number for games in matches.values() if len(games) > 1 for game in _list_needless(loaded, games)]


def list_unplayed(loaded: LoadedCompetition) -> list[FixtureState]:
    """Return the fixtures of a competition that have no result and need one."""
    needless = set(list_needless_games(loaded))
    return [one for one in loaded.fixtures if one.status == "planned" and one.number not in needless]


def has_all_rounds(loaded: LoadedCompetition) -> bool:
    """Return whether every round of a competition is published."""
    return len(loaded.published_rounds) >= loaded.planned_rounds


def is_played(loaded: LoadedCompetition) -> bool:
    """Return whether a competition is played to the end."""
    return bool(loaded.fixtures) and has_all_rounds(loaded) and not list_unplayed(loaded)


def _list_needless(loaded: LoadedCompetition, games: Sequence[FixtureState]) -> list[FixtureState]:
    planned = [game for game in games if game.status == "planned"]
    data = loaded.build_data(0)
    points = dict.fromkeys(games[0].entries, Fraction(0))
    for game in games:
        for seat, gained in zip(game.data.seats, compute_fixture_points(data, game.data), strict=True):
            points[seat.entry] += gained
    lead = max(points.values()) - min(points.values())
    return planned if lead > len(planned) * (data.points.highest - data.points.lowest) else []


def compute_basis(data: CompetitionData, number: int) -> str:
    """Return the SHA-256 of what a round follows from: if it changes, the pairing may no longer follow from it.

    That is the results of the rounds before, points that were added, the points for each outcome, and whether it is
    the last round, which has rules of its own. Other settings that matter are fixed at the start.
    """
    points = {}
    # Before the first result, no points matter.
    for name, value in asdict(data.points).items() if data.rounds else ():
        points[name] = [str(one) for one in value] if isinstance(value, tuple) else str(value)
    basis = {"rounds": _list_results(data), "points": points, "last": data.planned_rounds == number}
    if added := {str(entry.number): str(one) for entry in data.entries if (one := entry.sum_added(number - 1))}:
        basis["added"] = added
    return _hash(basis)


def follows_from(basis: str, data: CompetitionData, number: int) -> bool:
    """Return whether a round was made from this; before points were part of a basis, from the results alone."""
    return basis in (compute_basis(data, number), _hash(_list_results(data)))


def _hash(value: Any) -> str:
    return hashlib.sha256(serialize_canonically(value).encode()).hexdigest()


def _list_results(data: CompetitionData) -> list[Any]:
    return [
        [
            one_round.number,
            sorted(
                [
                    fixture.kind,
                    [
                        [seat.entry, seat.place, "" if seat.points is None else str(seat.points)]
                        for seat in fixture.seats
                    ],
                ]
                for fixture in one_round.fixtures
            ),
        ]
        for one_round in data.rounds
    ]
