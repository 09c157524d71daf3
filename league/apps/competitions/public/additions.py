"""What competitions add to other pages: the league's tabs, its board, a player's page and the calendar."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.apps.competitions.models import Competition, Entry, Fixture
from league.apps.competitions.public.bracket_places import describe_bracket_places
from league.apps.competitions.public.lists import ListedCompetition, load_lines
from league.apps.competitions.public.own_seasons import build_own_seasons
from league.apps.competitions.public.season_events import list_season_events
from league.apps.competitions.public.standing_places import describe_standing_places
from league.apps.competitions.selectors.competitions import list_competitions, stands_for_season, with_seasons
from league.apps.competitions.selectors.final_ranks import load_final_ranks
from league.apps.competitions.selectors.open_fixtures import (
    OpenFixture,
    list_cancelled_fixtures,
    list_open_fixtures,
    list_player_entries,
)
from league.apps.competitions.selectors.player_entries import query_entries
from league.apps.competitions.selectors.seasons import list_seasons
from league.apps.competitions.selectors.summaries import (
    count_parts,
    find_current_rounds,
    find_public_fixture_of_game,
    find_public_fixtures,
    find_running,
)
from league.core.calendar import compute_local_date, is_day_only
from league.core.text.display_formats import get_known_zone_name
from league.core.text.names import isolate_direction
from league.models import Game, League, Player
from league.web.public.game_titles import format_names
from league.web.public.page_parts import CalendarEvent, FrontNote, PageTab

#: Running competitions on a league's board, competitions on a player's page, games that come next on it, and of these
#: the ones that are not folded.
MAX_ON_BOARD, MAX_OF_PLAYER, MAX_NEXT, FIRST = 4, 30, 8, 3
#: Running competitions of a league that are merged to seasons for its board.
MAX_MERGED = 100
#: Fixtures of a calendar, and how long a game takes in it.
MAX_EVENTS, EVENT_TIME = 400, timedelta(hours=2)


def build_tab(league: League) -> PageTab | None:
    """Return the tab of a league that has competitions."""
    listed = (rows.order_by().values("pk") for rows in (list_competitions(league), list_seasons(league)))
    if not league.attaches_games and not next(listed).union(*listed, all=True).exists():
        return None
    label = pgettext("tab of a league", "Competitions")
    return PageTab("competitions", label, reverse("pages:competitions", args=[league.slug]))


def show_on_board(league: League) -> str:
    """Return the running competitions with their rounds as HTML for the board, or ""."""
    if not league.attaches_games:
        return ""
    running = find_running(with_seasons(list_competitions(league)))
    lines = list(_merge_seasons(running[:MAX_MERGED]))
    # One more is named instead of counted.
    shown = lines if len(lines) <= MAX_ON_BOARD else lines[: MAX_ON_BOARD - 1]
    context = {"league": league, "running": shown, "more": len(lines) - len(shown)}
    # A phone names the first one and counts the others, but no single one.
    context["others"] = len(lines) - 1 if len(lines) > 2 else 0
    return render_to_string("apps/competitions/public/board_strip.html", context)


def show_on_game(league: League, game: Game) -> str:
    """Return links to what a game was played for, as parts of a line, or "" if it was for nothing."""
    found = find_public_fixture_of_game(league, game) if league.has_attached_games else None
    return "" if found is None else _link_round(league.slug, found)


def list_game_events(league: League, games: Sequence[Game]) -> dict[int, tuple[str, bool]]:
    """Return order key -> the title of the competition that a game was played for, and whether it is rated."""
    if not league.has_attached_games:
        return {}
    fixtures = find_public_fixtures(league).filter(game__order_key__in=[game.order_key for game in games])
    values = fixtures.values_list("game__order_key", "competition__title", "competition__rated")
    return {key: (title, rated) for key, title, rated in values}


def _link_round(slug: str, fixture: Fixture) -> SafeString:
    keys = [slug, fixture.competition.slug]
    address = reverse("pages:competition", args=keys)
    links = [(address, fixture.competition.title)]
    place = describe_place(fixture)
    if place and fixture.round:
        address = reverse("pages:competition_round", args=[*keys, fixture.round.number])
    if place:
        links.append((address, place))
    return format_html_join(" ", '<span><i>·</i> <a href="{}">{}</a></span>', links)


def list_running_of_player(league: League, player: Player) -> list[Any]:
    """Return the running competitions in which a player plays, with their rounds."""
    if not league.attaches_games:
        return []
    entered = query_entries(league, player).exclude(status=Entry.Status.WITHDRAWN).order_by().values("competition")
    own = find_current_rounds(with_seasons(list_competitions(league))).filter(pk__in=entered)
    return list(_merge_seasons(own.filter(status=Competition.Status.RUNNING)))[:MAX_ON_BOARD]


def _merge_seasons(competitions: Iterable[Any]) -> Iterator[Any]:
    """Yield running competitions, of the divisions and groups of a season only the first, which stands for it."""
    seen: set[tuple[int, str]] = set()
    for one in competitions:
        key = (one.league_id, one.season_slug)
        if stands_for_season(one):
            if key in seen:
                continue
            seen.add(key)
        yield one


def list_front_notes(leagues: Sequence[League]) -> dict[int, list[FrontNote]]:
    """Return league id -> its running competitions with their rounds (``find_running``), in one query."""
    slugs = {league.pk: league.slug for league in leagues if league.attaches_games}
    if not slugs:
        return {}
    running = find_running(with_seasons(Competition.objects.filter(league__in=slugs)))
    notes: dict[int, list[FrontNote]] = {}
    for row in _merge_seasons(running):
        slug = slugs[row.league_id]
        listed = reverse("pages:competitions", args=[slug])
        if stands_for_season(row):
            # No noun in any language, so that it is small within a sentence in German, too.
            state = row.get_status_display().lower()
            address = reverse("pages:season", args=[slug, row.season_slug])
            note = FrontNote(f"{isolate_direction(row.season_title)}: {state}", address, listed)
        else:
            note = FrontNote(_describe_round(row), reverse("pages:competition", args=[slug, row.slug]), listed)
        notes.setdefault(row.league_id, []).append(note)
    return notes


def _describe_round(competition: Any) -> str:
    """Return the title of a running competition (``find_current_rounds``) with its round, if one is published."""
    title, number, total = isolate_direction(competition.title), competition.current_round, competition.rounds
    if not number:
        return title
    if total:
        return _("{title}, round {number} of {total}").format(title=title, number=number, total=total)
    return _("{title}, round {number}").format(title=title, number=number)


def show_next_games(league: League, player: Player) -> str:
    """Return a player's running competitions and next games as HTML for the top of the player's page, or ""."""
    if not league.attaches_games:
        return ""
    running = list_running_of_player(league, player)
    # A season's line has its state.
    single = [one for one in running if not stands_for_season(one)]
    standings, places = describe_standing_places(single, player), describe_bracket_places(running, player)
    lines = [(one, places.get(one.pk, ""), standings.get(one.pk, "")) for one in running]
    above = (
        render_to_string("apps/competitions/public/player_running.html", {"league": league, "running": lines})
        if running
        else SafeString()
    )
    entries, now = list_player_entries(league, player), timezone.now()
    fixtures = [
        (
            fixture,
            format_names(fixture.list_opponents(entries[fixture.row.competition.pk])),
            fixture.row.find_overdue_time(now),
        )
        for fixture in list_open_fixtures(league, now, MAX_NEXT, entries=entries, player=player)
    ]
    if not fixtures:
        return above
    context = {"league": league, "player": player, "fixtures": fixtures[:FIRST], "later": fixtures[FIRST:]}
    return above + render_to_string("apps/competitions/public/next_games.html", context)


def show_player_section(league: League, player: Player) -> str:
    """Return a player's seasons and competitions as HTML for the player's page, or ""."""
    seasons = build_own_seasons(league, player)
    own = render_to_string("apps/competitions/public/own_seasons.html", {"league": league, "own_seasons": seasons})
    return own + _render_competitions(league, player)


def _render_competitions(league: League, player: Player) -> SafeString:
    entries = list_player_entries(league, player)
    if not entries:
        # A plain text would make the other part a text, too.
        return SafeString()
    found = _query_competitions(league, entries)
    if len(list_running_of_player(league, player)) < MAX_ON_BOARD:
        # All of them are named at the top of the page.
        found = found.exclude(status=Competition.Status.RUNNING)
    lines = load_lines(found[:MAX_OF_PLAYER])
    if not lines:
        return SafeString()
    ranks = load_final_ranks(league, [line.competition.pk for line in lines])
    rows = [_build_player_row(line, entries[line.competition.pk], ranks.get(line.competition.pk, {})) for line in lines]
    context = {"league": league, "rows": rows, "won": sum(row["rank"] == 1 for row in rows)}
    return render_to_string("apps/competitions/public/player_section.html", context)


def _build_player_row(line: ListedCompetition, entries: set[int], ranks: dict[int, int]) -> dict[str, Any]:
    """Return a competition with the player's entry, the best ranked one of several, and its final rank."""
    entry = min(entries, key=lambda number: (ranks.get(number, len(ranks) + 1), number))
    return {"line": line, "entry": entry, "rank": ranks.get(entry)}


