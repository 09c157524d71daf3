"""What a sheet on the score pad makes while someone types: scores of worksheets, and what each rating would do."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.utils import timezone

from league.core.errors import RungsError
from league.core.games.services.game_input import NewGame
from league.core.games.services.what_if import what_if
from league.core.leagues.selectors.rules import system_in_force
from league.core.text.numbers import exact, number, signed
from league.models import League
from league.web.organiser.page_frame import posted
from league.web.organiser.score_sheets import IncomingSheet, worksheet_of
from league.web.viewer import viewer_of
from ratings.contract.worksheet import FilledWorksheets, fill


@posted("record", "pad")
def change(request: HttpRequest, league: League) -> HttpResponse:
    """Answer what a sheet makes and would change, as it stands: the pad asks while someone types. Nothing is written.

    ``next`` is the number that the next game will have: another user may have recorded one since the page was made.
    A sheet that corrects asks for what its papers make only. ``now`` is the time here in milliseconds, by which a
    browser reckons when a sheet was typed that waits in it.
    """
    system = system_in_force(league)
    if system is None:
        return HttpResponseNotAllowed(["POST"])
    sheet = IncomingSheet(league, system, request.POST)
    now = round(timezone.now().timestamp() * 1000)
    answer: dict[str, Any] = {"seats": [], "made": [], "next": league.last_number + 1, "now": now}
    whole = sheet.valid()
    if sheet.formset.is_valid():
        answer["made"] = worksheet_scores(sheet)
    if "made" in request.GET:
        return JsonResponse({"seats": [], "made": answer["made"]})
    if not whole:
        return JsonResponse(answer)
    try:
        new = replace(sheet.game(viewer_of(request)), create_players=True)
        answer["seats"] = changes(league, new)
    except RungsError as error:
        answer["why"] = error.detail
    return JsonResponse(answer)


def worksheet_scores(sheet: IncomingSheet) -> list[dict[str, Any]]:
    """Return what the worksheets of a table make: each score, and the columns that follow from the others'."""
    worksheet, rows = sheet.system.worksheet, [worksheet_of(line) for _, line in sheet.formset.taken]
    if worksheet is None or not any(rows):
        return []
    filled = fill(worksheet, rows, [None] * len(rows))
    if not isinstance(filled, FilledWorksheets):
        return []
    return [
        {"score": exact(score), "columns": {f"worksheet_{key}": exact(row[key]) for key in worksheet.derived}}
        for score, row in zip(filled.scores, filled.rows, strict=True)
    ]


def changes(league: League, new: NewGame) -> list[dict[str, str]]:
    """Return the change of each seat and what it makes; nothing if a sheet leaves the outcome open."""
    found = what_if(league, new)
    if len(found.outcomes) != 1:
        return []
    _, rated = found.outcomes[0]
    decimals = found.system.decimals
    return [
        {"change": signed(after[0] - before[0], decimals), "after": number(after[0], decimals)}
        for before, after in zip(rated.before, rated.after, strict=True)
    ]
