"""Leagues: making them, their settings, rules, starts, and a replay on demand."""

import zoneinfo
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern
from django.utils import timezone

from league.admin.base import by, last_part, put_errors, viewer_of
from league.admin.imports import ImportPages
from league.admin.members import MembersAdmin
from league.admin.presets import chosen_preset, offered_presets
from league.errors import RungsError
from league.figures import counted
from league.languages import languages
from league.models import League
from league.models.declared import SETTINGS, setting_field
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
from ratings.contract.parameters import in_full
from ratings.contract.system import RatingSystem
from ratings.forms import NumberField, ParametersForm, WholeField, parameters_form
from ratings.registry import all_systems


def zones() -> list[tuple[str, str]]:
    """Return the time zones of this machine."""
    return [(name, name) for name in sorted(zoneinfo.available_timezones())]


class SettingsForm(forms.Form):
    """Settings of a league."""

    title = forms.CharField(max_length=120)
    game = forms.CharField(max_length=80, required=False, help_text="What is played, such as Barbu.")
    description = forms.CharField(max_length=4000, required=False, widget=forms.Textarea(attrs={"rows": 5}))
    time_zone = forms.ChoiceField(choices=zones, initial="UTC", help_text="Days and months begin by its clock.")
    closing = forms.ChoiceField(
        choices=League.Closing.choices,
        required=False,
        label="A period closes",
        help_text="Closing publishes its ranking as an edition.",
    )
    close_after_hours = WholeField(
        min_value=0,
        max_value=8760,
        initial=24,
        label="Close after",
        help_text="Hours after its end, and after the last entry in it, until a ladder's period closes by itself.",
    )
    visibility = forms.ChoiceField(choices=League.Visibility.choices)
    language = forms.ChoiceField(
        choices=languages, required=False, help_text="In which notices are written, by mail and in chats."
    )
    min_games = WholeField(
        min_value=1,
        max_value=10_000,
        initial=1,
        label="Games to stand on the board",
        help_text="Games that a player needs to be on the leaderboard.",
    )
    inactive_after_days = WholeField(
        min_value=1,
        max_value=36_500,
        required=False,
        label="Off the board after days without a game",
        help_text="Without a game for so long, off the board; empty: never.",
    )
    reporting = forms.ChoiceField(
        choices=League.Reporting.choices,
        required=False,
        label="Players report games",
        help_text="Each gets a private link, or a table has one. A report is no game before it is confirmed.",
    )
    report_hours = WholeField(
        min_value=1,
        max_value=8760,
        required=False,
        initial=48,
        label="Hours to confirm",
        help_text="So long another one at the table may confirm or dispute a report.",
    )
    report_timeout = forms.ChoiceField(
        choices=League.Timeout.choices,
        required=False,
        label="When nobody did",
        help_text="What happens to a report that nobody confirmed or disputed in time.",
    )


# The other settings are asked as Django asks for their fields.
SettingsForm.base_fields |= {
    name: setting_field(name).formfield() for name in SETTINGS if name not in SettingsForm.base_fields
}


#: What a form may leave out.
MAY_BE_LEFT = (
    "closing", "language", "reporting", "report_hours", "report_timeout", "colour", "division", "charge",
)  # fmt: skip


class NewLeagueForm(SettingsForm):
    """A new league."""

    slug = forms.SlugField(max_length=50, help_text="Its address: small letters, digits, hyphens.")
    field_order = ("title", "slug", "game")


class StartForm(forms.Form):
    """Where a player starts."""

    player = forms.CharField(max_length=120, help_text="Handle or alias.")
    initial_rating = NumberField()


class DecisionsForm(forms.Form):
    """What becomes of the closed periods that differ."""

    decision = forms.ChoiceField(
        choices=[("carry", "Carry: the editions stand"), ("publish", "Publish a next edition of each")],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(max_length=500, required=False, help_text="A next edition needs one; everybody reads it.")


class DateForm(forms.Form):
    """From when a rule is in force."""

    from_date = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date"}), help_text="Empty: from today."
    )


def without_gaps(data: dict[str, Any]) -> dict[str, Any]:
    """Return a form's data without choices that were not made: those settings are left as they are."""
    return {name: value for name, value in data.items() if name not in MAY_BE_LEFT or value not in ("", None)}


def with_parameters(form: type[forms.Form], system: type[RatingSystem]) -> type[forms.Form]:
    """Return a form that asks for the parameters of a system, too, below its own fields."""
    fields = parameters_form(system).base_fields
    return type("WithParameters", (form,), {f"parameters_{name}": field for name, field in fields.items()})


