"""The panel of competitions on the organiser's first page, and tonight's fixtures for the score pad."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Fixture, Season, SeasonPart
from league.apps.competitions.organiser.fixture_rows import build_fixture_rows, describe_place
from league.apps.competitions.organiser.next_step import (
    NextStep,
    find_current_round,
    find_next_step,
    list_open_fixtures,
)
from league.apps.competitions.public.brackets import list_round_titles, load_round_titles
from league.apps.competitions.selectors.competition_data import FixtureState, load_competition
from league.apps.competitions.selectors.competitions import list_competitions
from league.apps.competitions.selectors.decisions import list_competitions_to_decide
from league.apps.competitions.selectors.fixture_order import sort_fixtures
from league.apps.competitions.selectors.summaries import count_missing_results, index_fixtures_of_games
from league.core.games.selectors.games import format_game_status
from league.core.permissions import Viewer
from league.models import Game, League
from league.web.organiser.panels import HomePanel, NextGame, OrganiserTab

#: Maximum number of competitions on the first page, of those that it only names, and of fixtures on the pad.
MAX_RUNNING, MAX_NAMED, MAX_PAD_FIXTURES = 3, 9, 40
#: Maximum number of finished competitions whose standings are compared with their edition.
UNDERWAY = (Competition.Status.DRAFT, Competition.Status.OPEN, Competition.Status.RUNNING)


class HomePart(NamedTuple):
    """A competition of a season by what is its own in its title, with the number of its missing results."""

    competition: Competition
    label: str
    missing: int


class HomeCompetition(NamedTuple):
    """A competition with its round in play and next step.

    ``season``: the one whose competitions it stands for, and ``parts``: all of them by their titles, else none.
    """

    competition: Competition
    round: int | None
    step: NextStep
    season: Season | None
    parts: list[HomePart]


def describe_fixtures_of_games(league: League, games: Sequence[Game]) -> dict[int, SafeString]:
    """Return order key -> what a game was recorded for, with a link to its page, of those that were for something."""
    found = index_fixtures_of_games(league, games)
    titles = load_round_titles(found.values())
    return {key: _describe_fixture(league, fixture, titles.get(fixture.pk, "")) for key, fixture in found.items()}


def _describe_fixture(league: League, found: Fixture, title: str) -> SafeString:
    """Return a fixture in words, with a link to its page; ``title``: of its round in a bracket."""
    place = _list_place_words(found, found.round.number if found.round else None, title)
    words = _list_purpose_words(found.competition, place)
    address = _build_fixture_address(league, found.competition, found)
    described = format_html_join(" · ", '<span class="nowrap">{}</span>', ((word,) for word in words))
    return format_html('<a href="{}">{}</a>', address, described)


def _build_fixture_address(league: League, competition: Competition, fixture: Fixture | FixtureState) -> str:
    """Return the organiser's page of a fixture; a board's is that of its match."""
    return reverse("desk:fixture", args=[league.slug, competition.slug, fixture.match or fixture.number])


def _list_purpose_words(competition: Competition, place: Sequence[str]) -> list[str]:
    """Return what a game at a place of a competition is for, and whether that is unrated."""
    unrated = [] if competition.rated else [format_game_status("unrated")]
    return [competition.title, *place, *unrated]


def _list_place_words(fixture: Fixture | FixtureState, number: int | None, title: str) -> list[str]:
    """Return the round of a fixture, by its title in a bracket, and its table; without both, its number."""
    in_round = title or (_("Round {number}").format(number=number) if number else "")
    return (
        [in_round]
        if in_round and fixture.table is None and fixture.board is None
        else [word for word in (in_round, describe_place(fixture)) if word]
    )


def build_tab(league: League, viewer: Viewer) -> OrganiserTab | None:
    """Return the tab of the league's competitions; users who cannot create one need it only if there is one."""
    if not viewer.may("arbitrate", league) and not list_competitions(league).exists():
        return None
    return OrganiserTab("competitions", _("Competitions"), reverse("desk:competitions", args=[league.slug]))


def _load_running_seasons(league: League) -> dict[int, Season]:
    """Return competition id -> its season, for those that are running, in the order of the divisions."""
    parts = SeasonPart.objects.filter(league=league, season__status=Season.Status.RUNNING)
    return {part.competition_id: part.season for part in parts.select_related("season")}


def _group_competitions(seasons: Mapping[int, Season], competitions: Iterable[Competition]) -> list[list[Competition]]:
    """Return competitions by season, each season at the place of its first; one without a season is alone."""
    found: dict[tuple[bool, int], list[Competition]] = {}
    for competition in competitions:
        season = seasons.get(competition.pk)
        found.setdefault((season is None, season.pk if season else competition.pk), []).append(competition)
    return list(found.values())


def _sort_divisions(seasons: Mapping[int, Season], competitions: Iterable[Competition]) -> list[Competition]:
    """Return the competitions of one season in the order of its divisions."""
    places = {pk: place for place, pk in enumerate(seasons)}
    return sorted(competitions, key=lambda one: places.get(one.pk, 0))


