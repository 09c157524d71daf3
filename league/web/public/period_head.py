"""The key figures of a period: leader and lead, days left, numbers of games and players."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.core.ladders.selectors.ladders import (
    Row,
    StandingDifference,
    count_games_before,
    count_games_of_edition,
    sum_games,
)
from league.core.text.display_formats import (
    MAX_EXTRA_DIGITS,
    format_days,
    format_full_day_of_year,
    format_number,
    get_known_zone,
)
from league.core.text.names import isolate_direction
from league.models import Edition, League, Period
from league.web.public.game_titles import format_names
from ratings.contract.method import Method
from ratings.contract.needs import Need
from ratings.contract.parameters import format_with_unit
from ratings.texts import round_as_printed

#: Smallest step of time: the instant before the next day.
MOMENT = timedelta(microseconds=1)
#: Cadences whose periods never end.
ENDLESS = ("all_time",)
#: Maximum number of names listed; more are counted.
MAX_NAMES = 3
#: Words up to this number of letters are as large as other figures.
MAX_SHORT = 10
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
    """The leaders of a ranking: names, score, and the lead ``by`` over the next player; ``distance``: with its unit.

    ``over``: the next player; ``why``: the tie-break that decides between the two, "" if the scores do.
    """

    names: str
    shared: bool
    score: str
    by: str
    distance: str
    over: str
    why: str

    @property
    def sentence(self) -> str:
        """Return a sentence such as "Anna leads by 0.38"."""
        if self.shared:
            return _("{names} share the lead").format(names=self.names)
        if self.by:
            return _("{name} leads by {by}").format(name=self.names, by=self.distance)
        if self.why:
            template = _("{name} leads with {score}, tied with {other}, decided by {why}")
            return template.format(name=self.names, score=self.score, other=self.over, why=self.why)
        return _("{name} leads").format(name=self.names)

    @property
    def note(self) -> str:
        """Return the note under the leader, such as "1015.56, 0.38 ahead"; whom, the ranking shows."""
        if self.by:
            return _("{score}, {by} ahead").format(score=self.score, by=self.by)
        if self.why:
            level = _("{score}, tied with {name}, decided by {why}")
            return level.format(score=self.score, name=self.over, why=self.why)
        return self.score

    @property
    def margin(self) -> str:
        """Return how a closed period was won, such as "Anna won by 0.38"; empty if it was shared or had one player."""
        if self.by:
            return _("{name} won by {by}").format(name=self.names, by=self.distance)
        return _("{name} won, decided by {why}").format(name=self.names, why=self.why) if self.why else ""


def find_lead(method: Method, rows: Sequence[Row]) -> Lead | None:
    """Return the leaders of a ranking, None if no player is ranked."""
    ranked = [row for row in rows if row["rank"] is not None]
    if not ranked:
        return None
    first = [row for row in ranked if row["rank"] == 1]
    score, names = first[0]["score"], [row["name"] for row in first]
    second = ranked[len(first)] if len(first) < len(ranked) else None
    margin = distance = over = reason = ""
    if second is not None and len(first) == 1:
        over = isolate_direction(second["name"])
        if second["score"] == score:
            deciding = (column for column in method.columns if column.key == first[0]["decided_by"])
            reason = next((column.words or column.label for column in deciding), "")
        else:
            margin = _format_difference(score, second["score"], method.decimals)
            distance = _add_unit(method, score, second["score"]) or margin
    printed = format_number(score, method.decimals)
    return Lead(join_names(names), len(first) > 1, printed, margin, distance, over, reason)


def describe_need(method: Method, need: Need | None) -> str:
    """Return what a player needs to pass the leader, such as "a game scoring 89"."""
    if need is None:
        return _("out of reach")
    if need.figure is None:
        if method.deciding_figure() == "win":
            return ngettext("{count} win", "{count} wins", need.games).format(count=need.games)
        return ngettext("{count} more game", "{count} more games", need.games).format(count=need.games)
    template = {
        1: _("a game scoring {score}"),
        2: _("two games scoring {score} each"),
        3: _("three games scoring {score} each"),
    }[need.games]
    return template.format(score=format_number(need.figure))


def describe_needs(method: Method, rows: Sequence[Row], needs: Mapping[str, Need | None] | None) -> dict[str, str]:
    """Return player -> what the player needs to lead; empty if the method cannot say it."""
    lead = find_lead(method, rows)
    if needs is None or lead is None:
        return {}
    leading = _("leads by {by}").format(by=lead.distance) if lead.by else _("leads")
    return {
        row["player"]: leading if row["rank"] == 1 else describe_need(method, needs.get(row["player"])) for row in rows
    }


def explain_needs(method: Method, needs: Mapping[str, str]) -> str:
    """Return the sentence under which needs hold."""
    if needs and method.deciding_figure() == "performance":
        return _("What is needed to lead if nobody else plays, against average opponents.")
    if needs:
        return _("What is needed to lead if nobody else plays.")
    return "" if method.deciding_figure() else _("What a game changes depends on ratings and opponents.")


def describe_chase(method: Method, rows: Sequence[Row], needs: Mapping[str, Need | None] | None) -> str:
    """Return a sentence saying what the first behind the leader, and who needs the same, need; empty if unknown."""
    row, need = find_chaser(rows, needs)
    if not row or not need:
        return ""
    said = describe_need(method, need)
    same = [
        one["name"]
        for one in rows
        if one is not row
        and one["rank"] not in (None, 1)
        and describe_need(method, (needs or {}).get(one["player"])) == said
    ]
    names = [row["name"], *same]
    others = len(names) - 1
    if others < MAX_NAMES:
        text = ngettext("{names} needs {need} to lead", "{names} need {need} to lead", len(names))
        return text.format(names=format_names(names), need=said)
    text = ngettext(
        "{name} and {count} more need {need} to lead", "{name} and {count} more need {need} to lead", others
    )
    return text.format(name=isolate_direction(names[0]), count=format_number(others), need=said)


def find_chaser(rows: Sequence[Row], needs: Mapping[str, Need | None] | None) -> tuple[Row, Need] | tuple[None, None]:
    """Return the first player behind the leader with what this player needs to lead, if that is known."""
    row = next((row for row in rows if row["rank"] != 1), None)
    need = (needs or {}).get(row["player"]) if row else None
    return (row, need) if row and need else (None, None)


def _add_unit(method: Method, score: float, other: float) -> str:
    """Return the difference of two scores as printed with the method's unit; "" if it has none, or they look alike."""
    difference = round_as_printed(score, method.decimals) - round_as_printed(other, method.decimals)
    return format_with_unit(float(difference), method.score_unit) if method.score_unit and difference else ""


