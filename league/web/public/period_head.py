"""The key figures of a period: leader and lead, days left, numbers of games and players."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.core.ladders.selectors.ladders import Row, games_before, games_in, games_of_edition
from league.core.text.display_formats import MAX_EXTRA_DIGITS, day_of_year_in_full, known_zone, number, rounded
from league.core.text.names import isolated
from league.models import Edition, League, Period
from league.web.public.game_titles import together
from ratings.contract.method import Method

#: Smallest step of time: the instant before the next day.
MOMENT = timedelta(microseconds=1)
#: Cadences whose periods never end.
ENDLESS = ("all_time",)
#: Maximum number of names listed; more are counted.
MAX_NAMES = 3
#: Maximum number of game lines counted for a figure.
MAX_COUNTED_LINES = 20_000


@dataclass(frozen=True)
class HeadFigure:
    """A key figure with its label and a note; ``kind`` is its CSS class."""

    label: str
    value: str
    note: str = ""
    kind: str = ""


@dataclass(frozen=True)
class PeriodView:
    """A ranking of a period: an edition's, the live one, or that of the games before ``until``."""

    period: Period
    method: Method
    rows: Sequence[Row]
    edition: Edition | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class Lead:
    """The leaders of a ranking: names, score, and the lead ``by`` over the next player."""

    names: str
    shared: bool
    score: str
    by: str
    over: str
    why: str

    @property
    def sentence(self) -> str:
        """Return a sentence such as "Anna leads by 0.38"."""
        if self.shared:
            return _("{names} share the lead").format(names=self.names)
        if self.by:
            return _("{name} leads by {by}").format(name=self.names, by=self.by)
        if self.why:
            return _("{name} leads, decided by {why}").format(name=self.names, why=self.why)
        return _("{name} leads").format(name=self.names)

    @property
    def note(self) -> str:
        """Return the note under the leader, such as "1015.56, 0.38 ahead of Ben"."""
        if self.by:
            return _("{score}, {by} ahead of {name}").format(score=self.score, by=self.by, name=self.over)
        if self.why:
            level = _("{score}, tied with {name}, decided by {why}")
            return level.format(score=self.score, name=self.over, why=self.why)
        return self.score


def lead_of(method: Method, rows: Sequence[Row]) -> Lead | None:
    """Return the leaders of a ranking, None if no player is ranked."""
    ranked = [row for row in rows if row["rank"] is not None]
    if not ranked:
        return None
    first = [row for row in ranked if row["rank"] == 1]
    score, names = first[0]["score"], [row["name"] for row in first]
    second = ranked[len(first)] if len(first) < len(ranked) else None
    by = over = why = ""
    if second is not None and len(first) == 1:
        over = isolated(second["name"])
        if second["score"] == score:
            labels = {column.key: column.label for column in method.columns}
            why = labels.get(first[0]["decided_by"], "")
        else:
            by = printed_difference(score, second["score"], method.decimals)
    return Lead(join_names(names), len(first) > 1, number(score, method.decimals), by, over, why)


def printed_difference(score: float, other: float, decimals: int) -> str:
    """Format the difference of two scores as printed, with more digits if they are printed alike."""
    shown = rounded(score, decimals) - rounded(other, decimals)
    if shown:
        return number(float(shown), decimals)
    apart = score - other
    return number(
        apart, next((more for more in range(decimals, decimals + MAX_EXTRA_DIGITS) if rounded(apart, more)), decimals)
    )


def join_names(names: Sequence[str]) -> str:
    """Format names as a list, "Anna, Ben and Cleo"; many as a count."""
    if len(names) > MAX_NAMES:
        return ngettext("{count} player", "{count} players", len(names)).format(count=len(names))
    return together(names)


def last_day(league: League, period: Period) -> date:
    """Return the last day of a period in the league's time zone."""
    return (period.ends_at - MOMENT).astimezone(known_zone(league.time_zone)).date()


def days_left(league: League, period: Period, now: datetime) -> int | None:
    """Return the number of days of a period after today; None if it is not running or endless."""
    if period.rule.cadence in ENDLESS or not period.starts_at <= now < period.ends_at:
        return None
    return (last_day(league, period) - now.astimezone(known_zone(league.time_zone)).date()).days


def figures_of(league: League, shown: PeriodView, now: datetime) -> list[HeadFigure]:
    """Return the key figures of a period."""
    period = shown.period
    lead = lead_of(shown.method, shown.rows)
    over = shown.edition is not None or (now >= period.ends_at and shown.until is None)
    found: list[HeadFigure] = []
    if lead is not None:
        label = _("Won by") if shown.edition else pgettext("rank", "First") if over else _("Leader")
        found.append(HeadFigure(label, lead.names, lead.note, "lead name"))
    if over:
        found += runners_up(shown.method, shown.rows)
    left = None if shown.until else days_left(league, period, now)
    if left is not None:
        day = last_day(league, period)
        ends = _("ends {day}").format(day=day_of_year_in_full(day)) if left else _("ends today at midnight")
        found.append(HeadFigure(_("Days left"), str(left), ends))
    return found + count_games(league, shown)


def count_games(league: League, shown: PeriodView) -> list[HeadFigure]:
    """Return the numbers of games and players; very many games are not counted."""
    people, lines = len(shown.rows), games_in(shown.rows)
    if not people:
        return []
    ranked = sum(row["qualified"] for row in shown.rows)
    some = _("{count} ranked").format(count=number(ranked)) if ranked != people else ""
    if max(people, lines) > MAX_COUNTED_LINES:
        return [HeadFigure(_("People"), number(people), some)]
    games = games_of_edition(shown.edition) if shown.edition else games_before(league, shown.period, shown.until)
    by = ngettext("by {count} player", "by {count} players", people).format(count=number(people))
    return [HeadFigure(_("Games"), number(games), f"{by}, {some}" if some else by)]


def runners_up(method: Method, rows: Sequence[Row]) -> list[HeadFigure]:
    """Return the second and third."""
    found = []
    for rank, label in ((2, pgettext("rank", "Second")), (3, pgettext("rank", "Third"))):
        same = [row for row in rows if row["rank"] == rank]
        if same:
            names, score = join_names([row["name"] for row in same]), number(same[0]["score"], method.decimals)
            found.append(HeadFigure(label, names, score, "name"))
    return found
