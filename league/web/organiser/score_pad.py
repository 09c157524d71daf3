"""The score pad: tonight's people, seats and scores on one page; what each score moves is shown while it is typed.

It is the sheet of ``league.web.organiser.score_sheets`` in another dress: the same forms check it, the same door
records it.
"""

from dataclasses import replace
from datetime import timedelta
from difflib import get_close_matches
from itertools import zip_longest
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.timezone import is_naive
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from league.core.errors import Conflict, KeyReused, RungsError
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import void_game
from league.core.games.services.similar_games import SimilarGame, record_unless_alike
from league.core.leagues.selectors.rules import system_in_force
from league.core.permissions import refuse_closed
from league.core.players.selectors.search import offered_players
from league.core.text.names import key_of
from league.models import Game, League
from league.web.organiser.form_errors import by, warn_of_decisions, whole_in
from league.web.organiser.game_summaries import recorded_words, system_at
from league.web.organiser.offline_pad import typed_at
from league.web.organiser.page_frame import at_desk, posted, show, to_first_rule
from league.web.organiser.previewed_actions import carried
from league.web.organiser.score_sheets import OFFERED, IncomingSheet, local, plain, seats_of
from league.web.organiser.selectors import DeskEvening, evening_at, newest_game, players_in, players_in_no_league
from league.web.organiser.submit_once import CHANGED, key_for, once
from league.web.sign_in.csrf_failure import asked_by_script
from league.web.viewer import viewer_of
from ratings.contract.system import RatingSystem

#: Maximum number of players offered as chips; the name field finds the others.
MAX_CHIPS = 28
#: Newcomers get a chip while there are fewer chips than this, and at least this many of them get one.
MAX_CHIPS_WITH_NEWCOMERS, MIN_NEWCOMER_CHIPS = 12, 3
#: Why a game is void that was taken back where it was written.
UNDONE = gettext_noop("Undone on the score pad.")
#: How long the seats of an undone game are restored, unless they are recorded earlier.
UNDONE_FOR = timedelta(hours=12)


#: A player's handle and name.
Pair = tuple[str, str]


class Chip(NamedTuple):
    """Somebody who may be seated by one tap."""

    handle: str
    name: str
    short: str
    tonight: bool


class NewcomerChip(NamedTuple):
    """A name on the sheet that means no one: at which line, who was perhaps meant (handle, name), whether it is new."""

    line: int
    name: str
    near: list[tuple[str, str]]
    added: bool


@at_desk("record")
def pad(request: HttpRequest, league: League) -> HttpResponse:
    """Show the pad, or record what it says and show the next one."""
    system = system_in_force(league)
    if system is None:
        return to_first_rule(request, league)
    sheet = sheet_in_time(request, league, system)
    unknown: list[NewcomerChip] = []
    alike: Game | None = None
    taken = False
    if request.method == "POST" and "_more" not in request.POST and sheet.valid():
        try:
            return recorded(request, sheet)
        except KeyReused:
            taken = True
            sheet.form.add_error(None, CHANGED)
        except SimilarGame as error:
            alike = error.game
        except RungsError as error:
            unknown = newcomers(request, sheet, error)
            # That results are missing is left out if the sides without one are named.
            named = [one for one in error.problems if (one.code, one.pointer) != ("missing", "/results")]
            sheet.put(error, named or error.problems)
    if request.method == "POST" and asked_by_script(request):
        return JsonResponse({"why": has_twin(alike) if alike else " ".join(faults(sheet))}, status=422)
    context = on_the_pad(request, sheet, unknown, taken=taken)
    twin = {"alike": has_twin(alike), "twin": alike, "carried": carried(request.POST)} if alike else {}
    return show(request, league, "web/organiser/pad.html", "pad", **context, **twin)


def has_twin(game: Game) -> str:
    """Return the sentence about a game that a sheet looks like."""
    said = _("Game {number} at {time} has the same players and scores.")
    return said.format(number=game.number, time=f"{local(game.played_at, game.league):%H:%M}")


