"""Pages of the admin site whose form is carried out by a service; refusals stand at the right field."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import AdminSite
from django.core.exceptions import NON_FIELD_ERRORS, PermissionDenied
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.admin.headings import translate
from league.desk.viewer import viewer_of as viewer_of  # noqa: PLC0414 -- every page imports it from here
from league.errors import Away, Busy, ClockBack, Full, RungsError
from league.figures import exact, number
from league.models import League
from league.moments import known_zone, written
from league.selectors.ladders.standings import awaiting
from league.selectors.permissions import visible_leagues

FORM_TEMPLATE = "admin/league/form.html"


#: What is no fault of whoever typed: the page that shows their form again is no good answer.
TROUBLES: dict[str, type[RungsError]] = {error.code: error for error in (Busy, Away, Full, ClockBack)}


def put_above(form: forms.Form, error: RungsError) -> None:
    """Put what is wrong above the form, with the word by which ``show`` knows a trouble of the database."""
    form.add_error(None, forms.ValidationError(error.detail, code=error.code))


def trouble_in(form: Any) -> type[RungsError] | None:
    """Return the trouble of the database that was put above a form, None where there is none."""
    found = form.errors.as_data().get(NON_FIELD_ERRORS, ()) if isinstance(form, forms.Form) and form.is_bound else ()
    return next((TROUBLES[one.code] for one in found if one.code in TROUBLES), None)


def put_errors(form: forms.Form, error: RungsError, names: Callable[[str], str | None]) -> None:
    """Put each problem at the form field that ``names`` finds for its pointer, the rest above the form."""
    for problem in error.problems:
        name = names(problem.pointer)
        form.add_error(name if name in form.fields else None, problem.detail)
    if not error.problems:
        put_above(form, error)


def last_part(pointer: str) -> str | None:
    """Return the form field of a pointer such as /time_zone, /from or /parameters/half_life."""
    parts = pointer.split("/")
    if len(parts) < 2:
        return None
    if parts[1] == "parameters":
        return f"parameters_{parts[-1]}"
    return {"from": "from_date", "to": "to_date"}.get(parts[1], parts[1])


if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class OwnLeagues(admin.RelatedFieldListFilter):
    """A filter by league that offers no league that the asker may not see."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[Any, Any]]:
        """Return the leagues to choose from."""
        seen = visible_leagues(viewer_of(request)).values("pk")
        choices: list[tuple[Any, Any]] = field.get_choices(include_blank=False, limit_choices_to={"pk__in": seen})
        return choices


def is_time(field: Any) -> bool:
    """Tell whether a field holds a time."""
    return isinstance(field, models.DateTimeField)


def is_figure(field: Any) -> bool:
    """Tell whether a field holds a figure with a fraction."""
    return isinstance(field, models.FloatField)


