"""Searches games by player, score, day or number."""

import re
from calendar import month_abbr, month_name
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from league.core.calendar import start_of_day
from league.core.errors import UnknownZone
from league.core.games.selectors.game_metadata import HasMetadata
from league.core.games.selectors.games import build_evening_condition, filter_before_game, find_games
from league.core.permissions import Viewer
from league.core.players.selectors.search import filter_by_search, find_all_players
from league.core.text.names import is_storable
from league.models import Game, League, Period, Player, Rating, Result
from league.models.facts import UNRATED, GameQuerySet

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
    if match := NUMBER.fullmatch(text):
        return GameQuery(number=int(match[1]))
    if (day := parse_search_day(text, today)) is not None:
        return GameQuery(day=day)
    names: list[tuple[str, list[str]]] = []
    numbers: list[str] = []
    open_name = False
    for term in text.replace(", ", " , ").split(" ")[:MAX_WORDS]:
        if FIGURE.fullmatch(term):
            (names[-1][1] if names else numbers).append(term)
            open_name = False
        elif term == ",":
            open_name = False
        elif open_name:
            names[-1] = (f"{names[-1][0]} {term}", [])
        elif term:
            names.append((term, []))
            open_name = True
    return GameQuery(figures=numbers, names=names)


def parse_search_day(text: str, today: date) -> date | None:
    """Parse a day, such as 2026-11-06, 6 Nov, 06.11.2026 or Nov 6; None if the text is not a day."""
    for form in DAYS:
        match = form.fullmatch(text)
        groups = match.groupdict() if match else {}
        month = int(groups.get("month") or MONTHS.get((groups.get("named") or "").lower(), 0)) if groups else 0
        if not month:
            continue
        years = [int(groups["year"])] if groups["year"] else range(today.year, max(today.year - 8, 0), -1)
        for year in years:
            with suppress(ValueError):
                if (found_day := date(year, month, int(groups["day"]))) <= today or groups["year"]:
                    return found_day
    return None


def filter_by_query(league: League, text: str, viewer: Viewer, today: date) -> GameQuerySet:
    """Return the games of a league that match a text, newest first; all of them if it is empty.

    Names that ``viewer`` may not see match nothing. Figures after a name are that player's scores. ``key=text`` finds
    games by their metadata.
    """
    games = find_games(league)
    if not is_storable(text):
        return games.none()
    key, equals, value = text.strip().partition("=")
    if equals:
        return games.filter(HasMetadata(key.strip(), value.strip()))
    query = parse_search(text, today)
    if query.number is not None:
        return games.filter(number=query.number)
    if query.day is not None:
        return _filter_by_evening(games, league, query.day)
    for number in query.figures:
        games = games.filter(match_figure(number))
    for name, scores in query.names:
        games = games.filter(match_name(name, scores, viewer))
    return games


