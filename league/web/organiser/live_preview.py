"""Live preview on the score pad: scores of worksheets, and rating changes."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.utils import timezone

from league.core.errors import Refused, RungsError
from league.core.games.services.attaching import build_attacher, may_attach
from league.core.games.services.game_input import NewGame
from league.core.games.services.set_scores import compute_results_of_sets, has_sets
from league.core.games.services.what_if import compute_what_if
from league.core.rules.selectors.rules import load_rule_in_force
from league.core.text.display_formats import format_exact, format_number, format_signed
from league.models import League
from league.web.organiser.score_sheets import IncomingSheet, read_worksheet
from league.web.organiser.site import post_action
from league.web.sign_in.sessions import viewer_of
from ratings.contract.worksheet import FilledWorksheets, fill


@post_action("record", "pad")
def preview_sheet(request: HttpRequest, league: League) -> HttpResponse:
    """Return the scores and rating changes of a sheet while it is being typed; saves nothing.

    ``next`` is the number of the next game, as another user may have recorded one since the page was loaded. The sheet
    of a correction asks for scores of worksheets only. ``now`` is the server's time in milliseconds, with which a
    browser computes when an unsent sheet was typed.
    """
    rule = load_rule_in_force(league)
    if rule is None:
        return HttpResponseNotAllowed(["POST"])
    sheet = IncomingSheet(league, rule, request.POST)
    now = round(timezone.now().timestamp() * 1000)
    data: dict[str, Any] = {"seats": [], "made": [], "next": league.last_number + 1, "now": now}
    is_valid = sheet.valid()
    if sheet.formset.is_valid():
        data["made"] = serialize_computed_scores(sheet)
    if "made" in request.GET:
        return JsonResponse({"seats": [], "made": data["made"]})
    if not is_valid:
        return JsonResponse(data)
    try:
        new = replace(sheet.game(viewer_of(request)), create_players=True)
        data["seats"] = preview_rating_changes(league, new)
    except RungsError as error:
        data["why"] = error.detail
    return JsonResponse(data)


def serialize_computed_scores(sheet: IncomingSheet) -> list[dict[str, Any]]:
    """Return the score that follows from each worksheet, with its derived columns, or from the sets."""
    if sheet.rule.sets:
        return _serialize_scores_of_sets(sheet)
    worksheet, rows = sheet.system.worksheet, [read_worksheet(line) for _, line in sheet.formset.taken]
    if worksheet is None or not any(rows):
        return []
    filled = fill(worksheet, rows, [None] * len(rows))
    if not isinstance(filled, FilledWorksheets):
        return []
    return [
        {
            "score": format_exact(score),
            "columns": {f"worksheet_{key}": format_exact(row[key]) for key in worksheet.derived},
        }
        for score, row in zip(filled.scores, filled.rows, strict=True)
    ]


def _serialize_scores_of_sets(sheet: IncomingSheet) -> list[dict[str, Any]]:
    """Return the score of each seat by the sets; empty if there are none, or if they are no match yet."""
    new = NewGame(sheet.results())
    if not has_sets(new):
        return []
    try:
        results = compute_results_of_sets(sheet.rule, new).results
    except Refused:
        return []
    return [{"score": "" if line.score is None else format_exact(line.score), "columns": {}} for line in results]


def preview_rating_changes(league: League, new: NewGame, *, is_agreed: bool = False) -> list[dict[str, str]]:
    """Return the rating change and new rating of each seat; [] if the outcome is still open.

    Raises Refused if the game is not rated. ``is_agreed``: two people enter the game.
    """
    attacher = build_attacher(league, timezone.now(), "", is_agreed=is_agreed) if may_attach(league, new) else None
    forecast = compute_what_if(league, new, attacher=attacher)
    if len(forecast.outcomes) != 1:
        return []
    _, rated = forecast.outcomes[0]
    decimals = forecast.system.decimals
    return [
        {"change": format_signed(after[0] - before[0], decimals), "after": format_number(after[0], decimals)}
        for before, after in zip(rated.before, rated.after, strict=True)
    ]
