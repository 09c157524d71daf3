"""Where a player stands in brackets, in words: the next opponent, whose opponent it will be, or where it ended."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from league.apps.competitions.public.brackets import BracketLine, BracketSide, DrawnBracket, draw_bracket
from league.apps.competitions.public.lines import build_entry_lines
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competitions
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS, get_zone
from league.core.text.display_formats import format_day_of_year
from league.models import Player


def describe_bracket_places(competitions: Sequence[Any], player: Player) -> dict[int, str]:
    """Return competition id -> where a player stands, of those with a bracket that has the player."""
    loaded = load_competitions([one for one in competitions if one.format in BRACKET_FORMATS])
    places = {one.competition.pk: describe_bracket_place(one.hide_unpublished(), player) for one in loaded}
    return {competition: place for competition, place in places.items() if place}


def describe_bracket_place(loaded: LoadedCompetition, player: Player) -> str:
    """Return where a player stands in a bracket, "" without one.

    An entry plays its first match that is not over; an entry without one ended in its last match.
    """
    number = loaded.people.get(player.pk)
    bracket = draw_bracket(loaded, build_entry_lines(loaded))
    if number is None or bracket is None:
        return ""
    place = ""
    for title, starts_at, match in _list_matches(bracket):
        own = next((side for side in match.sides if side.entry and side.entry.number == number), None)
        if own is None or match.bye:
            continue
        if not any(side.won or side.out for side in match.sides):
            (other,) = (side for side in match.sides if side is not own)
            return _describe_next_match(loaded, title, starts_at, match, other)
        place = (_("{round}, won") if own.won else _("{round}, out")).format(round=title)
    return place


def _list_matches(bracket: DrawnBracket) -> Iterator[tuple[str, Any, BracketLine]]:
    """Yield the title and start of its round with each match; an entry meets those of the losers after a first loss."""
    main = bracket.rounds if not bracket.losers else [one for one in bracket.rounds if not one.alone]
    for one in (*main, *bracket.losers, *(one for one in bracket.rounds if bracket.losers and one.alone)):
        for match in one.matches:
            yield one.title, one.starts_at, match
    if bracket.third_place:
        yield _("Third place"), None, bracket.third_place


def _describe_next_match(
    loaded: LoadedCompetition, title: str, starts_at: Any, match: BracketLine, other: BracketSide
) -> str:
    if other.entry is None:
        return _("{round} against the {opponent}").format(round=title, opponent=other.awaited) if other.awaited else ""
    words = _("{round} against {opponent}").format(round=title, opponent=other.entry.name)
    day = match.planned.starts_at if match.planned else starts_at
    if day is None or not match.paired:
        return words
    shown = format_day_of_year(day.astimezone(get_zone(loaded.competition)).date())
    if day <= timezone.now():
        return _("{match}, open since {day}").format(match=words, day=shown)
    return f"{words}, {shown}"
