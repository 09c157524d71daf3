"""Who may see a person, by which spelling they are found, and what is told of them.

People belong to the whole site, leagues do not: without these questions what is private in one league would be
read through every other. Whoever is named in the data of a league that a player may read is seen by them. Who
is in no book yet is seen by everyone who may record somewhere. Other spellings than the handle lead to a person
for those who may record in a league of theirs, and are told to those who organise one.
"""

from collections.abc import Collection, Mapping, Sequence

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from league.core.permissions import Viewer, leagues_for, visible_leagues
from league.core.text.names import key_of
from league.models import Alias, Game, Inactive, InitialRating, League, Player, Rating, Result

#: The key of a player, as a question about players sees it.
OWN = "pk"


def named_in(leagues: QuerySet[League], who: str = OWN) -> Q:
    """Return the condition for rows whose player, at the path ``who``, is in the data of one of these leagues.

    A rating says so at once, by an index. Who has none can only sit in games that leave no rating, void ones too; these
    are few and asked for once, not for each player.
    """
    ids = leagues.order_by().values("pk")
    lines = Result.objects.order_by().filter(league__in=ids)
    waiting = Q(league__stale_from__isnull=False, game__played_at__gte=F("league__stale_from"))
    unrated = Q(game__voided_at__isnull=False) | ~Q(game__kind=Game.Kind.PLAYED)
    named = Q(Exists(Rating.objects.filter(league__in=ids, player=OuterRef(who))))
    for found in (
        lines.filter(unrated).values("player"),
        lines.filter(waiting).values("player"),
        InitialRating.objects.order_by().filter(league__in=ids).values("player"),
        lines.filter(recorded_as__isnull=False).values("recorded_as"),
        InitialRating.objects.order_by().filter(recorded_as__isnull=False, league__in=ids).values("recorded_as"),
    ):
        named |= Q(**{f"{who}__in": found})
    return named


def unplayed(leagues: QuerySet[League], who: str = OWN) -> Q:
    """Return the condition for rows whose player is in no league's books.

    Who was merged into someone leads to that one, who must be in the data of one of ``leagues``, or in none.
    """
    into = Q(merged_into=None) | named_in(leagues, "merged_into") | in_no_book("merged_into")
    return in_no_book(who) & Q(Exists(Player.objects.filter(into, pk=OuterRef(who))))


def in_no_book(who: str) -> Q:
    """Return the condition for rows whose player no fact names, whoever they were merged into."""
    return ~Q(
        Exists(Result.objects.filter(player=OuterRef(who)))
        | Exists(InitialRating.objects.filter(player=OuterRef(who)))
        | Exists(Result.objects.filter(recorded_as__isnull=False, recorded_as=OuterRef(who)))
        | Exists(InitialRating.objects.filter(recorded_as=OuterRef(who)))
    )


def seen_by(viewer: Viewer, who: str = OWN) -> Q:
    """Return the condition for rows whose player a player may see."""
    if viewer.ids() is None:
        return Q()
    leagues = visible_leagues(viewer)
    seen = named_in(leagues, who)
    return seen if viewer.ids("record") == set() else seen | unplayed(leagues, who)


def people(viewer: Viewer) -> QuerySet[Player]:
    """Return the players whom a player may see, those who were merged too."""
    return Player.objects.filter(seen_by(viewer))


def seen_spellings(found: QuerySet[Alias], viewer: Viewer) -> dict[str, Alias]:
    """Return key -> spelling for those of some spellings that lead a player to a player whom they see."""
    # A spelling of a player who was merged is theirs still: their games are the ones that make it known.
    found = found.annotate(whom=Coalesce("recorded_as_id", "player_id")).filter(seen_by(viewer, "whom"))
    known = {alias.key: alias for alias in found}
    others = {key: alias for key, alias in known.items() if not is_plain(key, alias.recorded_as or alias.player)}
    shown = within(viewer, "record", {whom(alias) for alias in others.values()})
    return {key: alias for key, alias in known.items() if key not in others or whom(alias) in shown}


def is_plain(key: str, player: Player) -> bool:
    """Return whether a spelling says no more than whoever sees the player reads: the handle, or the name."""
    return key in (key_of(player.handle), key_of(player.name))


def whom(alias: Alias) -> int:
    """Return the key of the player whom a spelling has named from the first."""
    return alias.recorded_as_id or alias.player_id


