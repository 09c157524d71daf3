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

from league.web.sign_in.sessions import may_enter

FOREIGN_FORM_MESSAGE = gettext_noop(
    "This form did not come from this site, or the page was too old. Reload it and try again."
)


def is_script_request(request: HttpRequest) -> bool:
    """Return whether a page's script sent the request; it takes JSON and keeps the typed values."""
    return request.headers.get("Accept") == "application/json"


def get_referrer_path(request: HttpRequest) -> str:
    """Return the path of the organiser's page that sent the form."""
    referrer = urlsplit(request.headers.get("Referer", ""))
    is_own_page = referrer.netloc == request.get_host() and referrer.path.startswith(reverse("admin:index"))
    return referrer.path if is_own_page else reverse("admin:index")


def _is_same_origin(request: HttpRequest) -> bool:
    """Return whether a form was sent from a page of this site."""
    origin = request.headers.get("Origin")
    if origin is None:
        referrer = urlsplit(request.headers.get("Referer", ""))
        origin = f"{referrer.scheme}://{referrer.netloc}" if referrer.netloc else None
    own_origin = f"{request.scheme}://{request.get_host()}"
    return origin is None or origin == own_origin or origin in settings.CSRF_TRUSTED_ORIGINS


def redirect_to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect a user whose session has ended to the login, and then back to the page of their form."""
    ended = _("Your session had ended.")
    if is_script_request(request):
        return JsonResponse({"why": f"{ended} {_('Sign in to finish.')}"}, status=401)
    messages.warning(request, f"{ended} {_('Sign in, then try again.')}")
    return redirect_to_login(get_referrer_path(request), reverse("admin:login"))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Respond to a form with an invalid CSRF token; it was not carried out."""
    index, login = reverse("admin:index"), reverse("admin:login")
    if not _is_same_origin(request) or not request.path.startswith(index):
        context = {"title": _("Not allowed"), "sentence": _(FOREIGN_FORM_MESSAGE)}
        return render(request, "error.html", context, status=403)
    if request.path == login:
        messages.warning(request, _("This page was too old. Sign in again."))
        return HttpResponseRedirect(request.get_full_path())
    if request.path == reverse("admin:logout"):
        return HttpResponseRedirect(index)
    if not may_enter(request):
        return redirect_to_sign_in(request)
    message = _("This page was opened in an earlier session.")
    if is_script_request(request):
        return JsonResponse({"why": f"{message} {_('Nothing was saved.')}"}, status=403)
    messages.warning(request, f"{message} {_('Nothing was done; please try again.')}")
    return HttpResponseRedirect(get_referrer_path(request))
