"""Players: adding, renaming, aliases, and where a player starts in a league."""

from collections.abc import Callable, Mapping, Sequence, Set
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.errors import Busy, Conflict, Invalid, Problem, Refused, pointer_to
from league.core.leagues.selectors.rules import rule_now, rules_of, system_of
from league.core.locking import TRIES, in_transaction, locked, with_league_lock
from league.core.log.services import entries
from league.core.metadata import check_metadata
from league.core.permissions import Viewer
from league.core.players.external_ids import check_external_ids
from league.core.players.selectors.external_ids import bearers_of
from league.core.players.selectors.search import players_by_key
from league.core.players.selectors.visibility import hidden_players, not_organised
from league.core.players.services.add_players import add_players, free_handles, known_keys
from league.core.players.services.affected_leagues import Permission, leagues_of, refuse_grown, with_leagues
from league.core.replay.services.inline import catch_up
from league.core.text.names import handle_for, handle_problem, key_of, name_problem
from league.models import Alias, ExternalId, Inactive, InitialRating, League, LogEntry, Player, RatingChange
from ratings.contract.parameters import shown


def add_player(
    handle: str,
    name: str = "",
    aliases: Sequence[str] = (),
    *,
    active: bool = True,
    metadata: Mapping[str, str] | None = None,
    external_ids: Mapping[str, str] | None = None,
    viewer: Viewer | None = None,
) -> Player:
    """Add a player; without a name the handle is the name.

    Raises Invalid for an unusable handle, name, alias, metadata or external id, and Conflict if a spelling or an
    external id is taken; it names by whom only whom ``viewer`` may see (None: everyone).
    """
    name = " ".join((name or handle).split())
    check_words(handle, name, aliases)
    check_stored(metadata, external_ids)
    try:
        with transaction.atomic():
            spellings = [("/handle", handle), *((f"/aliases/{index}", text) for index, text in enumerate(aliases))]
            refuse_taken(spellings, None, viewer)
            player = Player.objects.create(handle=handle, name=name, active=active, metadata=dict(metadata or {}))
            set_aliases(player, aliases)
            set_external_ids(player, external_ids or {}, viewer)
    except IntegrityError:
        # Somebody else took the handle between our look and our writing.
        sentence = _("Another player has just taken the handle “{handle}”; look again.").format(handle=handle)
        raise Conflict.of([Problem("/handle", "taken", sentence)]) from None
    return player


def add_to_league(
    league_id: int, name: str, *, handle: str = "", initial_rating: float | None = None, viewer: Viewer
) -> Player:
    """Add a player of that name, all or nothing; where no handle is given, one is made of the name.

    The name becomes a spelling where it leads to no one yet. With an initial rating they are in the league's books at
    once, else from their first game on. Raises what ``add_player`` and ``set_initial_rating`` raise.
    """

    def work() -> Player:
        if sentence := name_problem(name):
            raise Invalid.of([Problem("/name", "invalid", sentence)])
        spellings = [] if players_by_key([name]) else [name]
        player = add_player(handle or free_handle(name, set()), name, spellings, viewer=viewer)
        if initial_rating is not None:
            set_initial_rating(league_id, player, initial_rating, by=viewer.name)
        return player

    if initial_rating is None:
        return in_transaction(work)
    return with_league_lock(league_id, lambda league, now: work())  # the league's row goes first


def add_all_to_league(
    league_id: int, names: Sequence[str], *, initial_rating: float | None = None, viewer: Viewer
) -> int:
    """Add a player for each name, all or none, under handles made of the names; returns how many.

    No two names have one key. A name that leads to a player already becomes no spelling. With an initial rating they
    are in the league's data at once, else from their first game on. Raises Invalid (``/names/N``, from 0), Refused (a
    rating that the system does not know) or Busy.
    """
    problems = [(index, name_problem(name)) for index, name in enumerate(names)]
    if refused := [Problem(f"/names/{index}", "invalid", sentence) for index, sentence in problems if sentence]:
        raise Invalid.of(refused)

    def add() -> list[tuple[int, str]]:
        return list(add_players({key_of(name): name for name in names}, hidden=known_keys(names)).values())

    def add_with_start(league: League, now: datetime, rating: float) -> int:
        check_initial(league, rating)
        added = add()
        InitialRating.objects.bulk_create(
            [InitialRating(league=league, player_id=player, rating=rating + 0.0) for player, __ in added]
        )
        payloads = [entries.of_start(opaque, rating + 0.0) for __, opaque in added]
        entries.append_many(league, now, viewer.name, LogEntry.Kind.START_SET, payloads)
        league.save(update_fields=entries.HEAD)
        return len(added)

    if initial_rating is None:
        return len(in_transaction(add))
    return with_league_lock(league_id, lambda league, now: add_with_start(league, now, initial_rating))


