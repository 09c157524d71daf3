"""Sentences about the health of a league, in the reader's language."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.text.display_formats import format_month, format_number
from ratings.laboratory.health import MIN_GAMES, OFTEN, GamesHealth, MeanShare, Stretch

#: Maximum number of months shown as months; more are shown as years.
MAX_MONTHS = 60
#: Numbers of decimals for points added per game, and for shares in per cent.
ADDED_DECIMALS, SHARE_DECIMALS = 3, 1


@dataclass(frozen=True)
class HealthFinding:
    """The answer of one check; ``section`` is the part of the page with its figures."""

    good: bool
    text: str
    section: str


def list_findings(health: GamesHealth) -> list[HealthFinding]:
    """Return the answers of all checks."""
    has_habits = not health.one_table and bool(health.habits)
    return [
        HealthFinding(len(health.islands) == 1, describe_groups(health), "islands"),
        HealthFinding(not _is_drifting(health.drift), describe_drift(health.drift), "levels"),
        HealthFinding(not has_habits, describe_frequent_opponents(health), "farming" if has_habits else "islands"),
        HealthFinding(not any(map(_differs_from_half, health.seats)), describe_seats(health), "seats"),
    ]


def _is_drifting(drift: MeanShare) -> bool:
    """Return whether the sum of all ratings rises or falls, beyond chance."""
    if not round(drift.value, ADDED_DECIMALS) or drift.low is None or drift.high is None:
        return False
    return not drift.low <= 0.0 <= drift.high


def describe_groups(health: GamesHealth) -> str:
    """Return a sentence on whether all ratings can be compared."""
    if len(health.islands) == 1:
        return _("All players are connected by games, so any two ratings can be compared.")
    text = _(
        "There are {count} groups that have never played each other; the largest has {most} "
        "of {players} players. Ratings in different groups cannot be compared."
    )
    return text.format(
        count=format_number(len(health.islands)),
        most=format_number(health.islands[0]),
        players=format_number(health.players),
    )


def format_interval(share: MeanShare, decimals: int, times: float = 1.0) -> str:
    """Return an interval as text, or "" if there is none."""
    if share.low is None or share.high is None:
        return ""
    return f"{format_number(times * share.low, decimals)} – {format_number(times * share.high, decimals)}"


def describe_added(drift: MeanShare) -> str:
    """Return a sentence on how much a game adds to the sum of all ratings."""
    value = format_number(drift.value, ADDED_DECIMALS)
    if drift.low is None:
        text = _("Each game adds {value} to the sum of all ratings (too few days of play for an interval).")
        return text.format(value=value)
    return _("Each game adds {value} to the sum of all ratings ({interval}).").format(
        value=value, interval=format_interval(drift, ADDED_DECIMALS)
    )


def is_constant(drift: MeanShare) -> bool:
    """Return whether games add nothing, as printed, to the sum of all ratings."""
    return not any(round(end or 0.0, ADDED_DECIMALS) for end in (drift.value, drift.low, drift.high))


def describe_drift(drift: MeanShare) -> str:
    """Return a sentence on whether ratings rise or fall overall."""
    if round(drift.value, ADDED_DECIMALS) and (drift.low is None or drift.high is None):
        return _("There are too few days of play to show whether ratings rise or fall overall.")
    if not _is_drifting(drift):
        return _("As far as these games show, what some players win, others lose.")
    return _("Ratings rise overall.") if drift.value > 0.0 else _("Ratings fall overall.")


def describe_level(stretches: Sequence[Stretch]) -> str:
    """Return a sentence on how the mean rating changed from the first to the last stretch."""
    if len(stretches) < 2:
        return _("All these games are from one month; inflation of the ratings can only be seen later.")
    first, last = stretches[0], stretches[-1]
    return _("Average rating of active players: {before} ({first}), most recently {after} ({last}).").format(
        before=format_number(first.mean, 1),
        first=format_stretch(first),
        after=format_number(last.mean, 1),
        last=format_stretch(last),
    )


def describe_seat(health: GamesHealth, seat: int) -> str:
    """Return a sentence on a seat's share of the points; ``seat`` counts from 1."""
    share = health.seats[seat - 1]
    text = _("Seat {seat} of {size} wins {share}% of the points").format(
        seat=format_number(seat),
        size=format_number(health.size),
        share=format_number(100.0 * share.value, SHARE_DECIMALS),
    )
    range_ = format_interval(share, SHARE_DECIMALS, 100.0)
    return f"{text} ({range_})." if range_ else f"{text}."


