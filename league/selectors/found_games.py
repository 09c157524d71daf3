"""Games as strangers look for them: by people, a score beside a name, a day, a number; each by an index."""

from datetime import date, datetime, timedelta

from django.db.models import QuerySet

from league.calendar import start_of_day
from league.errors import UnknownZone
from league.models import Game, League, Result
from league.names import storable
from league.selectors.game_search import value_of, wanted_by
from league.selectors.games import SMALL_HOURS, games_of, played_between
from league.selectors.permissions import Viewer
from league.selectors.players.find import all_players

#: So many people whom a word means are looked at.
PEOPLE = 20


def games_sought(league: League, text: str, viewer: Viewer, today: date) -> QuerySet[Game]:
    """Return the games of a league that a text finds, the newest first; all of them where it is empty.

    Figures behind a name are that player's scores, one that stands alone is the number of a game: each is found by
    an index, so that nobody can make a site read all its games.
    """
    games = games_of(league)
    if not storable(text):
        return games.none()
    wanted = wanted_by(text, today)
    if wanted.number is not None:
        return games.filter(number=wanted.number)
    if wanted.day is not None:
        return evening_on(games, league, wanted.day)
    for figure in wanted.figures:
        games = games.filter(number=int(figure)) if figure.isdigit() else games.none()
    for name, scores in wanted.names:
        games = at_which_sat(games, league, name, scores, viewer)
    return games


def evening_on(games: QuerySet[Game], league: League, day: date) -> QuerySet[Game]:
    """Return the games of a day and its small hours; none at the ends of the calendar."""
    start = day_begins(league, day)
    return games.none() if start is None else played_between(games, start, start + timedelta(days=1) + SMALL_HOURS)


def at_which_sat(games: QuerySet[Game], league: League, name: str, scores: list[str], viewer: Viewer) -> QuerySet[Game]:
    """Return the games at which somebody of a name sat, or of each of its words; the last with these scores."""
    words = [name] if all_players(name, viewer=viewer).exists() else name.split(" ")
    for word in words:
        people = list(all_players(word, viewer=viewer).values_list("pk", flat=True)[:PEOPLE])
        lines = Result.objects.filter(player__in=people, game__league=league)
        if scores and word == words[-1]:
            lines = lines.filter(score__in=[value_of(score) for score in scores])
        games = games.filter(pk__in=lines.values("game"))
    return games


def day_begins(league: League, day: date) -> datetime | None:
    """Return the first instant of a day by the league's clock, None at the ends of the calendar."""
    try:
        return start_of_day(day, league.time_zone)
    except UnknownZone:
        return start_of_day(day, "UTC")
    except (ValueError, OverflowError):
        return None
