"""Games as strangers look for them: by people, a score beside a name, a day, a number."""

from dataclasses import dataclass, field
from datetime import date, datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from league.calendar import start_of_day
from league.errors import UnknownZone
from league.models import Game, League, Player, Rating, Result
from league.models.facts import UNRATED
from league.names import storable
from league.selectors.game_search import value_of, wanted_by
from league.selectors.games import evening_end, games_of, played_between
from league.selectors.permissions import Viewer
from league.selectors.players.find import found_among

#: So many people whom a word means are looked at.
PEOPLE = 200


@dataclass
class Sought:
    """The games that a text finds, and the words that mean more people than are looked at."""

    games: QuerySet[Game]
    cut: list[str] = field(default_factory=list)


def games_sought(league: League, text: str, viewer: Viewer, today: date) -> Sought:
    """Return the games of a league that a text finds, the newest first; all of them where it is empty.

    Figures behind a name are that player's scores, one that stands alone is the number of a game. Names are looked for
    among the league's people, and the games of ``PEOPLE`` of them are read at most.
    """
    sought = Sought(games_of(league))
    if not storable(text):
        return Sought(sought.games.none())
    wanted = wanted_by(text, today)
    if wanted.number is not None:
        return Sought(sought.games.filter(number=wanted.number))
    if wanted.day is not None:
        return Sought(evening_on(sought.games, league, wanted.day))
    for figure in wanted.figures:
        sought.games = sought.games.filter(number=int(figure)) if figure.isdigit() else sought.games.none()
    for name, scores in wanted.names:
        at_which_sat(sought, league, name, scores, viewer)
    return sought


def evening_on(games: QuerySet[Game], league: League, day: date) -> QuerySet[Game]:
    """Return the games of a day and its small hours; none at the ends of the calendar."""
    start = day_begins(league, day)
    return games.none() if start is None else played_between(games, start, evening_end(league, day))


def at_which_sat(sought: Sought, league: League, name: str, scores: list[str], viewer: Viewer) -> None:
    """Keep the games at which somebody of a name sat, or of each of its words; the last with these scores."""
    whole = called(league, name, viewer)
    parts = (
        {name: whole} if whole or " " not in name else {word: called(league, word, viewer) for word in name.split(" ")}
    )
    for word, people in parts.items():
        if len(people) > PEOPLE:
            sought.cut.append(word)
        lines = Result.objects.filter(player__in=people[:PEOPLE], game__league=league)
        if scores and word == list(parts)[-1]:
            lines = lines.filter(score__in=[value_of(score) for score in scores])
        sought.games = sought.games.filter(pk__in=lines.values("game"))


def called(league: League, text: str, viewer: Viewer) -> list[int]:
    """Return the keys of those of a league's people whose handle, name or a spelling holds a text; a few too many."""
    rated = Rating.objects.filter(league=league, player=OuterRef("pk"))
    # Who sat in unrated games only has no rating to be found by.
    unrated = Result.objects.filter(game__in=Game.objects.filter(UNRATED, league=league))
    people = Player.objects.filter(Exists(rated) | Q(pk__in=unrated.values("player")), merged_into=None).order_by(
        "handle"
    )
    return list(found_among(people, text, viewer, PEOPLE + 1).values_list("pk", flat=True)[: PEOPLE + 1])


def day_begins(league: League, day: date) -> datetime | None:
    """Return the first instant of a day by the league's clock, None at the ends of the calendar."""
    try:
        return start_of_day(day, league.time_zone)
    except UnknownZone:
        return start_of_day(day, "UTC")
    except (ValueError, OverflowError):
        return None