def faults(sheet: IncomingSheet) -> list[str]:
    """Return what is wrong with a sheet, in sentences that name the seat, each once."""
    said = [str(fault) for faults in sheet.form.errors.values() for fault in faults]
    sentence = _("Seat {number}: {fault}")
    seat = sentence.partition("{")[0]
    for number, form in enumerate(sheet.formset.forms, start=1):
        told = [str(fault) for faults in form.errors.values() for fault in faults]
        said += [one if one.startswith(seat) else sentence.format(number=number, fault=one) for one in told]
    return list(dict.fromkeys([*said, *map(str, sheet.formset.non_form_errors())]))


def sheet_in_time(request: HttpRequest, league: League, system: RatingSystem) -> IncomingSheet:
    """Return the sheet as the system in force asks for it when its game was played; ``system``: the present one."""
    sheet = sheet_of(request, league, system)
    if not sheet.form.is_bound:
        return sheet
    sheet.valid()  # in the league's time zone, which the form alone does not know
    moment = sheet.form.cleaned_data.get("played_at")
    # Without a zone it is a time that the clock showed twice, which the sheet asks about.
    then = system if moment is None or is_naive(moment) else system_at(league, moment)
    return sheet if then.key == system.key else sheet_of(request, league, then)


def sheet_of(request: HttpRequest, league: League, system: RatingSystem) -> IncomingSheet:
    """Return the sheet that a pad shows or sends; what the last game said of itself (a bula) is said of the next."""
    newest = newest_game(league)
    said = {f"details_{key}": value for key, value in newest.fields.items()} if newest else {}
    if newest and newest.weight != 1.0 and undone_game(request, league):
        said["weight"] = plain(newest.weight)
    seats = seated(request, league)
    sides = offered_sides(request, system, newest)
    if sides and not any(seat.get("side") for seat in seats):
        seats = [{**(seat or {}), "side": side} for seat, side in zip_longest(seats, sides)]
    sheet = IncomingSheet(league, system, request.POST or None, said, seats, sides=bool(sides))
    for name in spare_columns(system, request.POST.get("by", request.GET.get("by", ""))):
        # What was typed, or comes back from an undone game, keeps its column.
        if all(name in form.fields and form[name].value() in (None, "") for form in sheet.formset.forms):
            for form in sheet.formset.forms:
                del form.fields[name]
    return sheet


def offered_sides(request: HttpRequest, system: RatingSystem, newest: Game | None) -> list[int | None]:
    """Return the sides in seat order that a pad offers: those of the last game, or two of two where they are asked for.

    Empty where a system knows none, or the league plays without.
    """
    asked = request.GET.get("sides", "")
    if not type(system).sides or asked == "0" or request.method == "POST":
        return []
    last = [line.side for line in newest.results.order_by("seat")] if newest else []
    return last if any(last) else [1, 1, 2, 2] if asked else []


def spare_columns(system: RatingSystem, asked: str) -> list[str]:
    """Return which of scores and places a pad does without: one of the two is enough, and ``asked`` may say which."""
    order = system.place == "required" and system.score == "optional"
    spare = {"place": "score", "score": "" if order else "place"}.get(asked, "score" if order else "place")
    use = {"score": system.score, "place": system.place}.get(spare)
    return [spare] if use in ("optional", "either") else []


def on_the_pad(
    request: HttpRequest, sheet: IncomingSheet, unknown: list[NewcomerChip], *, taken: bool
) -> dict[str, Any]:
    """Return what the page is made of."""
    league, evening = sheet.league, evening_at(sheet.league, timezone.now())
    newest = newest_game(league)
    return {
        **at_the_table(request, sheet, evening),
        "unknown": unknown,
        # The names that no question asks about again.
        "added": [name for name in names_added(request).values() if name not in [one.name for one in unknown]],
        "evening": evening,
        "newest": newest,
        "next": (newest.number if newest else 0) + 1,
        "once": key_for(request, new=taken),
        "last": seats_of(newest) if newest else [],
        "usual": usual_table(sheet.system, newest),
        "sided": None if not type(sheet.system).sides else sheet.sides,
        "either": sheet.system.score == "either" or sheet.system.place == "required",
        "keeps": [
            ("", pgettext("the next game begins with", "a new table")),
            ("same", pgettext("the next game begins with", "the same players")),
            ("turned", pgettext("the next game begins with", "rotated seats")),
        ],
        "keep": request.POST.get("keep", request.GET.get("keep", "")),
        "just": newest if newest and request.GET.get("just") == str(newest.number) and not newest.voided_at else None,
        "undone": request.POST.get("undone") or getattr(undone_game(request, league), "number", None),
    }


