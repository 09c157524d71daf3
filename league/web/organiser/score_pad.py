"""The score pad: players, seats and scores on one page, with a live preview of rating changes.

It uses the forms of ``league.web.organiser.score_sheets``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import zip_longest
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.timezone import is_naive
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from league.core.capabilities import load_declared
from league.core.errors import Conflict, KeyReused, RungsError
from league.core.game_words import is_played_at_home, list_side_names, names_game_of_colours
from league.core.games.selectors.games import plays_for_goals
from league.core.games.services.attaching import describe_fixed_games
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import void_game
from league.core.games.services.similar_games import ContradictingGame, SimilarGame, record_unless_alike
from league.core.ladders.selectors.closed_periods import refuse_closed
from league.core.players.selectors.resolve import resolve_players
from league.core.players.selectors.search import (
    ResolvedName,
    load_offered_players,
    resolve_names,
)
from league.core.rules.selectors.rules import build_rule_system, load_rule_in_force
from league.core.text.names import build_name_key
from league.models import Game, League, Rule
from league.web.organiser.forms import (
    CHANGED,
    get_form_key,
    get_request_username,
    parse_whole_number,
    run_once,
    warn_of_decisions,
)
from league.web.organiser.offline_pad import parse_typed_at
from league.web.organiser.pad_questions import (
    PadQuestion,
    ask_about_contradiction,
    ask_about_similar_game,
    read_confirmed_marks,
    read_confirmed_number,
)
from league.web.organiser.panels import NextGame, list_attached_to, load_attached_notes
from league.web.organiser.player_chips import HandleAndName, build_chips
from league.web.organiser.recorded_message import describe_recorded_game
from league.web.organiser.result_keys import build_pad_keys
from league.web.organiser.score_sheets import (
    SEAT_FIELDS,
    IncomingSheet,
    choose_seat_count,
    format_single_line,
    load_seats,
    rule_at,
)
from league.web.organiser.selectors import (
    Evening,
    find_newest_game,
    find_players_in,
    find_players_without_league,
    load_evening_at,
)
from league.web.organiser.site import organiser_page, post_action, redirect_to_first_rule, show
from league.web.sign_in.csrf_failure import is_script_request
from league.web.sign_in.sessions import viewer_of
from ratings.contract.system import RatingSystem

#: How the names of fields begin that the system or the league asks of a game.
GAME_PREFIXES = ("details_", "fields_")
#: Players of no league get a chip while there are fewer chips than this; at least this many of them get one.
MAX_CHIPS_WITH_NEWCOMERS, MIN_NEWCOMER_CHIPS = 12, 3
#: The reason for voiding when a game is undone on the score pad.
UNDO_REASON = gettext_noop("Undone on the score pad.")
#: How long the seats of an undone game are restored, unless they are recorded earlier.
RESTORE_SEATS_FOR = timedelta(hours=12)


class UnknownName(NamedTuple):
    """An unknown name on the sheet: its line, similar players (handle, name), and whether it was marked as new."""

    line: int
    name: str
    near: list[tuple[str, str]]
    added: bool


@organiser_page("record")
def pad(request: HttpRequest, league: League) -> HttpResponse:
    """Show the score pad, or record its game and redirect to an empty one."""
    rule = load_rule_in_force(league)
    if rule is None:
        return redirect_to_first_rule(request, league)
    sheet = _build_sheet_at_time(request, league, rule)
    unknown: list[UnknownName] = []
    question: PadQuestion | None = None
    key_used = False
    if request.method == "POST" and "_more" not in request.POST and sheet.valid():
        try:
            return _record_once(request, sheet)
        except KeyReused:
            key_used = True
            sheet.form.add_error(None, CHANGED)
        except SimilarGame as error:
            question = ask_about_similar_game(request.POST, error)
        except ContradictingGame as error:
            question = ask_about_contradiction(request.POST, error)
        except RungsError as error:
            unknown = _find_unknown_names(request, sheet, error)
            # If the sides without a result are named, the general error is left out.
            side_problems = [
                problem for problem in error.problems if (problem.code, problem.pointer) != ("missing", "/results")
            ]
            sheet.put(error, side_problems or error.problems)
    if request.method == "POST" and is_script_request(request):
        return JsonResponse({"why": question.text if question else " ".join(_list_errors(sheet))}, status=422)
    context = _build_pad_context(request, sheet, unknown, key_used=key_used)
    return show(request, league, "web/organiser/pad.html", "pad", **context, question=question)


def _list_errors(sheet: IncomingSheet) -> list[str]:
    messages = [str(error) for errors in sheet.form.errors.values() for error in errors]
    sentence = _("Seat {number}: {fault}")
    seat = sentence.partition("{")[0]
    for number, form in enumerate(sheet.formset.forms, start=1):
        seat_messages = [str(error) for errors in form.errors.values() for error in errors]
        messages += [
            message if message.startswith(seat) else sentence.format(number=number, fault=message)
            for message in seat_messages
        ]
    return list(dict.fromkeys([*messages, *map(str, sheet.formset.non_form_errors())]))


def _build_sheet_at_time(request: HttpRequest, league: League, rule: Rule) -> IncomingSheet:
    """Return the sheet for the rule at the time of its game; ``rule`` is the present one."""
    undone = _find_undone_game(request, league)
    sheet = build_pad_sheet(request, league, rule, undone=undone)
    if not sheet.form.is_bound:
        return sheet
    sheet.valid()  # in the league's time zone, which only the sheet knows
    played_at = sheet.form.cleaned_data.get("played_at")
    # A time without zone occurred twice, and the form asks which one is meant.
    rule_then = rule if played_at is None or is_naive(played_at) else rule_at(league, played_at)
    same = (rule_then.system, rule_then.sets) == (rule.system, rule.sets)
    return sheet if same else build_pad_sheet(request, league, rule_then)


def build_pad_sheet(
    request: HttpRequest, league: League, rule: Rule, *, undone: Game | None = None, seated: Sequence[str] = ()
) -> IncomingSheet:
    """Return the sheet of a pad; game fields (such as a bula) begin with the values of the last game.

    undone: the game whose seats are restored; seated: handles of those who sit on an empty sheet.
    """
    latest_game = find_newest_game(league)
    initial = {f"details_{key}": value for key, value in latest_game.fields.items()} if latest_game else {}
    if latest_game and latest_game.weight != 1.0 and undone:
        initial["weight"] = format_single_line(latest_game.weight)
    seats = _build_initial_seats(request, undone) or [{"player": handle} for handle in seated]
    sides = _choose_default_sides(request, build_rule_system(rule), latest_game)
    if sides and not any(seat.get("side") for seat in seats):
        seats = [{**(seat or {}), "side": side} for seat, side in zip_longest(seats, sides)]
    sheet = IncomingSheet(league, rule, request.POST or None, initial, seats, sides=bool(sides))
    remove_spare_column(sheet, request.POST.get("by", request.GET.get("by", "")))
    return sheet


def list_game_fields(form: forms.Form) -> list[str]:
    """Return the names of the fields that the system or the league asks of a game; the others are folded."""
    return [name for name in form.fields if name.startswith(GAME_PREFIXES) or name == "retired"]


def remove_spare_column(sheet: IncomingSheet, requested_column: str) -> None:
    """Remove the column score or place if the other one is enough and it has no values."""
    for name in _choose_hidden_columns(sheet.system, requested_column):
        # Columns with values, typed or from an undone game, stay.
        if all(name in form.fields and form[name].value() in (None, "") for form in sheet.formset.forms):
            for form in sheet.formset.forms:
                del form.fields[name]


def _choose_default_sides(request: HttpRequest, system: RatingSystem, latest_game: Game | None) -> list[int | None]:
    """Return the default sides in seat order: those of the last game, or 1-1-2-2 if requested; [] without sides.

    ``?sides=2`` or more: sides of that many players.
    """
    requested = request.GET.get("sides", "")
    if not type(system).sides or requested == "0" or request.method == "POST":
        return []
    size = parse_whole_number(requested, 1) or 0
    if size > 1:
        count = max(2 * size, len(_list_requested_players(request)))
        return [1 + seat // size for seat in range(count)]
    last_sides = [line.side for line in latest_game.results.order_by("seat")] if latest_game else []
    return last_sides if any(last_sides) else [1, 1, 2, 2] if requested else []


def _choose_hidden_columns(system: RatingSystem, requested_column: str) -> list[str]:
    """Return the column that a pad hides, score or place, as one of them is enough."""
    ranks_by_place = system.place == "required" and system.score == "optional"
    hidden = {"place": "score", "score": "" if ranks_by_place else "place"}.get(
        requested_column, "score" if ranks_by_place else "place"
    )
    requirement = {"score": system.score, "place": system.place}.get(hidden)
    return [hidden] if requirement in ("optional", "either") else []


def _build_pad_context(
    request: HttpRequest, sheet: IncomingSheet, unknown: list[UnknownName], *, key_used: bool
) -> dict[str, Any]:
    league, evening = sheet.league, load_evening_at(sheet.league, timezone.now())
    latest_game = find_newest_game(league)
    restored = _find_undone_game(request, league)
    table = build_table_context(request, sheet, evening, choose_seat_count(league, sheet.system, latest_game))
    next_games = [game for list_games in load_declared(lambda app: app.pages.next_games) for game in list_games(league)]
    entered = {handle for game in next_games for handle in game.players}
    return {
        **table,
        # Who is to play in the league is no stranger.
        "people": [*table["people"], *(person for person in table["elsewhere"] if person[0] in entered)],
        "elsewhere": [person for person in table["elsewhere"] if person[0] not in entered],
        "unknown": unknown,
        # Names already marked as new.
        "added": [
            name for name in _collect_names_marked_new(request).values() if name not in [chip.name for chip in unknown]
        ],
        "evening": evening,
        "fixed": describe_fixed_games(league, [view.game for view in evening.games]),
        "next_games": next_games,
        "reported": _describe_reported(request, league, next_games),
        "newest": latest_game,
        "next": (latest_game.number if latest_game else 0) + 1,
        "once": get_form_key(request, new=key_used),
        "last": load_seats(latest_game) if latest_game else [],
        # A league of two has no teams.
        "sided": sheet.sides if type(sheet.system).sides and (sheet.sides or table["most"] > 2) else None,
        "either": sheet.system.score == "either" or sheet.system.place == "required",
        "keeps": [
            ("", _name_new(table)),
            ("same", pgettext("the next game begins with", "same players")),
            ("turned", _name_turned(table)),
        ],
        "keep": request.POST.get("keep", request.GET.get("keep", "")),
        "just": latest_game
        if latest_game and request.GET.get("just") == str(latest_game.number) and not latest_game.voided_at
        else None,
        "restored": restored,
        "undone": restored.number if restored else request.POST.get("undone") or request.GET.get("undone"),
    }


def _describe_reported(
    request: HttpRequest, league: League, next_games: Sequence[NextGame]
) -> dict[int, tuple[str, str]]:
    """Return what waits for games (their numbers), in one line: in the order of the seats, and with those swapped."""
    notes = load_attached_notes(request, league) if next_games else {}
    return {
        game.number: (note.describe(game.players[0]), note.describe(game.players[-1]))
        for game in next_games
        if (note := notes.get(game.number))
    }


def _name_new(table: Mapping[str, Any]) -> str:
    """Return what the next game begins with if its seats are empty."""
    if table["of_two"]:
        return pgettext("the next game begins with", "new players")
    return pgettext("the next game begins with", "a new table")


def _name_turned(table: Mapping[str, Any]) -> str:
    """Return what the next game begins with if each player sits a seat further."""
    if table["of_two"]:
        return pgettext("the next game begins with", "swapped")
    return pgettext("the next game begins with", "rotated seats")


def build_table_context(request: HttpRequest, sheet: IncomingSheet, evening: Evening, usual: int) -> dict[str, Any]:
    """Return the context of a sheet's seats, ``usual`` of them; players of the evening are offered first."""
    offered = load_offered_players(sheet.league, viewer_of(request))
    players, elsewhere, at_hand = _group_by_league(sheet.league, offered)
    tonight_handles = {line.result.player.handle for game in evening.games for line in game.results}
    return {
        **build_sheet_context(sheet, usual),
        "chips": build_chips(sheet.league, at_hand, tonight_handles),
        "people": players,
        "elsewhere": elsewhere,
    }


