"""The what-if page, which previews a game from its query."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode

from league.core.games.selectors.finish import Finisher, finishers, sides_of
from league.core.games.selectors.games import ShownGame
from league.core.games.services.what_if import WhatIf
from league.core.players.selectors.search import offered_players, player_choices
from league.core.text.names import ISOLATE, ISOLATED, isolated
from league.models import League, Player, Result
from league.models.facts import MAX_SEATS
from league.web.public import files
from league.web.public.explanations import explain_changes
from league.web.public.game_titles import result_of
from league.web.public.query_forms import preview, question_of
from league.web.public.views.base import league_context, page
from league.web.sign_in.sessions import viewer_of
from ratings.contract.parameters import in_full
from ratings.contract.system import GameSheet, RatingSystem, players_phrase
from ratings.describe.outcomes import MAX_TABLE_SIZE

#: Maximum number of players suggested.
MAX_OFFERED_PLAYERS = 200


@dataclass(frozen=True)
class PredictedLine:
    """A player in one outcome; ``expected`` is the expected score, None if the system has none."""

    line: Finisher
    expected: float | None
    change: float
    after: float


@dataclass(frozen=True)
class PossibleOutcome:
    """An outcome in words, with its players in seat order and in finishing order."""

    words: str
    seats: list[PredictedLine]
    lines: list[PredictedLine]


@page
def what_if_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the effect of a game, or all outcomes of a small game."""
    league, system, context = league_context(request, slug, "board", below=True)
    if system is None:
        return render(request, "web/public/what_if.html", context)
    viewer = viewer_of(request)
    question = question_of(request.GET, system)
    found = preview(league, question, viewer) if question.begun(system) else None
    shown: dict[str, Any] = preview_context(found) if found else {}
    outcomes: list[PossibleOutcome] = shown.get("outcomes", [])
    answered = files.answer(
        request,
        "web/public/what_if.html",
        {
            **context,
            "question": question,
            "people": player_choices(offered_players(league, viewer, MAX_OFFERED_PLAYERS), league, viewer),
            "more": len(question.seats) + 1 if len(question.seats) < min(system.most_players, MAX_SEATS) else 0,
            "phrase": players_phrase(system),
            "listed": MAX_TABLE_SIZE if system.score != "required" else 0,
            # With more than two sides, there are too many ties to list.
            "tieless": system.ties and len(sides_of([one.line for one in outcomes[0].lines])) > 2
            if outcomes
            else False,
            **shown,
        },
        {
            "game": lambda: map(prediction_record, outcomes[0].lines if outcomes else ()),
            "outcomes": lambda: map(outcome_record, outcomes),
        },
    )
    # Search engines need not index every query.
    answered["X-Robots-Tag"] = "noindex"
    return answered


def prediction_record(row: PredictedLine) -> dict[str, Any]:
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
        "change": row.change,
        "after": row.after,
    }


def outcome_record(outcome: PossibleOutcome) -> dict[str, Any]:
    """Return an outcome as data, with each player's change and new rating."""
    players = {row.line.result.player.handle: {"change": row.change, "after": row.after} for row in outcome.seats}
    return {"outcome": outcome.words.replace(ISOLATE, "").replace(ISOLATED, ""), **players}


def preview_context(found: WhatIf) -> dict[str, Any]:
    """Return the context of a preview: all outcomes, and the explanations if there is only one."""
    outcomes = [outcome_of(found, index) for index in range(len(found.outcomes))]
    details: dict[str, Any] = {"found": found, "rated_by": found.system, "outcomes": outcomes, "first": outcomes[0]}
    if len(outcomes) == 1:
        details["whys"] = explain_changes(found, [prospect.line.result.seat - 1 for prospect in outcomes[0].lines])
    return details


def outcome_of(found: WhatIf, index: int) -> PossibleOutcome:
    """Return one outcome for the page."""
    sheet, rated = found.outcomes[index]
    keys = [figure.key for figure in found.system.figures]
    column = keys.index(found.system.expectation) if found.system.expectation else None
    lines = [
        PredictedLine(
            line,
            None if column is None else rated.figures[line.result.seat - 1][column],
            rated.change[line.result.seat - 1],
            rated.after[line.result.seat - 1][0],
        )
        for line in finishers(results_of(found, sheet), found.system)
    ]
    finish = [prospect.line for prospect in lines]
    sides = sides_of(finish)
    listed = len(found.outcomes) > 1 and len(sides) > 2
    words = ", ".join(" + ".join(isolated(one.result.player.name) for one in side) for side in sides)
    words = words if listed else result_of(finish)
    return PossibleOutcome(words, sorted(lines, key=lambda prospect: prospect.line.result.seat), lines)


def results_of(found: WhatIf, sheet: GameSheet) -> list[Result]:
    """Return the result lines of an outcome."""
    sides = sheet.sides or [None] * sheet.size
    people = zip(found.handles, found.names, sheet.scores, sheet.places, sides, strict=True)
    return [
        Result(seat=seat, player=Player(handle=handle, name=name), score=score, place=place, side=side)
        for seat, (handle, name, score, place, side) in enumerate(people, start=1)
    ]


def what_if_address(league: League, system: RatingSystem, view: ShownGame) -> str:
    """Return the what-if address of a game's players and results; "" if the system cannot rate them."""
    if not system.fewest_players <= len(view.results) <= system.most_players:
        return ""
    pairs: list[tuple[str, str]] = []
    for line in view.results:
        result = line.result.place if system.place == "required" else line.result.score
        pairs += [("p", line.result.player.handle), ("r", "" if result is None else in_full(result))]
        pairs += [("s", str(line.result.side))] if line.result.side is not None else []
    pairs += [
        (spec.key, str(view.game.fields[spec.key])) for spec in system.game_fields if spec.key in view.game.fields
    ]
    pairs += [("w", in_full(view.game.weight))] if view.game.weight != 1.0 else []
    return f"{reverse('pages:what_if', args=[league.slug])}?{urlencode(pairs)}"
