"""Leagues: making them, their settings, rules, starts, and a replay on demand."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.admin.base import by, last_part, put_errors, viewer_of
from league.admin.imports import ImportPages
from league.admin.ladders import said_of_all
from league.admin.league_forms import (
    DateForm,
    DecisionsForm,
    NewLeagueForm,
    SettingsForm,
    StartForm,
    split,
    with_parameters,
    without_gaps,
)
from league.admin.members import MembersAdmin
from league.admin.presets import chosen_preset, offered_presets
from league.errors import RungsError
from league.models import League
from league.selectors.ladders.ladders import ladders_of
from league.selectors.ladders.standings import awaiting, unclosed
from league.selectors.players.find import find_player
from league.selectors.rules import rules_of, system_of
from league.selectors.status import replay_of, verification_of
from league.services.dispatch.sweep import request_replay
from league.services.dry_runs.diff import Diff
from league.services.dry_runs.run import preview_rule
from league.services.ladders.decisions import decide_all
from league.services.leagues.leagues import adopt_rule, change_league, create_league
from league.services.players.players import set_initial_rating
from ratings.contract.parameters import shown
from ratings.contract.system import RatingSystem
from ratings.registry import all_systems


def season_kept(league: League) -> dict[str, Any] | None:
    """Return the seasons of a league's last rule."""
    rules = rules_of(league)
    return rules[-1].season if rules else None


