"""Reports of players: by which link, at which table, what waits for whom."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.open_reports import survivor, table_at
from league.core.text.names import key_of
from league.core.text.numbers import exact
from league.models import Inactive, InitialRating, League, Player, Rating

State = Report.State
#: What waits for someone still.
OPEN = Report.OPEN
#: How long a decided report is shown to its players, and maximum number of reports shown.
SHOWN_FOR, MAX_SHOWN = timedelta(days=14), 40
#: Maximum number of a league's reports searched for a player's own.
MAX_SEARCHED = 1000
#: Where a sheet is good for everyone who keeps no books.
UNKNOWN = gettext_noop("This link does not work. It may be incomplete.")


@dataclass(frozen=True)
class ReportSeat:
    """A seat of a reported sheet; the handle leads to no one where that one is not known any more."""

    name: str
    handle: str
    said: str
    side: int | None


@dataclass(frozen=True)
class ReportAnswer:
    """What someone at the table said of a report."""

    name: str
    right: bool
    reason: str
    at: datetime


@dataclass(frozen=True)
class ReportView:
    """A report with its people, as a page shows it; ``own``: whoever looks has entered it, ``due``: may answer it."""

    report: Report
    lines: list[ReportSeat]
    answers: list[ReportAnswer]
    own: bool = False
    due: bool = False

    @property
    def mark(self) -> str:
        """What changes with each answer: who decides says by it what they saw."""
        return mark_of(self.report)

    @property
    def details(self) -> list[tuple[str, str]]:
        """The game fields, such as bula."""
        return [(name, exact(value)) for name, value in self.report.sheet["details"].items()]


def mark_of(report: Report) -> str:
    """Return what changes whenever someone answers a report, or decides about it."""
    return f"{report.state}-{len(report.answers)}"


def find_link(digest: str) -> ReportLink | None:
    """Return the link whose secret has that hash, in force or not, with its league and player."""
    found = ReportLink.objects.select_related("league", "player__merged_into")
    return found.filter(digest=digest).first()


def player_of(link: ReportLink) -> Player | None:
    """Return whose link it is; someone who was merged is the one who they turned out to be."""
    return link.player and survivor(link.player)


def why_ended(link: ReportLink, now: datetime) -> str:
    """Return why nothing can be reported by a link; "" if something can."""
    if link.revoked_at is not None:
        return _("This link is no longer valid. Ask an organiser for a new one.")
    if link.expires_at is not None and link.expires_at <= now:
        return _("This link has expired. Ask an organiser for a new one.")
    if link.league.reporting == League.Reporting.OFF:
        return _("Players cannot report games in this league at present.")
    player = player_of(link)
    if player is not None and Inactive.objects.filter(league=link.league, player=player).exists():
        return _("This link is suspended because its player is inactive.")
    return ""


def links_in_force(league: League, now: datetime) -> QuerySet[ReportLink]:
    """Return the links of a league that were neither revoked nor have expired; tables first, then by name."""
    good = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    links = ReportLink.objects.filter(good, league=league, revoked_at=None).select_related("player__merged_into")
    return links.annotate(count=Count("reports")).order_by("-name", "player__name", "made_at")


def own_links(league: League, now: datetime) -> dict[int, list[ReportLink]]:
    """Return player id -> their own links in force; of players who were merged into one there may be several."""
    found: dict[int, list[ReportLink]] = {}
    for link in links_in_force(league, now).exclude(player=None):
        player = player_of(link)
        assert player is not None, "links of tables are left out"
        found.setdefault(player.pk, []).append(link)
    return found


def people_of(league: League) -> QuerySet[Player]:
    """Return who may sit on a reported sheet: the league's active players, by name."""
    rated = Rating.objects.filter(league=league, player=OuterRef("pk"))
    started = InitialRating.objects.filter(league=league, player=OuterRef("pk"))
    gone = Inactive.objects.filter(league=league, player=OuterRef("pk"))
    found = Player.objects.filter(Exists(rated) | Exists(started), ~Exists(gone), merged_into=None)
    return found.order_by("name", "handle")


def find_report(league: League, pk: UUID) -> Report | None:
    """Return a report of a league."""
    found = Report.objects.select_related("entered_by__merged_into", "game", "link__player")
    return found.filter(league=league, pk=pk).first()


