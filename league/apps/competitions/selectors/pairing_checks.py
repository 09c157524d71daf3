"""What a round breaks that was changed by hand, and which rounds no longer follow from the results before them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, build_format
from league.apps.competitions.selectors.pairing_input import (
    build_data_before,
    build_pairing_request,
    follows_from,
    has_withdrawn,
    list_forbidden_pairs,
)
from league.apps.competitions.selectors.trail import list_exchanges_since
from league.core.game_words import list_colours
from ratings.contract.competition import ByeKind, CompetitionData, FixtureData
from ratings.contract.pairing_format import CannotPair
from ratings.contract.result_table import compute_fixture_points
from ratings.pairing_formats.tables import Tables

#: Formats in which nobody should meet twice, and everyone has a fixture in each round.
DRAWN_FORMATS = ("swiss", "tables")
#: The Dutch system: never three times the same colour in a row, nor three more games with one than with the other.
MAX_COLOURS = 2


@dataclass(frozen=True)
class Breach:
    """What a pairing breaks: the numbers of the fixtures, the sentence, and its code if the regulations warn of it."""

    fixtures: tuple[int, ...]
    sentence: str
    code: str = ""


@dataclass(frozen=True)
class OutdatedPairing:
    """A round that no longer follows from the results before: pairings that stand, and what the rules would pair.

    Only those that differ, and none of a drawn format, as that would have to be paired: see ``compare_with_rules``.
    ``refusal``: why the rules would pair nothing now.
    """

    round: int
    stands: Sequence[tuple[int, ...]] = ()
    follows: Sequence[tuple[int, ...]] = ()
    refusal: str = ""


def describe_breaches(loaded: LoadedCompetition, round_number: int, *, for_organisers: bool) -> list[Breach]:
    """Return what the fixtures of a round break, each a sentence with names. Only organisers see who must not meet."""
    before = build_data_before(loaded, round_number)
    fixtures = [fixture for fixture in loaded.list_fixtures(round_number) if fixture.status != "cancelled"]
    games = [fixture for fixture in fixtures if fixture.kind == "game"]
    breaches = [*_find_forbidden(loaded, games, round_number)] if for_organisers else []
    breaches += _find_withdrawn(loaded, fixtures, round_number)
    key = loaded.competition.format
    if key in DRAWN_FORMATS:
        breaches += _find_repeats(loaded, games, before)
        breaches += _find_missing(loaded, round_number)
    if key == "swiss":
        breaches += _find_colours(loaded, games, before, round_number)
        if loaded.competition.regulations:
            breaches += _find_wrong_colours(loaded, games, before)
        breaches += _find_second_byes(loaded, fixtures, before)
    if key == "tables":
        breaches += _find_sizes(loaded, games)
    if key in BRACKET_FORMATS:
        breaches += _find_strangers_to_bracket(loaded, games, round_number)
    return breaches


def _find_forbidden(loaded: LoadedCompetition, games: Sequence[FixtureState], number: int) -> Iterator[Breach]:
    forbidden = list_forbidden_pairs(loaded, number)
    for fixture in games:
        for one, other in combinations(fixture.entries, 2):
            if frozenset((one, other)) in forbidden:
                template = _("{one} and {other} must not meet.")
                sentence = template.format(one=loaded.name(one), other=loaded.name(other))
                yield Breach((fixture.number,), sentence, "forbidden_pair")


def _find_withdrawn(loaded: LoadedCompetition, fixtures: Sequence[FixtureState], number: int) -> Iterator[Breach]:
    if build_format(loaded.competition).predetermined:
        return
    for fixture in fixtures:
        for entry in fixture.entries:
            if has_withdrawn(loaded.entries[entry], number):
                template = _("{entry} has withdrawn and is still paired.")
                yield Breach((fixture.number,), template.format(entry=loaded.name(entry)))


def _find_repeats(
    loaded: LoadedCompetition, games: Sequence[FixtureState], before: CompetitionData
) -> Iterator[Breach]:
    met: dict[frozenset[int], int] = {}
    for one_round in before.rounds:
        for data in one_round.fixtures:
            # Forfeits are no meetings: the two may meet later.
            if data.kind == "played":
                entries = [seat.entry for seat in data.seats]
                met |= {frozenset(pair): one_round.number for pair in combinations(entries, 2)}
    for fixture in games:
        for one, other in combinations(fixture.entries, 2):
            last = met.get(frozenset((one, other)))
            if last is not None:
                template = _("{one} and {other} meet again: they met in round {round}.")
                sentence = template.format(one=loaded.name(one), other=loaded.name(other), round=last)
                yield Breach((fixture.number,), sentence, "rematch")


def list_unpaired(loaded: LoadedCompetition, number: int) -> list[int]:
    """Return the entries that play in a round and have no fixture in it; none of a format that pairs no rounds."""
    if loaded.competition.format not in DRAWN_FORMATS:
        return []
    fixtures = [fixture for fixture in loaded.list_fixtures(number) if fixture.status != "cancelled"]
    paired = {entry for fixture in fixtures for entry in fixture.entries}
    # Who entered after the round was made has no fixture in it.
    made_at = loaded.rounds[number].made_at
    return [
        entry.number
        for entry in loaded.entries.values()
        if entry.number not in paired and not has_withdrawn(entry, number) and entry.entered_at <= made_at
    ]


def _find_missing(loaded: LoadedCompetition, number: int) -> Iterator[Breach]:
    for entry in list_unpaired(loaded, number):
        template = _("{entry} has no fixture in round {round}.")
        yield Breach((), template.format(entry=loaded.name(entry), round=number))


def _find_colours(
    loaded: LoadedCompetition, games: Sequence[FixtureState], before: CompetitionData, number: int
) -> Iterator[Breach]:
    colours = _list_colours(before)
    points = _sum_points(before)
    highest = before.points.highest * (number - 1)
    for fixture in games:
        # In the last round the leaders' opponents matter more than their colours.
        if number == loaded.planned_rounds and any(2 * points[entry] > highest for entry in fixture.entries):
            continue
        for entry, colour in zip(fixture.entries, (1, -1), strict=False):
            own = [*colours[entry], colour]
            name = list_colours()[0 if colour == 1 else 1].name
            if own[-1 - MAX_COLOURS :] == [colour] * (MAX_COLOURS + 1):
                template = _("{entry} has {colour} for the third time in a row.")
                sentence = template.format(entry=loaded.name(entry), colour=name)
                yield Breach((fixture.number,), sentence, "third_colour")
            elif abs(sum(own)) > MAX_COLOURS:
                template = _("{entry} has {colour} {count} times more often than the other colour.")
                sentence = template.format(entry=loaded.name(entry), colour=name, count=abs(sum(own)))
                yield Breach((fixture.number,), sentence, "colour_difference")


def _find_wrong_colours(
    loaded: LoadedCompetition, games: Sequence[FixtureState], before: CompetitionData
) -> Iterator[Breach]:
    """Yield the games in which both should have had the other colour."""
    colours = _list_colours(before)
    for fixture in games:
        white, black = (_find_due_colour(colours[entry]) for entry in fixture.entries[:2])
        if (white, black) == (-1, 1):
            template = _("{white} should have Black and {black} White: both have the wrong colour.")
            one, other = (loaded.name(entry) for entry in fixture.entries[:2])
            yield Breach((fixture.number,), template.format(white=one, black=other), "both_colours")


def _find_due_colour(colours: Sequence[int]) -> int:
    """Return the colour that balances those of an entry, else the one that it had not last; 0 if any is as good."""
    difference = sum(colours)
    if difference:
        return -1 if difference > 0 else 1
    return -colours[-1] if colours else 0


def _list_colours(before: CompetitionData) -> defaultdict[int, list[int]]:
    """Return the colours of each entry in played games: 1 for White, -1 for Black."""
    colours: defaultdict[int, list[int]] = defaultdict(list)
    for one_round in before.rounds:
        for fixture in one_round.fixtures:
            if fixture.kind == "played" and len(fixture.seats) == 2:
                colours[fixture.seats[0].entry].append(1)
                colours[fixture.seats[1].entry].append(-1)
    return colours


def _sum_points(data: CompetitionData) -> dict[int, Fraction]:
    last = max((one_round.number for one_round in data.rounds), default=0)
    points = {entry.number: entry.sum_added(last) for entry in data.entries}
    for one_round in data.rounds:
        for fixture in one_round.fixtures:
            for seat, gained in zip(fixture.seats, compute_fixture_points(data, fixture), strict=True):
                points[seat.entry] += gained
    return points


def _find_second_byes(
    loaded: LoadedCompetition, fixtures: Sequence[FixtureState], before: CompetitionData
) -> Iterator[Breach]:
    earlier: dict[int, int] = {}
    for one_round in before.rounds:
        for data in one_round.fixtures:
            if data.kind in ("planned", "played"):
                continue
            # As the rule has it, by the points that were given: a draw without play is none of a win.
            for seat, gained in zip(data.seats, compute_fixture_points(before, data), strict=True):
                if data.kind == "pairing_bye" or gained == before.points.win:
                    earlier[seat.entry] = one_round.number
    for fixture in fixtures:
        if fixture.kind == "pairing_bye" and fixture.entries[0] in earlier:
            entry = fixture.entries[0]
            template = _("{entry} has a bye, and had the points of a win without play in round {round}.")
            sentence = template.format(entry=loaded.name(entry), round=earlier[entry])
            yield Breach((fixture.number,), sentence, "second_bye")


def _find_sizes(loaded: LoadedCompetition, games: Sequence[FixtureState]) -> Iterator[Breach]:
    tables = build_format(loaded.competition)
    assert isinstance(tables, Tables)
    sizes = set(tables.split_entries(sum(len(fixture.entries) for fixture in games)))
    for fixture in games:
        if sizes and len(fixture.entries) not in sizes:
            template = _("Table {table} has {count} entries; it should have {sizes}.")
            sentence = template.format(
                table=fixture.table,
                count=len(fixture.entries),
                sizes=_format_sizes(sorted(sizes)),
            )
            yield Breach((fixture.number,), sentence)


def _format_sizes(sizes: Sequence[int]) -> str:
    if len(sizes) == 1:
        return str(sizes[0])
    return pgettext("sizes of tables", "{low} or {high}").format(low=sizes[0], high=sizes[-1])


def _find_strangers_to_bracket(
    loaded: LoadedCompetition, games: Sequence[FixtureState], number: int
) -> Iterator[Breach]:
    try:
        proposal = build_format(loaded.competition).pair(build_pairing_request(loaded, number))
    except CannotPair:
        return
    pairs = {frozenset(seat.entry for seat in data.seats) for data in proposal.fixtures}
    for fixture in games:
        if frozenset(fixture.entries) not in pairs:
            template = _("By the bracket {one} and {other} do not meet in round {round}.")
            one, other = (loaded.name(entry) for entry in fixture.entries)
            yield Breach((fixture.number,), template.format(one=one, other=other, round=number))


def list_outdated_pairings(loaded: LoadedCompetition, rounds: Iterable[int] = ()) -> list[OutdatedPairing]:
    """Return which of some rounds (none: of all) no longer follow from the results before.

    A drawn round is one whose results before have changed; pairing it takes too long for a page.
    """
    is_drawn = loaded.competition.format in DRAWN_FORMATS
    data = build_data_before(loaded, max(loaded.rounds, default=0) + 1)
    # Each round took games that were adjourned then as draws, and knew nobody who entered later.
    first = min((one.made_at for one in loaded.rounds.values()), default=loaded.now)
    differ = any(fixture.was_adjourned for fixture in loaded.fixtures) or any(
        entry.entered_at > first for entry in loaded.entries.values()
    )
    found = []
    for number in sorted(rounds or loaded.rounds):
        one_round = loaded.rounds[number]
        before = build_data_before(loaded, number) if differ else _cut_rounds(data, number)
        if one_round.basis and not follows_from(one_round.basis, before, number):
            outdated = OutdatedPairing(number) if is_drawn else compare_with_rules(loaded, number)
            if outdated is not None:
                found.append(outdated)
    return found


def _cut_rounds(data: CompetitionData, number: int) -> CompetitionData:
    """Return a competition as it was before a round."""
    return replace(data, rounds=tuple(one for one in data.rounds if one.number < number))


def compare_with_rules(loaded: LoadedCompetition, number: int) -> OutdatedPairing | None:
    """Return how a round differs from what the rules would pair now for the same entries, None if it does not.

    The entries have the numbers that they had when the round was made. It is paired anew, which takes seconds for a
    drawn format.
    """
    fixtures = [fixture for fixture in loaded.list_fixtures(number) if fixture.status != "cancelled"]
    present = {entry for fixture in fixtures for entry in fixture.entries}
    absent = {
        entry.number
        for entry in loaded.entries.values()
        if has_withdrawn(entry, number) or (loaded.competition.format in DRAWN_FORMATS and entry.number not in present)
    }
    byes: Mapping[int, ByeKind] = {
        fixture.entries[0]: fixture.data.kind  # type: ignore[misc]  # byes only
        for fixture in fixtures
        if fixture.kind not in ("game", "pairing_bye")
    }
    request = build_pairing_request(loaded, number)
    competition = _order_as_made(loaded, request.competition, number)
    request = replace(request, competition=competition, withdrawn=frozenset(absent), byes=byes)
    stands = [_normalize(fixture.data) for fixture in fixtures]
    try:
        follows = [_normalize(data) for data in build_format(loaded.competition).pair(request).fixtures]
    except CannotPair as error:
        return OutdatedPairing(number, stands, (), str(error))
    if sorted(stands) == sorted(follows):
        return None
    return OutdatedPairing(
        number, [one for one in stands if one not in follows], [one for one in follows if one not in stands]
    )


def _order_as_made(loaded: LoadedCompetition, data: CompetitionData, number: int) -> CompetitionData:
    """Return a competition with its entries in the order of their numbers when a round was made."""
    exchanges = list_exchanges_since(loaded, loaded.rounds[number].made_at)
    if not exchanges:
        return data
    entries = {entry.number: entry for entry in data.entries}
    order = [*entries]
    for first, second in reversed(exchanges):
        if first in entries and second in entries:
            one, other = order.index(first), order.index(second)
            order[one], order[other] = second, first
    return replace(data, entries=tuple(entries[key] for key in order))


def describe_difference(loaded: LoadedCompetition, one: OutdatedPairing) -> str:
    """Return how a round differs from what the rules would pair now."""
    stands, follows = (
        "; ".join(" – ".join(map(loaded.name, entries)) for entries in pairs) for pairs in (one.stands, one.follows)
    )
    template = _("Round {number} stands as it was published: {stands}. By the rules it would now be: {follows}.")
    if loaded.rounds[one.round].published_at is None:
        template = _("Round {number} is paired: {stands}. By the rules it would be: {follows}.")
    return template.format(number=one.round, stands=stands, follows=follows or one.refusal)


def _normalize(data: FixtureData) -> tuple[int, ...]:
    """Return the entries of a fixture: in seat order at tables of two, else by number, as seats are drawn."""
    entries = tuple(seat.entry for seat in data.seats)
    return entries if len(entries) <= 2 else tuple(sorted(entries))
