"""Games: a sheet is recorded on one page; it is corrected or voided with a reason, after a look at the difference."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.admin.base import (
    FORM_TEMPLATE,
    OwnLeagues,
    by,
    last_part,
    put_above,
    put_errors,
    viewer_of,
    warn_of_decisions,
)
from league.admin.confirm import EDIT
from league.admin.once import CHANGED, key_for, once
from league.admin.restoring import ReasonForm, RestoringAdmin
from league.admin.sheets import Sheet, local, plain, seats_of
from league.errors import KeyReused, RungsError
from league.figures import digits, number, signed
from league.models import Game, League, RatingChange
from league.selectors.games import beside, shown, status_in_words, status_of
from league.selectors.permissions import leagues_for
from league.selectors.players.find import offered_players
from league.selectors.rules import rule_at, rules_of, system_of
from league.services.dry_runs.run import preview_correction, preview_void
from league.services.recording.games import Expectation, correct_game, record_game, void_game
from ratings.contract.system import RatingSystem

SHEET = "admin/league/sheet.html"
#: What a game that was not played is, in a sentence.
NOT_PLAYED = {
    Game.Kind.FORFEIT: gettext_noop("a forfeit"),
    Game.Kind.FULL_BYE: gettext_noop("a full bye"),
    Game.Kind.HALF_BYE: gettext_noop("a half bye"),
    Game.Kind.ZERO_BYE: gettext_noop("a zero bye"),
    Game.Kind.PAIRING_BYE: gettext_noop("a pairing bye"),
    Game.Kind.FRIENDLY: gettext_noop("a friendly"),
}


@admin.register(Game)
class GameAdmin(RestoringAdmin):
    """The games of all leagues."""

    list_display = ("name", "league", "played_at", "kind", "state", "recorded_by", "note")
    to_add = to_change = "record"
    list_filter = (("league", OwnLeagues), "kind")
    search_fields = ("=number", "=external_id", "results__player__name", "results__player__handle")
    list_select_related = ("league",)
    date_hierarchy = "played_at"

    @admin.display(description=gettext_lazy("Game"))
    def name(self, game: Game) -> str:
        """Return the number."""
        return str(game)

    @admin.display(description=gettext_lazy("Status"))
    def state(self, game: Game) -> str:
        """Return rated, pending, unrated or void."""
        return status_in_words(status_of(game.league, game))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Search without NUL characters, which PostgreSQL does not take."""
        return super().get_search_results(request, queryset, search_term.replace("\0", ""))

    def extra_urls(self) -> list[URLPattern]:
        """Return the pages that correct, void, restore and move."""
        own = [self.page("correct", self.correct_view, "correct"), self.page("void", self.void_view, "void")]
        return own + self.restoring_urls()

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Choose a league, then write a sheet."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        own = leagues_for(viewer_of(request), self.to_add)
        league = own.filter(slug=request.GET.get("league", "").replace("\0", "")[:60]).first()
        if league is None:
            last = request.session.get("league", "")
            leagues = sorted(own, key=lambda one: (one.slug != last, one.title))
            title = _("Record a game: in which league?")
            return self.show(request, "admin/league/choose_league.html", title, leagues=leagues)
        system = present_system(league)
        if system is None:
            said = _("{league} has no rule yet: choose its rating system first.").format(league=league.title)
            self.message_user(request, said)
            return HttpResponseRedirect(reverse("admin:league_league_rule", args=[league.pk]))
        request.session["league"] = league.slug
        sheet = Sheet(league, system, request.POST or None, *kept(request))
        title = _("Record a game: {league}").format(league=league.title)
        return self.sheet_page(request, sheet, title, lambda: self.record(request, sheet))

    def sheet_page(
        self, request: HttpRequest, sheet: Sheet, title: str, act: Callable[[], HttpResponse], **context: Any
    ) -> HttpResponse:
        """Show a sheet, or carry it out and go on; refusals stand at their fields."""
        again, taken = "_more" in request.POST or EDIT in request.POST, False
        if request.method == "POST" and not again and sheet.valid():
            try:
                return act()
            except KeyReused:
                taken = True
                sheet.form.add_error(None, CHANGED)
            except RungsError as error:
                for problem in error.problems:
                    sheet.find(problem.pointer)(problem.detail)
                if not error.problems:
                    put_above(sheet.form, error)
        columns = [field.label for field in sheet.formset.forms[0]] if sheet.formset.forms else []
        more = len(sheet.formset.forms) < sheet.system.most_players
        players = offered_players(sheet.league, viewer_of(request))
        key = key_for(request, new=taken)
        context |= {
            "sheet": sheet,
            "form": sheet.form,
            "columns": columns,
            "more": more,
            "players": players,
            "once": key,
        }
        return self.show(request, SHEET, title, **context)

    def record(self, request: HttpRequest, sheet: Sheet) -> HttpResponse:
        """Carry out a recording, and go on; a sheet that comes twice is recorded once."""
        done = once(request, lambda: self.recorded(request, sheet))
        if done.again:
            self.say(request, _("{game} is recorded already: this sheet came twice.").format(game=done.answer["game"]))
        warn_of_decisions(request, sheet.league)
        return HttpResponseRedirect(done.answer["target"])

    def recorded(self, request: HttpRequest, sheet: Sheet) -> dict[str, Any]:
        """Carry out a recording; returns the game's name and where to go next."""
        new = sheet.game(viewer_of(request))
        done = record_game(sheet.league.pk, new, by=by(request))
        self.say(request, sentence_about(sheet.league, sheet.system, done.game, recorded_words(done.game), move))
        if "_addanother" not in request.POST:
            return {"game": str(done.game), "target": self.url("change", done.game.pk)}
        again = {"league": sheet.league.slug}
        if new.played_at is not None:
            again["played_at"] = local(new.played_at, sheet.league).isoformat(timespec="minutes")
        if "keep_players" in request.POST:
            again["players"] = ",".join(seat["player"] for seat in seats_of(done.game))
        again |= {name: request.POST[name] for name in request.POST if is_kept(name)}
        return {"game": str(done.game), "target": f"{self.url('add')}?{urlencode(again)}"}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show a game: the facts, what they did, and the ways to void or correct it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        game = self.get_object(request, object_id)
        if game is None:
            raise Http404(_("There is no game {number}.").format(number=object_id))
        (view,) = shown(game.league, Game.objects.filter(pk=game.pk))
        system = present_system(game.league)
        return self.show(
            request,
            "admin/league/game.html",
            _("{game} of {league}").format(game=game, league=game.league),
            view=view,
            game=game,
            system=system,
            may=self.has_change_permission(request, game),
            of_one_time=beside(game) if view.status != "void" else [],
        )

    def correct_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Correct a game on the same sheet."""
        game: Game = self.found(request, pk)
        rule = rule_at(rules_of(game.league), game.played_at)
        system = system_of(rule) if rule else present_system(game.league)
        if system is None or game.voided_at is not None:
            if again := self.came_twice(request):
                return again
            self.message_user(request, _("{game} is void already and cannot be corrected.").format(game=game))
            return HttpResponseRedirect(self.url("change", pk))
        details = {f"details_{key}": plain(value) for key, value in game.fields.items()}
        played = local(game.played_at, game.league)
        initial = {"played_at": played, "turn": str(played.fold), "note": game.note, **details}
        initial["weight"] = plain(game.weight)
        sheet = Sheet(game.league, system, request.POST or None, initial, seats_of(game), old=game)
        title = _("Correct game {number} of {league}").format(number=game.number, league=game.league)
        return self.sheet_page(request, sheet, title, lambda: self.correct(request, game, sheet, title), corrects=game)

    def correct(self, request: HttpRequest, game: Game, sheet: Sheet, title: str) -> HttpResponse:
        """Show what a correction would change, or carry it out."""
        league, reason, new = game.league, sheet.form.cleaned_data["reason"], sheet.game(viewer_of(request))

        def commit(expect: Expectation) -> str:
            done = correct_game(
                league.pk, game.number, new, reason=reason, by=by(request), expect=self.allowed(request, expect)
            )
            head = _("{game} replaces game {number}").format(game=done.game, number=game.number)
            sentence = sentence_about(league, sheet.system, done.game, head, move)
            self.say(request, self.undo(sentence, game))
            warn_of_decisions(request, league)
            return self.url("change", done.game.pk)

        return self.confirm(
            request,
            league,
            title,
            lambda: preview_correction(league, game.number, new, reason, self.allowed(request)),
            commit,
            decimals=sheet.system.decimals,
            reason=reason,
            save=_("Correct game {number}").format(number=game.number),
            back=_("Back to the sheet"),
        )

    def void_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Void a game with a reason, after a look at what that changes."""
        game: Game = self.found(request, pk)
        title = _("Void game {number} of {league}").format(number=game.number, league=game.league)
        form = ReasonForm(request.POST or None)
        if request.method == "POST" and EDIT not in request.POST and form.is_valid():
            try:
                return self.void(request, game, form.cleaned_data["reason"], title)
            except RungsError as error:
                put_errors(form, error, last_part)
        intro = _("A void game stays readable and is rated no more; what was played after it is rated anew.")
        return self.show(request, FORM_TEMPLATE, title, form=form, intro=intro, save=_("Show what it would change"))

    def void(self, request: HttpRequest, game: Game, reason: str, title: str) -> HttpResponse:
        """Show what a void would change, or carry it out."""
        league, system = game.league, present_system(game.league)

        def commit(expect: Expectation) -> str:
            void_game(league.pk, game.number, reason=reason, by=by(request), expect=self.allowed(request, expect))
            self.say(request, self.undo(_("{game} is void.").format(game=game), game))
            warn_of_decisions(request, league)
            return self.url("change", game.pk)

        return self.confirm(
            request,
            league,
            title,
            lambda: preview_void(league, game.number, reason, self.allowed(request)),
            commit,
            decimals=system.decimals if system else 0,
            reason=reason,
            save=_("Void game {number}").format(number=game.number),
            back=_("Back to the reason"),
        )