def _build_parts(
    seasons: Mapping[int, Season], competitions: list[Competition], missing: dict[int, int]
) -> list[HomePart]:
    """Return the competitions of a season in its order, if there are several."""
    season = seasons.get(competitions[0].pk)
    if season is None or len(competitions) < 2:
        return []
    ordered = _sort_divisions(seasons, competitions)
    return [HomePart(one, one.title.removeprefix(f"{season.title}: "), missing.get(one.pk, 0)) for one in ordered]


def build_home_panel(league: League, viewer: Viewer) -> HomePanel:
    """Return the panel of competitions; it comes first while one is running."""
    arbitrates = viewer.may("arbitrate", league)
    underway = list(list_competitions(league, for_organisers=arbitrates).filter(status__in=UNDERWAY))
    missing = count_missing_results(league)
    # The sort is stable: equal ones stay in the order of the list.
    underway.sort(key=lambda one: (one.status != Competition.Status.RUNNING, -missing.get(one.pk, 0)))
    seasons = _load_running_seasons(league)
    groups = _group_competitions(seasons, underway)
    lines = []
    for group in islice(groups, MAX_RUNNING):
        competition, season = group[0], seasons.get(group[0].pk)
        competition.league = league
        loaded = load_competition(competition)
        loaded = loaded if arbitrates else loaded.hide_unpublished()
        parts = _build_parts(seasons, group, missing)
        lines.append(HomeCompetition(competition, find_current_round(loaded), find_next_step(loaded), season, parts))
    running = any(line.competition.status == Competition.Status.RUNNING for line in lines)
    decisions = list(list_competitions_to_decide(league))
    context = {"league": league, "lines": lines, "decisions": decisions, "arbitrates": arbitrates}
    # Competitions beyond these are named, so that nobody looks for one in vain.
    context["rest"] = [
        HomePart(group[0], season.title if (season := seasons.get(group[0].pk)) else group[0].title, 0)
        for group in groups[MAX_RUNNING : MAX_RUNNING + MAX_NAMED]
    ]
    context["more"] = max(len(groups) - MAX_RUNNING - MAX_NAMED, 0)
    return HomePanel(
        render_to_string("apps/competitions/organiser/home_panel.html", context),
        comes_first=running,
        due=len(decisions),
        due_html=render_to_string("apps/competitions/organiser/home_due.html", context),
        is_empty=not lines and not decisions,
    )


def list_next_games(league: League) -> list[NextGame]:
    """Return the open fixtures of running competitions for the score pad, by division, round and table."""
    if not league.attaches_games:
        return []
    found: list[tuple[NextGame, int | None]] = []
    # The pad records at once.
    at_once = {"status": Competition.Status.RUNNING, "result_entries": Competition.ResultEntries.ONCE}
    seasons = _load_running_seasons(league)
    groups = _group_competitions(seasons, list_competitions(league).filter(**at_once))
    for competition in (one for group in groups for one in _sort_divisions(seasons, group)):
        competition.league = league
        loaded = load_competition(competition)
        number, titles = find_current_round(loaded), list_round_titles(loaded)
        waiting = [*list_open_fixtures(loaded)]
        sort_fixtures(waiting)
        states = [
            state
            for match in waiting
            if match.round in (None, number)
            for state in (match.boards if match.kind == Fixture.Kind.MATCH else [match])
            if state.status == "planned" and all(state.members)
        ]
        for row in build_fixture_rows(loaded, states):
            if row.state.kind == Fixture.Kind.GAME:
                handles = [handle for seat in row.seats for handle in seat.handles]
                names = [seat.name for seat in row.seats]
                sides_of = competition.players_of_seat
                in_round = row.state.round
                words = _list_place_words(row.state, in_round, titles.get(in_round or 0, ""))
                game = NextGame(
                    row.state.number,
                    row.label,
                    names,
                    handles,
                    sides_of,
                    competition.title,
                    " · ".join(_list_purpose_words(competition, words)),
                    _build_fixture_address(league, competition, row.state),
                    is_rated=competition.rated,
                )
                found.append((game, in_round))
    in_order = sorted(found, key=lambda one: (one[1] is None, one[1] or 0, one[0].number))
    receivers = _index_receivers([game for game, _round in in_order])
    return [game._replace(receiver=receivers[game.number]) for game, _round in found[:MAX_PAD_FIXTURES]]


def _index_receivers(games: Sequence[NextGame]) -> dict[int, NextGame]:
    """Return number -> the first fixture that a game of exactly its sides is the result of, as when it is attached.

    Partners stay together; where everyone plays alone, sides do not matter.
    """
    first: dict[frozenset[frozenset[str]], int] = {}
    for index, game in enumerate(games):
        first.setdefault(game.sides, index)
    return {game.number: games[min(first[key] for key in (game.sides, game.alone) if key in first)] for game in games}
