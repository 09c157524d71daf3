"""Numbers and ratings of entries at the start of a competition."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from django.db.models import F, prefetch_related_objects

from league.apps.competitions.models import FORBIDDEN, Competition, Entry, SourceFile
from league.apps.competitions.selectors.brought_ratings import load_ratings, round_rating
from league.apps.competitions.selectors.competition_data import build_entry_name
from league.apps.competitions.selectors.competitions import takes_part
from league.core.players.listed_people import RATING_OF_LEAGUE
from league.core.text.names import fold_accents
from league.models import League
from ratings.contract.lots import draw_lot

#: FIDE's titles in the order of their rank (Handbook C.04.2).
TITLES = ("GM", "IM", "WGM", "FM", "WIM", "CM", "WFM", "WCM")
#: Once this round of a Swiss system is made, pairing numbers are fixed (C.04.2).
FIXING_ROUND = 4
#: Above every number of an entry, so that numbers can be exchanged.
OFFSET = 10_000


@dataclass(frozen=True)
class NumberedEntries:
    """The entries with their numbers at the start, and the numbers that no entry has any more."""

    entries: list[Entry]
    removed: list[int]


def number_entries(competition: Competition) -> NumberedEntries:
    """Give the entries their numbers and ratings; entries that withdrew before the start are removed.

    The waiting list comes last, as it was.
    """
    rows = competition.entries.order_by("number")
    withdrawn = [entry for entry in rows if entry.status == Entry.Status.WITHDRAWN]
    Entry.objects.filter(league=competition.league_id, pk__in=[entry.pk for entry in withdrawn]).delete()
    entries = list(rows.all())
    load_players(entries)
    strengths = rate_entries(competition.league, entries)
    entered = order_entries(competition, entries, strengths)
    waiting = [entry for entry in entries if entry.status == Entry.Status.WAITING]
    old_numbers = [entry.number for entry in (*withdrawn, *entries)]
    _renumber(competition, [*entered, *waiting])
    return NumberedEntries([*entered, *waiting], sorted(number for number in old_numbers if number > len(entries)))


def preview_numbers(competition: Competition, entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries in the order of the numbers that they would get now, with their ratings; nothing is stored."""
    rows = [copy(entry) for entry in entries]
    return order_entries(competition, rows, rate_entries(competition.league, rows))


def order_entries(competition: Competition, entries: Iterable[Entry], strengths: Mapping[int, float]) -> list[Entry]:
    """Return those that take part in the order of their numbers; ``strengths``: by key, before rounding.

    First those that were seeded by hand, then the others by rating, title and name or lot, or as they were listed.
    """
    get_order = _build_order(competition, strengths, by_rating=competition.seeding != Competition.Seeding.HAND)
    return sorted((entry for entry in entries if entry.status == Entry.Status.ENTERED), key=get_order)


def _build_order(
    competition: Competition, strengths: Mapping[int, float], *, by_rating: bool, with_seeds: bool = True
) -> Callable[[Entry], tuple[Any, ...]]:
    """Return the key of the order of numbers; see ``order_entries``."""

    def get_last(entry: Entry) -> str:
        if competition.seeding == Competition.Seeding.LOTS:
            return draw_lot(competition.seed, f"number:{entry.number}")
        return fold_accents(build_entry_name(entry)).casefold()

    def get_order(entry: Entry) -> tuple[Any, ...]:
        strength = strengths.get(entry.pk)
        title = TITLES.index(entry.title) if entry.title in TITLES else len(TITLES)
        seeded = (entry.seed is None, entry.seed or 0) if with_seeds else ()
        rated = (strength is None, -(strength or 0.0), title, get_last(entry))
        return (*seeded, *(rated if by_rating else ()), entry.number)

    return get_order


