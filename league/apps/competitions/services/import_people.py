"""Finds or adds the players of an imported file or a rating list, all at once."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from league.apps.competitions.selectors.rating_order import FIDE
from league.apps.competitions.services.regulations import Confirmed
from league.core.errors import Busy, Problem, Problems, Refused
from league.core.permissions import Viewer
from league.core.players.selectors.external_ids import load_external_ids
from league.core.players.selectors.resolve import (
    Found,
    Resolution,
    find_problem,
    list_names,
    load_spellings,
    resolve_players,
)
from league.core.players.selectors.search import find_name_problems
from league.core.players.selectors.visibility import find_foreign_players
from league.core.players.services.add_players import add_players, log_added_players
from league.core.text.names import build_name_key, shorten_name
from league.models import ExternalId, League, Player


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A player as a file or a rating list names them: spellings, the likeliest first, an id, and the line.

    The people who are looked for together have ids of one ``provider``.
    """

    spellings: tuple[str, ...]
    number: str = ""
    line: int = 0
    provider: str = FIDE

    @property
    def key(self) -> str:
        """Return the key of the likeliest spelling."""
        return build_name_key(self.spellings[0])

    @property
    def id_texts(self) -> tuple[str, ...]:
        """Return the text that names the player by the id, if there is one."""
        return (f"{self.provider}:{self.number}",) if self.number else ()

    def describe_unstored_id(self) -> str:
        """Return the sentence for those whose id is not stored (``FoundPeople.without_id``)."""
        template = _(
            "The ID {number} of {name} is not stored: the player also plays in a league that you do not organise."
        )
        return template.format(number=self.number, name=self.spellings[0])


@dataclass(frozen=True)
class ImportRequest:
    """Who imports, and whether unknown players are added. ``viewer`` None sees everyone.

    ``regulations``: whether the competition is held to FIDE's regulations from now on, if they have rules for it.
    ``confirmed``: what they warn of.
    """

    by: str
    viewer: Viewer | None = None
    create_players: bool = False
    regulations: bool = False
    confirmed: Confirmed = ()


class FoundPeople(NamedTuple):
    """The player of each person, and those whose id is not stored, as they play in leagues of others."""

    players: list[Player]
    without_id: list[NamedPerson]


def find_people(
    league: League, now: datetime, people: Sequence[NamedPerson], request: ImportRequest, *, once: bool
) -> FoundPeople:
    """Return the player of each person; unknown ones are added if wanted.

    An id finds its player. A player of the same name who has another id is another person. Raises BadFile naming
    the line of each player who is unknown, ambiguous or, if everyone is listed ``once``, named twice.
    """
    search = PeopleSearch(league, people, request.viewer)
    chosen = [search.choose(person) for person in people]
    unknown = [person for person, found in zip(people, chosen, strict=True) if not found]
    problems = Problems()
    names = {person.spellings[0] for person in unknown}
    faults = dict(zip(names, search.find_problems(names, create_players=request.create_players), strict=True))
    for person, found in zip(people, chosen, strict=True):
        problem = search.find_problem(person, found, create_players=request.create_players)
        if problem is None and not found:
            problem = faults[person.spellings[0]]
        if problem is not None:
            problems.add_problem(person.line, problem, Refused)
    problems.raise_any()
    known = search.spellings.keys()
    added = iter(_add_people(league, now, unknown, request, known) if unknown else ())
    players = [found[0].player if found else next(added) for found in chosen]
    if once:
        _refuse_repetitions(people, players)
    return FoundPeople(players, _store_ids(people, players, search.numbers, request.viewer))