def at_the_table(request: HttpRequest, sheet: IncomingSheet, evening: DeskEvening) -> dict[str, Any]:
    """Return what the seats of a sheet are made of; those of an evening are offered first."""
    offered = offered_players(sheet.league, viewer_of(request))
    people, elsewhere, at_hand = by_league(sheet.league, offered)
    here = {line.result.player.handle for game in evening.games for line in game.results}
    return {**on_the_sheet(sheet), "chips": chips(at_hand, here), "people": people, "elsewhere": elsewhere}


def on_the_sheet(sheet: IncomingSheet) -> dict[str, Any]:
    """Return what a sheet asks for: its forms, the columns of its lines, and which of them stand below the score."""
    columns = list((sheet.formset.forms or [sheet.formset.empty_form])[0].fields)
    worksheet, chosen = sheet.system.worksheet, sheet.system.to_json()
    return {
        "sheet": sheet,
        "system": sheet.system,
        "form": sheet.form,
        # What the scores must add up to, where the league's rule demands it.
        "total": float(chosen["total"]) if chosen.get("demand_total") == "yes" else None,
        "columns": columns,
        "extras": [name for name in columns if name not in (*OFFERED, "score")] if "score" in columns else [],
        "game_fields": [name for name in sheet.form.fields if name.startswith("details_")],
        "derived": [f"worksheet_{key}" for key in (worksheet.derived if worksheet else ())],
    }


def by_league(league: League, offered: list[Pair]) -> tuple[list[Pair], list[Pair], list[Pair]]:
    """Return the players of a league and those of no league, the players of other leagues, and who gets a chip.

    Players of other leagues are found by their whole name only.
    """
    handles = [handle for handle, _ in offered]
    own = players_in(league, handles)
    free = players_in_no_league([handle for handle in handles if handle not in own])
    names = dict(offered)
    ours = [pair for pair in offered if pair[0] in own]
    newest = [(handle, names[handle]) for handle in free]
    elsewhere = [pair for pair in offered if pair[0] not in own and pair[0] not in set(free)]
    return ours + newest, elsewhere, ours + newest[: max(MAX_CHIPS_WITH_NEWCOMERS - len(ours), MIN_NEWCOMER_CHIPS)]


def chips(offered: list[tuple[str, str]], here: set[str]) -> list[Chip]:
    """Return who is offered, those of tonight first; short is the first name where no other player has it."""
    tonight = [pair for pair in offered if pair[0] in here]
    others = [pair for pair in offered if pair[0] not in here]
    shown = tonight + others[: max(MAX_CHIPS - len(tonight), 0)]
    first = [name.split()[0] if name.split() else name for _, name in shown]
    return [
        Chip(handle, name, short if first.count(short) == 1 else name, handle in here)
        for (handle, name), short in zip(shown, first, strict=True)
    ]


def usual_table(system: RatingSystem, newest: Game | None) -> int:
    """Return how many seats make a table full: as many as the last game had, else four where the system takes four."""
    seats = newest.results.count() if newest else 4
    return min(max(seats, system.fewest_players), system.most_players)


def seated(request: HttpRequest, league: League) -> list[dict[str, Any]]:
    """Return the seats that a pad begins with: a game that was just undone, or the table before, turned if wished."""
    if undone := undone_game(request, league):
        return seats_of(undone)
    names = [name for name in request.GET.get("players", "").split(",") if name][:100]
    if request.GET.get("keep") == "turned":
        names = names[1:] + names[:1]
    return [{"player": name} for name in names]


def undone_game(request: HttpRequest, league: League) -> Game | None:
    """Return the game whose seats come back, since it was undone in this session and not recorded again since.

    Looking takes nothing away: a second tab, or a browser that fetches ahead, finds the same.
    """
    number = request.session.get(undone_in(league))
    if request.method != "GET" or not isinstance(number, int) or "players" in request.GET:
        return None
    since = timezone.now() - UNDONE_FOR
    return league.games.filter(number=number, voided_at__gte=since, replacements=None).first()