def build_sheet_context(sheet: IncomingSheet, usual: int) -> dict[str, Any]:
    """Return the context of a sheet: forms, columns and usual seats; ``extras`` are shown below the score."""
    columns = list((sheet.formset.forms or [sheet.formset.empty_form])[0].fields)
    worksheet, parameters = sheet.system.worksheet, sheet.system.to_json()
    of_two = usual == 2 and not sheet.sides
    with_goals = of_two and plays_for_goals(sheet.league, sheet.system, by_places="score" not in columns)
    keys = build_pad_keys(sheet, columns, usual, with_goals=with_goals)
    return {
        "sheet": sheet,
        "system": sheet.system,
        "form": sheet.form,
        # The required sum of the scores, if the rule has one.
        "total": float(parameters["total"]) if parameters.get("demand_total") == "yes" else None,
        "columns": columns,
        "usual": usual,
        "keys": keys,
        "side_names": list_side_names(sheet.league) if of_two else (),
        "colours": of_two and names_game_of_colours(sheet.league),
        "of_two": of_two,
        # Seats that the pad offers, and those that it takes: two may have played last in a league of larger tables.
        "most": 2 if with_goals or sheet.league.seats == 2 else sheet.system.max_players,
        "limit": _compute_seat_limit(sheet, of_two=of_two),
        "extras": [name for name in columns if name not in (*SEAT_FIELDS, "score")] if "score" in columns else [],
        "game_fields": list_game_fields(sheet.form),
        "derived": [f"worksheet_{key}" for key in (worksheet.derived if worksheet else ())],
    }


