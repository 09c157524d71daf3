"""What was typed into a form of the admin site comes back when the session, or the form's key, had ended meanwhile.

It goes into a signed cookie of this browser, for an hour, and comes back on the same page after the login: filled in
and not carried out. Nothing of it stands in an address or in the database. Buttons and passwords are left out;
what is longer than a cookie holds is not kept, and the login page says so. It is of whoever signed in last in this
browser: another one who signs in there does not get it.
"""

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.urls import reverse

from league.desk.login import folded, last_known

COOKIE, KEPT_FOR = "rungs_typed", timedelta(hours=1)
#: The buttons whose names do not begin with “_”.
BUTTONS = frozenset(
    ("adopt", "all_new", "back", "end", "known", "leave", "make", "months", "pick", "repeat", "take"),
)
#: Most bytes of a cookie that every browser and server takes; most letters that are packed at all.
MOST_BYTES, MOST_LETTERS = 3800, 40_000

ENDED = "Your session had ended."
COMES_BACK = "What you typed is kept and comes back when you have signed in."
TOO_LONG = "What you typed is too long to be kept here: your browser's way back leads to it."


def asked_by_script(request: HttpRequest) -> bool:
    """Tell whether a page's script asked: it takes JSON, and keeps what was typed itself."""
    return request.headers.get("Accept") == "application/json"


def typed(request: HttpRequest) -> list[tuple[str, str]]:
    """Return what somebody typed: no button, no key, no password."""
    return [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if not is_button(name) and name != "csrfmiddlewaretoken" and "password" not in name
    ]


def is_button(name: str) -> bool:
    """Tell whether a field is a button that was pressed."""
    return name.startswith("_") or name in BUTTONS


def typist(request: HttpRequest) -> str:
    """Return who types in a browser: who is signed in, else who was last; "" where it knows nobody."""
    return folded(request.user.get_username()) if request.user.is_authenticated else last_known(request)[0]


def packed(request: HttpRequest) -> str:
    """Return the cookie that keeps what was typed; "" where it is too long."""
    fields = typed(request)
    if sum(len(name) + len(value) for name, value in fields) > MOST_LETTERS:
        return ""
    text = signing.dumps([request.get_full_path(), typist(request), fields], salt=COOKIE, compress=True)
    return text if len(text) <= MOST_BYTES else ""


def to_login(request: HttpRequest) -> HttpResponse:
    """Lead somebody whose session has ended to the login, and then back to what they typed."""
    if asked_by_script(request):
        return JsonResponse({"why": f"{ENDED} Sign in, then it is done."}, status=401)
    if not typed(request):
        messages.warning(request, f"{ENDED} Sign in, then do it again.")
        return redirect_to_login(page_before(request), reverse("admin:login"))
    cookie = packed(request)
    messages.warning(request, f"{ENDED} {COMES_BACK if cookie else TOO_LONG}")
    return with_cookie(request, redirect_to_login(request.get_full_path(), reverse("admin:login")), cookie)


def once_more(request: HttpRequest) -> HttpResponse:
    """Show a form again whose key was of an earlier session, with what was typed."""
    if asked_by_script(request):
        return JsonResponse({"why": "This page was open in an earlier session. Nothing was written."}, status=403)
    if not typed(request):
        messages.warning(request, "This page was open in an earlier session. Nothing was done: do it again.")
        return HttpResponseRedirect(page_before(request))
    cookie = packed(request)
    if not cookie:
        messages.warning(request, f"This page was open in an earlier session. Nothing was written. {TOO_LONG}")
    return with_cookie(request, HttpResponseRedirect(request.get_full_path()), cookie)


def with_cookie(request: HttpRequest, answer: HttpResponse, cookie: str) -> HttpResponse:
    """Have the browser keep what was typed."""
    if cookie:
        answer.set_cookie(
            COOKIE,
            cookie,
            max_age=KEPT_FOR,
            path=reverse("admin:index"),
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )
    return answer


def page_before(request: HttpRequest) -> str:
    """Return the page on which a button without a form was pressed."""
    before = urlsplit(request.headers.get("Referer", ""))
    own = before.netloc == request.get_host() and before.path.startswith(reverse("admin:index"))
    return before.path if own else reverse("admin:index")


def brought_back(request: HttpRequest, show: Callable[[], HttpResponse]) -> HttpResponse:
    """Show a page, filled with what was typed on it before the session had ended.

    The request stays one that only looks: forms are filled from it, and nothing is carried out.
    """
    try:
        address, whose, fields = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=KEPT_FOR)
    except (signing.BadSignature, ValueError):
        return show()
    if whose not in ("", typist(request)):
        return forgotten(show())
    if address != request.get_full_path():
        return show()
    data = QueryDict(mutable=True)
    for name, value in fields:
        data.appendlist(name, value)
    request.POST = data  # type: ignore[assignment]  # what a form is filled with
    messages.warning(request, "This is what you typed before your session had ended. Nothing was written yet.")
    return forgotten(show())


def forgotten(answer: HttpResponse) -> HttpResponse:
    """Have the browser forget what was typed."""
    answer.delete_cookie(COOKIE, path=reverse("admin:index"), samesite="Lax")
    return answer


def is_own(request: HttpRequest) -> bool:
    """Tell whether a form was sent from a page of this site: no stranger's page may fill in our forms."""
    origin = request.headers.get("Origin")
    if origin is None:
        before = urlsplit(request.headers.get("Referer", ""))
        origin = f"{before.scheme}://{before.netloc}" if before.netloc else None
    own = f"{request.scheme}://{request.get_host()}"
    return origin is None or origin == own or origin in settings.CSRF_TRUSTED_ORIGINS
