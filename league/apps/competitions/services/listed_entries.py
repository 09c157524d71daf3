"""Enters people of rating lists, and compares the ratings of entries with the lists."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import find_competition
from league.apps.competitions.selectors.listed_people import find_list_day, list_entered, look_up_entered
from league.apps.competitions.selectors.rating_order import (
    choose_rating,
    find_round_rating,
    get_lists,
    list_official_ratings,
    list_other_ratings,
    read_official_ratings,
    serialize_ratings,
)
from league.apps.competitions.services.category_checks import MAX_FACT
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry
from league.apps.competitions.services.entry_checks import find_entry
from league.apps.competitions.services.entry_status import find_last_round
from league.apps.competitions.services.import_people import ImportRequest, NamedPerson, find_people
from league.core.errors import Conflict, Invalid, NotFound, Problem
from league.core.locking import locked
from league.core.permissions import Viewer, refuse_foreign
from league.core.players.listed_people import RATING_OF_LEAGUE, ListedPerson, SourcedRating, look_up_people
from league.core.players.selectors.external_ids import load_external_ids
from league.core.players.services.players import change_player
from league.core.text.names import build_name_key
from league.core.transfer.selectors.exports import get_own_external_ids
from league.models import League, Player


@dataclass(frozen=True)
class ListedRatings:
    """What the lists have of a person: the ratings in the competition's lists, that which counts, and all others."""

    official: tuple[SourcedRating, ...]
    chosen: SourcedRating | None
    others: tuple[SourcedRating, ...]

    @property
    def choices(self) -> tuple[SourcedRating, ...]:
        """What an arbiter chooses from: that which counts, else those of other lists."""
        return (self.chosen,) if self.chosen else self.others

    def build_details(self, list_key: str = "") -> dict[str, Any]:
        """Return what an entry has of the ratings; ``list_key``: the list whose rating is used, if none counts."""
        used = self.chosen or next((one for one in self.others if one.list_key == list_key), None)
        official = list(dict.fromkeys([*self.official, *([used] if used else [])]))
        return {**(used._asdict() if used else {}), "official_ratings": serialize_ratings(official)}


def find_listed_ratings(
    competition: Competition, people: Sequence[ListedPerson], lists: Sequence[str]
) -> ListedRatings:
    """Return what a person has in the lists; ``lists``: those of the competition (``get_lists``)."""
    official = list_official_ratings(people, lists)
    others = list_other_ratings(people, lists)
    return ListedRatings(tuple(official), choose_rating(competition, official), tuple(others))


@dataclass(frozen=True)
class ListedChoice:
    """A person of a list to enter: provider and id.

    ``list_key``: whose rating is used if none of the competition's lists has one. ``typed``: an entry that says some
    of it otherwise, on a ``line`` of what was pasted.
    """

    provider: str
    number: str
    list_key: str = ""
    typed: NewEntry | None = None
    line: int = 0

    @classmethod
    def read(cls, id_text: str, typed: NewEntry | None = None, list_key: str = "", line: int = 0) -> "ListedChoice":
        """Return the person of an id with its provider, such as fide:1503014, with what was typed."""
        provider, _colon, number = id_text.partition(":")
        return cls(provider, number, list_key, typed, line)

    def build_entry(self, handle: str, person: ListedPerson, ratings: ListedRatings) -> NewEntry:
        """Return the entry of a player: what was typed counts, else what the list has."""
        known = {"sex": person.sex, "born": person.born, "club": person.club[:MAX_FACT].strip()}
        about = {name: value for name, value in known.items() if value}
        details: dict[str, Any] = {"title": person.title, "federation": person.federation, "about": about}
        details |= ratings.build_details(self.list_key)
        if self.typed is None:
            return NewEntry([handle], **details)
        row = self.typed.row
        details |= {name: value for name in ("title", "federation") if (value := getattr(row, name))}
        if row.rating is not None:
            details |= {"rating": row.rating, "rating_from": ""}
        return NewEntry([handle], byes=self.typed.byes, **details)


class AddedEntries(NamedTuple):
    """Entries of people of lists, then others; ``warnings``: of whom the player does not have the id, and why."""

    entries: list[Entry]
    warnings: list[str]