def _compute_seat_limit(sheet: IncomingSheet, *, of_two: bool) -> int:
    """Return how many players a sheet takes; a game that is corrected keeps those that it has."""
    if sheet.league.seats == 2 or (of_two and is_played_at_home(sheet.league)):
        return max(2, len(sheet.seats) if sheet.old else 0)
    return sheet.system.max_players


def _group_by_league(
    league: League, offered: Sequence[HandleAndName]
) -> tuple[list[HandleAndName], list[HandleAndName], list[HandleAndName]]:
    handles = [handle for handle, _ in offered]
    member_handles = find_players_in(league, handles)
    new_handles = find_players_without_league([handle for handle in handles if handle not in member_handles])
    names = dict(offered)
    own_players = [pair for pair in offered if pair[0] in member_handles]
    new_players = [(handle, names[handle]) for handle in new_handles]
    elsewhere = [pair for pair in offered if pair[0] not in member_handles and pair[0] not in set(new_handles)]
    return (
        own_players + new_players,
        elsewhere,
        own_players + new_players[: max(MAX_CHIPS_WITH_NEWCOMERS - len(own_players), MIN_NEWCOMER_CHIPS)],
    )


def _build_initial_seats(request: HttpRequest, undone: Game | None) -> list[dict[str, Any]]:
    if undone:
        return load_seats(undone)
    names = _list_requested_players(request)
    if request.GET.get("keep") == "turned":
        names = names[1:] + names[:1]
    return [{"player": name} for name in names]


