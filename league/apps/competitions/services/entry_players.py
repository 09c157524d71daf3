"""Finds or adds the players of new entries."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.models import MAX_SQUAD, Competition, Entry, EntryPlayer
from league.core.errors import Problem, Refused
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import resolve_players
from league.core.players.selectors.search import find_name_problems
from league.core.players.services.merges import lock_players
from league.core.players.services.players import create_unknown_players
from league.models import League, Player

Sides = Sequence[Sequence[str]]


def find_sides(
    league: League,
    sizes: range,
    sides: Sides,
    prefixes: Sequence[str],
    *,
    viewer: Viewer | None,
    create_players: bool,
    names: Mapping[str, str],
    added: list[str],
) -> list[list[Player]]:
    """Return the players of each side as they are named, merged or not; those who are unknown are added if wanted.

    ``sizes``: how many players a side may have. ``prefixes``: JSON pointers of the sides. ``names``: key of a handle ->
    name of the player to add. The names in the log of players who were added are appended to ``added``. Raises Refused
    with all problems.
    """
    pointers = [
        f"{prefix}/players/{at}" for prefix, side in zip(prefixes, sides, strict=True) for at in range(len(side))
    ]
    _refuse_sizes(sizes, sides, prefixes)
    texts = [text for side in sides for text in side]
    resolutions = resolve_players(texts, league, viewer, for_writing=True)
    faults = find_name_problems(league, resolutions, texts, viewer, create_players=create_players)
    problems = [
        replace(fault, pointer=pointer, detail=capfirst(fault.detail))
        for pointer, fault in zip(pointers, faults, strict=True)
        if fault is not None
    ]
    if problems:
        raise Refused.of(problems)
    unknown = [text for text in texts if not resolutions[text].found]
    created = (
        create_unknown_players(unknown, added, league=league, names=names, other_texts=texts, viewer=viewer)
        if unknown
        else {}
    )
    players = [created[text] if (one := resolutions[text].one) is None else one.original for text in texts]
    ends = list(accumulate(len(side) for side in sides))
    return [players[end - len(side) : end] for side, end in zip(sides, ends, strict=True)]


def list_squad_sizes(competition: Competition) -> range:
    """Return how many players an entry may have: of teams, a squad of at least one."""
    return range(1, MAX_SQUAD + 1) if competition.teams else range(competition.sides_of, competition.sides_of + 1)


def _refuse_sizes(sizes: range, sides: Sides, prefixes: Sequence[str]) -> None:
    """Raise Refused for each side that has not as many players as the competition's entries have."""
    template = ngettext("An entry has {count} player.", "An entry has {count} players.", sizes[0])
    if len(sizes) > 1:
        template = _("A squad has 1 to {count} players.")
    problems = [
        Problem(f"{prefix}/players", "players", template.format(count=sizes[-1]))
        for prefix, side in zip(prefixes, sides, strict=True)
        if len(side) not in sizes
    ]
    if problems:
        raise Refused.of(problems)


def refuse_double_entries(
    competition: Competition, sides: Sequence[Sequence[Player]], prefixes: Sequence[str], numbers: Sequence[int]
) -> None:
    """Raise Refused if a player is in two entries; ``numbers``: those of the given sides, whose rows are ignored."""
    # A merge locks these rows too, so that it sees the entries, or they see it.
    locked = {player.pk: player for player in lock_players(*{player for side in sides for player in side})}
    sides = [[locked[player.pk] for player in side] for side in sides]
    lines = EntryPlayer.objects.filter(league=competition.league_id, competition=competition)
    lines = lines.exclude(entry__number__in=numbers).select_related("entry", "player__merged_into")
    entry_of = {line.survivor.pk: line.entry.number for line in lines}
    problems = []
    for side, prefix, number in zip(sides, prefixes, numbers, strict=True):
        for position, player in enumerate(side):
            other = entry_of.get((player.merged_into or player).pk)
            entry_of[(player.merged_into or player).pk] = number
            if other is not None:
                template = (
                    _("{name} is in two entries: {first} and {second}.")
                    if other != number
                    else _("{name} is in this entry twice.")
                )
                detail = template.format(name=player.name, first=other, second=number)
                problems.append(Problem(f"{prefix}/players/{position}", "entered_twice", detail))
    if problems:
        raise Refused.of(problems)


def build_lines(entry: Entry, players: Sequence[Player]) -> list[EntryPlayer]:
    """Return the unsaved rows of an entry's players in order."""
    return [
        EntryPlayer(
            league_id=entry.league_id,
            competition_id=entry.competition_id,
            entry=entry,
            position=position,
            player=player,
        )
        for position, player in enumerate(players, start=1)
    ]