def open_reports(league: League) -> QuerySet[Report]:
    """Return the reports that wait for someone: what waits for the organiser first, each the oldest first."""
    found = Report.objects.filter(league=league, state__in=OPEN)
    return found.select_related("entered_by__merged_into", "link__player", "game").order_by("state", "entered_at")


def to_decide(league: Any) -> QuerySet[Report]:
    """Return the reports of a league, or of an OuterRef, that await an organiser's decision, the earliest first."""
    return Report.objects.filter(league=league, state__in=Report.TO_DECIDE).order_by("entered_at", "pk")


def waiting_reports(league: Any) -> QuerySet[Report]:
    """Return the reports of a league that wait for someone, whose games are not recorded yet."""
    return Report.objects.filter(league=league, state__in=OPEN)


def describe_reports(league: League) -> str:
    """Return that a league has reports, if it has any."""
    return pgettext("a league has", "player reports") if Report.objects.filter(league=league).exists() else ""


def decided_lately(league: League, now: datetime) -> QuerySet[Report]:
    """Return the reports of the last days that wait for no one any more, the newest first."""
    found = Report.objects.filter(league=league, entered_at__gt=now - SHOWN_FOR).exclude(state__in=OPEN)
    return found.select_related("entered_by__merged_into", "link__player", "game").order_by("-decided_at")[:MAX_SHOWN]


def load_report_views(reports: Iterable[Report], player: Player | None = None) -> list[ReportView]:
    """Return reports as pages show them; as ``player`` sees them, if one is given."""
    known = list(reports)
    table = table_at(known)
    return [show_one(report, table, player) for report in known]


def show_one(report: Report, table: dict[str, Player], player: Player | None) -> ReportView:
    """Return one report as a page shows it."""
    entered = survivor(report.entered_by)
    answered = {table[key].pk for key in (key_of(answer["player"]) for answer in report.answers) if key in table}
    own = player is not None and entered.pk == player.pk
    asked = player is not None and not own and player.pk not in partners_in(report, table)
    due = asked and player is not None and player.pk not in answered and report.state in OPEN
    return ReportView(
        report,
        [
            ReportSeat(name_of(line["player"], table), line["player"], said_by(line), line.get("side"))
            for line in report.sheet["results"]
        ],
        [
            ReportAnswer(name_of(one["player"], table), one["right"], one["reason"], datetime.fromisoformat(one["at"]))
            for one in report.answers
        ],
        own,
        due,
    )


def name_of(handle: str, table: dict[str, Player]) -> str:
    """Return how whoever bears a handle is called; the handle where no one bears it."""
    found = table.get(key_of(handle))
    return handle if found is None else found.name


def said_by(line: dict[str, Any]) -> str:
    """Return what is at a seat: the score, a worksheet in its columns, or the place."""
    if "score" in line:
        return exact(line["score"])
    if "worksheet" in line:
        return ", ".join(exact(value) for value in line["worksheet"].values())
    return f"{line['place']}." if "place" in line else ""


def of_player(league: League, player: Player, now: datetime) -> list[ReportView]:
    """Return the reports in which someone sits: those that wait, and those of the last days; the newest first."""
    found = Report.objects.filter(league=league).select_related("entered_by__merged_into", "game")
    waiting = found.filter(state__in=OPEN)
    recent = found.filter(entered_at__gt=now - SHOWN_FOR).exclude(state__in=OPEN).order_by("-entered_at")
    known = sorted([*waiting, *recent[:MAX_SEARCHED]], key=lambda report: report.entered_at, reverse=True)
    table = table_at(known)
    sitting = [one for one in known if player.pk in at_table(one, table)]
    return [show_one(report, table, player) for report in sitting[:MAX_SHOWN]]


def partners_in(report: Report, table: dict[str, Player]) -> set[int]:
    """Return the keys of those who played on one side with who entered a report: what they say is that side's word."""
    entered = survivor(report.entered_by)
    lines = [(key_of(line["player"]), line.get("side")) for line in report.sheet["results"]]
    sides = {table[key].pk: side for key, side in lines if key in table}
    own = sides.get(entered.pk)
    return {pk for pk, side in sides.items() if own is not None and side == own} - {entered.pk}


def at_table(report: Report, table: dict[str, Player]) -> Sequence[int]:
    """Return the keys of those who sit at the table of a report."""
    keys = (key_of(line["player"]) for line in report.sheet["results"])
    return [table[key].pk for key in keys if key in table]
