"""Pages of the admin site whose form is carried out by a service; refusals stand at the right field."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html

from league.errors import RungsError
from league.models import League
from league.selectors.standings import awaiting

FORM_TEMPLATE = "admin/league/form.html"


def put_errors(form: forms.Form, error: RungsError, names: Callable[[str], str | None]) -> None:
    """Put each problem at the form field that ``names`` finds for its pointer, the rest above the form."""
    for problem in error.problems:
        name = names(problem.pointer)
        form.add_error(name if name in form.fields else None, problem.detail)
    if not error.problems:
        form.add_error(None, error.detail)


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


class ServiceAdmin(ModelAdmin):
    """A model whose every write goes through a service; nothing is deleted."""

    show_full_result_count = False
    list_per_page = 50
    actions = None

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
        """Return the object that somebody may change; raises 404 or 403."""
        thing = self.get_object(request, str(pk))
        if thing is None:
            raise Http404(f"There is no {self.opts.verbose_name} {pk}.")
        if not self.has_change_permission(request, thing):
            raise PermissionDenied
        return thing

    def show(self, request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
        """Return a page inside the admin site's frame; 200 also where a form was refused."""
        frame = self.admin_site.each_context(request)
        extra = {"opts": self.opts, "title": title, "is_popup": False, "list_url": self.url("changelist")}
        return render(request, template, {**frame, **extra, **context})

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
        words = "One closed period" if count == 1 else f"{count} closed periods"
        address = reverse("admin:league_league_decisions", args=[league.pk])
        sentence = '{} of {} now differ from what was published. <a href="{}">Decide what becomes of that</a>'
        messages.warning(request, format_html(sentence, words, league.title, address))


def by(request: HttpRequest) -> str:
    """Return under whose name something is written."""
    return request.user.get_username()
