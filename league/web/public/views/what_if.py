"""The what-if page, which previews a game from its query."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode

from league.core.contexts.scopes import load_contexts
from league.core.finish import (
    Finisher,
    group_lines_by_side,
    list_figures,
    list_finishers,
    list_results_of_two,
    order_lines_for_tables,
    rates_results_alone,
    read_game_of_two,
)
from league.core.game_words import list_side_names
from league.core.games.selectors.games import ShownGame, filter_by_status, find_games, load_games, plays_for_goals
from league.core.games.services.what_if import WhatIf
from league.core.leagues.services.contexts import find_scope
from league.core.permissions import Viewer
from league.core.players.selectors.search import MAX_OFFERED_PLAYERS, build_player_choices, load_offered_players
from league.core.rules.selectors.rules import load_rules, load_system_on_pages
from league.core.text.names import ISOLATE, ISOLATED
from league.models import League, Player, Result, Rule
from league.models.contexts import changes_of
from league.models.facts import MAX_SEATS
from league.web.api.core.limits import compute_in_turn
from league.web.public import files
from league.web.public.cached_answers import takes_turns
from league.web.public.charts.score_changes import draw_score_changes
from league.web.public.explanations import explain_changes
from league.web.public.game_titles import format_result, format_side
from league.web.public.query_forms import WhatIfQuestion, parse_question, preview
from league.web.public.views.base import build_league_context, cached_page, clean_text, public_page
from league.web.sign_in.sessions import viewer_of
from ratings.contract.parameters import format_all_digits
from ratings.contract.system import GameSheet, RatingSystem, format_player_count
from ratings.describe.outcomes import MAX_TABLE_SIZE

#: The parameters of a question; without any of them, the last game is asked about.
ASKED = {"p", "r", "s", "_seats", "_sides", "w"}


@dataclass(frozen=True)
class PredictedLine:
    """A player in one outcome; ``expected`` is the expected score, None if the system has none."""

    line: Finisher
    expected: float | None
    before: float
    change: float
    after: float
    figure: str
    """The score; in a game of two without scores 1, ½ or 0."""


@dataclass(frozen=True)
class PossibleOutcome:
    """An outcome in words, with its players in seat order and as a table lists them."""

    words: str
    seats: list[PredictedLine]
    lines: list[PredictedLine]


@dataclass(frozen=True)
class ResultKey:
    """A key that fills in the result of a game of two, as it is written; what it enters for both, and its address.

    ``chosen``: whether this is the result that is filled in.
    """

    label: str
    results: str
    query: str
    chosen: bool


def _list_result_keys(
    question: WhatIfQuestion, system: RatingSystem, league: League, *, with_goals: bool
) -> list[ResultKey]:
    """Return the keys of a game of two: win, draw if there are ties, loss of the first one; else none."""
    seats = question.taken
    if len(seats) != 2 or system.min_players > 2 or question.sides or not all(seat.who for seat in seats):
        return []
    return [
        ResultKey(
            label,
            " ".join(pair),
            urlencode(
                [name for seat, result in zip(seats, pair, strict=True) for name in (("p", seat.who), ("r", result))]
                + ([("context", league.context.slug)] if league.context else [])
            ),
            [seat.result for seat in seats] == list(pair),
        )
        for label, pair in list_results_of_two(system, by_places=question.places, with_goals=with_goals)
    ]


def _choose_step(question: WhatIfQuestion, system: RatingSystem) -> int:
    """Return by how much the keys beside a score change it; 0 without: where only the winner counts, others do."""
    if len(question.seats) > 2:
        return 5
    return 0 if rates_results_alone(system) else 1


def _get_total(system: RatingSystem) -> float | None:
    """Return what the scores must add up to; None if they need not."""
    parameters = system.to_json()
    return float(parameters["total"]) if parameters.get("demand_total") == "yes" else None


@takes_turns
def what_if_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the effect of a game, or all outcomes of a small game; without a question, of the last game."""
    # Many ask nothing yet; questions differ.
    if request.GET.keys() & ASKED:
        return compute_in_turn(request, partial(_show_question, request, slug=slug))
    return _show_last_game(request, slug=slug)


