"""Adds and changes players: names, aliases, activity and initial ratings."""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.errors import Busy, Conflict, Invalid, Problem, Refused, build_pointer
from league.core.fields.services.values import set_player_values
from league.core.locking import MAX_TRIES, locked, run_in_transaction, run_with_league_lock, transactional
from league.core.log.services import entries
from league.core.metadata import check_metadata
from league.core.permissions import Viewer
from league.core.players.external_ids import check_external_ids, parse_external_id
from league.core.players.selectors.external_ids import load_players_by_external_id
from league.core.players.selectors.resolve import load_spellings, resolve_players
from league.core.players.selectors.visibility import find_hidden_players
from league.core.players.services.add_players import add_players, choose_free_handles, find_known_keys
from league.core.players.services.affected_leagues import Permission, find_leagues_of, locked_leagues, refuse_unlocked
from league.core.replay.services.inline import catch_up
from league.core.rules.selectors.rules import build_rule_system, find_rule_to_show, load_rules
from league.core.text.names import build_name_key, handle_for, handle_problem, name_problem
from league.models import Alias, ExternalId, Inactive, InitialRating, League, LogEntry, Player, RatingChange
from ratings.contract.parameters import format_localized


def add_player(
    handle: str,
    name: str = "",
    aliases: Sequence[str] = (),
    *,
    active: bool = True,
    metadata: Mapping[str, str] | None = None,
    external_ids: Mapping[str, str] | None = None,
    viewer: Viewer | None = None,
    added_in: League | None = None,
) -> Player:
    """Add a player; the name defaults to the handle.

    Raises Invalid for an invalid handle, name, alias, metadata or external id, and Conflict if an alias or external id
    is taken. For an alias the error names the other player if ``viewer`` may see them (None: always).
    ``added_in``: the league whose readers alone see the player before the first game.
    """
    name = " ".join((name or handle).split())
    check_names(handle, name, aliases)
    check_program_data(metadata, external_ids)
    try:
        with transaction.atomic():
            names = [("/handle", handle), *((f"/aliases/{index}", text) for index, text in enumerate(aliases))]
            refuse_taken_names(names, None, viewer)
            player = Player.objects.create(
                handle=handle, name=name, active=active, metadata=dict(metadata or {}), added_in=added_in
            )
            set_aliases(player, aliases)
            set_external_ids(player, external_ids or {})
    except IntegrityError:
        # Another request took the handle after the check.
        message = _("Another player has just taken the handle “{handle}”; look again.").format(handle=handle)
        raise Conflict.of([Problem("/handle", "taken", message)]) from None
    return player


def add_to_league(
    league_id: int, name: str, *, handle: str = "", initial_rating: float | None = None, viewer: Viewer
) -> Player:
    """Add a player with a name; the handle defaults to one derived from the name.

    The name becomes an alias if it is free. With an initial rating the player is in the league at once, otherwise from
    their first game on. Raises the errors of ``add_player`` and ``set_initial_rating``.
    """
    add = partial(_add_to_league, league_id, name, handle, initial_rating, viewer)
    if initial_rating is None:
        return run_in_transaction(add)
    return run_with_league_lock(league_id, lambda league, now: add())  # locks the league before the player


def _add_to_league(league_id: int, name: str, handle: str, initial_rating: float | None, viewer: Viewer) -> Player:
    if message := name_problem(name):
        raise Invalid.of([Problem("/name", "invalid", message)])
    league = League.objects.get(pk=league_id)
    handle = handle or choose_free_handle(name, set())
    player = add_player(handle, name, list_free_aliases(name), viewer=viewer, added_in=league)
    if initial_rating is not None:
        set_initial_rating(league_id, player, initial_rating, username=viewer.name)
    return player


def add_players_to_league(
    league_id: int, names: Sequence[str], *, initial_rating: float | None = None, viewer: Viewer
) -> int:
    """Add a player for each name, all or none; return their number.

    No two names have the same key. Taken names do not become aliases. With an initial rating the players are in the
    league at once, otherwise from their first game on. Raises Invalid (``/names/N``, from 0), Refused (a rating outside
    the system's range) or Busy.
    """
    problems = [(index, name_problem(name)) for index, name in enumerate(names)]
    if refused := [Problem(f"/names/{index}", "invalid", message) for index, message in problems if message]:
        raise Invalid.of(refused)

    def add() -> list[tuple[int, str]]:
        return add_players(names, league_id, load_spellings(names).keys())

    def add_with_start(league: League, now: datetime, rating: float) -> int:
        check_initial_rating(league, rating)
        added = add()
        InitialRating.objects.bulk_create(
            [InitialRating(league=league, player_id=player, rating=rating + 0.0) for player, __ in added]
        )
        payloads = [entries.build_start_payload(opaque, rating + 0.0) for __, opaque in added]
        entries.append_many(league, now, viewer.name, LogEntry.Kind.START_SET, payloads)
        league.save(update_fields=entries.HEAD)
        return len(added)

    if initial_rating is None:
        return len(run_in_transaction(add))
    return run_with_league_lock(league_id, lambda league, now: add_with_start(league, now, initial_rating))