def new_handles(names: Sequence[str]) -> dict[str, str]:
    """Return name -> the handle under which ``add_all_to_league`` would add it."""
    handles = free_handles({key_of(name): name for name in names}, known_keys(names))
    return {name: handles[key_of(name)] for name in names}


def change_player(
    player: Player,
    *,
    name: str | None = None,
    aliases: Sequence[str] | None = None,
    active: bool | None = None,
    metadata: Mapping[str, str] | None = None,
    external_ids: Mapping[str, str] | None = None,
    by: str = "",
    allow: Permission | None = None,
    viewer: Viewer | None = None,
) -> Player:
    """Change what may be changed of a player in every league: name, aliases, metadata, external ids, whether active.

    Aliases, metadata and external ids take the place of all that there are.

    The spellings of those who were merged into the player stay. ``allow`` sees the leagues whose books name the
    player under their locks, before anything is written, and may raise. Raises Conflict if the player was merged
    into another one, or where a spelling is taken (see ``add_player``).
    """
    given = {"name": name, "aliases": aliases, "active": active, "metadata": metadata, "external_ids": external_ids}
    payload = entries.of_player(player.opaque, [key for key, value in given.items() if value is not None], active)

    def work(leagues: dict[int, League], now: datetime) -> None:
        refuse_grown(leagues, leagues_of(player))
        if allow is not None:
            allow(leagues.values())
        refuse_merged(player)
        if player.erased_at is not None and (name is not None or aliases or metadata or external_ids):
            raise Conflict(
                _("The personal data of {player} was deleted, so the player has no name.").format(player=player.name)
            )
        wanted = player.name if name is None else " ".join(name.split())
        check_words(player.handle, wanted, aliases or ())
        check_stored(metadata, external_ids)
        entries.append_to_all(leagues.values(), now, by, LogEntry.Kind.PLAYER_CHANGED, payload)
        player.name = wanted
        player.active = player.active if active is None else active
        player.metadata = player.metadata if metadata is None else dict(metadata)
        player.save(update_fields=["name", "active", "metadata"])
        for league in leagues.values() if active is not None else ():
            note_active(league, player, bool(active))
        if aliases is not None:
            refuse_taken([(f"/aliases/{index}", text) for index, text in enumerate(aliases)], player, viewer)
            player.aliases.filter(recorded_as=None).delete()
            kept = set(player.aliases.values_list("key", flat=True))
            set_aliases(player, [text for text in aliases if key_of(text) not in kept])
        if external_ids is not None:
            set_external_ids(player, external_ids, viewer)

    with_leagues(lambda: leagues_of(player), work)
    return player


def change_in_league(
    league_id: int, player: Player, *, initial_rating: float | None = None, active: bool | None = None, by: str = ""
) -> None:
    """Change what a league says of a player, all in one transaction: see ``set_initial_rating`` and ``set_active``."""

    def work() -> None:
        if initial_rating is not None:
            set_initial_rating(league_id, player, initial_rating, by=by)
        if active is not None:
            set_active(league_id, player, active, by=by)

    in_transaction(work)


def change_player_in(
    league_id: int,
    player: Player,
    *,
    name: str | None,
    aliases: Sequence[str] | None,
    active: bool,
    by: str,
    allow: Permission,
    viewer: Viewer,
) -> None:
    """Change what differs of a player's name and aliases (None: left alone), and whether they are active in a league.

    Whom no league's data names is offered for games or not. All in one transaction: see ``change_player`` and
    ``set_active``.
    """
    own = player.aliases.filter(recorded_as=None).exclude(text=player.handle)
    named = None if name is None or " ".join(name.split()) == player.name else name
    same = aliases is None or set(aliases) == set(own.values_list("text", flat=True))
    spelled = None if same else aliases

    def work() -> None:
        played = bool(leagues_of(player))
        offered = None if played or active == player.active else active
        if named is not None or spelled is not None or offered is not None:
            change_player(player, name=named, aliases=spelled, active=offered, by=by, allow=allow, viewer=viewer)
        if played:
            set_active(league_id, player, active, by=by)

    in_transaction(work)