def _format_difference(score: float, other: float, decimals: int) -> str:
    """Format the difference of two scores as printed, with more digits if they are printed alike."""
    difference = round_as_printed(score, decimals) - round_as_printed(other, decimals)
    if difference:
        return format_number(float(difference), decimals)
    exact_difference = score - other
    return format_number(
        exact_difference,
        next(
            (
                digits
                for digits in range(decimals, decimals + MAX_EXTRA_DIGITS)
                if round_as_printed(exact_difference, digits)
            ),
            decimals,
        ),
    )


def describe_differences(before: Sequence[Row], after: Sequence[Row], lines: Sequence[StandingDifference]) -> str:
    """Return what differs between two rankings as a headline, such as "Anna stays first; 2 scores changed"."""
    if not lines:
        return _("Nothing changed")
    was, now = ([row for row in ranking if row["rank"] == 1] for ranking in (before, after))
    ranks = sum(line.rank_before != line.rank_after for line in lines)
    scores = sum(line.score_before != line.score_after for line in lines)
    if ranks:
        text = ngettext("{count} rank changed", "{count} ranks changed", ranks)
    elif scores:
        text = ngettext("{count} score changed", "{count} scores changed", scores)
    else:
        text = ngettext("{count} row changed", "{count} rows changed", len(lines))
    changed = text.format(count=format_number(ranks or scores or len(lines)))
    if not now:
        return _("No player is ranked now; {changed}").format(changed=changed)
    if {row["player"] for row in now} <= {row["player"] for row in was}:
        text = ngettext("{names} stays first; {changed}", "{names} stay first; {changed}", len(now))
    else:
        text = ngettext("{names} is first now; {changed}", "{names} are first now; {changed}", len(now))
    return text.format(names=join_names([row["name"] for row in now]), changed=changed)