def preview_handles(names: Sequence[str]) -> dict[str, str]:
    """Return name -> the handle that ``add_players_to_league`` would choose."""
    return dict(zip(names, choose_free_handles(names), strict=True))


@locked_leagues(find_leagues_of)
def change_player(
    leagues: dict[int, League],
    now: datetime,
    player: Player,
    *,
    name: str | None = None,
    aliases: Sequence[str] | None = None,
    active: bool | None = None,
    metadata: Mapping[str, str] | None = None,
    external_ids: Mapping[str, str] | None = None,
    username: str = "",
    allow: Permission | None = None,
    viewer: Viewer | None = None,
) -> Player:
    """Change a player in all leagues: name, aliases, metadata, external ids and activity.

    Aliases, metadata and external ids replace all present ones, except those of players merged into this one.
    ``allow`` checks the player's leagues under their locks before anything is written, and may raise.
    Raises Conflict if the player was merged into another one or an alias is taken (see ``add_player``).
    """
    refuse_unlocked(leagues, find_leagues_of(player))
    if allow is not None:
        allow(leagues.values())
    refuse_merged(player)
    if player.erased_at is not None and (name is not None or aliases or metadata or external_ids):
        raise Conflict(
            _("The personal data of {player} was deleted, so the player has no name.").format(player=player.name)
        )
    new_name = player.name if name is None else " ".join(name.split())
    check_names(player.handle, new_name, aliases or ())
    check_program_data(metadata, external_ids)
    changes = {"name": name, "aliases": aliases, "active": active, "metadata": metadata, "external_ids": external_ids}
    payload = entries.build_player_payload(
        player.opaque, [key for key, value in changes.items() if value is not None], active
    )
    entries.append_to_all(leagues.values(), now, username, LogEntry.Kind.PLAYER_CHANGED, payload)
    player.name = new_name
    player.active = player.active if active is None else active
    player.metadata = player.metadata if metadata is None else dict(metadata)
    player.save(update_fields=["name", "name_key", "active", "metadata"])
    for league in leagues.values() if active is not None else ():
        write_activity(league, player, bool(active))
    if aliases is not None:
        refuse_taken_names([(f"/aliases/{index}", text) for index, text in enumerate(aliases)], player, viewer)
        player.aliases.filter(recorded_as=None).delete()
        remaining = set(player.aliases.values_list("key", flat=True))
        set_aliases(player, [text for text in aliases if build_name_key(text) not in remaining])
    if external_ids is not None:
        set_external_ids(player, external_ids)
    return player


@transactional
def change_in_league(
    league_id: int,
    player: Player,
    *,
    initial_rating: float | None = None,
    active: bool | None = None,
    fields: Mapping[str, Any] | None = None,
    username: str = "",
) -> None:
    """Change a player's initial rating, activity and values of declared fields in a league, in one transaction."""
    if initial_rating is not None:
        set_initial_rating(league_id, player, initial_rating, username=username)
    if active is not None:
        set_active(league_id, player, active, username=username)
    if fields is not None:
        set_fields(league_id, player, fields, username=username)


@locked
def set_fields(league: League, now: datetime, player: Player, fields: Mapping[str, Any], *, username: str) -> None:
    """Set values of a player's declared fields in a league; null removes one. Raises Refused."""
    set_player_values(league, now, player, fields, username)


@transactional
def change_player_and_status(
    league_id: int,
    player: Player,
    *,
    name: str | None,
    aliases: Sequence[str] | None,
    active: bool,
    username: str,
    allow: Permission,
    viewer: Viewer,
) -> None:
    """Change a player's name and aliases (None: unchanged), and their activity in a league, in one transaction.

    If the player is in no league yet, ``active`` is their activity everywhere. See ``change_player``, ``set_active``.
    """
    own_aliases = player.aliases.filter(recorded_as=None).exclude(text=player.handle)
    new_name = None if name is None or " ".join(name.split()) == player.name else name
    is_unchanged = aliases is None or set(aliases) == set(own_aliases.values_list("text", flat=True))
    new_aliases = None if is_unchanged else aliases
    has_played = bool(find_leagues_of(player))
    new_active = None if has_played or active == player.active else active
    if new_name is not None or new_aliases is not None or new_active is not None:
        change_player(
            player, name=new_name, aliases=new_aliases, active=new_active, username=username, allow=allow, viewer=viewer
        )
    if has_played:
        set_active(league_id, player, active, username=username)