def reached(viewer: Viewer, action: str, who: str = OWN) -> Q:
    """Return the condition for rows whose player is in a league in which a player may do such a thing, or in none yet.

    Nobody is, for those who may record nowhere.
    """
    ids = viewer.ids(action)
    if ids is None:
        return Q()
    if viewer.ids("record") == set():
        return Q(pk__in=())
    leagues = leagues_for(viewer, action)
    return named_in(leagues, who) | unplayed(leagues, who) if ids else unplayed(leagues, who)


def within(viewer: Viewer, action: str, players: Collection[int]) -> set[int]:
    """Return those of some players who are ``reached``; asks only where that can differ."""
    if viewer.ids(action) is None or not players:
        return set(players)
    if viewer.ids("record") == set():
        return set()
    return set(Player.objects.filter(reached(viewer, action), pk__in=players).values_list("pk", flat=True))


def unseen(viewer: Viewer | None, players: Collection[int]) -> set[int]:
    """Return those of some players whom a player may not see; None sees everyone."""
    if viewer is None or viewer.ids() is None or not players:
        return set()
    return set(players) - set(people(viewer).filter(pk__in=players).values_list("pk", flat=True))


def not_organised(viewer: Viewer | None, players: Collection[int]) -> set[int]:
    """Return those of some players who play in no league that someone organises; who reads all knows all."""
    if viewer is None or viewer.ids() is None or not players:
        return set()
    return set(players) - within(viewer, "organise", players)


def own_or_seen(viewer: Viewer) -> Q:
    """Return the condition for spellings that are a player's own from the first, or of a merged one who is seen."""
    return Q() if viewer.ids() is None else Q(recorded_as=None) | seen_by(viewer, "recorded_as")


def told_aliases(viewer: Viewer, players: Sequence[Player]) -> dict[int, list[str]]:
    """Return player id -> the spellings other than the handle, for those players whose a player may know."""
    shown = within(viewer, "organise", [player.pk for player in players])
    handles = {player.pk: player.handle for player in players}
    found: dict[int, list[str]] = {}
    if shown:
        for alias in Alias.objects.filter(own_or_seen(viewer), player__in=shown).order_by("key"):
            if alias.text != handles[alias.player_id]:
                found.setdefault(alias.player_id, []).append(alias.text)
    return found


def known_to_programs(viewer: Viewer, players: Collection[int], *, token: bool) -> set[int]:
    """Return those of some players of whom a player may know what programs store.

    Organisers may of the players of their leagues, and so may tokens of these leagues, whatever their scope.
    """
    if not token:
        return within(viewer, "organise", players)
    if viewer.ids() is None or not players:
        return set(players)
    leagues = leagues_for(viewer, "read")
    known = named_in(leagues) if viewer.ids("record") == set() else named_in(leagues) | unplayed(leagues)
    return set(Player.objects.filter(known, pk__in=players).values_list("pk", flat=True))


def active_players(viewer: Viewer, players: Sequence[Player]) -> dict[int, bool]:
    """Return player id -> whether active: in some league that a player may see; without any, as the person's row says.

    Only where a player is inactive more than one thing is asked.
    """
    keys = [player.pk for player in players]
    gone = Inactive.objects.filter(league__in=visible_leagues(viewer), player__in=keys)
    left: dict[int, set[int]] = {}
    for key, league in gone.values_list("player", "league"):
        left.setdefault(key, set()).add(league)
    idle = [player.pk for player in players if not player.active and player.pk not in left]
    books = books_of([*left, *idle]) if left or idle else {}
    shown = set(visible_leagues(viewer).values_list("pk", flat=True)) if books else set()
    active = {}
    for player in players:
        theirs = books.get(player.pk, set()) & shown
        active[player.pk] = bool(theirs - left.get(player.pk, set())) if theirs else player.active
    return active


def books_of(players: Collection[int]) -> Mapping[int, set[int]]:
    """Return player id -> the ids of the leagues whose books name them, for those who are in any."""
    books: dict[int, set[int]] = {}
    for rows in (
        Result.objects.filter(player__in=players).order_by().values_list("player", "league").distinct(),
        InitialRating.objects.filter(player__in=players).order_by().values_list("player", "league"),
    ):
        for player, league in rows:
            books.setdefault(player, set()).add(league)
    return books