def place_late_entries(competition: Competition, late: Sequence[Entry], last_round: int) -> list[Entry]:
    """Give entries that came late their pairing numbers; return the other entries whose numbers moved.

    In a Swiss system they get those that their ratings earn, and the entries behind them move down; once round 4 is
    made, and in other formats, they get the next ones. ``last_round``: the last one that was made.
    """
    if competition.format != "swiss":
        return []
    own = {entry.pk: entry for entry in late}
    rows = [own.get(row.pk, row) for row in competition.entries.in_order()]
    load_players(rows)
    strengths = {row.pk: float(row.rating) for row in rows if row.rating is not None}
    # A file gave its entries their numbers, whatever they follow from; nobody seeded them here.
    imported = SourceFile.objects.filter(league=competition.league_id, competition=competition).exists()
    by_rating = imported or competition.seeding != Competition.Seeding.HAND
    get_order = _build_order(competition, strengths, by_rating=by_rating, with_seeds=not imported)
    order = [row for row in rows if takes_part(row) and row.pk not in own]
    for entry in sorted(late, key=get_order):
        lower = (at for at, other in enumerate(order) if get_order(entry) < get_order(other))
        order.insert(len(order) if have_fixed_numbers(last_round) else next(lower, len(order)), entry)
    placed = {entry.pk for entry in order}
    moved = _move_numbers([*order, *(row for row in rows if row.pk not in placed)])
    return [entry for entry in moved if entry.pk not in own]


def have_fixed_numbers(last_round: int) -> bool:
    """Return whether the pairing numbers of a Swiss system are fixed; ``last_round``: the last one that was made."""
    return last_round >= FIXING_ROUND


def exchange_pairing_numbers(first: Entry, second: Entry) -> None:
    """Give two entries each other's pairing number."""
    numbers = {second.pk: first.pairing_number, first.pk: second.pairing_number}
    for entry in (first, second):
        _move_number(entry, numbers[entry.pk])
    Entry.objects.bulk_update([first, second], ["moved_number"])


def _move_numbers(order: Sequence[Entry]) -> list[Entry]:
    """Give entries in their order the pairing numbers, which are their numbers; return those that changed."""
    numbers = sorted(entry.number for entry in order)
    changed = [entry for entry, number in zip(order, numbers, strict=True) if entry.pairing_number != number]
    for entry, number in zip(order, numbers, strict=True):
        _move_number(entry, number)
    Entry.objects.bulk_update(changed, ["moved_number"])
    return changed


def _move_number(entry: Entry, number: int) -> None:
    entry.moved_number = None if number == entry.number else number


def rate_entries(league: League, entries: Sequence[Entry]) -> dict[int, float]:
    """Give entries without a rating the league's, as of now; return key -> the rating before rounding, if any.

    A side has the mean of its rated players. A player without games has none, unless the league set an initial rating.
    """
    players = {player.pk for entry in entries for player in entry.survivors}
    ratings = load_ratings(league.pk, players)
    strengths: dict[int, float] = {}
    for entry in entries:
        if entry.rating is not None:
            strengths[entry.pk] = float(entry.rating)
            continue
        values = [ratings[player.pk] for player in entry.survivors if player.pk in ratings]
        if values:
            strengths[entry.pk] = sum(values) / len(values)
            entry.rating, entry.rating_from = round_rating(strengths[entry.pk]), RATING_OF_LEAGUE
    return strengths


def load_players(entries: Iterable[Entry]) -> None:
    """Load the players of entries, with those they were merged into."""
    prefetch_related_objects(list(entries), "players__player__merged_into")


def _renumber(competition: Competition, entries: Sequence[Entry]) -> None:
    """Number entries from 1, also in the lists of those who must not meet."""
    numbers = {entry.number: number for number, entry in enumerate(entries, start=1)}
    # Numbers are unique at every step.
    competition.entries.update(number=F("number") + OFFSET)
    for entry in entries:
        entry.number = numbers[entry.number]
        entry.not_against = sorted(numbers[number] for number in entry.not_against if number in numbers)
        entry.apart = [{**one, "entry": numbers[one["entry"]]} for one in entry.apart if one["entry"] in numbers]
    Entry.objects.bulk_update(entries, ["number", "rating", "rating_from", *FORBIDDEN])