@locked
def set_active(league: League, now: datetime, player: Player, active: bool, *, username: str = "") -> None:
    """Set whether a player is active in a league; write nothing if it is unchanged.

    Raises Refused if the player is not in the league, Conflict if they were merged into another one.
    """
    refuse_merged(player)
    if league.pk not in find_leagues_of(player):
        template = _("{player} has not played in {league} yet, so their status there cannot be changed.")
        message = template.format(player=player.name, league=league.title)
        raise Refused.of([Problem("/active", "no_game", message)])
    if write_activity(league, player, active):
        payload = entries.build_player_payload(player.opaque, ["active"], active)
        entries.append(league, now, username, LogEntry.Kind.PLAYER_CHANGED, payload)


def write_activity(league: League, player: Player, active: bool) -> bool:
    """Write whether a player is active in a locked league; return whether that changed."""
    rows = Inactive.objects.filter(league=league, player=player)
    if rows.exists() != active:
        return False
    if active:
        rows.delete()
    else:
        Inactive.objects.create(league=league, player=player)
    return True


def refuse_merged(player: Player) -> None:
    """Raise Conflict if a player was merged into another one."""
    if player.merged_into is not None:
        other = player.merged_into
        template = _("{player} ({handle}) was merged into {other} ({other_handle}); choose that player.")
        raise Conflict(
            template.format(player=player.name, handle=player.handle, other=other.name, other_handle=other.handle)
        )


def check_names(handle: str, name: str, aliases: Sequence[str]) -> None:
    """Raise Invalid if a handle, name or alias is invalid."""
    checked = [("/handle", handle_problem(handle)), ("/name", name_problem(name))]
    checked += [(f"/aliases/{index}", name_problem(text)) for index, text in enumerate(aliases)]
    problems = [Problem(pointer, "invalid", message) for pointer, message in checked if message]
    if problems:
        raise Invalid.of(problems)


def check_program_data(metadata: Mapping[str, str] | None, external_ids: Mapping[str, str] | None) -> None:
    """Raise Invalid if metadata or external ids are invalid."""
    problems = [*check_metadata(metadata or {}), *check_external_ids(external_ids or {})]
    if problems:
        raise Invalid.of(problems)


def refuse_taken_names(names: Sequence[tuple[str, str]], player: Player | None, viewer: Viewer | None = None) -> None:
    """Raise Conflict if a name belongs to another player, naming only those whom ``viewer`` may see (None: all)."""
    spellings = load_spellings(text for pointer, text in names)
    owners = [
        (pointer, text, None if (spelling := spellings.get(build_name_key(text))) is None else spelling.player)
        for pointer, text in names
    ]
    conflicts = [(pointer, text, other) for pointer, text, other in owners if other is not None and other != player]
    hidden = find_hidden_players(viewer, [other.pk for pointer, text, other in conflicts])
    problems = []
    for pointer, text, other in conflicts:
        template = _("“{text}” is taken.") if other.pk in hidden else _("“{text}” already means {player} ({handle}).")
        message = template.format(text=text, player=other.name, handle=other.handle)
        problems.append(Problem(pointer, "taken", message))
    if problems:
        raise Conflict.of(problems)


def set_external_ids(player: Player, ids: Mapping[str, str]) -> None:
    """Replace a player's external ids, except those of players merged into them.

    Raises Conflict if another player has one of them, and names nobody: an id may be nobody else's business.
    """
    bearers = load_players_by_external_id(list(ids.items()))
    problems = [
        Problem(
            build_pointer("external_ids", provider),
            "taken",
            _("“{text}” is taken.").format(text=f"{provider}:{value}"),
        )
        for provider, value in ids.items()
        if (other := bearers.get((provider, value))) is not None and other != player
    ]
    if problems:
        raise Conflict.of(problems)
    player.external_ids.filter(recorded_as=None).delete()
    merged_ids = set(player.external_ids.values_list("provider", "value"))
    rows = [
        ExternalId(player=player, provider=provider, value=value)
        for provider, value in ids.items()
        if (provider, value) not in merged_ids
    ]
    try:
        with transaction.atomic():
            ExternalId.objects.bulk_create(rows)
    except IntegrityError:
        # Another request took one of them after the check.
        message = _("One of these external IDs has just been given to another player; look again.")
        raise Conflict.of([Problem("/external_ids", "taken", message)]) from None


def set_aliases(player: Player, aliases: Sequence[str]) -> None:
    """Add the player's aliases and handle."""
    names = {build_name_key(text): text for text in [*aliases, player.handle]}
    try:
        with transaction.atomic():
            Alias.objects.bulk_create(Alias(player=player, text=text) for text in names.values())
    except IntegrityError:
        # Another request took one of them after the check.
        raise Conflict(_("Another player has just taken one of these names; look again.")) from None