def _show_what_if(request: HttpRequest, slug: str) -> HttpResponse:
    league, _system, context = build_league_context(request, slug, "", below=True)
    scope = _read_scope(request, league, context)
    system: RatingSystem | None = context["system"]
    if system is None:
        return render(request, "web/public/what_if.html", context)
    viewer = viewer_of(request)
    question, what_if, game_number = _answer_question(request, scope, system, viewer, context["rules"])
    outcome_context: dict[str, Any] = preview_context(what_if) if what_if else {}
    outcomes: list[PossibleOutcome] = outcome_context.get("outcomes", [])
    chosen = clean_text(request.GET.get("me", ""))
    drawn = _choose_seat(outcomes[0], chosen, [seat.who for seat in question.taken]) if outcomes else 0
    of_two = len(question.taken or question.seats) == 2
    with_goals = of_two and plays_for_goals(scope, system, by_places=question.places)
    curve = draw_score_changes(what_if, drawn) if what_if and len(outcomes) == 1 else None
    others = request.GET.copy()
    others.pop("me", None)
    seated = list(zip(what_if.handles, what_if.names, strict=True)) if what_if else question.found
    offered = load_offered_players(league, viewer, MAX_OFFERED_PLAYERS)
    choices = build_player_choices([*offered, *seated], league, viewer)
    for seat, (value, _label) in zip(question.taken, choices[len(offered) :], strict=False):
        seat.who = value
    keys = _list_result_keys(question, system, scope, with_goals=with_goals)
    for seat in question.seats if keys else ():
        # As on the keys and in the table.
        seat.result = "½" if seat.result == "0.5" else seat.result
    answered = files.answer(
        request,
        "web/public/what_if.html",
        {
            **context,
            "question": question,
            "failed": question.refused,
            "people": choices[: len(offered)],
            "number": game_number,
            "keys": keys,
            "me": chosen,
            "query": f"{others.urlencode()}&" if others else "",
            "lead": outcomes[0].seats[drawn] if outcomes else None,
            "curve": curve,
            **_build_form_context(question, system, league, has_goals=with_goals),
            "listed": MAX_TABLE_SIZE if system.score != "required" else 0,
            # With more than two sides, there are too many ties to list.
            "tieless": system.ties and len(group_lines_by_side([prospect.line for prospect in outcomes[0].lines])) > 2
            if outcomes
            else False,
            **outcome_context,
        },
        {
            "game": lambda: map(_serialize_prediction, outcomes[0].lines if outcomes else ()),
            "outcomes": lambda: map(_serialize_outcome, outcomes),
            "changes": lambda: [
                {"result": result, "change": change} for result, change, _typed in (curve.rows if curve else ())
            ],
        },
    )
    # Search engines need not index every query.
    answered["X-Robots-Tag"] = "noindex"
    return answered


def _build_form_context(
    question: WhatIfQuestion, system: RatingSystem, league: League, *, has_goals: bool
) -> dict[str, Any]:
    """Return what the form offers: keys beside a score, the number of seats with one more, or 0, and teams.

    ``has_goals``: the game is one of two whose scores are goals, which is not played by more. Where two play, their
    sides are named instead of the number of players.
    """
    most_seats = 2 if has_goals else min(system.max_players, MAX_SEATS if league.seats is None else league.seats)
    seat_count = len(question.seats)
    return {
        "side_names": list_side_names(league) if most_seats == seat_count == 2 else (),
        "phrase": format_player_count(system) if most_seats > 2 else "",
        "step": _choose_step(question, system),
        "total": _get_total(system),
        "more": seat_count + 1 if seat_count < most_seats else 0,
        "offers_sides": question.sides is False and most_seats > 2,
    }


#: The page for a question, and the one without, which is computed once for everybody.
_show_question, _show_last_game = public_page(_show_what_if), cached_page("me", "context")(_show_what_if)


def _read_scope(request: HttpRequest, league: League, context: dict[str, Any]) -> League:
    """Return the league as it is read in ``?context=``, and put its rules and its system into a page's context."""
    scope = find_scope(league, request.GET.get("context", ""))
    context |= {"within": scope.context, "contexts": load_contexts(league, pending=False)}
    if scope.context:
        context |= {"rules": load_rules(scope), "system": load_system_on_pages(scope, context["now"])}
    return scope


def _answer_question(
    request: HttpRequest, league: League, system: RatingSystem, viewer: Viewer, rules: Sequence[Rule]
) -> tuple[WhatIfQuestion, WhatIf | None, int | None]:
    """Return the question and its preview; without one, the last game's with its number, if it has an answer."""
    if not request.GET.keys() & ASKED:
        games = filter_by_status(find_games(league), league, "rated")
        if league.context:
            newest = changes_of(league).order_by("-at", "-order_key").values("number")
            games = games.filter(number__in=newest[:1])
        last = load_games(league, games[:1])
        pairs = list_question_pairs(system, last[0]) if last else []
        question = parse_question(QueryDict(urlencode(pairs)), system)
        what_if = preview(league, question, viewer, rules) if pairs else None
        if what_if:
            return question, what_if, last[0].game.number
    question = parse_question(request.GET, system)
    return question, preview(league, question, viewer, rules) if question.begun(system) else None, None