def join_names(names: Sequence[str]) -> str:
    """Format names as a list, "Anna, Ben and Cleo"; many as a count."""
    if len(names) > MAX_NAMES:
        return ngettext("{count} player", "{count} players", len(names)).format(count=len(names))
    return format_names(names)


def _compute_last_day(league: League, period: Period) -> date:
    """Return the last day of a period in the league's time zone."""
    return (period.ends_at - MOMENT).astimezone(get_known_zone(league.time_zone)).date()


def count_days_left(league: League, period: Period, now: datetime) -> int | None:
    """Return the number of days of a period after today; None if it is not running or endless."""
    if period.rule.cadence in ENDLESS or not period.starts_at <= now < period.ends_at:
        return None
    return (_compute_last_day(league, period) - now.astimezone(get_known_zone(league.time_zone)).date()).days


def describe_period_days(league: League, period: Period) -> str:
    """Return the days of a period in the league's time zone: 1–31 October 2026."""
    first = period.starts_at.astimezone(get_known_zone(league.time_zone)).date()
    return format_days(first, _compute_last_day(league, period))


def is_over(view: PeriodView, now: datetime) -> bool:
    """Return whether a ranking is the last of its period: published, or of a period that has ended."""
    return view.edition is not None or (now >= view.period.ends_at and view.until is None)


def build_key_figures(
    league: League, view: PeriodView, needs: Mapping[str, Need | None] | None, now: datetime
) -> list[HeadFigure]:
    """Return the key figures of a period in play."""
    lead = find_lead(view.method, view.rows)
    figures = [HeadFigure(_("Leader"), lead.names, lead.note, "lead name")] if lead else []
    row, need = find_chaser(view.rows, needs)
    if row and need:
        words, score = describe_need(view.method, need), format_number(row["score"], view.method.decimals)
        kind = "short" if len(words) <= MAX_SHORT else "words"
        figures.append(HeadFigure(_("To lead"), words, f"{isolate_direction(row['name'])}, {score}", kind))
    remaining_days = None if view.until else count_days_left(league, view.period, now)
    if remaining_days is not None:
        day = _compute_last_day(league, view.period)
        figures.append(
            HeadFigure(_("Days left"), str(remaining_days), _("ends {day}").format(day=format_full_day_of_year(day)))
            if remaining_days
            else HeadFigure(pgettext("a period", "Ends"), _("today"), _("at midnight"), "name")
        )
    if view.rows:
        games, players = count_games(league, view)
        label, number = (_("People"), len(view.rows)) if games is None else (_("Games"), games)
        figures.append(HeadFigure(label, format_number(number), players))
    return figures


def list_facts(league: League, view: PeriodView) -> list[str]:
    """Return the facts of a period that is over: its games and, if it is closed, by how much it was won."""
    if not view.rows:
        return []
    games, players = count_games(league, view)
    number = len(view.rows) if games is None else games
    counted = (
        league.words.count_ranked(number)
        if games is None
        else ngettext("{count} game", "{count} games", number).format(count=format_number(number))
    )
    lead = find_lead(view.method, view.rows) if view.edition else None
    sentence = pgettext("games and players", "{games} {players}").format(games=counted, players=players)
    return [sentence.strip(" ,"), *([lead.margin] if lead and lead.margin else [])]


def count_games(league: League, view: PeriodView) -> tuple[int | None, str]:
    """Return the number of games, None if there are very many, and how many players played and are ranked."""
    player_count = len(view.rows)
    ranked = sum(row["qualified"] for row in view.rows)
    ranked_text = _("{count} ranked").format(count=format_number(ranked)) if ranked != player_count else ""
    if max(player_count, sum_games(view.rows)) > MAX_COUNTED_LINES:
        return None, ranked_text
    games = (
        count_games_of_edition(view.edition) if view.edition else count_games_before(league, view.period, view.until)
    )
    player_text = league.words.count_by(player_count)
    return games, f"{player_text}, {ranked_text}" if ranked_text else player_text
