"""A form whose key does not fit: of an earlier session, which is no fault of who typed it, or not of ours at all."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.desk.keeping import is_own, once_more, to_login
from league.desk.viewer import may_enter

SENTENCE = gettext_noop(
    "This form was not sent from a page of this site, or that page was too old. Open it anew and try again."
)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form whose key does not fit; nothing of it was carried out."""
    index, login = reverse("admin:index"), reverse("admin:login")
    if not is_own(request) or not request.path.startswith(index):
        context = {"title": _("Not allowed"), "sentence": _(SENTENCE)}
        return render(request, "error.html", context, status=403)
    if request.path == login:
        messages.warning(request, _("This page was too old. Sign in again."))
        return HttpResponseRedirect(request.get_full_path())
    if request.path == reverse("admin:logout"):
        return HttpResponseRedirect(index)
    return once_more(request) if may_enter(request) else to_login(request)
