"""Resolves a text to the player it means: one rule for games, files, queries, commands and apps.

A text is, in this order, a player's external id (``provider:id``), a handle as written, a name or alias as written, or
one of these folded (``build_name_key``). White space never matters, as files do not keep it. A step counts only if the
steps before found nobody. If a step finds several players, those of the league come first; if several remain, the text
is ambiguous and is never resolved by chance.

Players whom the viewer may not see are ignored, so that names cannot be found by guessing; a writer who knows the
external id of such a player means that player.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import IntEnum
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, TypeVar

from django.db.models import BooleanField, ExpressionWrapper, Model, QuerySet
from django.db.models.functions import Coalesce
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.errors import AmbiguousPlayer, NotFound, PlayerName, Problem
from league.core.permissions import Viewer, may_see
from league.core.players.external_ids import parse_external_id
from league.core.players.selectors.visibility import (
    build_in_league_condition,
    build_visible_condition,
    find_reachable_players,
    find_visible_ids,
    is_handle_or_name,
)
from league.core.text.names import build_name_key, is_storable, shorten_name
from league.models import Alias, ExternalId, League, Player

#: Maximum number of players with the same name listed in a sentence.
MAX_NAMESAKES = 5
R = TypeVar("R", bound=Model)


class NameStep(IntEnum):
    """How a text names a player; the smallest step that finds anybody counts."""

    EXTERNAL_ID = 1
    HANDLE = 2
    WRITTEN = 3
    FOLDED = 4


class Spelling(Protocol):
    """An alias (every handle is one) with its player, and the original player if merged."""

    @property
    def text(self) -> str:
        """Return the alias."""

    @property
    def player(self) -> Player:
        """Return the player."""

    @property
    def recorded_as(self) -> Player | None:
        """Return the original player if merged."""


class Found(NamedTuple):
    """A player, and the player merged into this one whom the text named, if any."""

    player: Player
    recorded_as: Player | None = None

    @property
    def original(self) -> Player:
        """Return the player whom the text named."""
        return self.recorded_as or self.player


@dataclass(frozen=True, slots=True)
class Resolution:
    """The players that a text may mean: none, the one, or several."""

    text: str
    found: tuple[Found, ...] = ()
    step: NameStep | None = None

    @property
    def one(self) -> Found | None:
        """Return the player if there is exactly one."""
        return self.found[0] if len(self.found) == 1 else None

    @property
    def is_ambiguous(self) -> bool:
        """Return whether the text names several players."""
        return len(self.found) > 1


def load_spellings(texts: Iterable[str], viewer: Viewer | None = None) -> dict[str, Spelling]:
    """Return key -> alias with its player for every known handle or alias among the texts, with one query.

    For a limited ``viewer`` each has ``is_visible``: whether the viewer may see the original player.
    """
    keys = [*{build_name_key(text) for text in texts if is_storable(text)}]
    rows = Alias.objects.select_related("player", "recorded_as").annotate(whom=Coalesce("recorded_as_id", "player_id"))
    rows = _mark_visible(rows, viewer, "whom")
    return {alias.key: alias for alias in rows.filter(key__in=keys)}


def _mark_visible(rows: QuerySet[R, R], viewer: Viewer | None, player_path: str) -> QuerySet[R, R]:
    """Return rows with ``is_visible``, whether a limited viewer may see their player."""
    if viewer is None or viewer.ids() is None:
        return rows
    marked: QuerySet[Any, Any] = rows.annotate(
        is_visible=ExpressionWrapper(build_visible_condition(viewer, player_path), BooleanField())
    )
    return marked


def resolve_players(
    texts: Iterable[str],
    league: League | None,
    viewer: Viewer | None,
    *,
    spellings: Mapping[str, Spelling] | None = None,
    for_writing: bool = False,
    among: Set[int] | None = None,
) -> dict[str, Resolution]:
    """Return text -> the players that it may mean; ``viewer`` None sees everyone.

    ``spellings``: the aliases of the texts by key, if they are loaded already. ``for_writing``: external ids also find
    players whom the viewer may not see. ``among``: the only players who can be meant, all visible (None: all).
    """
    keys = {text: build_name_key(text) for text in dict.fromkeys(texts) if is_storable(text)}
    known = load_spellings(keys, viewer) if spellings is None else spellings
    sees_all = viewer is None or viewer.ids() is None
    open_ids = set() if viewer is None or sees_all else _find_open_players(known, league, viewer) | (among or set())
    steps: dict[str, dict[NameStep, list[Found]]] = {}
    others = []
    for text, key in keys.items():
        if (spelling := known.get(key)) is not None:
            found, written = Found(spelling.player, spelling.recorded_as), " ".join(text.split())
            step = (
                NameStep.HANDLE
                if written == found.original.handle
                else NameStep.WRITTEN
                if written == spelling.text
                else NameStep.FOLDED
            )
            steps.setdefault(text, {})[step] = [found]
            is_open = sees_all or found.original.pk in open_ids
            if step == NameStep.HANDLE and is_open and (among is None or found.player.pk in among):
                continue  # no name can mean another player
        others.append(text)
    if others:
        open_ids |= _add_names(steps, {text: keys[text] for text in others}, viewer)
        _add_external_ids(steps, others)
    hidden = set() if viewer is None or sees_all else _find_hidden(steps, viewer, open_ids)
    resolutions = {text: Resolution(text) for text in dict.fromkeys(texts)}
    for text, found_by_step in steps.items():
        for step, candidates in sorted(found_by_step.items()):
            by_id = for_writing and step == NameStep.EXTERNAL_ID
            visible: dict[int, Found] = {}
            for one in candidates:
                # A player and one merged into this one may have the same name.
                is_better = one.recorded_as is None or one.player.pk not in visible
                is_known = among is None or one.player.pk in among
                if is_better and is_known and (by_id or (text, one.original.pk) not in hidden):
                    visible[one.player.pk] = one
            if visible:
                resolutions[text] = Resolution(text, tuple(visible.values()), step)
                break
    return _prefer_league(resolutions, league)


def _add_names(
    steps: dict[str, dict[NameStep, list[Found]]], keys: Mapping[str, str], viewer: Viewer | None
) -> set[int]:
    """Add the players with a name that is a text, as written or folded; return those known to be visible."""
    named = _mark_visible(Player.objects.select_related("merged_into"), viewer, "pk")
    rows = list(named.filter(name_key__in={*keys.values()} - {""}))
    players_by_key: dict[str, list[Found]] = {}
    for player in sorted(rows, key=attrgetter("handle")):
        found = Found(player) if player.merged_into is None else Found(player.merged_into, player)
        players_by_key.setdefault(player.name_key, []).append(found)
    for text, key in keys.items():
        for found in players_by_key.get(key, ()):
            step = NameStep.WRITTEN if " ".join(text.split()) == found.original.name else NameStep.FOLDED
            steps.setdefault(text, {}).setdefault(step, []).append(found)
    return {player.pk for player in rows if getattr(player, "is_visible", False)}


def _add_external_ids(steps: dict[str, dict[NameStep, list[Found]]], texts: Sequence[str]) -> None:
    """Add the players whose external id is a text, with one query if any text may be one."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for text in texts:
        if (pair := parse_external_id(text)) is not None:
            pairs.setdefault(pair, []).append(text)
    if not pairs:
        return
    providers, values = (set(part) for part in zip(*pairs, strict=True))
    rows = ExternalId.objects.filter(provider__in=providers, value__in=values)
    for row in rows.select_related("player", "recorded_as"):
        for text in pairs.get((row.provider, row.value), ()):
            steps.setdefault(text, {})[NameStep.EXTERNAL_ID] = [Found(row.player, row.recorded_as)]


