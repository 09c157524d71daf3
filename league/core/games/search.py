"""Searches games by player, score, day or number."""

import re
from calendar import month_abbr, month_name
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from league.core.calendar import start_of_day
from league.core.errors import UnknownZone
from league.core.games.selectors.games import before_game, evening_end, games_of, played_between
from league.core.permissions import Viewer
from league.core.players.selectors.search import all_players, found_among
from league.core.text.names import storable
from league.models import Game, League, Period, Player, Rating, Result
from league.models.facts import UNRATED

#: Maximum length of a search text, and number of its words.
MAX_TEXT_LENGTH, MAX_WORDS = 100, 8
FIGURE = re.compile(r"[-+\u2212\u2013]?\d{1,12}([.,]\d{1,9})?")
NUMBER = re.compile(r"(?:game|no\.?|#)\s*(\d{1,9})", re.IGNORECASE)
DAYS = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"),
    re.compile(r"(?P<day>\d{1,2})[./]\s?(?P<month>\d{1,2})[./]?\s?(?P<year>\d{4})?"),
    re.compile(r"(?P<day>\d{1,2})\.? (?P<named>[a-z]{3,9})\.?,?( (?P<year>\d{4}))?", re.IGNORECASE),
    re.compile(r"(?P<named>[a-z]{3,9})\.? (?P<day>\d{1,2}),?( (?P<year>\d{4}))?", re.IGNORECASE),
)
MONTHS = {name.lower(): number for names in (month_name, month_abbr) for number, name in enumerate(names) if name} | {
    "sept": 9
}


#: Maximum number of players considered for a word.
MAX_PEOPLE = 200


@dataclass(frozen=True)
class GameQuery:
    """A parsed search: a day, a game number, figures, or names, each with the figures that follow it."""

    day: date | None = None
    number: int | None = None
    figures: list[str] = field(default_factory=list)
    names: list[tuple[str, list[str]]] = field(default_factory=list)


def parse_search(text: str, today: date) -> GameQuery:
    """Parse a search text; a day without a year is the most recent one."""
    text = " ".join(text.split())[:MAX_TEXT_LENGTH]
    if found := NUMBER.fullmatch(text):
        return GameQuery(number=int(found[1]))
    if (day := day_in(text, today)) is not None:
        return GameQuery(day=day)
    names: list[tuple[str, list[str]]] = []
    figures: list[str] = []
    open_name = False
    for word in text.replace(", ", " , ").split(" ")[:MAX_WORDS]:
        if FIGURE.fullmatch(word):
            (names[-1][1] if names else figures).append(word)
            open_name = False
        elif word == ",":
            open_name = False
        elif open_name:
            names[-1] = (f"{names[-1][0]} {word}", [])
        elif word:
            names.append((word, []))
            open_name = True
    return GameQuery(figures=figures, names=names)


def day_in(text: str, today: date) -> date | None:
    """Parse a day, such as 2026-11-06, 6 Nov, 06.11.2026 or Nov 6; None if the text is not a day."""
    for form in DAYS:
        found = form.fullmatch(text)
        parts = found.groupdict() if found else {}
        month = int(parts.get("month") or MONTHS.get((parts.get("named") or "").lower(), 0)) if parts else 0
        if not month:
            continue
        years = [int(parts["year"])] if parts["year"] else range(today.year, max(today.year - 8, 0), -1)
        for year in years:
            with suppress(ValueError):
                if (found_day := date(year, month, int(parts["day"]))) <= today or parts["year"]:
                    return found_day
    return None


def found_games(league: League, text: str, viewer: Viewer, today: date) -> QuerySet[Game]:
    """Return the games of a league that match a text, newest first; all of them if it is empty.

    Names that ``viewer`` may not see match nothing. Figures after a name are that player's scores.
    """
    games = games_of(league)
    if not storable(text):
        return games.none()
    wanted = parse_search(text, today)
    if wanted.number is not None:
        return games.filter(number=wanted.number)
    if wanted.day is not None:
        return games_of_evening(games, league, wanted.day)
    for figure in wanted.figures:
        games = games.filter(match_figure(figure))
    for name, scores in wanted.names:
        games = games.filter(match_name(name, scores, viewer))
    return games


