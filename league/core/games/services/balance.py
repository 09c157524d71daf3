"""Splits people into fair sides, by the ratings and the system of a league; see ``ratings.balance``.

It writes and locks nothing. People whom nobody knows have the state of a newcomer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.errors import Problem, Refused
from league.core.games.services.game_input import check_time
from league.core.games.services.rate_game import load_states_at
from league.core.games.services.what_if import list_states, refuse_during_replay
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import resolve_players
from league.core.players.selectors.search import find_name_problems
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.core.text.names import build_name_key, shorten_name
from league.models import League, Player, Rule
from ratings.balance.sides import BestSplits, NoSplit, SidePlayer, find_best_splits, join_parties
from ratings.contract.system import RatingSystem

#: Most people to split, and most splits in an answer.
MAX_PEOPLE, MAX_SPLITS = 24, 10


@dataclass(frozen=True)
class BalanceRequest:
    """People by any names, and what is wanted of their sides.

    ``sides``: two if neither it nor ``sizes`` is given. ``sizes``: of each side; as equal as can be if None.
    """

    players: Sequence[str]
    sides: int | None = None
    sizes: Sequence[int] | None = None
    together: Sequence[Sequence[str]] = ()
    apart: Sequence[Sequence[str]] = ()
    count: int = 3
    viewer: Viewer | None = None


@dataclass(frozen=True)
class BalancedPerson:
    """Somebody to put on a side; ``is_new``: nobody has this name, which is also the handle here."""

    handle: str
    name: str
    is_new: bool
    games: int
    state: tuple[float, ...]


@dataclass(frozen=True)
class BalanceQuestion:
    """What ``find_best_splits`` is asked: the people from the highest rating on, and groups by their handles."""

    system: RatingSystem
    people: list[BalancedPerson]
    sizes: list[int]
    together: list[list[str]]
    apart: list[list[str]]
    count: int


class CurrentRules(NamedTuple):
    """The time, the league's rules, and the system that rates a game at that time."""

    now: datetime
    rules: Sequence[Rule]
    system: RatingSystem


def load_balance(league: League, asked: BalanceRequest) -> BalanceQuestion:
    """Return the people with their states now; ``split_people`` then needs no database.

    Raises Refused if they cannot be split as asked, Busy while ratings are recalculated.
    """
    current = load_current_rules(league)
    system = current.system
    if not system.sides:
        template = _("{title} does not support teams; choose a system that does.")
        raise Refused.of([Problem("", "sides", template.format(title=system.title))])
    sizes = _choose_sizes(asked)
    groups = {"together": asked.together, "apart": asked.apart}
    players, found = find_people(league, asked.players, groups, asked.viewer)
    _refuse_contradictions(found["together"], found["apart"], sizes, len(players))
    together, apart = (
        [[players[index].handle for index in group] for group in found[name]] for name in ("together", "apart")
    )
    return BalanceQuestion(system, load_people(league, players, current), sizes, together, apart, asked.count)


def load_current_rules(league: League) -> CurrentRules:
    """Return what rates a game now; raises Refused if nothing does, Busy while ratings are recalculated."""
    now, rules = timezone.now(), load_rules(league)
    system = build_rule_system(check_time(now, now, rules))
    refuse_during_replay(league, now)
    return CurrentRules(now, rules, system)


def load_people(league: League, players: Sequence[Player], current: CurrentRules) -> list[BalancedPerson]:
    """Return players with their states now, from the highest rating on; unsaved ones are newcomers."""
    states = load_states_at(league, *current, [player.pk for player in players])
    people = [
        BalancedPerson(player.handle, player.name, player.pk < 0, int(games), tuple(state))
        for player, games, state in zip(players, states.pool.games.tolist(), list_states(states), strict=True)
    ]
    return sorted(people, key=lambda person: (-person.state[0], person.handle))


def split_people(question: BalanceQuestion) -> BestSplits:
    """Return the best splits by handles; raises Refused if the parties do not fit."""
    people = [SidePlayer(person.handle, person.state) for person in question.people]
    try:
        return find_best_splits(
            question.system,
            people,
            question.sizes,
            together=question.together,
            apart=question.apart,
            count=question.count,
        )
    except NoSplit:
        message = _("The parties do not fit into sides of these sizes: make a party smaller, or change the sizes.")
        raise Refused.of([Problem("/together", "party", message)]) from None