class PeopleSearch:
    """Finds the players whom the people of a file may be."""

    def __init__(self, league: League, people: Sequence[NamedPerson], viewer: Viewer | None) -> None:
        self.league, self.viewer = league, viewer
        texts = [text for person in people for text in (*person.spellings, *person.id_texts)]
        self.spellings = load_spellings(texts, viewer)
        self.resolutions = resolve_players(texts, league, viewer, spellings=self.spellings, for_writing=True)
        players = {found.player.pk for resolution in self.resolutions.values() for found in resolution.found}
        ids = load_external_ids(players) if players else {}
        provider = people[0].provider if people else FIDE
        self.numbers = {player: providers[provider] for player, providers in ids.items() if provider in providers}

    def choose(self, person: NamedPerson) -> tuple[Found, ...]:
        """Return whom a person may be: by the id, else by the first spelling of anybody without another id."""
        for text in (*person.id_texts, *person.spellings):
            found = tuple(one for one in self.resolutions[text].found if not self._contradicts(person, one))
            if found:
                return found
        return ()

    def _contradicts(self, person: NamedPerson, found: Found) -> bool:
        """Return whether a player has another id than a person."""
        return bool(person.number) and self.numbers.get(found.player.pk, person.number) != person.number

    def find_problems(self, names: Iterable[str], *, create_players: bool) -> list[Problem | None]:
        """Return for each name of an unknown person why no player can be found or added."""
        nobody = {name: Resolution(name) for name in names}
        return find_name_problems(self.league, nobody, [*nobody], self.viewer, create_players=create_players)

    def find_problem(self, person: NamedPerson, found: Sequence[Found], *, create_players: bool) -> Problem | None:
        """Return that a person may be several players, or is not added beside one with another id."""
        if len(found) > 1:
            return find_problem(Resolution(person.spellings[0], tuple(found)))
        others = [one.player for text in person.spellings for one in self.resolutions[text].found]
        if found or create_players or not others:
            return None
        is_fide = person.provider == FIDE
        template = (
            _("“{name}” has the FIDE ID {number}, but {player} ({handle}) has {other}.")
            if is_fide
            else _("“{name}” has the ID {number}, but {player} ({handle}) has {other}.")
        )
        detail = template.format(
            name=shorten_name(person.spellings[0]),
            number=person.number if is_fide else person.id_texts[0],
            player=others[0].name,
            handle=others[0].handle,
            other=self.numbers[others[0].pk],
        )
        return Problem("", "contradicting_id", detail, candidates=list_names(others))


def _add_people(
    league: League, now: datetime, unknown: Sequence[NamedPerson], request: ImportRequest, known: Set[str]
) -> list[Player]:
    """Add players; return them in order. People with the same name are one, unless each has an id of their own."""
    ids_by_key: dict[str, list[str]] = {}
    for person in unknown:
        ids_by_key.setdefault(person.key, []).append(person.number)
    shared = {key for key, ids in ids_by_key.items() if "" in ids or len({*ids}) < len(ids)}
    names: dict[tuple[str, str], str] = {}
    for person in unknown:
        names.setdefault((person.key, "" if person.key in shared else person.number), person.spellings[0])
    rows = add_players([*names.values()], league.pk, known)
    log_added_players(league, now, request.by, [opaque for _pk, opaque in rows])
    players = Player.objects.in_bulk([pk for pk, _opaque in rows])
    added = {key: players[pk] for key, (pk, _opaque) in zip(names, rows, strict=True)}
    return [added[person.key, "" if person.key in shared else person.number] for person in unknown]


def _store_ids(
    people: Sequence[NamedPerson], players: Sequence[Player], known: Mapping[int, str], viewer: Viewer | None
) -> list[NamedPerson]:
    """Store the ids of players who have none, so that the next file finds them; return those of other leagues."""
    unknown = {
        player.pk: person
        for person, player in zip(people, players, strict=True)
        if person.number and player.pk not in known
    }
    foreign = find_foreign_players(viewer, unknown)
    try:
        with transaction.atomic():
            ExternalId.objects.bulk_create(
                ExternalId(player_id=player, provider=person.provider, value=person.number)
                for player, person in unknown.items()
                if player not in foreign
            )
    except IntegrityError:
        raise Busy(
            _("Someone else has just added some of these players. Nothing was saved; please try again.")
        ) from None
    return [person for player, person in unknown.items() if player in foreign]


def _refuse_repetitions(people: Sequence[NamedPerson], players: Sequence[Player]) -> None:
    problems, lines = Problems(), dict[int, int]()
    for person, player in zip(people, players, strict=True):
        if player.pk in lines:
            text = _("{name} is the same player as on line {line}.")
            problems.add(
                person.line, "entered_twice", text.format(name=player.name, line=lines[player.pk]), kind=Refused
            )
        lines.setdefault(player.pk, person.line)
    problems.raise_any()