def match_figure(text: str) -> Q:
    """Return the condition for games matching a figure: a score, the number, or an external id."""
    lines = Result.objects.filter(league=OuterRef("league"), game=OuterRef("pk"), score=value_of(text))
    found = Q(Exists(lines)) | Q(external_id=text)
    return found | Q(number=int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else found


def match_name(name: str, scores: list[str], viewer: Viewer) -> Q:
    """Return the condition for games with a player of that name and these scores, or with that external id."""
    words = [name] if all_players(name, viewer=viewer).exists() else name.split(" ")
    found = Q()
    for word in words:
        people: QuerySet[Player] = all_players(word, viewer=viewer).order_by()
        lines = Result.objects.filter(league=OuterRef("league"), game=OuterRef("pk"), player__in=people.values("pk"))
        for score in scores if word == words[-1] else ():
            lines = lines.filter(score=value_of(score))
        found &= Q(Exists(lines))
    return found if scores else found | Q(external_id=name)


def value_of(text: str) -> float:
    """Parse a figure."""
    return float(text.replace("\u2212", "-").replace("\u2013", "-").replace(",", "."))


def page_of(games: QuerySet[Game], league: League, before: str, most: int) -> tuple[QuerySet[Game], bool]:
    """Return a page of games, after the game with number ``before``, and whether there are more."""
    if before.isascii() and before.isdigit() and len(before) < 10:
        last = Game.objects.filter(league=league, number=int(before)).first()
        games = games if last is None else before_game(games, last.played_at, last.order_key, last.number)
    keys = list(games.values_list("pk", flat=True)[: most + 1])
    return games_of(league).filter(pk__in=keys[:most]), len(keys) > most


def closed_spans(league: League, moments: list[datetime]) -> list[tuple[datetime, datetime]]:
    """Return the start and end of the closed periods that may contain any of these times."""
    if not moments:
        return []
    closed = Period.objects.filter(league=league, closed=True)
    spans = closed.filter(starts_at__lte=max(moments), ends_at__gt=min(moments)).values_list("starts_at", "ends_at")
    return list(spans)


@dataclass
class Sought:
    """The games that a text finds, and the words that match more people than are considered."""

    games: QuerySet[Game]
    cut: list[str] = field(default_factory=list)


def search_games(league: League, text: str, viewer: Viewer, today: date) -> Sought:
    """Return the games of a league that match a text, newest first; all of them if it is empty.

    Figures after a name are that player's scores; a figure alone is a game number. Names are searched among the
    league's players, of whom at most ``MAX_PEOPLE`` are considered.
    """
    sought = Sought(games_of(league))
    if not storable(text):
        return Sought(sought.games.none())
    wanted = parse_search(text, today)
    if wanted.number is not None:
        return Sought(sought.games.filter(number=wanted.number))
    if wanted.day is not None:
        return Sought(games_of_evening(sought.games, league, wanted.day))
    for figure in wanted.figures:
        sought.games = sought.games.filter(number=int(figure)) if figure.isdigit() else sought.games.none()
    for name, scores in wanted.names:
        filter_by_player(sought, league, name, scores, viewer)
    return sought


def games_of_evening(games: QuerySet[Game], league: League, day: date) -> QuerySet[Game]:
    """Return the games of a day including the night after it; none at the limits of the calendar."""
    start = day_begins(league, day)
    return games.none() if start is None else played_between(games, start, evening_end(league, day))


def filter_by_player(sought: Sought, league: League, name: str, scores: list[str], viewer: Viewer) -> None:
    """Filter for games with a player of that name, or with one for each of its words, the last with these scores."""
    whole = find_players_by_text(league, name, viewer)
    parts = (
        {name: whole}
        if whole or " " not in name
        else {word: find_players_by_text(league, word, viewer) for word in name.split(" ")}
    )
    for word, people in parts.items():
        if len(people) > MAX_PEOPLE:
            sought.cut.append(word)
        lines = Result.objects.filter(league=league, player__in=people[:MAX_PEOPLE])
        if scores and word == list(parts)[-1]:
            lines = lines.filter(score__in=[value_of(score) for score in scores])
        sought.games = sought.games.filter(pk__in=lines.values("game"))


def find_players_by_text(league: League, text: str, viewer: Viewer) -> list[int]:
    """Return the keys of a league's players whose handle, name or alias contains a text; at most MAX_PEOPLE + 1."""
    rated = Rating.objects.filter(league=league, player=OuterRef("pk"))
    # Players with unrated games only have no rating.
    unrated = Result.objects.filter(league=league, game__in=Game.objects.filter(UNRATED, league=league))
    people = Player.objects.filter(Exists(rated) | Q(pk__in=unrated.values("player")), merged_into=None).order_by(
        "handle"
    )
    return list(found_among(people, text, viewer, MAX_PEOPLE + 1).values_list("pk", flat=True)[: MAX_PEOPLE + 1])


def day_begins(league: League, day: date) -> datetime | None:
    """Return the start of a day in the league's time zone, None at the limits of the calendar."""
    try:
        return start_of_day(day, league.time_zone)
    except UnknownZone:
        return start_of_day(day, "UTC")
    except (ValueError, OverflowError):
        return None