@locked
def set_active(league: League, now: datetime, player: Player, active: bool, *, by: str = "") -> None:
    """Let a player be active or inactive in a league; nothing is written where that is so already.

    Raises Refused for who is not in the league's books, Conflict for who was merged into another one.
    """
    refuse_merged(player)
    if league.pk not in leagues_of(player):
        sentence = _("{player} has not played in {league} yet, so their status there cannot be changed.")
        said = sentence.format(player=player.name, league=league.title)
        raise Refused.of([Problem("/active", "no_game", said)])
    if note_active(league, player, active):
        payload = entries.of_player(player.opaque, ["active"], active)
        entries.append(league, now, by, LogEntry.Kind.PLAYER_CHANGED, payload)


def note_active(league: League, player: Player, active: bool) -> bool:
    """Write whether a player is active in a league, which must be locked; returns whether that was otherwise."""
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
        whom = player.merged_into
        sentence = _("{player} ({handle}) was merged into {other} ({other_handle}); choose that player.")
        raise Conflict(
            sentence.format(player=player.name, handle=player.handle, other=whom.name, other_handle=whom.handle)
        )


def check_words(handle: str, name: str, aliases: Sequence[str]) -> None:
    """Raise Invalid if a handle, name or alias cannot be one."""
    checked = [("/handle", handle_problem(handle)), ("/name", name_problem(name))]
    checked += [(f"/aliases/{index}", name_problem(text)) for index, text in enumerate(aliases)]
    problems = [Problem(pointer, "invalid", sentence) for pointer, sentence in checked if sentence]
    if problems:
        raise Invalid.of(problems)


def check_stored(metadata: Mapping[str, str] | None, external_ids: Mapping[str, str] | None) -> None:
    """Raise Invalid if what programs store with a player cannot be stored."""
    problems = [*check_metadata(metadata or {}), *check_external_ids(external_ids or {})]
    if problems:
        raise Invalid.of(problems)


def refuse_taken(spellings: Sequence[tuple[str, str]], own: Player | None, viewer: Viewer | None = None) -> None:
    """Raise Conflict if a spelling already leads to another player, naming whom ``viewer`` may see (None: all)."""
    taken = players_by_key(text for pointer, text in spellings)
    found = [(pointer, text, taken.get(key_of(text))) for pointer, text in spellings]
    refuse_others(found, own, lambda others: hidden_players(viewer, others))


def refuse_others(
    found: Sequence[tuple[str, str, Player | None]], own: Player | None, hide: Callable[[list[int]], set[int]]
) -> None:
    """Raise Conflict if a text, at a pointer, means another player than ``own``; names none that ``hide`` returns."""
    others = [(pointer, text, other) for pointer, text, other in found if other is not None and other != own]
    hidden = hide([other.pk for pointer, text, other in others])
    problems = []
    for pointer, text, other in others:
        sentence = _("“{text}” is taken.") if other.pk in hidden else _("“{text}” already means {player} ({handle}).")
        said = sentence.format(text=text, player=other.name, handle=other.handle)
        problems.append(Problem(pointer, "taken", said))
    if problems:
        raise Conflict.of(problems)


def set_external_ids(player: Player, ids: Mapping[str, str], viewer: Viewer | None = None) -> None:
    """Write a player's external ids in place of their own; those of players who were merged into them stay.

    Raises Conflict if another player has one of them.
    """
    bearers = bearers_of(list(ids.items()))
    named = [(pointer_to("external_ids", pair[0]), ":".join(pair), bearers.get(pair)) for pair in ids.items()]
    refuse_others(named, player, lambda others: not_organised(viewer, others))
    player.external_ids.filter(recorded_as=None).delete()
    theirs = set(player.external_ids.values_list("provider", "value"))
    rows = [ExternalId(player=player, provider=one, value=two) for one, two in ids.items() if (one, two) not in theirs]
    try:
        with transaction.atomic():
            ExternalId.objects.bulk_create(rows)
    except IntegrityError:
        # Another request took one of them between our look and our writing.
        sentence = _("One of these external IDs has just been given to another player; look again.")
        raise Conflict.of([Problem("/external_ids", "taken", sentence)]) from None


def set_aliases(player: Player, aliases: Sequence[str]) -> None:
    """Write the player's spellings, the handle among them."""
    spellings = {key_of(text): text for text in [*aliases, player.handle]}
    try:
        with transaction.atomic():
            Alias.objects.bulk_create(Alias(player=player, text=text, key=key) for key, text in spellings.items())
    except IntegrityError:
        # Somebody else took one of the spellings between our look and our writing.
        raise Conflict(_("Another player has just taken one of these names; look again.")) from None


