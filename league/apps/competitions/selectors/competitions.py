"""Competitions of a league."""

import zoneinfo
from datetime import tzinfo
from typing import Any

from django.db.models import Case, F, Q, QuerySet, When
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.apps.competitions.models import Competition, Entry, Season
from league.core.errors import Conflict, NotFound
from league.core.text.names import is_storable
from league.models import League
from ratings.contract.pairing_format import PairingFormat
from ratings.contract.tie_break import TieBreakRules
from ratings.registry import get_pairing_format
from ratings.standings.tie_break_codes import parse_codes

#: The tie-breaks of a new competition, by format.
USUAL_TIE_BREAKS: dict[str, list[str]] = {
    "round_robin": ["DE", "WIN", "SB", "KS"],
    "swiss": ["BH/C1", "BH", "SB", "DE"],
    "knockout": ["TPN"],
    "double_knockout": ["TPN"],
    "tables": ["SCORE", "FIRSTS", "SECONDS", "BEST"],
    "free": ["DE", "WIN", "SB"],
}
#: Settings that the regulations fix at the start, and that the trail of changes by hand names.
REGULATED = ("rounds", "points", "tie_breaks", "tie_break_rules")
#: Formats with a bracket, in which a match may have several games.
BRACKET_FORMATS = ("knockout", "double_knockout")
#: Formats that pair each round from who is there, so that entries can ask for byes and withdraw.
FORMATS_WITH_BYES = ("swiss", "tables")


def takes_part(entry: Entry) -> bool:
    """Return whether an entry is one of its competition: those that withdrew after the start stay and count."""
    return entry.status == Entry.Status.ENTERED or entry.withdrawn_after is not None


def build_entered_condition(prefix: str = "") -> Q:
    """Return ``takes_part`` as a condition of queries."""
    return Q((f"{prefix}status", Entry.Status.ENTERED)) | Q((f"{prefix}withdrawn_after__isnull", False))


def find_competition(league: League, slug: str, *, for_organisers: bool = False) -> Competition:
    """Return a competition of a league; raises NotFound. Drafts are for organisers only."""
    found = with_seasons(Competition.objects.filter(league=league, slug=slug)).first() if is_storable(slug) else None
    if found is None or (found.status == Competition.Status.DRAFT and not for_organisers):
        template = _("The league {league} has no competition “{slug}”.")
        raise NotFound(template.format(league=league.title, slug=slug))
    found.league = league
    return found


def with_seasons(competitions: QuerySet[Competition]) -> QuerySet[Competition]:
    """Return competitions with the ``season_slug``, ``season_title`` and ``season_event`` of their public season.

    ``season_event`` is None for divisions and for groups of a stage, which are nothing without their season.
    """
    public = ~Q(season_parts__season__status=Season.Status.DRAFT)
    return competitions.annotate(
        **{
            f"season_{name}": Case(When(public, then=F(f"season_parts__{path}")), default=None)
            for name, path in (("slug", "season__slug"), ("title", "season__title"), ("event", "event"))
        }
    )


def stands_for_season(competition: Any) -> bool:
    """Return whether a competition (``with_seasons``) is a division, or a group of a stage."""
    return competition.season_slug is not None and competition.season_event is None


def check_running(competition: Competition) -> None:
    """Raise Conflict unless a competition is running."""
    if competition.status in (Competition.Status.DRAFT, Competition.Status.OPEN):
        raise Conflict(_("The competition has not been started."))
    if competition.status != Competition.Status.RUNNING:
        raise Conflict(_("The competition has ended."))


def list_competitions(league: League, *, for_organisers: bool = False) -> QuerySet[Competition]:
    """Return the competitions of a league, newest first. Drafts are for organisers only."""
    competitions = Competition.objects.filter(league=league).order_by("-created_at", "slug")
    return competitions if for_organisers else competitions.exclude(status=Competition.Status.DRAFT)


def describe_competitions(league: League) -> str:
    """Return a word for the league's competitions or seasons, or "" if it has none."""
    if Competition.objects.filter(league=league).exists():
        return pgettext("a league has", "competitions")
    return pgettext("a league has", "seasons") if Season.objects.filter(league=league).exists() else ""


def build_format(competition: Competition) -> PairingFormat:
    """Return the pairing format of a competition with its parameters."""
    return get_pairing_format(competition.format).from_json(competition.parameters)


def build_tie_break_rules(competition: Competition) -> TieBreakRules:
    """Return the parameters of the tie-breaks of a competition."""
    return TieBreakRules.from_json(competition.tie_break_rules)


def describe_rating_tie_breaks(competition: Competition) -> str:
    """Return the advice against tie-breaks by ratings in a long competition, "" if it has none."""
    if not competition.long:
        return ""
    codes = [choice.code for choice in parse_codes(competition.tie_breaks) if choice.tie_break.needs_ratings]
    if not codes:
        return ""
    template = _(
        "In an event of more than 30 days ratings change: FIDE advises against tie-breaks by ratings ({codes})."
    )
    return template.format(codes=", ".join(codes))


def get_zone(competition: Competition) -> tzinfo:
    """Return the time zone of a competition: its own or the league's."""
    return zoneinfo.ZoneInfo(competition.time_zone or competition.league.time_zone)
