"""Ladders: making them, ranking otherwise from a day on, closing and deciding about periods."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from league.admin.base import OwnLeagues, ServiceAdmin, by, put_errors, viewer_of
from league.admin.presets import chosen_preset, offered_presets
from league.errors import NotFound, RungsError
from league.figures import number
from league.labels import inside
from league.models import Edition, Ladder, LadderRule, League, Period
from league.selectors.ladders.ladders import find_period, latest_rule, method_of, periods_of, rules_of_ladder
from league.selectors.ladders.ranking import Row
from league.selectors.ladders.standings import (
    decisions_of,
    differences,
    edition_rows,
    editions_of,
    latest_edition,
    live_rows,
)
from league.selectors.ladders.touches import closes_at, last_touch
from league.selectors.permissions import leagues_for
from league.services.ladders.decisions import carry_period, close_period, reopen_period
from league.services.ladders.ladders import Ranking, change_ladder, change_ranking, create_ladder
from ratings.contract.method import Method
from ratings.forms import ParametersForm, parameters_form
from ratings.registry import all_methods

PREFIX = "parameters_"
TOP = 10


def day(label: Any, required: bool, help_text: Any) -> forms.DateField:
    """Return a field for a date."""
    widget = forms.DateInput(attrs={"type": "date"})
    return forms.DateField(label=label, required=required, widget=widget, help_text=help_text)


class RankingForm(forms.Form):
    """How a ladder ranks from a day on."""

    cadence = forms.ChoiceField(label=gettext_lazy("Cadence"), choices=LadderRule.Cadence.choices, initial="month")
    from_date = day(
        gettext_lazy("From"),
        False,
        gettext_lazy("The first day of a period; empty: since ever. A dated ladder begins on it."),
    )
    to_date = day(
        gettext_lazy("To"), False, gettext_lazy("The last day, for a ladder that is held once between two dates.")
    )


class NewLadderForm(RankingForm):
    """A new ladder."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=120)
    slug = forms.SlugField(
        label=gettext_lazy("Slug"),
        max_length=50,
        help_text=gettext_lazy("Its address: small letters, digits, hyphens."),
    )
    field_order = ("title", "slug", "cadence")


class LadderForm(forms.Form):
    """What may be changed of a ladder."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=120)
    ended_on = day(
        gettext_lazy("Ended on"), False, gettext_lazy("No period begins on this day or later; empty: it goes on.")
    )


class DecisionForm(forms.Form):
    """Why."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        required=False,
        help_text=gettext_lazy("It stands beside the edition for everybody."),
    )


def with_method(form: type[forms.Form], method: type[Method]) -> type[forms.Form]:
    """Return a form that asks for the parameters of a method, too, below its own fields."""
    fields = parameters_form(method).base_fields
    return type("WithMethod", (form,), {f"{PREFIX}{name}": field for name, field in fields.items()})


def ranking_of(data: dict[str, Any], method: type[Method]) -> Ranking:
    """Return the ranking of a valid form."""
    given: ParametersForm = parameters_form(method)(
        {name.removeprefix(PREFIX): value for name, value in data.items() if name.startswith(PREFIX)}
    )
    given.is_valid()
    return Ranking(method.key, data["cadence"], given.parameters(), data["from_date"], data["to_date"])


def said_of_all(decision: str, count: int) -> str:
    """Return what was decided about so many periods at once, as a sentence."""
    if decision == "carry":
        text = ngettext("{count} period stands as published.", "{count} periods stand as published.", count)
    else:
        text = ngettext("{count} period has a next edition.", "{count} periods have a next edition.", count)
    return text.format(count=number(count))


