"""Searches players, offers players to choose from, and proposes players for names that resolve to nobody.

``resolve`` decides whom a text means. What is only similar (without accents, by first name, surname or initial) is
proposed for the user to confirm, among the players visible to the viewer.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple, TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.core.errors import PlayerName, Problem
from league.core.leaderboard.selectors.current_board import build_inactive_condition
from league.core.permissions import Viewer
from league.core.players.selectors.resolve import NameStep, Resolution, find_problem, list_names, resolve_players
from league.core.players.selectors.visibility import (
    build_alias_visible_condition,
    build_free_condition,
    build_in_league_condition,
    build_reachable_condition,
    build_visible_condition,
)
from league.core.text.names import build_name_key, fold_accents, is_no_player, name_problem, shorten_name
from league.models import Alias, League, Player, Rating

R = TypeVar("R", bound=Model)
#: Maximum number of players searched, most recent first, and of names compared letter by letter.
POOL, COMPARED = 2000, 100
NEAR = 3
#: Maximum number of players suggested on a public page.
MAX_OFFERED_PLAYERS = 200
# Translators: how a name of a list was matched with a player: "found by": the name, the handle …
NAME, HANDLE, SPELLING = gettext_noop("name"), gettext_noop("handle"), gettext_noop("other name")
ACCENTS, INITIAL = gettext_noop("accents"), gettext_noop("initial")
FIRST, SURNAME = gettext_noop("unique first name"), gettext_noop("unique surname")
TURNED, BEGINNING = gettext_noop("surname first"), gettext_noop("unique beginning")
# Translators: how a name of a list was matched with a player: by an id such as fide:1503014
EXTERNAL_ID = gettext_noop("external ID")


def find_all_players(search: str = "", after_handle: str = "", viewer: Viewer | None = None) -> QuerySet[Player]:
    """Return unmerged players, by handle, after a given one, whose handle, name or alias contains a text.

    Limited to players and aliases visible to ``viewer``.
    """
    players = Player.objects.filter(handle__gt=after_handle, merged_into=None).order_by("handle")
    if viewer is not None:
        players = players.filter(build_visible_condition(viewer))
    return filter_by_search(players, search, viewer)


def filter_by_search(rows: QuerySet[R], search: str, viewer: Viewer | None, player: str = "") -> QuerySet[R]:
    """Filter rows by players whose handle, name or visible alias contains a text.

    ``player`` is the path to the player, such as "player__".
    """
    key = build_name_key(search)
    if not key:
        return rows
    spelled = _build_alias_condition(key, viewer, "player_id" if player else "pk")
    named = Q(**{f"{player}name_key__contains": key}) | Q(**{f"{player}handle__icontains": key})
    return rows.filter(named | spelled)


def _build_alias_condition(key: str, viewer: Viewer | None, player_path: str) -> Q:
    """Return the condition for rows whose player has an alias, visible to ``viewer``, that contains a key."""
    aliases = Alias.objects.filter(player=OuterRef(player_path), key__contains=key)
    if viewer is None:
        return Q(Exists(aliases))
    return Q(Exists(aliases.filter(build_alias_visible_condition(viewer)))) & build_reachable_condition(
        viewer, "organise", player_path
    )


def build_player_choices(players: Iterable[tuple[str, str]], league: League, viewer: Viewer) -> list[tuple[str, str]]:
    """Return (value, label) for each (handle, name): the name, or the handle if the name does not mean that player.

    A name that does needs no label.
    """
    pairs = list(players)
    means = resolve_players([name for _, name in pairs], league, viewer)
    return [
        (name, "")
        if (one := means[name].one) is not None and one.player.handle == handle
        else (handle, f"{name} ({handle})")
        for handle, name in pairs
    ]


def load_offered_players(league: League, viewer: Viewer | None = None, max_players: int = 500) -> list[PlayerName]:
    """Return active players to choose from: the league's, then others visible to ``viewer``.

    If there are too many, the most recent ones; both groups sorted by name, namesakes by handle.
    """
    ratings = Rating.objects.filter(~build_inactive_condition(league), league=league).order_by("-last_at")
    league_players = dict(ratings.values_list("player__handle", "player__name")[:max_players])
    league_ratings = Rating.objects.filter(league=league, player=OuterRef("pk"))
    other_players = Player.objects.filter(~Exists(league_ratings), active=True, merged_into=None).order_by(
        "-created_at"
    )
    other_players = other_players if viewer is None else other_players.filter(build_visible_condition(viewer))
    other_names = dict(other_players.values_list("handle", "name")[: max_players - len(league_players)])
    return [
        PlayerName(*pair)
        for group in (league_players, other_names)
        for pair in sorted(group.items(), key=lambda pair: (pair[1].casefold(), pair[0]))
    ]


def find_latest_players(league: League, max_players: int) -> list[str]:
    """Return the handles of the active players of a league who played last, the latest first."""
    ratings = Rating.objects.filter(~build_inactive_condition(league), league=league)
    return list(ratings.order_by("-last_at", "player__handle").values_list("player__handle", flat=True)[:max_players])


class ResolvedName(NamedTuple):
    """The player a name refers to (handle "" if unclear), how it was matched, and other candidates.

    ``how`` is untranslated; pages translate it.
    """

    handle: str
    name: str
    how: str
    near: tuple[PlayerName, ...] = ()
    is_ambiguous: bool = False
    """Whether the candidates all have this name, so that nobody new can be added with it."""


def resolve_names(texts: Iterable[str], league: League, viewer: Viewer) -> dict[str, ResolvedName]:
    """Return text -> the player for a page that shows who was found: as ``resolve_players``, else by similarity."""
    resolutions = resolve_players(texts, league, viewer, for_writing=True)
    resolved = {text: _describe_match(resolution) for text, resolution in resolutions.items()}
    return resolved | guess_names([text for text, one in resolutions.items() if not one.found], league, viewer)


def _describe_match(resolution: Resolution) -> ResolvedName:
    """Return the player of a text with how it was found; of several none, with all as candidates."""
    if (found := resolution.one) is None:
        candidates = list_names(one.player for one in resolution.found)
        return ResolvedName("", "", "", candidates, resolution.is_ambiguous)
    player, key = found.player, build_name_key(resolution.text)
    how = (
        EXTERNAL_ID
        if resolution.step == NameStep.EXTERNAL_ID
        else NAME
        if key == player.name_key
        else HANDLE
        if key == build_name_key(player.handle)
        else SPELLING
    )
    return ResolvedName(player.handle, player.name, how)


class TypedName(NamedTuple):
    """A name typed on a page that shows who was found: who has it, or else who is guessed."""

    resolution: Resolution
    guess: ResolvedName | None = None

    @property
    def player(self) -> PlayerName | None:
        """Return the player whom the name means, if it means one."""
        if self.guess is not None:
            return PlayerName(self.guess.handle, self.guess.name) if self.guess.handle else None
        found = self.resolution.one
        return None if found is None else PlayerName(found.original.handle, found.original.name)

    @property
    def candidates(self) -> tuple[PlayerName, ...]:
        """Return the players who may be meant if no single one is."""
        if self.guess is not None:
            return self.guess.near
        return list_names(found.player for found in self.resolution.found)

    @property
    def problem(self) -> Problem | None:
        """Return why the name means no single player, or None."""
        return None if self.player else find_problem(self.resolution, self.guess.near if self.guess else ())


def match_typed_names(
    texts: Iterable[str], league: League, viewer: Viewer | None, *, in_league: bool = False
) -> dict[str, TypedName]:
    """Return text -> the player typed: a unique first name, surname or beginning is enough, accents may be missing.

    ``in_league``: only players of the league can be meant; else those who play in none are proposed, too.
    """
    among = set(Rating.objects.filter(league=league).values_list("player_id", flat=True)) if in_league else None
    resolutions = resolve_players(texts, league, viewer, among=among)
    unknown = [text for text, one in resolutions.items() if not one.found]
    others = _list_managed_players(league, viewer) if unknown and not in_league else []
    guesses = guess_names(unknown, league, viewer, by_beginning=True, others=others)
    return {text: TypedName(resolution, guesses.get(text)) for text, resolution in resolutions.items()}


def _list_managed_players(league: League, viewer: Viewer | None) -> list[PlayerName]:
    """Return the players of a league or of none yet who are visible to ``viewer`` (None: all), newest first."""
    is_managed = build_in_league_condition(league) | build_free_condition()
    managed = Player.objects.filter(is_managed, merged_into=None).order_by("-created_at")
    managed = managed if viewer is None else managed.filter(build_visible_condition(viewer))
    return [PlayerName(*row) for row in managed.values_list("handle", "name")[:POOL]]


def find_league_players(
    texts: Sequence[str], league: League, viewer: Viewer | None = None
) -> tuple[list[Player], dict[str, tuple[PlayerName, ...]]]:
    """Return the players of a league whom typed names mean, in order, and text -> candidates for the other names."""
    typed = match_typed_names(texts, league, viewer, in_league=True)
    handles = [one.guess.handle for one in typed.values() if one.guess and one.guess.handle]
    guessed = {player.handle: player for player in Player.objects.filter(handle__in=handles)} if handles else {}
    players: dict[int, Player] = {}
    for one in typed.values():
        if one.player is not None:
            found = one.resolution.one
            player = found.player if found else guessed[one.player.handle]
            players[player.pk] = player
    return list(players.values()), {text: one.candidates for text, one in typed.items() if one.player is None}


def guess_names(
    texts: Sequence[str],
    league: League,
    viewer: Viewer | None,
    *,
    by_beginning: bool = False,
    others: Sequence[PlayerName] | None = None,
) -> dict[str, ResolvedName]:
    """Return text -> the only player of the league with a name of that shape, or players with similar names.

    ``by_beginning``: a text may also be the beginning of a name or surname, as long as it is being typed.
    ``others``: who may have similar names besides the league's players; None for all who are offered.
    """
    if not texts:
        return {}
    people = list_league_players(league)
    others = load_offered_players(league, viewer) if others is None else others
    candidates = list(dict.fromkeys([*people, *others]))
    shapes, similar = _index_shapes(people), SimilarNames(candidates)
    return {
        text: resolve_by_shape(text, shapes)
        or (_resolve_by_beginning(text, people) if by_beginning else None)
        or ResolvedName("", "", "", similar.of(text) if count < COMPARED else ())
        for count, text in enumerate(texts)
    }


def find_name_problems(
    league: League,
    resolutions: Mapping[str, Resolution],
    texts: Sequence[str],
    viewer: Viewer | None,
    *,
    create_players: bool,
) -> list[Problem | None]:
    """Return for each text why it names no player: it names several, or nobody who could be added.

    Problems have no pointer; their sentences begin so that a seat or line can stand before them.
    """
    unknown = [] if create_players else [text for text in texts if not resolutions[text].found]
    guesses = guess_names(unknown[:COMPARED], league, viewer)
    problems: list[Problem | None] = []
    for text in texts:
        if create_players and not resolutions[text].found:
            problems.append(find_name_fault(text))
        else:
            guess = guesses.get(text, ResolvedName("", "", ""))
            similar = (PlayerName(guess.handle, guess.name),) if guess.handle else guess.near
            problems.append(find_problem(resolutions[text], similar))
    return problems


def find_name_fault(text: str) -> Problem | None:
    """Return why no player can be added with a name, or None."""
    reason = name_problem(text) or (_("It means that there is no player.") if is_no_player(text) else "")
    if reason:
        template = _("“{name}” cannot be added as a player: {reason}")
        return Problem("", "unknown_player", template.format(name=shorten_name(text), reason=reason))
    return None


def load_known_names(league: League, viewer: Viewer) -> tuple[list[str], list[str]]:
    """Return the names of the players who can be matched in a league, and their handles and aliases."""
    people = {*list_league_players(league), *load_offered_players(league, viewer)}
    handles = [handle for handle, _name in people]
    spellings = Alias.objects.filter(build_alias_visible_condition(viewer), player__handle__in=handles).values_list(
        "text", flat=True
    )
    return [name for _handle, name in people], [*spellings]


def list_league_players(league: League) -> list[PlayerName]:
    """Return (handle, name) of a league's players, most recent first."""
    rows = Rating.objects.filter(league=league, player__merged_into=None).order_by("-last_at")
    return [PlayerName(*row) for row in rows.values_list("player__handle", "player__name")[:POOL]]