def create_unknown(
    words: Sequence[str],
    added: list[str] | None = None,
    *,
    names: Mapping[str, str] | None = None,
    beside: Sequence[str] = (),
    viewer: Viewer | None = None,
) -> dict[str, Player]:
    """Add a player for each word that is not known yet to ``viewer``; returns key -> player for all of them.

    A word is kept as it was written and becomes an alias; the handle is made of it. What logs call who was added is
    put into ``added``. Who is called otherwise is in ``names``, by the key of the handle. ``beside`` are the other
    words of the sheet.
    """
    players = players_by_key(words, viewer)
    # A handle made here must not be what another name of the same sheet is found under.
    reserved = {key_of(word) for word in (*words, *beside)}
    for word in words:
        key = key_of(word)
        if key not in players:
            name = (names or {}).get(key)
            players[key] = create_named(word, reserved, viewer) if name is None else create_called(word, name, viewer)
            if added is not None:
                added.append(players[key].opaque)
    return players


def create_named(name: str, reserved: Set[str], viewer: Viewer | None = None) -> Player:
    """Add a player of that name under a free handle that is none of the reserved keys (its own may be).

    Where another player adds the same name at the same time, it is the player that they made. Where the name leads to
    someone whom ``viewer`` may not see, the new player goes without it as a spelling.
    """
    sentence = name_problem(name)
    if sentence:
        raise Refused(_("“{name}” cannot be added as a player: {reason}").format(name=name, reason=sentence))
    spellings = [name]
    for _try in range(TRIES):
        try:
            return add_player(free_handle(name, reserved), name, spellings)
        except Conflict:
            # The other one has committed, or the database would not have said so: now both are to be seen.
            made = players_by_key([name], viewer).get(key_of(name))
            if made is not None:
                return made
            spellings = [] if players_by_key([name]) else [name]
    raise Busy(_("Many players are being added right now. Nothing was saved; please try again."))


def create_called(handle: str, name: str, viewer: Viewer | None) -> Player:
    """Add a player under a handle and a name that someone chose for them; raises Refused if one cannot be."""
    try:
        return add_player(handle, name, viewer=viewer)
    except (Conflict, Invalid) as error:
        raise Refused.of([Problem("/players", problem.code, problem.detail) for problem in error.problems]) from None


def free_handle(name: str, reserved: Set[str]) -> str:
    """Return a handle made of a name that no player has and that is none of the reserved keys (its own may be)."""
    base = handle_for(name) or "player" if handle_problem(name) else name
    handle, count = base, 1
    while key_of(handle) in reserved - {key_of(name)} or players_by_key([handle]):
        count += 1
        handle = f"{base[:56]}-{count}"
    return handle


@locked
def set_initial_rating(league: League, now: datetime, player: Player, rating: float, *, by: str = "") -> None:
    """Let a player start at another rating than the system's; the league's history is replayed."""
    check_initial(league, rating)
    InitialRating.objects.update_or_create(league=league, player=player, defaults={"rating": rating + 0.0})
    entries.append(league, now, by, LogEntry.Kind.START_SET, entries.of_start(player.opaque, rating + 0.0))
    first = RatingChange.objects.filter(league=league, player=player, games=1, step=1)
    position = first.values_list("at", "order_key").first()
    if league.stale_from is not None:
        # The history may not know the player's first game yet.
        catch_up(league, None)
    elif position is not None:
        catch_up(league, position)


def check_initial(league: League, rating: float) -> None:
    """Raise Refused if the league's system cannot start from that rating."""
    rules = rules_of(league)
    if not rules:
        raise Refused(_("The league has no rule yet. Choose a rating system before setting initial ratings."))
    system = system_of(rule_now(rules, timezone.now()) or rules[0])
    if not system.lowest_rating <= rating <= system.highest_rating:
        low, high = shown(system.lowest_rating), shown(system.highest_rating)
        sentence = _("{system} allows ratings from {low} to {high}.")
        said = sentence.format(system=system.title, low=low, high=high)
        raise Refused.of([Problem("/initial_rating", "out_of_bounds", said)])
    if system.whole_ratings() and rating != int(rating):
        sentence = _("{system} uses whole ratings, which {rating} is not.")
        said = sentence.format(system=system.title, rating=shown(rating))
        raise Refused.of([Problem("/initial_rating", "not_whole", said)])