def _list_requested_players(request: HttpRequest) -> list[str]:
    return list(dict.fromkeys(name for name in request.GET.get("players", "").split(",") if name))[:100]


def _find_undone_game(request: HttpRequest, league: League) -> Game | None:
    """Return the game undone in this session whose seats are restored, unless it was recorded again since.

    The session is not changed, as a second tab or a prefetch must find the same.
    """
    number = request.session.get(_build_undone_session_key(league))
    if request.method != "GET" or not isinstance(number, int) or "players" in request.GET:
        return None
    cutoff = timezone.now() - RESTORE_SEATS_FOR
    return league.games.filter(number=number, voided_at__gte=cutoff, replacements=None).first()


def _build_undone_session_key(league: League) -> str:
    return f"undone-{league.pk}"


def _record_once(request: HttpRequest, sheet: IncomingSheet) -> HttpResponse:
    outcome = run_once(request, lambda: _record_game(request, sheet))
    if request.POST.get("undone", "") == str(request.session.get(_build_undone_session_key(sheet.league))):
        request.session.pop(_build_undone_session_key(sheet.league), None)
    if outcome.again:
        messages.success(
            request, _("{game} has already been recorded; it was sent twice.").format(game=outcome.answer["game"])
        )
    warn_of_decisions(request, sheet.league)
    if is_script_request(request):
        return JsonResponse({name: outcome.answer[name] for name in ("target", "played")})
    return HttpResponseRedirect(outcome.answer["target"])


