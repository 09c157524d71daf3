"""Finds or adds the players of an imported file, all at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from league.core.errors import Problems, Refused
from league.core.games.services.resolve_players import find_handles_by_unique_name, find_visible_players
from league.core.log.services import entries
from league.core.permissions import Viewer
from league.core.players.selectors.search import find_known_keys
from league.core.players.services.add_players import add_players
from league.core.text.names import build_name_key, name_problem, shorten_name
from league.models import ExternalId, League, LogEntry, Player

FIDE = "fide"


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """A player as a file names them: spellings, the likeliest first, FIDE's id, and the line."""

    spellings: tuple[str, ...]
    fide_id: str = ""
    line: int = 0


@dataclass(frozen=True)
class ImportRequest:
    """Who imports, and whether unknown players are added. ``viewer`` None sees everyone."""

    by: str
    viewer: Viewer | None = None
    create_players: bool = False


def find_people(league: League, now: datetime, people: Sequence[NamedPerson], request: ImportRequest) -> list[Player]:
    """Return the player of each person: by FIDE's id, else by handle, alias or name; unknown ones are added if wanted.

    Raises BadFile naming the line of each player who is unknown or named twice.
    """
    texts = [spelling for person in people for spelling in person.spellings]
    table, resolved = find_visible_players(league, texts, request.viewer)
    by_spelling = {
        spelling: table.seats[key].player
        for spelling, text in zip(texts, resolved, strict=True)
        if (key := build_name_key(text)) in table.seats
    }
    by_spelling = _find_by_name(league, texts, request.viewer) | by_spelling
    by_id = _find_by_fide_id(people, request.viewer)
    found = [
        by_id.get(person.fide_id)
        or next((by_spelling[spelling] for spelling in person.spellings if spelling in by_spelling), None)
        for person in people
    ]
    unknown = [person for person, player in zip(people, found, strict=True) if player is None]
    added = _add_people(league, now, unknown, request) if unknown else {}
    players = [
        player or added[build_name_key(person.spellings[0])] for person, player in zip(people, found, strict=True)
    ]
    _refuse_repetitions(people, players)
    return players


def _find_by_name(league: League, names: Sequence[str], viewer: Viewer | None) -> dict[str, Player]:
    """Return name -> the only player with that name: of the league, or of the site for a viewer who sees all."""
    if viewer is not None and viewer.ids() is not None:
        handles = find_handles_by_unique_name(league, names)
        players = {player.handle: player for player in Player.objects.filter(handle__in=handles.values())}
        return {name: players[handle] for name in names if (handle := handles.get(build_name_key(name)))}
    bearers: dict[str, list[Player]] = {}
    for player in Player.objects.filter(name__in=set(names), merged_into=None):
        bearers.setdefault(player.name, []).append(player)
    return {name: found[0] for name, found in bearers.items() if len(found) == 1}


def _find_by_fide_id(people: Sequence[NamedPerson], viewer: Viewer | None) -> dict[str, Player]:
    """Return FIDE's id -> player. Only a viewer who sees all players finds them by it."""
    ids = {person.fide_id for person in people if person.fide_id}
    if not ids or (viewer is not None and viewer.ids() is not None):
        return {}
    rows = ExternalId.objects.filter(provider=FIDE, value__in=ids).select_related("player__merged_into")
    return {row.value: row.player.merged_into or row.player for row in rows}


def _add_people(
    league: League, now: datetime, unknown: Sequence[NamedPerson], request: ImportRequest
) -> Mapping[str, Player]:
    """Add players with their FIDE ids; return key of the name -> player."""
    problems = Problems()
    for person in unknown:
        name = person.spellings[0]
        reason = name_problem(name) if request.create_players else ""
        if reason is not None:
            text = _("No player is called “{name}”. {why}").format(name=shorten_name(name), why=reason).strip()
            problems.add(person.line, "unknown_player", text, kind=Refused)
    problems.raise_any()
    names = {build_name_key(person.spellings[0]): person.spellings[0] for person in unknown}
    limited = request.viewer is not None and request.viewer.ids() is not None
    rows = add_players(names, hidden=find_known_keys(list(names.values())) if limited else frozenset())
    payloads = ({"player": opaque} for _pk, opaque in rows.values())
    entries.append_many(league, now, request.by, LogEntry.Kind.PLAYER_CREATED, payloads)
    league.save(update_fields=entries.HEAD)
    players = Player.objects.in_bulk([pk for pk, _opaque in rows.values()])
    added = {key: players[pk] for key, (pk, _opaque) in rows.items()}
    ids = {person.fide_id: added[build_name_key(person.spellings[0])] for person in unknown if person.fide_id}
    known = set(ExternalId.objects.filter(provider=FIDE, value__in=ids).values_list("value", flat=True))
    ExternalId.objects.bulk_create(
        ExternalId(player=player, provider=FIDE, value=value) for value, player in ids.items() if value not in known
    )
    return added


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