@admin.register(Ladder)
class LadderAdmin(ServiceAdmin):
    """The ladders of the leagues."""

    list_display = ("title", "league", "ranks", "due")
    list_filter = (("league", OwnLeagues),)
    search_fields = ("title", "slug")
    list_select_related = ("league",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the ladders with how many of their periods await a decision."""
        awaiting = Count("periods", filter=Q(periods__awaits=True))
        found: QuerySet[Any] = super().get_queryset(request).prefetch_related("rules").annotate(awaiting=awaiting)
        return found

    @admin.display(description=gettext_lazy("Ranks by"))
    def ranks(self, ladder: Ladder) -> str:
        """Return the method and the cadence in force."""
        rule = latest_rule(ladder, timezone.now(), ladder.league)
        return f"{method_of(rule).title}, {inside(rule.get_cadence_display())}"

    @admin.display(description=gettext_lazy("Decisions due"))
    def due(self, ladder: Any) -> str:
        """Return how many closed periods await a decision."""
        return str(ladder.awaiting) if ladder.awaiting else "–"

    def extra_urls(self) -> list[URLPattern]:
        """Return the pages for rules and periods."""
        period = path(
            "<int:pk>/periods/<str:key>/", self.admin_site.admin_view(self.period_view), name=self.url_name("period")
        )
        return [self.page("rule", self.rule_view, "rule"), period]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Choose a league and a method, then make a ladder."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        own = leagues_for(viewer_of(request), self.to_add)
        league = own.filter(slug=request.GET.get("league", "").replace("\0", "")[:60]).first()
        if league is None:
            leagues = own.order_by("title")
            title = _("Add a ladder: in which league?")
            return self.show(request, "admin/league/choose_league.html", title, leagues=leagues)
        method = all_methods().get(request.GET.get("method", ""))
        if method is None:
            title = _("Add a ladder to {league}: how does it rank?").format(league=league.title)
            return self.choose_method(request, title, league)
        initial = chosen_preset(request, method, PREFIX)
        form = with_method(NewLadderForm, method)(request.POST or None, initial=initial)
        title = _("Add a ladder to {league}: {method}").format(league=league.title, method=method.title)
        return self.form_page(
            request,
            form,
            title,
            lambda data: self.add(request, league, method, data),
            intro=method.summary,
            presets=offered_presets(request, method),
        )

    def choose_method(self, request: HttpRequest, title: str, league: League) -> HttpResponse:
        """Show the methods to choose from."""
        return self.show(
            request, "admin/league/choose_method.html", title, methods=all_methods().values(), league=league
        )

    def add(self, request: HttpRequest, league: League, method: type[Method], data: dict[str, Any]) -> str:
        """Carry out an addition."""
        ladder = create_ladder(league.pk, data["slug"], data["title"], ranking_of(data, method), by=by(request))
        self.say(request, _("The ladder {title} was made and ranks all games so far.").format(title=ladder.title))
        return self.url("change", ladder.pk)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Change the title or end the ladder; rules and periods have pages of their own."""
        ladder: Ladder = self.seen(request, object_id)
        if not self.has_change_permission(request, ladder):
            return HttpResponseRedirect(reverse("pages:ladder", args=[ladder.league.slug, ladder.slug]))
        form = LadderForm(request.POST or None, initial={"title": ladder.title, "ended_on": ladder.ended_on})
        rules = [(rule, method_of(rule)) for rule in rules_of_ladder(ladder)]
        return self.form_page(
            request,
            form,
            _("{ladder} of {league}").format(ladder=ladder.title, league=ladder.league),
            lambda data: self.change(request, ladder, data),
            beside="admin/league/ladder_beside.html",
            ladder=ladder,
            rules=rules,
            periods=list(periods_of(ladder)[:120]),
        )

    def change(self, request: HttpRequest, ladder: Ladder, data: dict[str, Any]) -> str:
        """Carry out a change."""
        change_ladder(ladder.league_id, ladder.slug, data, by=by(request))
        self.say(request, _("The ladder {title} was changed.").format(title=data["title"]))
        return self.url("change", ladder.pk)

    def rule_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Rank otherwise from a day on."""
        ladder: Ladder = self.found(request, pk)
        last = rules_of_ladder(ladder)[-1]
        method = all_methods().get(request.GET.get("method", ""))
        if method is None:
            title = _("{ladder}: how does it rank from a day on?").format(ladder=ladder.title)
            return self.choose_method(request, title, ladder.league)
        values = method_of(last).to_json() if last.method == method.key else {}
        initial = {"cadence": last.cadence, **{f"{PREFIX}{name}": value for name, value in values.items()}}
        initial |= chosen_preset(request, method, PREFIX)
        form = with_method(RankingForm, method)(request.POST or None, initial=initial)
        title = _("{ladder} from a day on: {method}").format(ladder=ladder.title, method=method.title)
        intro = _("It ranks the periods that begin on this day or later; published ones stay as they are.")
        return self.form_page(
            request,
            form,
            title,
            lambda data: self.change_rule(request, ladder, method, data),
            intro=intro,
            presets=offered_presets(request, method),
        )

    def change_rule(self, request: HttpRequest, ladder: Ladder, method: type[Method], data: dict[str, Any]) -> str:
        """Carry out a change of rule."""
        rule = change_ranking(ladder.league_id, ladder.slug, ranking_of(data, method), by=by(request))
        text = _("{ladder} ranks by {method} from {day} on.")
        self.say(request, text.format(ladder=ladder.title, method=method.title, day=rule.from_date))
        return self.url("change", ladder.pk)

    def period_view(self, request: HttpRequest, pk: int, key: str) -> HttpResponse:
        """Show a period; close it, or decide about it."""
        ladder: Ladder = self.found(request, pk)
        try:
            period = find_period(ladder, key)
        except NotFound as error:
            raise Http404(error.detail) from None
        form = DecisionForm(request.POST or None)
        acts = self.acts(request, ladder, period)
        act = acts.get(next((name for name in acts if name in request.POST), ""))
        if act is not None and form.is_valid():
            try:
                self.say(request, act(form.cleaned_data["reason"]))
                return HttpResponseRedirect(self.url("period", pk, key))
            except RungsError as error:
                put_errors(form, error, lambda pointer: "reason")
        return self.show(
            request, "admin/league/period.html", f"{period.name}: {ladder}", **self.shown(period), form=form
        )

    def acts(self, request: HttpRequest, ladder: Ladder, period: Period) -> dict[str, Callable[[str], str]]:
        """Return what each button of a period's page does; each answers what to tell."""
        where, who = (ladder.league_id, ladder.slug, period.key), by(request)

        def close(reason: str) -> str:
            edition = close_period(*where, reason=reason, by=who)
            return _("Edition {number} of {period} is published.").format(number=edition.number, period=period.name)

        def reopen(reason: str) -> str:
            reopen_period(*where, reason=reason, by=who)
            return _("{period} is open again; its editions stay as they are.").format(period=period.name)

        def carry(reason: str) -> str:
            carry_period(*where, reason=reason, by=who)
            return _("The last edition of {period} stands.").format(period=period.name)

        return {"_close": close, "_reopen": reopen, "_carry": carry}

    def shown(self, period: Period) -> dict[str, Any]:
        """Return what a period's page shows."""
        last, rows = latest_edition(period), live_rows(period)
        return {
            "period": period,
            "ladder": period.ladder,
            "method": method_of(period.rule),
            "rows": rows[:TOP],
            "more": max(len(rows) - TOP, 0),
            **self.ending(period, rows, last),
            "editions": editions_of(period),
            "decisions": decisions_of(period),
            "lines": differences(edition_rows(last), rows) if last and period.closed else [],
        }

    def ending(self, period: Period, rows: list[Row], last: Edition | None) -> dict[str, Any]:
        """Return what a period's page says of its end: whether it was, and what closes it."""
        league, ended = period.ladder.league, period.ends_at <= timezone.now()
        by_hand = league.closing == League.Closing.BY_HAND or last is not None
        waits = ended and not period.closed and bool(rows)
        closes = closes_at(league, period, last_touch(league, period)) if waits and not by_hand else None
        return {"ended": ended, "by_hand": by_hand, "waits": waits, "closes_at": closes}


@admin.register(Edition)
class EditionAdmin(ServiceAdmin):
    """Editions: to look at; the database itself lets nobody change one."""

    league_path = "ladder__league"
    list_display = ("ladder", "key", "number", "published_at", "published_by", "reason", "log_position", "sha256")
    list_filter = (("ladder__league", OwnLeagues),)
    list_select_related = ("ladder",)
    search_fields = ("key", "sha256")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody writes an edition by hand: closing a period publishes one."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody edits what was published."""
        return False