def simplify_name(name: str) -> str:
    """Return a name without accents, punctuation and capitals, its words separated by hyphens."""
    return "-".join(re.findall(r"\w+", fold_accents(name)))


def _index_shapes(people: Iterable[PlayerName]) -> Mapping[tuple[str, str], set[PlayerName]]:
    """Return (how, plain text) -> matching players."""
    shapes: dict[tuple[str, str], set[PlayerName]] = defaultdict(set)
    for person in people:
        words = simplify_name(person[1]).split("-")
        if not words[0]:
            continue
        shapes[ACCENTS, "-".join(words)].add(person)
        first, last = words[0], words[-1]
        if len(words) > 1:
            shapes[FIRST, first].add(person)
            shapes[SURNAME, last].add(person)
            shapes[INITIAL, f"{first[0]}-{last}"].add(person)
            shapes[INITIAL, f"{first}-{last[0]}"].add(person)
            shapes[TURNED, f"{last}-{'-'.join(words[:-1])}"].add(person)
    return shapes


def resolve_by_shape(text: str, shapes: Mapping[tuple[str, str], set[PlayerName]]) -> ResolvedName | None:
    """Resolve a name by its shapes; several matches are proposed; None if there is no match."""
    key = simplify_name(text)
    matches: dict[PlayerName, str] = {}
    for shape in (ACCENTS, TURNED, INITIAL, FIRST, SURNAME):
        for person in sorted(shapes.get((shape, key), ())):
            matches.setdefault(person, shape)
    return _choose_match(matches)