def _find_hidden(
    steps: Mapping[str, Mapping[NameStep, Sequence[Found]]],
    viewer: Viewer,
    open_ids: Set[int],
) -> set[tuple[str, int]]:
    """Return the (text, original player) that the viewer may not use; ``open_ids`` are known to be visible.

    Players are hidden who play only where the viewer may not read. Aliases other than the name find players only for
    those who may record where these play, and external ids for those who may record at all.
    """
    records = viewer.ids("record") != set()
    named: set[int] = set()
    by_alias: set[tuple[str, int]] = set()
    hidden: set[tuple[str, int]] = set()
    for text, found_by_step in steps.items():
        for step, candidates in found_by_step.items():
            for found in candidates:
                player = found.original
                if step == NameStep.EXTERNAL_ID and not records:
                    hidden.add((text, player.pk))
                elif step != NameStep.EXTERNAL_ID and not is_handle_or_name(build_name_key(text), player):
                    by_alias.add((text, player.pk))
                else:
                    named.add(player.pk)
    unseen = (named | {player for _text, player in by_alias}) - open_ids
    visible = find_visible_ids(viewer, unseen) | open_ids
    reachable = find_reachable_players(viewer, "record", {player for _text, player in by_alias} & visible)
    hidden |= {pair for pair in by_alias if pair[1] not in reachable}
    for text, found_by_step in steps.items():
        for candidates in found_by_step.values():
            hidden |= {(text, found.original.pk) for found in candidates if found.original.pk not in visible}
    return hidden