@locked
def add_listed_entries(
    league: League,
    now: datetime,
    slug: str,
    choices: Sequence[ListedChoice],
    *,
    by: str,
    viewer: Viewer,
    others: Sequence[NewEntry] = (),
    create_players: bool = False,
) -> AddedEntries:
    """Enter people of rating lists, who become players of the site with their ids unless somebody has them.

    ``others``: entries that are added with them, whose unknown players are added if wanted (``create_players``).
    Raises NotFound if a list has no such person, else as ``add_entries``; the people of the lists come first.
    """
    competition = find_competition(league, slug, for_organisers=True)
    day, lists = find_list_day(competition, now), get_lists(competition)
    people = _look_up_chosen(choices, day)
    players: dict[int, Player] = {}
    warnings: list[str] = []
    for provider, own in _list_groups(choices, people):
        named = [NamedPerson((people[at].name,), people[at].number, choices[at].line, provider) for at in own]
        found = find_people(league, now, named, ImportRequest(by, viewer, create_players=True), once=False)
        players |= dict(zip(own, found.players, strict=True))
        warnings += [one.describe_unstored_id() for one in found.without_id]
    ids = load_external_ids({player.pk for player in players.values()})
    elsewhere = look_up_entered(
        {
            (provider, number): at
            for at, player in players.items()
            for provider, number in ids.get(player.pk, {}).items()
            if provider != choices[at].provider
        },
        day,
    )
    new = [
        choice.build_entry(
            players[at].handle,
            people[at],
            find_listed_ratings(competition, [people[at], *elsewhere.get(at, [])], lists),
        )
        for at, choice in enumerate(choices)
    ]
    entries = add_entries(league.pk, slug, [*new, *others], by=by, viewer=viewer, create_players=create_players)
    return AddedEntries(entries, warnings)


def _list_groups(choices: Sequence[ListedChoice], people: Sequence[ListedPerson]) -> list[tuple[str, list[int]]]:
    """Return the choices (by index) of one provider that are found together: of namesakes one after the other."""
    groups: dict[tuple[str, int], list[int]] = {}
    namesakes: Counter[tuple[str, str]] = Counter()
    for at, choice in enumerate(choices):
        name = choice.provider, build_name_key(people[at].name)
        groups.setdefault((choice.provider, namesakes[name]), []).append(at)
        namesakes[name] += 1
    return [(provider, own) for (provider, _before), own in sorted(groups.items(), key=lambda group: group[0][1])]


def _look_up_chosen(choices: Sequence[ListedChoice], day: date | None) -> list[ListedPerson]:
    """Return the person of each choice, in the lists of a day, else in those in use; raises NotFound."""
    found: dict[tuple[str, str], ListedPerson] = {}
    for provider in {choice.provider for choice in choices}:
        numbers = {choice.number for choice in choices if choice.provider == provider}
        for at in (None, day):
            found |= {(provider, number): one for number, one in look_up_people(provider, numbers, at).items()}
    for choice in choices:
        if (choice.provider, choice.number) not in found:
            id_text = f"{choice.provider}:{choice.number}"
            raise NotFound(_("The rating list has nobody with the ID {number}.").format(number=id_text))
    return [found[choice.provider, choice.number] for choice in choices]


def identify_entry(entry: Entry, id_text: str, *, is_same: bool = True, by: str, viewer: Viewer) -> None:
    """Give the player of an entry the id of a person of a list, or take it away again (not ``is_same``).

    Raises NotFound if the list has no such person, Conflict if the player has another id of the list or another player
    has this one, and Forbidden unless the viewer organises this league and every one of the player.
    """
    chosen = ListedChoice.read(id_text)
    if is_same and chosen.number not in look_up_people(chosen.provider, [chosen.number]):
        raise NotFound(_("The rating list has nobody with the ID {number}.").format(number=id_text))
    player = Player.objects.get(pk=entry.survivors[0].pk)
    ids = get_own_external_ids(player)
    known = ids.get(chosen.provider, "")
    if known not in ("", chosen.number):
        template = _("{name} has the ID {number} already.")
        raise Conflict(template.format(name=player.name, number=f"{chosen.provider}:{known}"))
    others = {provider: value for provider, value in ids.items() if provider != chosen.provider}
    change_player(
        player,
        external_ids={**others, chosen.provider: chosen.number} if is_same else others,
        username=by,
        allow=lambda leagues: refuse_foreign(viewer, [entry.competition.league, *leagues]),
        viewer=viewer,
    )