def create_unknown_players(
    texts: Sequence[str],
    added: list[str],
    *,
    league: League,
    names: Mapping[str, str],
    other_texts: Sequence[str] = (),
    viewer: Viewer | None = None,
) -> dict[str, Player]:
    """Add a player for each text, none of which names anybody; return text -> player. Texts with one key name one.

    The text becomes an alias, and the handle is derived from it. ``names`` has other names by the texts' keys: the text
    is then the handle, or an external id.
    Opaque handles of new players are appended to ``added``. ``other_texts`` are the sheet's other texts.
    """
    # A new handle must not equal another name of the same sheet.
    reserved = {build_name_key(text) for text in (*texts, *other_texts)}
    players: dict[str, Player] = {}
    for text in texts:
        key = build_name_key(text)
        if key not in players:
            name = names.get(key)
            if name is None or parse_external_id(text):
                players[key] = create_player_by_name(text, reserved, league, viewer, shown_name=name or text)
            else:
                players[key] = create_player_with_handle(text, name, league, viewer)
            added.append(players[key].opaque)
    return {text: players[build_name_key(text)] for text in texts}


def create_player_by_name(
    name: str, reserved: Set[str], league: League, viewer: Viewer | None = None, *, shown_name: str = ""
) -> Player:
    """Add a player under a free handle derived from the name; its key is not reserved, unless it is the name's own.

    A name such as fide:1503014 is also their external id; ``shown_name`` is then what people call them. If another
    request adds the same name, return its player. If the name is an alias of another player, such as one whom
    ``viewer`` may not see, it does not become an alias of the new one.
    """
    ids, shown = dict(filter(None, [parse_external_id(name)])), shown_name or name
    # The name was unknown: another request that adds it meanwhile makes this a conflict.
    aliases = [name] if shown == name else list_free_aliases(shown)
    for _try in range(MAX_TRIES):
        try:
            return add_player(choose_free_handle(shown, reserved), shown, aliases, external_ids=ids, added_in=league)
        except Conflict:
            # The other transaction has been committed, so its player is visible.
            existing = resolve_players([name], league, viewer)[name].one
            if existing is not None:
                return existing.player
            aliases = list_free_aliases(shown)
    raise Busy(_("Many players are being added right now. Nothing was saved; please try again."))


def list_free_aliases(name: str) -> list[str]:
    """Return the name if it may become an alias, as no other player has it."""
    return [] if load_spellings([name]) else [name]


def create_player_with_handle(handle: str, name: str, league: League, viewer: Viewer | None) -> Player:
    """Add a player with a chosen handle and name; raises Refused if one is not possible."""
    try:
        return add_player(handle, name, viewer=viewer, added_in=league)
    except (Conflict, Invalid) as error:
        raise Refused.of([Problem("/players", problem.code, problem.detail) for problem in error.problems]) from None


def choose_free_handle(name: str, reserved: Set[str]) -> str:
    """Return a free handle derived from a name; its key is not reserved, unless it is the name's own."""
    base = handle_for(name) or "player" if handle_problem(name) else name
    handle, count = base, 1
    while build_name_key(handle) in reserved - {build_name_key(name)} or find_known_keys([handle]):
        count += 1
        handle = f"{base[:56]}-{count}"
    return handle


@locked
def set_initial_rating(league: League, now: datetime, player: Player, rating: float, *, username: str = "") -> None:
    """Set a player's initial rating, and replay the league from their first game."""
    check_initial_rating(league, rating)
    InitialRating.objects.update_or_create(league=league, player=player, defaults={"rating": rating + 0.0})
    entries.append(
        league, now, username, LogEntry.Kind.START_SET, entries.build_start_payload(player.opaque, rating + 0.0)
    )
    first = RatingChange.objects.filter(league=league, player=player, games=1, step=1)
    position = first.values_list("at", "order_key").first()
    if league.stale_from is not None:
        # The history may lack the player's first game.
        catch_up(league, None)
    elif position is not None:
        catch_up(league, position)


def check_initial_rating(league: League, rating: float) -> None:
    """Raise Refused if the league's system does not allow this rating."""
    rules = load_rules(league)
    if not rules:
        raise Refused(_("The league has no rule yet. Choose a rating system before setting initial ratings."))
    system = build_rule_system(find_rule_to_show(rules, timezone.now()) or rules[0])
    if not system.lowest_rating <= rating <= system.highest_rating:
        low, high = format_localized(system.lowest_rating), format_localized(system.highest_rating)
        template = _("{system} allows ratings from {low} to {high}.")
        message = template.format(system=system.title, low=low, high=high)
        raise Refused.of([Problem("/initial_rating", "out_of_bounds", message)])
    if system.whole_ratings() and rating != int(rating):
        template = _("{system} uses whole ratings, which {rating} is not.")
        message = template.format(system=system.title, rating=format_localized(rating))
        raise Refused.of([Problem("/initial_rating", "not_whole", message)])
