"""The page What if: what a game that has not been played would change; the address keeps the question."""

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
from league.web.public.explanations import whys
from league.web.public.game_titles import result_of
from league.web.public.query_forms import answer, question_of
from league.web.public.views.base import frame, page
from league.web.viewer import viewer_of
from ratings.contract.parameters import in_full
from ratings.contract.system import GameSheet, RatingSystem, players_phrase
from ratings.describe.outcomes import MAX_TABLE_SIZE

#: Maximum number of players to choose from.
MAX_OFFERED_PLAYERS = 200


@dataclass(frozen=True)
class PredictedLine:
    """A player in one outcome; ``expected`` is what the ratings promise, None if the system does not say."""

    line: Finisher
    expected: float | None
    change: float
    after: float


@dataclass(frozen=True)
class PossibleOutcome:
    """An outcome: in words, the players in the order of their seats, and in finishing order."""

    words: str
    seats: list[PredictedLine]
    lines: list[PredictedLine]


@page
def what_if_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what a game would change, or all outcomes of a small table; nothing is written."""
    league, system, context = frame(request, slug, "board", below=True)
    if system is None:
        return render(request, "web/public/what_if.html", context)
    viewer = viewer_of(request)
    question = question_of(request.GET, system)
    found = answer(league, question, viewer) if question.begun(system) else None
    shown: dict[str, Any] = told_of(found) if found else {}
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
            # Ties among more than two are too many to list.
            "tieless": system.ties and len(sides_of([one.line for one in outcomes[0].lines])) > 2
            if outcomes
            else False,
            **shown,
        },
        {
            "game": lambda: map(foretold, outcomes[0].lines if outcomes else ()),
            "outcomes": lambda: map(in_row, outcomes),
        },
    )
    # Every question has an address of its own: no search engine needs them all.
    answered["X-Robots-Tag"] = "noindex"
    return answered


def foretold(one: PredictedLine) -> dict[str, Any]:
    """Return a player of an outcome as data."""
    who, result = one.line.result.player, one.line.result
    said = {"finish": one.line.finish, "player": who.handle, "name": who.name, "score": result.score}
    return {
        **said,
        "place": result.place,
        "side": result.side,
        "expected": one.expected,
        "change": one.change,
        "after": one.after,
    }


def in_row(outcome: PossibleOutcome) -> dict[str, Any]:
    """Return an outcome as data: each player's change, and what it makes."""
    players = {one.line.result.player.handle: {"change": one.change, "after": one.after} for one in outcome.seats}
    return {"outcome": outcome.words.replace(ISOLATE, "").replace(ISOLATED, ""), **players}


def told_of(found: WhatIf) -> dict[str, Any]:
    """Return what an answer shows: all outcomes, and of a single one every player's why."""
    outcomes = [outcome_of(found, index) for index in range(len(found.outcomes))]
    told: dict[str, Any] = {"found": found, "rated_by": found.system, "outcomes": outcomes, "first": outcomes[0]}
    if len(outcomes) == 1:
        told["whys"] = whys(found, [prospect.line.result.seat - 1 for prospect in outcomes[0].lines])
    return told


def outcome_of(found: WhatIf, index: int) -> PossibleOutcome:
    """Return one outcome as it is shown."""
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
    """Return the lines that the league's data would have."""
    sides = sheet.sides or [None] * sheet.size
    people = zip(found.handles, found.names, sheet.scores, sheet.places, sides, strict=True)
    return [
        Result(seat=seat, player=Player(handle=handle, name=name), score=score, place=place, side=side)
        for seat, (handle, name, score, place, side) in enumerate(people, start=1)
    ]


def asked_again(league: League, system: RatingSystem, view: ShownGame) -> str:
    """Return the address at which a game's people and results are asked about again; "" if they cannot be."""
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
