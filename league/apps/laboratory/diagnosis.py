"""The health of a league as people read it: figures in sentences, in the reader's language; nothing is computed."""

from collections.abc import Sequence
from datetime import date

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.text.numbers import number
from league.core.text.timestamps import month_of
from ratings.laboratory.health import MIN_GAMES, OFTEN, GamesHealth, MeanShare, Stretch

#: Maximum number of months shown as months; more are shown as years.
MAX_MONTHS = 60
#: With how many decimals what a game adds, and shares in per cent, are written.
ADDED, SHARE = 3, 1


def connected(health: GamesHealth) -> str:
    """Return whether all ratings can be compared."""
    if len(health.islands) == 1:
        return _("All players are connected by games, so any two ratings can be compared.")
    sentence = _(
        "There are {count} groups that have never played each other; the largest has {most} "
        "of {players} players. Ratings in different groups cannot be compared."
    )
    return sentence.format(
        count=number(len(health.islands)), most=number(health.islands[0]), players=number(health.players)
    )


def interval(share: MeanShare, decimals: int, times: float = 1.0) -> str:
    """Return an interval as text, "" if there is none."""
    if share.low is None or share.high is None:
        return ""
    return f"{number(times * share.low, decimals)} – {number(times * share.high, decimals)}"


def added(drift: MeanShare) -> str:
    """Return what a game adds to all ratings together."""
    value = number(drift.value, ADDED)
    if drift.low is None:
        sentence = _("Each game adds {value} to the sum of all ratings (too few days of play for an interval).")
        return sentence.format(value=value)
    return _("Each game adds {value} to the sum of all ratings ({interval}).").format(
        value=value, interval=interval(drift, ADDED)
    )


def drifts(drift: MeanShare) -> str:
    """Return whether ratings rise or fall as a whole."""
    if not round(drift.value, ADDED):
        return _("As far as these games show, what some players win, others lose.")
    if drift.low is None or drift.high is None:
        return _("There are too few days of play to show whether ratings rise or fall overall.")
    if drift.low <= 0.0 <= drift.high:
        return _("As far as these games show, what some players win, others lose.")
    return _("Ratings rise overall.") if drift.value > 0.0 else _("Ratings fall overall.")


def level(found: Sequence[Stretch]) -> str:
    """Return how the mean rating moved from the first month, or year, to the last one."""
    if len(found) < 2:
        return _("All these games are from one month; inflation of the ratings can only be seen later.")
    first, last = found[0], found[-1]
    return _("Average rating of active players: {before} ({first}), most recently {after} ({last}).").format(
        before=number(first.mean, 1), first=named(first), after=number(last.mean, 1), last=named(last)
    )


def seat_of(health: GamesHealth, seat: int) -> str:
    """Return what a seat, from 1, takes of the points, and whether these games say that it is an advantage."""
    share = health.seats[seat - 1]
    told = _("Seat {seat} of {size} wins {share}% of the points").format(
        seat=number(seat), size=number(health.size), share=number(100.0 * share.value, SHARE)
    )
    between = interval(share, SHARE, 100.0)
    return f"{told} ({between})." if between else f"{told}."


def leans(share: MeanShare) -> str:
    """Return whether a seat is an advantage."""
    if share.low is None or share.high is None:
        return _("too few days of play to tell")
    if share.low <= 0.5 <= share.high:
        return _("none visible in these games")
    return _("an advantage") if share.value > 0.5 else _("a disadvantage")


def seated(health: GamesHealth) -> str:
    """Return whether the seats are worth the same."""
    if not health.seats:
        return _("Seats cannot be compared: games were played in teams, or have no order of finish.")
    if not any(map(leaning, health.seats)):
        return _("In these games no seat is better than another.")
    best = max(range(len(health.seats)), key=lambda place: health.seats[place].value)
    sentence = _("The seats are not equal: seat {seat} wins the most points, {share}%.")
    return sentence.format(seat=number(best + 1), share=number(100.0 * health.seats[best].value, SHARE))


def leaning(share: MeanShare) -> bool:
    """Return whether the interval of a seat's share leaves the half out."""
    return share.low is not None and share.high is not None and not share.low <= 0.5 <= share.high


def farmed(health: GamesHealth) -> str:
    """Return who meets one opponent most of the time, as far as a sentence goes."""
    if health.one_table:
        return _("Every player took part in every game, so everyone meets everyone.")
    count = len({one.player for one in health.habits})
    if not count:
        sentence = _("No player with {games} games or more met the same opponent in {share}% of them.")
        return sentence.format(games=number(MIN_GAMES), share=number(100 * OFTEN))
    sentence = ngettext(
        "{count} player with {games} games or more met the same opponent in at least {share}% of them.",
        "{count} players with {games} games or more met the same opponent in at least {share}% of them.",
        count,
    )
    return sentence.format(count=number(count), games=number(MIN_GAMES), share=number(100 * OFTEN))


def active(found: Sequence[Stretch]) -> str:
    """Return how much was played, in the last month, or year, and in the busiest one."""
    last, most = found[-1], max(found, key=lambda one: one.games)
    games = ngettext("{month}: {count} game,", "{month}: {count} games,", last.games)
    players = ngettext("{count} player, {new} of them new.", "{count} players, {new} of them new.", last.players)
    busiest = ngettext("Busiest: {month}, {count} game.", "Busiest: {month}, {count} games.", most.games)
    return " ".join(
        (
            games.format(month=named(last), count=number(last.games)),
            players.format(count=number(last.players), new=number(last.newcomers)),
            busiest.format(month=named(most), count=number(most.games)),
        )
    )


def told_by(health: GamesHealth) -> Sequence[Stretch]:
    """Return the months, or the years where the months are too many to be told apart."""
    return health.months if len(health.months) <= MAX_MONTHS else health.years


def first_day(stretch: Stretch) -> date:
    """Return the first day of a month, or a year."""
    return date.fromisoformat(f"{stretch.name}-01-01"[:10])


def named(stretch: Stretch) -> str:
    """Write a month, October 2026, or a year."""
    return month_of(first_day(stretch)) if "-" in stretch.name else stretch.name