def _query_competitions(league: League, entries: dict[int, set[int]]) -> QuerySet[Competition]:
    return count_parts(list_competitions(league).filter(pk__in=entries))


def list_calendar_events(league: League, player: Player | None, now: datetime) -> list[CalendarEvent]:
    """Return the seasons, the fixtures to come that have a time, and deadlines without one, of everyone or of a player.

    Cancelled ones stay until their time has come, so that calendars take them out.
    """
    entries = None if player is None else list_player_entries(league, player)
    fixtures = list_open_fixtures(league, now, MAX_EVENTS, entries=entries, player=player)
    cancelled = list_cancelled_fixtures(league, now, MAX_EVENTS, entries=entries, player=player)
    return [
        *list_season_events(league, player, now),
        *(_build_event(league, one) for one in fixtures if one.row.starts_at or one.row.deadline),
        *(_build_event(league, one)._replace(is_cancelled=True) for one in cancelled),
    ]


def _build_event(league: League, fixture: OpenFixture) -> CalendarEvent:
    row, competition = fixture.row, fixture.row.competition
    title = f"{competition.title}: {' – '.join(fixture.names)}"
    if row.starts_at is None:
        title = _("Deadline: {fixture}").format(fixture=title)
    start: Any = row.starts_at or row.deadline
    end = start + EVENT_TIME if row.starts_at else start
    zone = get_known_zone_name(competition.time_zone or league.time_zone)
    if is_day_only(start, zone):
        start = compute_local_date(start, zone)
        end = start + timedelta(days=1)
    return CalendarEvent(
        uid=f"fixture.{row.number}",
        starts_at=start,
        ends_at=end,
        title=title,
        description=describe_place(row),
        location=row.place,
        address=reverse("pages:competition", args=[league.slug, competition.slug]),
    )


def describe_place(fixture: Fixture) -> str:
    """Return the round and table of a fixture in words."""
    words = []
    if fixture.round:
        words.append(_("Round {number}").format(number=fixture.round.number))
    if fixture.table:
        words.append(_("table {number}").format(number=fixture.table))
    return ", ".join(words)
