"""Links with which players report games: created by members who may record games, shown once, revoked."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.reports.models import NAME_LENGTH, ReportLink
from league.apps.reports.records import LINK_LOG, REVOCATION_LOG, ReportLogKind
from league.apps.reports.selectors.reports import (
    UNKNOWN_LINK_MESSAGE,
    explain_invalid_link,
    find_link,
    find_link_player,
    group_player_links,
    list_active_players,
    list_valid_links,
)
from league.apps.reports.services import writing
from league.core.accounts.services.secret_links import SecretLinks
from league.core.accounts.services.tokens import hash_token
from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.core.locking import locked, run_with_league_lock
from league.core.log.services import entries
from league.core.text.names import is_storable
from league.core.text.wording import format_with_separators
from league.models import League, Player

MAX_LINKS = settings.RUNGS_LIMITS["report_links"]
#: Maximum lifetime of a link with an end date.
MAX_LIFETIME = timedelta(days=3660)


LINKS = SecretLinks("league.report_link", find_link, explain_invalid_link, UNKNOWN_LINK_MESSAGE)


def make_link(
    league_id: int,
    secret: str,
    *,
    username: str,
    player: Player | None = None,
    name: str = "",
    good_for: timedelta | None = None,
) -> ReportLink:
    """Create a link with a secret: for a player, or for a table with a name.

    A player has one link: a new one revokes the earlier one. Raises Invalid (the name), Refused (reporting is off, the
    player is not active, or too many links) or Conflict (the table has a link).
    """
    name = " ".join(name.split())
    if player is None and not name:
        raise Invalid.of([Problem("/name", "missing", _("Enter a name for the table, e.g. Table 1."))])
    if len(name) > NAME_LENGTH or not is_storable(name) or (player is not None and name):
        message = _("The name of a table can have at most {limit} characters.").format(limit=NAME_LENGTH)
        raise Invalid.of([Problem("/name", "invalid", message)])
    _check_good_for(good_for)

    def create(league: League, now: datetime) -> ReportLink:
        _check_league(league, now)
        if LINKS.look_up(secret) is not None:
            raise Conflict(_("This form has already created a link. Reload the page to create another one."))
        _revoke_previous_link(league, player, name, now, username)
        return _create_links(league, [(secret, player, name)], now, username, good_for)[0]

    return run_with_league_lock(league_id, create)


def make_player_links(
    league_id: int,
    secret_of: Callable[[Player], str],
    *,
    username: str,
    replace: bool,
    good_for: timedelta | None = None,
) -> list[ReportLink]:
    """Create links for the active players of a league, all or none; returns them ordered by player name.

    Players who have a link keep it, unless ``replace`` is set. Raises Invalid (``good_for``) or Refused (reporting is
    off, too many links, or no players without a link).
    """
    _check_good_for(good_for)

    def create(league: League, now: datetime) -> list[ReportLink]:
        links_by_player = group_player_links(league, now)
        players = [player for player in list_active_players(league) if replace or player.pk not in links_by_player]
        if not players:
            raise Refused(_("All active players of {league} have a link.").format(league=league.title))
        replaced = [link for player in players for link in links_by_player.get(player.pk, ())]
        _check_league(league, now, len(players) - len(replaced))
        _revoke_links(league, replaced, now, username)
        return _create_links(league, [(secret_of(player), player, "") for player in players], now, username, good_for)

    return run_with_league_lock(league_id, create)


def _create_links(
    league: League,
    wanted: Iterable[tuple[str, Player | None, str]],
    now: datetime,
    username: str,
    good_for: timedelta | None,
) -> list[ReportLink]:
    """Write links and their log entries, each with a secret, a player and a name; the league must be locked."""
    links = ReportLink.objects.bulk_create(
        ReportLink(
            pk=writing.generate_id(),
            league=league,
            player=player,
            name=name,
            digest=hash_token(secret),
            salt=writing.generate_salt(),
            made_at=now,
            made_by=username,
            expires_at=None if good_for is None else now + good_for,
        )
        for secret, player, name in wanted
    )
    entries.append_many(league, now, username, ReportLogKind.LINK_MADE, map(LINK_LOG.build_payload, links))
    league.save(update_fields=entries.HEAD)
    return links


def _check_good_for(good_for: timedelta | None) -> None:
    if good_for is not None and not timedelta(0) < good_for <= MAX_LIFETIME:
        message = _("A link can be valid for an hour to ten years, or without limit.")
        raise Invalid.of([Problem("/good_for", "out_of_bounds", message)])


def _check_league(league: League, now: datetime, new_links: int = 1) -> None:
    if league.reporting == League.Reporting.OFF:
        message = _("Players cannot report games in {league}. An owner can allow it in the settings.")
        raise Refused(message.format(league=league.title))
    count = list_valid_links(league, now).count()
    if count + new_links > MAX_LINKS and new_links > 1:
        message = ngettext(
            "This sheet needs {more} new links. {league} already has {count} valid link, and "
            "{limit} are allowed. Revoke unused links, mark players who have left as inactive, "
            "or create a link for each table instead.",
            "This sheet needs {more} new links. {league} already has {count} valid links, and "
            "{limit} are allowed. Revoke unused links, mark players who have left as inactive, "
            "or create a link for each table instead.",
            count,
        )
        counts = {
            "more": format_with_separators(new_links),
            "count": format_with_separators(count),
            "limit": format_with_separators(MAX_LINKS),
        }
        raise Refused(message.format(league=league.title, **counts))
    if count + new_links > MAX_LINKS:
        message = _("{league} already has {count} valid links, and {limit} are allowed; revoke some first.")
        raise Refused(
            message.format(
                count=format_with_separators(count), limit=format_with_separators(MAX_LINKS), league=league.title
            )
        )


def _revoke_previous_link(league: League, player: Player | None, name: str, now: datetime, username: str) -> None:
    if player is None:
        if list_valid_links(league, now).filter(player=None, name=name).exists():
            message = _("{name} already has a link; revoke it first.").format(name=name)
            raise Conflict.of([Problem("/name", "taken", message)])
        return
    if not list_active_players(league).filter(pk=player.pk).exists():
        message = _("{player} is not an active player of {league}: add the player to the league first.")
        text = message.format(player=player.name, league=league.title)
        raise Refused.of([Problem("/player", "not_here", text)])
    _revoke_links(league, group_player_links(league, now).get(player.pk, ()), now, username)


@locked
def revoke_link(league: League, now: datetime, pk: Any, *, username: str) -> ReportLink:
    """Revoke a valid link; games reported with it stay. Raises NotFound."""
    link = ReportLink.objects.filter(league=league, pk=pk, revoked_at=None).select_related("player").first()
    if link is None:
        raise NotFound(_("This link is no longer valid."))
    _revoke_links(league, [link], now, username)
    return link


def _revoke_links(league: League, links: Sequence[ReportLink], now: datetime, username: str) -> None:
    """Write that links are revoked; the league must be locked."""
    if not links:
        return
    ReportLink.objects.filter(pk__in=[link.pk for link in links]).update(revoked_at=now, revoked_by=username)
    entries.append_many(league, now, username, ReportLogKind.LINK_REVOKED, map(REVOCATION_LOG.build_payload, links))
    league.save(update_fields=entries.HEAD)


def identify_player(league: League, link: ReportLink, handle: str) -> Player:
    """Return the player of a link, or for a table's link the player with handle ``handle``. Raises Refused."""
    player = find_link_player(link)
    if player is None:
        player = list_active_players(league).filter(handle=handle).first() if is_storable(handle) else None
    if player is None:
        raise Refused.of([Problem("/who", "unknown_player", _("Choose your name."))])
    return player