def describe_advantage(share: MeanShare) -> str:
    """Return whether a seat is an advantage, in words."""
    if share.low is None or share.high is None:
        return _("too few days of play to tell")
    if share.low <= 0.5 <= share.high:
        return _("none visible in these games")
    return _("an advantage") if share.value > 0.5 else _("a disadvantage")


def describe_seats(health: GamesHealth) -> str:
    """Return a sentence on whether all seats are equal."""
    if not health.seats:
        return _("Seats cannot be compared: games were played in teams, or have no order of finish.")
    if health.size == 2:
        return _describe_sides(health)
    if not any(map(_differs_from_half, health.seats)):
        return _("In these games no seat is better than another.")
    best = max(range(len(health.seats)), key=lambda index: health.seats[index].value)
    text = _("The seats are not equal: seat {seat} wins the most points, {share}%.")
    return text.format(
        seat=format_number(best + 1), share=format_number(100.0 * health.seats[best].value, SHARE_DECIMALS)
    )


def _describe_sides(health: GamesHealth) -> str:
    first, second = health.seats
    if not any(map(_differs_from_half, health.seats)):
        return _("In these games neither side is better than the other.")
    text = (
        _("The sides are not equal: the first side wins {share}% of the points.")
        if first.value > second.value
        else _("The sides are not equal: the second side wins {share}% of the points.")
    )
    return text.format(share=format_number(100.0 * max(first.value, second.value), SHARE_DECIMALS))


def _differs_from_half(share: MeanShare) -> bool:
    return share.low is not None and share.high is not None and not share.low <= 0.5 <= share.high


def describe_frequent_opponents(health: GamesHealth) -> str:
    """Return a sentence on the number of players who mostly meet one opponent."""
    if health.one_table:
        return _("Every player took part in every game, so everyone meets everyone.")
    count = len({habit.player for habit in health.habits})
    if not count:
        text = _("No player with {games} games or more met the same opponent in {share}% of them.")
        return text.format(games=format_number(MIN_GAMES), share=format_number(100 * OFTEN))
    text = ngettext(
        "{count} player with {games} games or more met the same opponent in at least {share}% of them.",
        "{count} players with {games} games or more met the same opponent in at least {share}% of them.",
        count,
    )
    return text.format(count=format_number(count), games=format_number(MIN_GAMES), share=format_number(100 * OFTEN))


def describe_activity(stretches: Sequence[Stretch]) -> str:
    """Return sentences on the last and the busiest stretch."""
    latest, busiest = stretches[-1], max(stretches, key=lambda stretch: stretch.games)
    games = ngettext("{month}: {count} game,", "{month}: {count} games,", latest.games)
    players = ngettext("{count} player, {new} of them new.", "{count} players, {new} of them new.", latest.players)
    busiest_text = ngettext("Busiest: {month}, {count} game.", "Busiest: {month}, {count} games.", busiest.games)
    return " ".join(
        (
            games.format(month=format_stretch(latest), count=format_number(latest.games)),
            players.format(count=format_number(latest.players), new=format_number(latest.newcomers)),
            busiest_text.format(month=format_stretch(busiest), count=format_number(busiest.games)),
        )
    )


def choose_stretches(health: GamesHealth) -> Sequence[Stretch]:
    """Return the months, or the years if there are more than ``MAX_MONTHS`` months."""
    return health.months if len(health.months) <= MAX_MONTHS else health.years


def compute_first_day(stretch: Stretch) -> date:
    """Return the first day of a month or year."""
    return date.fromisoformat(f"{stretch.name}-01-01"[:10])


def format_stretch(stretch: Stretch) -> str:
    """Return the name of a month ("October 2026") or year."""
    return format_month(compute_first_day(stretch)) if "-" in stretch.name else stretch.name