def undone_in(league: League) -> str:
    """Return under which name a session keeps the number of a game of a league that was just undone."""
    return f"undone-{league.pk}"


def recorded(request: HttpRequest, sheet: IncomingSheet) -> HttpResponse:
    """Record a sheet once, however often it comes, and lead on."""
    done = once(request, lambda: record(request, sheet))
    if request.POST.get("undone", "") == str(request.session.get(undone_in(sheet.league))):
        request.session.pop(undone_in(sheet.league), None)
    if done.again:
        messages.success(
            request, _("{game} has already been recorded; this sheet was sent twice.").format(game=done.answer["game"])
        )
    warn_of_decisions(request, sheet.league)
    if asked_by_script(request):
        return JsonResponse({name: done.answer[name] for name in ("target", "played")})
    return HttpResponseRedirect(done.answer["target"])


def record(request: HttpRequest, sheet: IncomingSheet) -> dict[str, Any]:
    """Let the door record a sheet; returns the game's name and where to go next."""
    league = sheet.league
    number = whole_in(request.POST.get("_again", ""), 9)
    done = record_unless_alike(league.pk, with_newcomers(request, sheet), by=by(request), asked=number)
    target = f"{reverse('desk:pad', args=[league.slug])}?just={done.game.number}"
    if request.POST.get("keep"):
        target += "&players=" + ",".join(seat["player"] for seat in seats_of(done.game))
        target += f"&keep={'turned' if request.POST['keep'] == 'turned' else 'same'}"
    messages.success(request, recorded_words(league, sheet.system, done.game))
    played = done.game.played_at.isoformat() if sheet.played_at() is None else ""
    return {"game": str(done.game), "target": target, "played": played}


def with_newcomers(request: HttpRequest, sheet: IncomingSheet) -> NewGame:
    """Return the game of a sheet; names that someone said are new are added as players with it."""
    new = sheet.game(viewer_of(request))
    added = names_added(request).keys()
    new = new if new.played_at else replace(new, played_at=typed_at(request))
    if not added:
        return new
    known = {key_of(handle) for handle, _ in offered_players(sheet.league, viewer_of(request))}
    keys = {key_of(result.player) for result in new.results}
    # All that the sheet names beside them is known, or is refused: no player is added by a slip of the pen.
    return replace(new, create_players=True) if keys - added <= known else new


def names_added(request: HttpRequest) -> dict[str, str]:
    """Return key -> name for the names on a sheet that are marked as new players."""
    return {key_of(name): name for name in request.POST.getlist("new") if name.strip()}


def newcomers(request: HttpRequest, sheet: IncomingSheet, error: RungsError) -> list[NewcomerChip]:
    """Return the names that mean no one, each with who was perhaps meant."""
    offered, *_others = by_league(sheet.league, offered_players(sheet.league, viewer_of(request)))
    by_name = {name.casefold(): (handle, name) for handle, name in reversed(offered)}
    found = []
    taken = sheet.formset.taken
    for problem in error.problems:
        if problem.code != "unknown_player":
            continue
        row, data = taken[int(problem.pointer.split("/")[2])]
        near = get_close_matches(data["player"].casefold(), by_name, n=3, cutoff=0.6)
        added = key_of(data["player"]) in names_added(request)
        found.append(NewcomerChip(row, data["player"], [by_name[name] for name in near], added))
    return found


@posted("record", "home")
def undo(request: HttpRequest, league: League, number: int) -> HttpResponse:
    """Void a game that is the league's last one: who has just written it takes it back by one press."""

    def expect(league: League, game: Game) -> None:
        refuse_closed(viewer_of(request), league, game.played_at)
        newest = newest_game(league)
        if newest is None or newest.number != number:
            said = _("Game {number} is no longer the latest; void it on its own page.")
            raise Conflict(said.format(number=number))

    game = void_game(league.pk, number, reason=UNDONE, by=by(request), expect=expect)
    messages.success(request, _("Game {number} was undone: it is void but can still be read.").format(number=number))
    request.session[undone_in(league)] = game.number
    return HttpResponseRedirect(reverse("desk:pad", args=[league.slug]))