class ServiceAdmin(ModelAdmin):
    """A model whose every write goes through a service; nothing is deleted.

    Who may do what here follows from the roles in the leagues (``ACTIONS``), as in the API.
    """

    to_view, to_add, to_change = "record", "organise", "organise"
    """The actions that looking, adding and changing are."""
    league_path = "league"
    """The way from a row to its league; "" where the rows are the whole site's."""
    show_full_result_count = False
    list_per_page = 50
    actions = None

    def __init__(self, model: type[models.Model], admin_site: AdminSite) -> None:
        super().__init__(model, admin_site)
        translate(model)
        #: Name of a time -> name of the column that writes it by its league's clock; of a figure, likewise.
        self.clocks = {field.name: self.clock(field) for field in self.opts.fields if is_time(field)}
        self.clocks |= {field.name: self.figure(field) for field in self.opts.fields if is_figure(field)}

    def clock(self, field: Any) -> str:
        """Make the column that writes a time of a row by the clock of the row's league, and names that clock."""

        def column(row: models.Model) -> str:
            league = self.league_of(row)
            return written(getattr(row, field.name), league.time_zone if league else "UTC")

        shown = admin.display(description=field.verbose_name, ordering=field.name)(column)
        setattr(self, f"{field.name}_there", shown)
        return f"{field.name}_there"

    def figure(self, field: Any) -> str:
        """Make the column that writes a figure of a row without the last bits of its sum, and with a real minus."""

        def column(row: models.Model) -> str:
            return exact(getattr(row, field.name))

        shown = admin.display(description=field.verbose_name, ordering=field.name)(column)
        setattr(self, f"{field.name}_shown", shown)
        return f"{field.name}_shown"

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Return the columns, times by their leagues' clocks."""
        return [self.clocks.get(str(name), name) for name in super().get_list_display(request)]

    def get_fields(self, request: HttpRequest, obj: models.Model | None = None) -> list[Any]:
        """Return what the page of a row shows, times by its league's clock."""
        return [self.clocks.get(str(name), name) for name in super().get_fields(request, obj)]

    def zone_of_list(self, request: HttpRequest) -> str:
        """Return the zone by whose days a list is cut: its league's, or what all leagues share, else UTC."""
        seen = visible_leagues(viewer_of(request))
        wanted = request.GET.get("league__id__exact", "")
        one = seen.filter(pk=int(wanted)) if wanted.isascii() and wanted.isdigit() and len(wanted) < 12 else seen
        zones = list(one.order_by().values_list("time_zone", flat=True).distinct()[:2])
        return zones[0] if len(zones) == 1 else "UTC"

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """List the rows; days of its bar are those of a zone that is named."""
        if not self.date_hierarchy:
            return super().changelist_view(request, extra_context)
        name = self.zone_of_list(request)
        with timezone.override(known_zone(name)):
            answer = super().changelist_view(request, {**(extra_context or {}), "zone": name})
            # Rendered here: outside, the days would be those of another clock.
            return answer.render() if isinstance(answer, TemplateResponse) else answer

    def league_of(self, thing: models.Model | None) -> League | None:
        """Return the league of a row; None for all rows, and for what is the whole site's."""
        found: Any = thing
        for name in self.league_path.split("__") if thing is not None and self.league_path else ():
            found = found if name == "pk" else getattr(found, name)
        return found if self.league_path else None

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Tell whether the index names the model."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Tell whether somebody may look at a row, or at any."""
        return viewer_of(request).may(self.to_view, self.league_of(obj))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Tell whether somebody may add a row in some league."""
        return viewer_of(request).may(self.to_add)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Tell whether somebody may change a row, or any."""
        return viewer_of(request).may(self.to_change, self.league_of(obj))

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        """Return the rows of the leagues in which somebody may look."""
        rows: models.QuerySet[Any] = super().get_queryset(request)
        ids = viewer_of(request).ids(self.to_view)
        return rows if ids is None or not self.league_path else rows.filter(**{f"{self.league_path}__in": ids})

    def demand(self, request: HttpRequest, action: str, league: League) -> None:
        """Raise 403 where somebody may not do such a thing in a league."""
        if not viewer_of(request).may(action, league):
            raise PermissionDenied

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        """Nobody deletes: facts are voided or ended."""
        return False

    def extra_urls(self) -> list[URLPattern]:
        """Return the pages of this model beside list, add and change."""
        return []

    def get_urls(self) -> list[Any]:
        """Put the extra pages before the model's own."""
        return [*self.extra_urls(), *super().get_urls()]

    def page(self, where: str, view: Callable[..., HttpResponse], name: str) -> URLPattern:
        """Return an extra page below ``<id>/``."""
        return path(f"<int:pk>/{where}/", self.admin_site.admin_view(view), name=self.url_name(name))

    def url_name(self, name: str) -> str:
        """Return the name of a page of this model."""
        return f"{self.opts.app_label}_{self.opts.model_name}_{name}"

    def url(self, name: str, *arguments: Any) -> str:
        """Return the address of a page of this model."""
        return reverse(f"admin:{self.url_name(name)}", args=arguments)

    def found(self, request: HttpRequest, pk: Any) -> Any:
        """Return the object that somebody may change; raises 404 or 403.

        Who may change nothing at all is told so; whoever else finds only what is in leagues of theirs.
        """
        if not self.has_change_permission(request):
            raise PermissionDenied
        thing = self.get_object(request, str(pk))
        if thing is None:
            raise Http404(_("There is no {thing} {number}.").format(thing=self.opts.verbose_name, number=pk))
        if not self.has_change_permission(request, thing):
            raise PermissionDenied
        return thing

    def seen(self, request: HttpRequest, pk: Any) -> Any:
        """Return the object that somebody may look at; raises 404 or 403."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        thing = self.get_object(request, str(pk))
        if thing is None:
            raise Http404(_("There is no {thing} {number}.").format(thing=self.opts.verbose_name, number=pk))
        return thing

    def show(self, request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
        """Return a page inside the admin site's frame; 200 also where a form was refused.

        503 or 507 where the database is in trouble; what was typed stands there either way.
        """
        frame = self.admin_site.each_context(request)
        extra = {"opts": self.opts, "title": title, "is_popup": False, "list_url": self.url("changelist")}
        page = render(request, template, {**frame, **extra, **context})
        trouble = trouble_in(context.get("form"))
        if trouble is not None:
            page.status_code, page["Retry-After"] = trouble.status, trouble.retry_after
        return page

    def carry_out(
        self,
        request: HttpRequest,
        form: forms.Form,
        act: Callable[[dict[str, Any]], str],
        names: Callable[[str], str | None] = last_part,
    ) -> str | None:
        """Let a valid form's service act; returns where to go next, None to show the form again."""
        if request.method != "POST" or not form.is_valid():
            return None
        try:
            return act(form.cleaned_data)
        except RungsError as error:
            put_errors(form, error, names)
            return None

    def form_page(
        self, request: HttpRequest, form: forms.Form, title: str, act: Callable[[dict[str, Any]], str], **context: Any
    ) -> HttpResponse:
        """Show a form, or carry it out and go on."""
        target = self.carry_out(request, form, act)
        if target is not None:
            return HttpResponseRedirect(target)
        return self.show(request, FORM_TEMPLATE, title, form=form, **context)

    def say(self, request: HttpRequest, sentence: str) -> None:
        """Tell on the next page what was done."""
        messages.success(request, sentence)


def warn_of_decisions(request: HttpRequest, league: League) -> None:
    """Tell on the next page which closed periods say something else than their games now."""
    count = len(awaiting(league))
    if count:
        organises = viewer_of(request).may("organise", league)
        words = (
            ngettext(
                "One closed period of {league} now differs from what was published.",
                "{count} closed periods of {league} now differ from what was published.",
                count,
            )
            if count == 1
            else ngettext(
                "{count} closed period of {league} now differs from what was published.",
                "{count} closed periods of {league} now differ from what was published.",
                count,
            )
        )
        sentence = words.format(league=league.title, count=number(count))
        if not organises:
            messages.warning(request, f"{sentence} {_('An organiser decides what becomes of that.')}")
            return
        address = reverse("desk:decisions", args=[league.slug])
        asked = _("Decide what becomes of that")
        messages.warning(request, format_html('{} <a href="{}">{}</a>', sentence, address, asked))


def by(request: HttpRequest) -> str:
    """Return under whose name something is written."""
    return request.user.get_username()