def _resolve_by_beginning(text: str, people: Iterable[PlayerName]) -> ResolvedName | None:
    """Resolve the beginning of a name or of one of its words; several matches are proposed; None if there is none."""
    key = simplify_name(text)
    if not key:
        return None
    return _choose_match(
        {person: BEGINNING for person in sorted(people) if f"-{key}" in f"-{simplify_name(person.name)}"}
    )


def _choose_match(matches: Mapping[PlayerName, str]) -> ResolvedName | None:
    """Return the only player with how the name was matched; of several none, with the first ones as candidates."""
    if len(matches) == 1:
        ((person, how),) = matches.items()
        return ResolvedName(*person, how)
    return ResolvedName("", "", "", tuple(matches)[:8]) if matches else None


class SimilarNames:
    """Finds players with names similar to a text."""

    def __init__(self, people: Iterable[PlayerName]) -> None:
        self.by_text: dict[str, list[PlayerName]] = defaultdict(list)
        for person in people:
            simple_name = simplify_name(person[1])
            for text in dict.fromkeys([simple_name, *simple_name.split("-"), simplify_name(person[0])]):
                if text and person not in self.by_text[text]:
                    self.by_text[text].append(person)

    def of(self, text: str) -> tuple[PlayerName, ...]:
        """Return the few players with the most similar names."""
        key = simplify_name(text)
        close = get_close_matches(key, self.by_text, n=2 * NEAR, cutoff=0.72)
        # Typing errors are rarer in the first letter.
        close.sort(key=lambda candidate: candidate[:1] != key[:1])
        return tuple(dict.fromkeys(person for candidate in close for person in self.by_text[candidate]))[:NEAR]
