"""Responses to forms that fail the CSRF check: from an ended or earlier session, or from another site."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from league.web.viewer import may_enter

SENTENCE = gettext_noop("This form did not come from this site, or the page was too old. Reload it and try again.")


def asked_by_script(request: HttpRequest) -> bool:
    """Return whether a page's script sent the request; it takes JSON and keeps the typed values."""
    return request.headers.get("Accept") == "application/json"


def page_before(request: HttpRequest) -> str:
    """Return the path of the organiser's page that sent the form."""
    before = urlsplit(request.headers.get("Referer", ""))
    own = before.netloc == request.get_host() and before.path.startswith(reverse("admin:index"))
    return before.path if own else reverse("admin:index")


def is_own(request: HttpRequest) -> bool:
    """Return whether a form was sent from a page of this site."""
    origin = request.headers.get("Origin")
    if origin is None:
        before = urlsplit(request.headers.get("Referer", ""))
        origin = f"{before.scheme}://{before.netloc}" if before.netloc else None
    own = f"{request.scheme}://{request.get_host()}"
    return origin is None or origin == own or origin in settings.CSRF_TRUSTED_ORIGINS


def to_login(request: HttpRequest) -> HttpResponse:
    """Redirect a user whose session has ended to the login, and then back to the page of their form."""
    ended = _("Your session had ended.")
    if asked_by_script(request):
        return JsonResponse({"why": f"{ended} {_('Sign in to finish.')}"}, status=401)
    messages.warning(request, f"{ended} {_('Sign in, then try again.')}")
    return redirect_to_login(page_before(request), reverse("admin:login"))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Respond to a form with an invalid CSRF token; it was not carried out."""
    index, login = reverse("admin:index"), reverse("admin:login")
    if not is_own(request) or not request.path.startswith(index):
        context = {"title": _("Not allowed"), "sentence": _(SENTENCE)}
        return render(request, "error.html", context, status=403)
    if request.path == login:
        messages.warning(request, _("This page was too old. Sign in again."))
        return HttpResponseRedirect(request.get_full_path())
    if request.path == reverse("admin:logout"):
        return HttpResponseRedirect(index)
    if not may_enter(request):
        return to_login(request)
    earlier = _("This page was opened in an earlier session.")
    if asked_by_script(request):
        return JsonResponse({"why": f"{earlier} {_('Nothing was saved.')}"}, status=403)
    messages.warning(request, f"{earlier} {_('Nothing was done; please try again.')}")
    return HttpResponseRedirect(page_before(request))