def _choose_seat(outcome: PossibleOutcome, chosen: str, written: Sequence[str]) -> int:
    """Return the seat (from 0) of a handle or of a name as written, or of the first finisher if neither plays."""
    handles = [prospect.line.result.player.handle for prospect in outcome.seats]
    found = next((names.index(chosen) for names in (handles, written) if chosen and chosen in names), None)
    return outcome.lines[0].line.result.seat - 1 if found is None else found


def _serialize_prediction(row: PredictedLine) -> dict[str, Any]:
    """Return a player of an outcome as data."""
    player, result = row.line.result.player, row.line.result
    return {
        "finish": row.line.finish,
        "player": player.handle,
        "name": player.name,
        "score": result.score,
        "place": result.place,
        "side": result.side,
        "expected": row.expected,
        "before": row.before,
        "change": row.change,
        "after": row.after,
    }


def _serialize_outcome(outcome: PossibleOutcome) -> dict[str, Any]:
    """Return an outcome as data, with each player's change and new rating."""
    players = {row.line.result.player.handle: {"change": row.change, "after": row.after} for row in outcome.seats}
    return {"outcome": outcome.words.replace(ISOLATE, "").replace(ISOLATED, ""), **players}


def preview_context(what_if: WhatIf) -> dict[str, Any]:
    """Return the context of a preview: all outcomes, and the explanations if there is only one."""
    outcomes = [_get_outcome(what_if, index) for index in range(len(what_if.outcomes))]
    details: dict[str, Any] = {"found": what_if, "rated_by": what_if.system, "outcomes": outcomes, "first": outcomes[0]}
    details["of_two"] = read_game_of_two([one.line for one in outcomes[0].lines]) is not None
    if len(outcomes) == 1:
        details["whys"] = explain_changes(what_if, [prospect.line.result.seat - 1 for prospect in outcomes[0].lines])
    return details


def _get_outcome(what_if: WhatIf, index: int) -> PossibleOutcome:
    """Return one outcome for the page."""
    sheet, rated = what_if.outcomes[index]
    keys = [figure.key for figure in what_if.system.figures]
    column = keys.index(what_if.system.expectation) if what_if.system.expectation else None
    finish = order_lines_for_tables(list_finishers(_list_results(what_if, sheet), what_if.system))
    lines = [
        PredictedLine(
            line,
            None if column is None else rated.figures[line.result.seat - 1][column],
            rated.before[line.result.seat - 1][0],
            rated.change[line.result.seat - 1],
            rated.after[line.result.seat - 1][0],
            figure,
        )
        for line, figure in zip(finish, list_figures([line.result for line in finish]), strict=True)
    ]
    sides = group_lines_by_side(finish)
    lists_sides = len(what_if.outcomes) > 1 and len(sides) > 2
    names = [format_side([seat_line.result.player.name for seat_line in side]) for side in sides]
    title = ", ".join(names) if lists_sides else format_result(finish)
    return PossibleOutcome(title, sorted(lines, key=lambda prospect: prospect.line.result.seat), lines)


def _list_results(what_if: WhatIf, sheet: GameSheet) -> list[Result]:
    """Return the result lines of an outcome."""
    sides = sheet.sides or [None] * sheet.size
    players = zip(what_if.handles, what_if.names, sheet.scores, sheet.places, sides, strict=True)
    return [
        Result(seat=seat, player=Player(handle=handle, name=name), score=score, place=place, side=side)
        for seat, (handle, name, score, place, side) in enumerate(players, start=1)
    ]


def build_what_if_url(league: League, system: RatingSystem, view: ShownGame) -> str:
    """Return the what-if address of a game's players and results; "" if the system cannot rate them."""
    pairs = list_question_pairs(system, view)
    return f"{reverse('pages:what_if', args=[league.slug])}?{urlencode(pairs)}" if pairs else ""


def list_question_pairs(system: RatingSystem, view: ShownGame) -> list[tuple[str, str]]:
    """Return the query of a game's players and results; empty if the system cannot rate them."""
    if not system.min_players <= len(view.results) <= system.max_players:
        return []
    pairs: list[tuple[str, str]] = []
    for line in view.results:
        result = line.result.place if system.place == "required" else line.result.score
        pairs += [("p", line.result.player.handle), ("r", "" if result is None else format_all_digits(result))]
        pairs += [("s", str(line.result.side))] if line.result.side is not None else []
    pairs += [
        (spec.key, str(view.game.fields[spec.key])) for spec in system.game_fields if spec.key in view.game.fields
    ]
    return pairs + ([("w", format_all_digits(view.game.weight))] if view.game.weight != 1.0 else [])