def split(data: dict[str, Any], system: type[RatingSystem]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a form's own data, and all parameters."""
    own = {name: value for name, value in data.items() if not name.startswith("parameters_")}
    form: ParametersForm = parameters_form(system)(
        {name.removeprefix("parameters_"): value for name, value in data.items() if name.startswith("parameters_")}
    )
    form.is_valid()
    return own, form.parameters()


@admin.register(League)
class LeagueAdmin(ImportPages, MembersAdmin):
    """The leagues of the site."""

    league_path = "pk"
    list_display = ("title", "slug", "game", "visibility", "last_number", "stale")
    list_filter = ("visibility",)
    search_fields = ("title", "slug", "game")

    @admin.display(boolean=True, description="Replay due")
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
                "Add a league: which rating system?",
                systems=systems.values(),
            )
        system = systems[key]
        form = with_parameters(NewLeagueForm, system)(request.POST or None)
        return self.form_page(
            request, form, f"Add a league rated by {system.title}", lambda data: self.add(request, system, data)
        )

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
        self.say(request, f"The league {league.title} was made. Record its first game, or set starts first.")
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
        self.say(request, f"The settings of {data['title']} were changed.")
        return self.url("change", league.pk)

    def rule_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Adopt a new rule from a day on."""
        league: League = self.found(request, pk)
        rules = rules_of(league)
        if not rules:
            systems = all_systems()
            key = request.GET.get("system", "")
            if key not in systems:
                return self.show(
                    request, "admin/league/choose_system.html", "Which rating system?", systems=systems.values()
                )
            system = systems[key]
            initial: dict[str, Any] = {}
        else:
            system = type(system_of(rules[-1]))
            initial = {f"parameters_{name}": value for name, value in system_of(rules[-1]).to_json().items()}
        initial |= chosen_preset(request, system, "parameters_")
        form = with_parameters(DateForm, system)(request.POST or None, initial=initial)
        title = f"A new rule for {league.title}: {system.title}"
        if "_adopt" in request.POST:
            return self.form_page(request, form, title, lambda data: self.adopt(request, league, system, data))
        diff = self.preview(form, league, system)
        save = "Show what it would change" if diff is None else "Adopt it"
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
            return preview_rule(league, system.key, parameters, own["from_date"])
        except RungsError as error:
            put_errors(form, error, last_part)
            return None

    def adopt(self, request: HttpRequest, league: League, system: type[RatingSystem], data: dict[str, Any]) -> str:
        """Carry out the adoption of a rule."""
        own, parameters = split(data, system)
        rule = adopt_rule(league.pk, system.key, parameters, own["from_date"], by=by(request))
        self.say(request, f"The rule is in force from {rule.from_date}; the games since were replayed.")
        return self.url("change", league.pk)

    def start_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Let a player start at another rating than the system's."""
        league: League = self.found(request, pk)
        form = StartForm(request.POST or None)
        title = f"An initial rating in {league.title}"
        return self.form_page(request, form, title, lambda data: self.set_start(request, league, data))

    def set_start(self, request: HttpRequest, league: League, data: dict[str, Any]) -> str:
        """Carry out the setting of a start."""
        player = find_player(data["player"], viewer_of(request))
        set_initial_rating(league.pk, player, data["initial_rating"], by=by(request))
        self.say(request, f"{player.name} starts at {in_full(data['initial_rating'])}; the league was replayed.")
        return self.url("change", league.pk)

    def decisions_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Decide about all closed periods whose games say something else now."""
        league: League = self.found(request, pk)
        form = DecisionsForm(request.POST or None)
        periods = awaiting(league)
        title = f"Decisions due in {league.title}"
        intro = (
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
            save="Decide about all of them",
            beside="admin/league/decisions_beside.html",
            periods=periods,
        )

    def decide(self, request: HttpRequest, league: League, data: dict[str, Any]) -> str:
        """Carry out a decision about all."""
        periods = decide_all(league.pk, data["decision"], reason=data["reason"], by=by(request))
        one = len(periods) == 1
        if data["decision"] == "carry":
            what = "stands as published" if one else "stand as published"
        else:
            what = "has a next edition" if one else "have a next edition"
        self.say(request, f"{counted(len(periods), 'period')} {what}.")
        return self.url("change", league.pk)

    def replay_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask for a replay of the whole league."""
        league: League = self.found(request, pk)
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        request_replay(league.pk, by=by(request))
        self.say(request, f"A replay of {league.title} is on its way.")
        return HttpResponseRedirect(self.url("change", league.pk))