def _find_open_players(known: Mapping[str, Spelling], league: League | None, viewer: Viewer) -> set[int]:
    """Return the original players who are known to be visible, as their aliases were loaded with that."""
    mark = "is_visible" if league is None or not may_see(viewer, league) else "is_in_league"
    return {
        Found(one.player, one.recorded_as).original.pk
        for one in known.values()
        if getattr(one, "is_visible", False) or (one.recorded_as is None and getattr(one, mark, False))
    }


def _prefer_league(resolutions: dict[str, Resolution], league: League | None) -> dict[str, Resolution]:
    """Reduce ambiguous resolutions to the players of the league, if there are any."""
    several = {found.player.pk for one in resolutions.values() if one.is_ambiguous for found in one.found}
    if league is None or not several:
        return resolutions
    candidates = Player.objects.filter(build_in_league_condition(league), pk__in=several)
    members = set(candidates.values_list("pk", flat=True))
    for text, resolution in resolutions.items():
        own = tuple(found for found in resolution.found if found.player.pk in members)
        if resolution.is_ambiguous and own:
            resolutions[text] = replace(resolution, found=own)
    return resolutions


def describe_ambiguity(resolution: Resolution) -> str:
    """Return the sentence about a text that names several players."""
    handles = [found.player.handle for found in resolution.found]
    listed = ", ".join(handles[:MAX_NAMESAKES])
    if len(handles) > MAX_NAMESAKES:
        listed = _("{handles} and others").format(handles=listed)
    template = ngettext(
        "“{text}” is the name of {count} player: {handles}. Enter the handle.",
        "“{text}” is the name of {count} players: {handles}. Enter the handle.",
        len(handles),
    )
    return template.format(text=shorten_name(resolution.text), count=len(handles), handles=listed)


def list_names(players: Iterable[Player]) -> tuple[PlayerName, ...]:
    """Return handles and names, for a problem."""
    return tuple(PlayerName(player.handle, player.name) for player in players)


def find_problem(resolution: Resolution, similar: Sequence[PlayerName] = ()) -> Problem | None:
    """Return the problem of a text that does not name exactly one player, without a pointer; None if it does.

    The sentence begins with a small letter or a quotation mark, so that a seat or line can stand before it.
    """
    if resolution.one is not None:
        return None
    if resolution.is_ambiguous:
        candidates = list_names(found.player for found in resolution.found)
        return Problem("", "ambiguous_player", describe_ambiguity(resolution), candidates=candidates)
    detail = _("no player is called “{name}”.").format(name=shorten_name(resolution.text))
    if similar:
        names = ", ".join(f"{name} ({handle})" for handle, name in similar)
        detail = f"{detail} {_('Similar names: {names}.').format(names=names)}"
    return Problem("", "unknown_player", detail, similar=tuple(similar) or None)


def find_one(text: str, viewer: Viewer | None = None, league: League | None = None) -> Found:
    """Return the player that a text names; raises NotFound if there is none, AmbiguousPlayer if several."""
    resolution = resolve_players([text], league, viewer)[text]
    if resolution.one is not None:
        return resolution.one
    problem = find_problem(resolution)
    assert problem is not None, "only a text that names one player has no problem"
    if resolution.is_ambiguous:
        raise AmbiguousPlayer(problem.detail, [problem])
    raise NotFound(capfirst(problem.detail))


def find_player(text: str, viewer: Viewer | None = None, league: League | None = None) -> Player:
    """Return the player that a text names, of a merged player the survivor; see ``find_one``."""
    return find_one(text, viewer, league).player
