"""Links by which players report games: made by who records in the league, shown once, revoked."""

from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from league.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.models import League, LogEntry, Player, ReportLink
from league.names import storable
from league.selectors.reports import UNKNOWN, find_link, links_in_force, people_of, player_of, why_ended
from league.services.accounts.secret_links import SecretLinks
from league.services.accounts.tokens import digest_of
from league.services.locking import with_league_lock
from league.services.log import entries, write
from league.services.reports import chance

NAME_LENGTH = 80
#: So many may be in force in a league at once.
MOST_LINKS = 500
#: Longest that a link may be good where an end is set.
LONGEST = timedelta(days=3660)


LINKS = SecretLinks("league.report_link", find_link, why_ended, UNKNOWN)


def make_link(
    league_id: int,
    secret: str,
    *,
    by: str,
    player: Player | None = None,
    name: str = "",
    good_for: timedelta | None = None,
) -> ReportLink:
    """Let whoever has ``secret`` report games: as a player, or (by ``name``) from a table.

    A player has one link: a new one revokes the one before. Raises Invalid (a name that cannot be one), Refused
    (players do not report here, the player is not active here, too many links) or Conflict (a table has a link).
    """
    name = " ".join(name.split())
    check_input(player, name, good_for)

    def work(league: League, now: datetime) -> ReportLink:
        refuse_league(league, now)
        if LINKS.look_up(secret) is not None:
            raise Conflict(_("This form made a link before. Open the page anew for another one."))
        clear_way(league, player, name, now, by)
        link = ReportLink.objects.create(
            pk=chance.name(),
            league=league,
            player=player,
            name=name,
            digest=digest_of(secret),
            salt=chance.salt(),
            made_at=now,
            made_by=by,
            expires_at=None if good_for is None else now + good_for,
        )
        write.append(league, now, by, LogEntry.Kind.LINK_MADE, entries.of_link(link))
        return link

    return with_league_lock(league_id, work)


def check_input(player: Player | None, name: str, good_for: timedelta | None) -> None:
    """Raise Invalid where no such link can be made."""
    if player is None and not name:
        raise Invalid.of([Problem("/name", "missing", _("Say what the table is called, such as Table 1."))])
    if len(name) > NAME_LENGTH or not storable(name) or (player is not None and name):
        sentence = _("A table's name has at most {limit} characters.").format(limit=NAME_LENGTH)
        raise Invalid.of([Problem("/name", "invalid", sentence)])
    if good_for is not None and not timedelta(0) < good_for <= LONGEST:
        sentence = _("A link is good for an hour to ten years, or always.")
        raise Invalid.of([Problem("/good_for", "out_of_bounds", sentence)])


def refuse_league(league: League, now: datetime) -> None:
    """Raise Refused where no link can be made in a league at all."""
    if league.reporting == League.Reporting.OFF:
        sentence = _("In {league} players report no games. An owner switches that on, among the settings.")
        raise Refused(sentence.format(league=league.title))
    if links_in_force(league, now).count() >= MOST_LINKS:
        sentence = _("{count} links into {league} are in force already; revoke some first.")
        raise Refused(sentence.format(count=MOST_LINKS, league=league.title))


def clear_way(league: League, player: Player | None, name: str, now: datetime, by: str) -> None:
    """Revoke the link that a player had; raise where who or what the link is for can have none."""
    if player is None:
        if links_in_force(league, now).filter(player=None, name=name).exists():
            sentence = _("{name} has a link already; revoke it first.").format(name=name)
            raise Conflict.of([Problem("/name", "taken", sentence)])
        return
    if not people_of(league).filter(pk=player.pk).exists():
        sentence = _("{player} is no active player of {league}: a link comes with their first game.")
        said = sentence.format(player=player.name, league=league.title)
        raise Refused.of([Problem("/player", "not_here", said)])
    for link in links_in_force(league, now).exclude(player=None):
        if player_of(link) == player:
            revoke(league, link, now, by)


def revoke_link(league_id: int, pk: Any, *, by: str) -> ReportLink:
    """End a link that is in force; what was reported by it stays. Raises NotFound."""

    def work(league: League, now: datetime) -> ReportLink:
        link = ReportLink.objects.filter(league=league, pk=pk, revoked_at=None).select_related("player").first()
        if link is None:
            raise NotFound(_("This link is not in force any more."))
        revoke(league, link, now, by)
        return link

    return with_league_lock(league_id, work)


def revoke(league: League, link: ReportLink, now: datetime, by: str) -> None:
    """Write that a link is good no longer."""
    link.revoked_at, link.revoked_by = now, by
    link.save(update_fields=["revoked_at", "revoked_by"])
    write.append(league, now, by, LogEntry.Kind.LINK_REVOKED, entries.of_revocation(link))


def speaker(league: League, link: ReportLink, who: str) -> Player:
    """Return who speaks by a link: its player; at a table, who they say they are. Raises Refused."""
    player = player_of(link)
    if player is None:
        player = people_of(league).filter(handle=who).first() if storable(who) else None
    if player is None:
        raise Refused.of([Problem("/who", "unknown_player", _("Say who you are."))])
    return player