def match_figure(text: str) -> Q:
    """Return the condition for games matching a figure: a score, the number, or an external id."""
    lines = Result.objects.filter(league=OuterRef("league"), game=OuterRef("pk"), score=_parse_number(text))
    condition = Q(Exists(lines)) | Q(external_id=text)
    return condition | Q(number=int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else condition


def match_name(name: str, scores: list[str], viewer: Viewer) -> Q:
    """Return the condition for games with a player of that name and these scores, or with that external id."""
    name_parts = [name] if find_all_players(name, viewer=viewer).exists() else name.split(" ")
    condition = Q()
    for name_part in name_parts:
        players: QuerySet[Player] = find_all_players(name_part, viewer=viewer).order_by()
        lines = Result.objects.filter(league=OuterRef("league"), game=OuterRef("pk"), player__in=players.values("pk"))
        for score in scores if name_part == name_parts[-1] else ():
            lines = lines.filter(score=_parse_number(score))
        condition &= Q(Exists(lines))
    return condition if scores else condition | Q(external_id=name)


def _parse_number(text: str) -> float:
    """Parse a figure."""
    return float(text.replace("\u2212", "-").replace("\u2013", "-").replace(",", "."))


def paginate_games(games: GameQuerySet, league: League, cursor: str, page_size: int) -> tuple[GameQuerySet, bool]:
    """Return a page of games, after the game with number ``cursor``, and whether there are more."""
    if cursor.isascii() and cursor.isdigit() and len(cursor) < 10:
        last = Game.objects.filter(league=league, number=int(cursor)).first()
        games = games if last is None else filter_before_game(games, last.played_at, last.order_key, last.number)
    keys = list(games.values_list("pk", flat=True)[: page_size + 1])
    return find_games(league).filter(pk__in=keys[:page_size]), len(keys) > page_size


def load_closed_spans(league: League, times: list[datetime]) -> list[tuple[datetime, datetime]]:
    """Return the start and end of the closed periods that may contain any of these times."""
    if not times:
        return []
    closed = Period.objects.filter(league=league, closed=True)
    spans = closed.filter(starts_at__lte=max(times), ends_at__gt=min(times)).values_list("starts_at", "ends_at")
    return list(spans)


@dataclass
class Sought:
    """The games that a text finds, and the words that match more people than are considered."""

    games: GameQuerySet
    cut: list[str] = field(default_factory=list)


def search_games(league: League, text: str, viewer: Viewer, today: date) -> Sought:
    """Return the games of a league that match a text, newest first; all of them if it is empty.

    Figures after a name are that player's scores; a figure alone is a game number. Names are searched among the
    league's players, of whom at most ``MAX_PEOPLE`` are considered.
    """
    sought = Sought(find_games(league))
    if not is_storable(text):
        return Sought(sought.games.none())
    query = parse_search(text, today)
    if query.number is not None:
        return Sought(sought.games.filter(number=query.number))
    if query.day is not None:
        return Sought(_filter_by_evening(sought.games, league, query.day))
    for number in query.figures:
        sought.games = sought.games.filter(number=int(number)) if number.isdigit() else sought.games.none()
    for name, scores in query.names:
        filter_by_player(sought, league, name, scores, viewer)
    return sought


def _filter_by_evening(games: GameQuerySet, league: League, day: date) -> GameQuerySet:
    """Return the games of a day's evening; none at the limits of the calendar."""
    known = compute_day_start(league, day) and compute_day_start(league, day + timedelta(days=1))
    return games.filter(build_evening_condition(league, day, "played_at")) if known else games.none()


def filter_by_player(sought: Sought, league: League, name: str, scores: list[str], viewer: Viewer) -> None:
    """Filter for games with a player of that name, or with one for each of its words, the last with these scores."""
    full_name_matches = find_players_by_text(league, name, viewer)
    players_by_text = (
        {name: full_name_matches}
        if full_name_matches or " " not in name
        else {name_part: find_players_by_text(league, name_part, viewer) for name_part in name.split(" ")}
    )
    for name_part, players in players_by_text.items():
        if len(players) > MAX_PEOPLE:
            sought.cut.append(name_part)
        lines = Result.objects.filter(league=league, player__in=players[:MAX_PEOPLE])
        if scores and name_part == list(players_by_text)[-1]:
            lines = lines.filter(score__in=[_parse_number(score) for score in scores])
        sought.games = sought.games.filter(pk__in=lines.values("game"))


def find_players_by_text(league: League, text: str, viewer: Viewer) -> list[int]:
    """Return the keys of a league's players whose handle, name or alias contains a text; at most MAX_PEOPLE + 1."""
    rated = Rating.objects.filter(league=league, player=OuterRef("pk"))
    # Players with unrated games only have no rating.
    unrated = Result.objects.filter(league=league, game__in=Game.objects.filter(UNRATED, league=league))
    players = Player.objects.filter(Exists(rated) | Q(pk__in=unrated.values("player")), merged_into=None).order_by(
        "handle"
    )
    return list(filter_by_search(players, text, viewer).values_list("pk", flat=True)[: MAX_PEOPLE + 1])


def compute_day_start(league: League, day: date) -> datetime | None:
    """Return the start of a day in the league's time zone, None at the limits of the calendar."""
    try:
        return start_of_day(day, league.time_zone)
    except UnknownZone:
        return start_of_day(day, "UTC")
    except (ValueError, OverflowError):
        return None