@dataclass(frozen=True)
class RatingDifference:
    """An entry whose rating is not that of the lists in use: its number, its rating, and where that is from."""

    entry: int
    rating: int | None
    rating_from: str
    ratings: ListedRatings


def find_rating_differences(loaded: LoadedCompetition) -> list[RatingDifference]:
    """Return the entries with another rating than the lists have: those of the first day, or those in use.

    Not those to whom an arbiter gave another rating than the list had, and has. An entry without a rating whom only
    other lists have is one: an arbiter may choose.
    """
    competition, differences = loaded.competition, []
    lists = get_lists(competition)
    people = look_up_entered(list_entered(loaded), find_list_day(competition, loaded.now))
    for number, entry in loaded.entries.items():
        if number not in people or entry.status != Entry.Status.ENTERED:
            continue
        ratings = find_listed_ratings(competition, people[number], lists)
        if _differs(entry, ratings):
            now = find_round_rating(entry)
            source = now.rating_from if now else ""
            differences.append(RatingDifference(entry.number, now and now.rating, source, ratings))
    return differences


def _differs(entry: Entry, ratings: ListedRatings) -> bool:
    """Return whether an entry has another rating than the lists, or none; from where it is does not matter."""
    now = find_round_rating(entry)
    if ratings.chosen is None:
        return bool(ratings.others) and (now is None or now.rating_from == RATING_OF_LEAGUE)
    if now is not None and now.rating == ratings.chosen.rating:
        return False
    listed = (ratings.chosen.rating, ratings.chosen.list_key)
    known = {(one.rating, one.list_key) for one in read_official_ratings(entry)}
    return now is None or bool(now.rating_from) or listed not in known


class TakenRating(NamedTuple):
    """An entry that gets the rating of a list; ``list_key``: which one, if none of the competition's lists has one."""

    entry: int
    list_key: str = ""


@locked
def take_listed_ratings(league: League, now: datetime, slug: str, wanted: Sequence[TakenRating], *, by: str) -> int:
    """Give entries the ratings of the lists; returns the number of those that got one.

    An entry that has its rating stays as it is. In a long competition with a round, the rating applies from the next
    round on. Raises as ``change_entry``, and Invalid for entries that are not there, or whose list is not chosen.
    """
    competition = find_competition(league, slug, for_organisers=True)
    last_round = find_last_round(competition)
    loaded = load_competition(competition, now)
    differences = {one.entry: one for one in find_rating_differences(loaded)}
    if problems := list(_find_taking_problems(loaded, differences, wanted)):
        raise Invalid.of(problems)
    taken = {
        one.entry: differences[one.entry].ratings.build_details(one.list_key)
        for one in wanted
        if one.entry in differences
    }
    if competition.long and last_round:
        taken = {
            number: _add_later(find_entry(competition, number), last_round + 1, changes)
            for number, changes in taken.items()
        }
    for number, changes in taken.items():
        change_entry(league.pk, slug, number, changes, by=by)
    return len(taken)


def _find_taking_problems(
    loaded: LoadedCompetition, differences: Mapping[int, RatingDifference], wanted: Sequence[TakenRating]
) -> Iterator[Problem]:
    """Yield the problems of the entries that get ratings, and of the lists that were chosen for them."""
    known = {*loaded.entries, *(one.number for one in loaded.waiting)}
    for index, (number, list_key) in enumerate(wanted):
        pointer = f"/entries/{index}"
        if number not in known:
            yield Problem(f"{pointer}/entry", "unknown_entry", _("There is no entry {number}.").format(number=number))
        elif number in [one.entry for one in wanted[:index]]:
            message = _("Entry {number} is listed twice.").format(number=number)
            yield Problem(f"{pointer}/entry", "twice", message)
        elif number in differences:
            keys = [one.list_key for one in differences[number].ratings.choices]
            if list_key not in keys and (list_key or not differences[number].ratings.chosen):
                template = _("{name}: choose the list from which the rating comes: {lists}.")
                sentence = template.format(name=loaded.name(number), lists=", ".join(keys))
                yield Problem(f"{pointer}/list", "unknown_list", sentence)


def _add_later(entry: Entry, from_round: int, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the later ratings of an entry with that of a list, from a round on."""
    kept = [one for one in entry.later_ratings if one["from_round"] < from_round]
    taken = {name: details[name] for name in ("rating", "rating_from")}
    return {"later_ratings": [*kept, {"from_round": from_round, **taken}]}