@admin.register(League)
class LeagueAdmin(ImportPages, MembersAdmin):
    """The leagues of the site."""

    league_path = "pk"
    list_display = ("title", "slug", "game", "visibility", "last_number", "stale")
    list_filter = ("visibility",)
    search_fields = ("title", "slug", "game")

    @admin.display(boolean=True, description=gettext_lazy("Replay due"))
    def stale(self, league: League) -> bool:
        """Tell whether a replay is on its way."""
        return league.stale_from is not None

    def extra_urls(self) -> list[URLPattern]:
        """Return the pages for rules, starts, imports and a replay."""
        return [
            self.page("rule", self.rule_view, "rule"),
            self.page("import", self.import_view, "import"),
            self.page("start", self.start_view, "start"),
            self.page("replay", self.replay_view, "replay"),
            self.page("decisions", self.decisions_view, "decisions"),
            self.page("members", self.members_view, "members"),
        ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Tell whether somebody may make leagues."""
        return viewer_of(request).may_found()

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Choose a rating system, then make a league with its parameters."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        systems = all_systems()
        key = request.GET.get("system", "")
        if key not in systems:
            return self.show(
                request,
                "admin/league/choose_system.html",
                _("Add a league: which rating system?"),
                systems=systems.values(),
            )
        system = systems[key]
        form = with_parameters(NewLeagueForm, system)(request.POST or None)
        title = _("Add a league rated by {system}").format(system=system.title)
        return self.form_page(request, form, title, lambda data: self.add(request, system, data))

    def add(self, request: HttpRequest, system: type[RatingSystem], data: dict[str, Any]) -> str:
        """Carry out an addition."""
        own, parameters = split(without_gaps(data), system)
        league = create_league(
            own.pop("slug"),
            own.pop("title"),
            settings=own,
            system=system.key,
            parameters=parameters,
            by=by(request),
            owner=request.user,
        )
        text = _("The league {title} was made. Record its first game, or set starts first.")
        self.say(request, text.format(title=league.title))
        return self.url("change", league.pk)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Change settings; rules and starts have pages of their own."""
        league: League = self.seen(request, object_id)
        if not self.has_change_permission(request, league):
            return self.show(request, "admin/league/league_seen.html", league.title, league=league)
        initial = {name: getattr(league, name) for name in SettingsForm.base_fields}
        form = SettingsForm(request.POST or None, initial=initial)
        owns = viewer_of(request).may("own", league)
        if request.method == "POST":
            self.demand(request, "own", league)
        rules = [(rule, system_of(rule)) for rule in rules_of(league)]
        starts = league.initial_ratings.select_related("player").order_by("player__name")[:500]
        return self.form_page(
            request,
            form,
            league.title,
            lambda data: self.change(request, league, data),
            beside="admin/league/league_beside.html",
            league=league,
            owns=owns,
            rules=rules,
            starts=starts,
            ladders=ladders_of(league),
            awaiting=awaiting(league),
            unclosed=unclosed(league, timezone.now()) if league.closing == League.Closing.BY_HAND else [],
            replay=replay_of(league),
            verified=verification_of(league),
        )

    def change(self, request: HttpRequest, league: League, data: dict[str, Any]) -> str:
        """Carry out a change of settings."""
        change_league(league.pk, without_gaps(data), by=by(request))
        self.say(request, _("The settings of {league} were changed.").format(league=data["title"]))
        return self.url("change", league.pk)

    def rule_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Adopt a new rule from a day on."""
        league: League = self.found(request, pk)
        rules = rules_of(league)
        if not rules:
            systems = all_systems()
            key = request.GET.get("system", "")
            if key not in systems:
                title = _("Which rating system?")
                return self.show(request, "admin/league/choose_system.html", title, systems=systems.values())
            system = systems[key]
            initial: dict[str, Any] = {}
        else:
            system = type(system_of(rules[-1]))
            initial = {f"parameters_{name}": value for name, value in system_of(rules[-1]).to_json().items()}
        initial |= chosen_preset(request, system, "parameters_")
        form = with_parameters(DateForm, system)(request.POST or None, initial=initial)
        title = _("A new rule for {league}: {system}").format(league=league.title, system=system.title)
        if "_adopt" in request.POST:
            return self.form_page(request, form, title, lambda data: self.adopt(request, league, system, data))
        diff = self.preview(form, league, system)
        save = _("Show what it would change") if diff is None else _("Adopt it")
        name = "" if diff is None else "_adopt"
        return self.show(
            request,
            "admin/league/form.html",
            title,
            form=form,
            save=save,
            name=name,
            beside="admin/league/diff.html",
            diff=diff,
            decimals=system.decimals,
            presets=offered_presets(request, system),
        )

    def preview(self, form: forms.Form, league: League, system: type[RatingSystem]) -> Diff | None:
        """Return what a valid form's rule would change; None where there is nothing to show, or it is refused."""
        if not form.is_bound or not form.is_valid():
            return None
        own, parameters = split(form.cleaned_data, system)
        try:
            return preview_rule(league, system.key, parameters, own["from_date"], season_kept(league))
        except RungsError as error:
            put_errors(form, error, last_part)
            return None

    def adopt(self, request: HttpRequest, league: League, system: type[RatingSystem], data: dict[str, Any]) -> str:
        """Carry out the adoption of a rule."""
        own, parameters = split(data, system)
        # The plain page asks for no seasons: those of the last rule go on; the desk's page changes them.
        rule = adopt_rule(league.pk, system.key, parameters, own["from_date"], season_kept(league), by=by(request))
        text = _("The rule is in force from {day}; the games since were replayed.")
        self.say(request, text.format(day=rule.from_date))
        return self.url("change", league.pk)

    def start_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Let a player start at another rating than the system's."""
        league: League = self.found(request, pk)
        form = StartForm(request.POST or None)
        title = _("An initial rating in {league}").format(league=league.title)
        return self.form_page(request, form, title, lambda data: self.set_start(request, league, data))

    def set_start(self, request: HttpRequest, league: League, data: dict[str, Any]) -> str:
        """Carry out the setting of a start."""
        player = find_player(data["player"], viewer_of(request))
        set_initial_rating(league.pk, player, data["initial_rating"], by=by(request))
        text = _("{name} starts at {rating}; the league was replayed.")
        self.say(request, text.format(name=player.name, rating=shown(data["initial_rating"])))
        return self.url("change", league.pk)

    def decisions_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Decide about all closed periods whose games say something else now."""
        league: League = self.found(request, pk)
        form = DecisionsForm(request.POST or None)
        periods = awaiting(league)
        title = _("Decisions due in {league}").format(league=league.title)
        intro = _(
            "Games were recorded, corrected or voided after these periods had closed. Carry: the editions stand, the "
            "ratings have moved on all the same. Publish: each gets a next edition with your reason; the earlier ones "
            "stay readable. The page of a period shows the difference and lets you decide about it alone."
        )
        return self.form_page(
            request,
            form,
            title,
            lambda data: self.decide(request, league, data),
            intro=intro,
            save=_("Decide about all of them"),
            beside="admin/league/decisions_beside.html",
            periods=periods,
        )

    def decide(self, request: HttpRequest, league: League, data: dict[str, Any]) -> str:
        """Carry out a decision about all."""
        periods = decide_all(league.pk, data["decision"], reason=data["reason"], by=by(request))
        self.say(request, said_of_all(data["decision"], len(periods)))
        return self.url("change", league.pk)

    def replay_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask for a replay of the whole league."""
        league: League = self.found(request, pk)
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        request_replay(league.pk, by=by(request))
        self.say(request, _("A replay of {league} is on its way.").format(league=league.title))
        return HttpResponseRedirect(self.url("change", league.pk))