def present_system(league: League) -> RatingSystem | None:
    """Return the system of the league's last rule."""
    rules = rules_of(league)
    return system_of(rules[-1]) if rules else None


def is_kept(name: str) -> bool:
    """Tell whether the next sheet begins with this field of the one before."""
    return name == "turn" or name.startswith("details_")


def kept(request: HttpRequest) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what a sheet starts with: what "save and add another" kept of the one before."""
    initial: dict[str, Any] = {name: value for name, value in request.GET.items() if is_kept(name)}
    try:
        initial["played_at"] = parse_datetime(request.GET.get("played_at", ""))
    except ValueError:
        initial["played_at"] = None
    names = [name for name in request.GET.get("players", "").split(",") if name]
    return initial, [{"player": name} for name in names[:100]]


def recorded_words(game: Game) -> str:
    """Return how the sentence about a game that was recorded begins."""
    return _("{game} recorded").format(game=game)


def sentence_about(
    league: League, system: RatingSystem, game: Game, done: str, tell: Callable[[RatingChange, int], str]
) -> str:
    """Return the sentence that tells what a game did to the ratings; it begins with ``done``.

    ``tell`` writes a change with its decimals.
    """
    league.refresh_from_db(fields=["stale_from", "stale_key"])
    (view,) = shown(league, Game.objects.filter(pk=game.pk))
    if view.status == "unrated":
        kind = _(NOT_PLAYED[Game.Kind(game.kind)])
        return _("{done}: {kind}, which is not rated.").format(done=done, kind=kind)
    if view.status != "rated":
        return _("{done}; its ratings follow in a moment.").format(done=done)
    changes = [(line.result.player.name, line.change) for line in view.results if line.change is not None]
    return f"{done}: {', '.join(f'{name} {tell(change, system.decimals)}' for name, change in changes)}."


def move(change: RatingChange, decimals: int) -> str:
    """Return a rating before and after, and the change, with as many decimals as it takes for them to add up."""
    places = digits(decimals, [change.before, change.change], change.after)
    return f"{number(change.before, places)} → {number(change.after, places)} ({signed(change.change, places)})"