def _record_game(request: HttpRequest, sheet: IncomingSheet) -> dict[str, Any]:
    league = sheet.league
    outcome = record_unless_alike(
        league.pk,
        _build_game_with_new_players(request, sheet),
        username=get_request_username(request),
        confirmed_number=read_confirmed_number(request.POST),
        confirmed_marks=read_confirmed_marks(request.POST),
    )
    target = f"{reverse('desk:pad', args=[league.slug])}?just={outcome.game.number}"
    if request.POST.get("keep"):
        target += "&players=" + ",".join(seat["player"] for seat in load_seats(outcome.game))
        target += f"&keep={'turned' if request.POST['keep'] == 'turned' else 'same'}"
    done = [describe_recorded_game(league, sheet.system, outcome.game), *list_attached_to(league, outcome.game)]
    messages.success(request, format_html_join(" ", "{}", ((one,) for one in done)))
    played_at = outcome.game.played_at.isoformat() if sheet.played_at() is None else ""
    return {"game": str(outcome.game), "target": target, "played": played_at}


def _build_game_with_new_players(request: HttpRequest, sheet: IncomingSheet) -> NewGame:
    new = sheet.game(viewer_of(request))
    added = _collect_names_marked_new(request).keys()
    new = new if new.played_at else replace(new, played_at=parse_typed_at(request))
    if not added:
        return new
    resolutions = resolve_players([result.player for result in new.results], sheet.league, new.viewer)
    unknown = {build_name_key(text) for text, resolution in resolutions.items() if not resolution.found}
    # Only names marked as new may be unknown, so that no player is added because of a typo.
    return replace(new, create_players=True) if unknown <= added else new


def _collect_names_marked_new(request: HttpRequest) -> dict[str, str]:
    return {build_name_key(name): name for name in request.POST.getlist("new") if name.strip()}


def _find_unknown_names(request: HttpRequest, sheet: IncomingSheet, error: RungsError) -> list[UnknownName]:
    lines = [
        sheet.formset.taken[int(problem.pointer.split("/")[2])]
        for problem in error.problems
        if problem.code == "unknown_player"
    ]
    names = [data["player"] for _, data in lines]
    meant = resolve_names(names, sheet.league, viewer_of(request)) if names else {}
    marked = _collect_names_marked_new(request)
    offered, *_others = _group_by_league(sheet.league, load_offered_players(sheet.league, viewer_of(request)))
    handles = {handle for handle, _ in offered}
    return [
        UnknownName(row, name, _list_candidates(meant[name], handles), build_name_key(name) in marked)
        for (row, _), name in zip(lines, names, strict=True)
    ]


def _list_candidates(resolved: ResolvedName, handles: set[str]) -> list[tuple[str, str]]:
    """Return the players whom an unknown name may mean, of those with these handles."""
    candidates = [(resolved.handle, resolved.name), *resolved.near]
    return [(handle, name) for handle, name, *_ in candidates if handle in handles]


@post_action("record", "home")
def undo(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Void the league's latest game with one press."""

    def expect(league: League, game: Game) -> None:
        refuse_closed(viewer_of(request), league, game.played_at)
        latest_game = find_newest_game(league)
        if latest_game is None or latest_game.number != number:
            message = _("Game {number} is no longer the latest; void it on its own page.")
            raise Conflict(message.format(number=number))

    game = void_game(league.pk, number, reason=UNDO_REASON, username=get_request_username(request), precondition=expect)
    messages.success(request, _("Game {number} was undone: it is void but can still be read.").format(number=number))
    request.session[_build_undone_session_key(league)] = game.number
    # Only this answer puts the focus on Record.
    return HttpResponseRedirect(f"{reverse('desk:pad', args=[league.slug])}?undone={game.number}")