def _choose_sizes(asked: BalanceRequest) -> list[int]:
    """Return the size of each side; raises Refused if they do not fit the people."""
    count = len(asked.players)
    if asked.sizes is None:
        sides = 2 if asked.sides is None else asked.sides
        if sides > count:
            message = _("There are {sides} sides for {count} people; each side needs one.")
            raise Refused.of([Problem("/sides", "sizes", message.format(sides=sides, count=count))])
        return [count // sides + (side < count % sides) for side in range(sides)]
    if asked.sides is not None and asked.sides != len(asked.sizes):
        message = _("There are {sides} sides, but the sizes of {count}.")
        raise Refused.of([Problem("/sizes", "sizes", message.format(sides=asked.sides, count=len(asked.sizes)))])
    if sum(asked.sizes) != count:
        message = _("The sizes add up to {total}, but there are {count} people.")
        raise Refused.of([Problem("/sizes", "sizes", message.format(total=sum(asked.sizes), count=count))])
    return list(asked.sizes)


def find_people(
    league: League, names: Sequence[str], groups: Mapping[str, Sequence[Sequence[str]]], viewer: Viewer | None
) -> tuple[list[Player], dict[str, list[list[int]]]]:
    """Return the players, and the groups as their indexes; who would be new is unsaved, with a key below 0.

    Raises Refused with the text that is unclear, names somebody again, or names nobody of the players.
    """
    named = {f"/players/{index}": text for index, text in enumerate(names)}
    in_groups = {
        f"/{field}/{group}/{index}": text
        for field, lists in groups.items()
        for group, texts in enumerate(lists)
        for index, text in enumerate(texts)
    }
    texts = [*named.values(), *in_groups.values()]
    resolutions = resolve_players(texts, league, viewer)
    problems = find_name_problems(league, resolutions, texts, viewer, create_players=True)
    located = zip([*named, *in_groups], problems, strict=True)
    unclear = [replace(problem, pointer=pointer) for pointer, problem in located if problem is not None]
    if unclear:
        raise Refused.of(unclear)
    keys = {
        text: build_name_key(text) if resolution.one is None else resolution.one.player.pk
        for text, resolution in resolutions.items()
    }
    index_of: dict[str | int, int] = {}
    players: list[Player] = []
    for pointer, text in named.items():
        if keys[text] in index_of:
            raise _refuse_twice(pointer, text)
        one = resolutions[text].one
        index_of[keys[text]] = len(players)
        players.append(Player(pk=-1 - len(players), handle=text, name=text) if one is None else one.player)
    for pointer, text in in_groups.items():
        if keys[text] not in index_of:
            message = _("“{name}” is not one of the players.").format(name=shorten_name(text))
            raise Refused.of([Problem(pointer, "unknown_player", message)])
    found = {
        field: [
            _list_members(f"/{field}/{group}", texts, [index_of[keys[text]] for text in texts])
            for group, texts in enumerate(lists)
        ]
        for field, lists in groups.items()
    }
    return players, found


def _list_members(pointer: str, texts: Iterable[str], members: list[int]) -> list[int]:
    """Return the members of a party or wish; raises Refused if one is named twice."""
    for index, text in enumerate(texts):
        if members[index] in members[:index]:
            raise _refuse_twice(f"{pointer}/{index}", text)
    return members


def _refuse_twice(pointer: str, text: str) -> Exception:
    message = _("“{name}” is named twice here.").format(name=shorten_name(text))
    return Refused.of([Problem(pointer, "twice", message)])


def _refuse_contradictions(
    together: Sequence[Sequence[int]], apart: Sequence[Sequence[int]], sizes: Sequence[int], count: int
) -> None:
    """Raise Refused for a party larger than every side, and for people who should be together and apart."""
    parties = join_parties(count, together)
    party_of = {person: party for party in parties for person in party}
    for group, party in enumerate(together):
        size = len(party_of[party[0]])
        if size > max(sizes):
            message = _(
                "The party has {size} people, with those of parties that share one; the largest side has {most}."
            )
            problem = Problem(f"/together/{group}", "party", message.format(size=size, most=max(sizes)))
            raise Refused.of([problem])
    for group, wish in enumerate(apart):
        if len({party_of[person] for person in wish}) < len(wish):
            message = _("Two of these people are in one party; they cannot be together and apart.")
            raise Refused.of([Problem(f"/apart/{group}", "contradiction", message)])
