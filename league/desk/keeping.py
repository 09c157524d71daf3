"""What was typed into a form of the admin site comes back when the session, or the form's key, had ended meanwhile.

It goes into a signed cookie of this browser, for an hour, and comes back on the same page after the login: filled in
and not carried out. Nothing of it stands in an address or in the database. Buttons and passwords are left out;
what is longer than a cookie holds is not kept, and the login page says so. It is of whoever was signed in on the page
of the form, which the form's own key tells: another one who signs in there does not get it, and where nothing tells
whose it is, it is not kept.
"""

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse, QueryDict
from django.middleware.csrf import CSRF_ALLOWED_CHARS, CSRF_SECRET_LENGTH, CSRF_TOKEN_LENGTH, get_token
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

COOKIE, KEPT_FOR = "rungs_typed", timedelta(hours=1)
#: The cookie that tells of the keys of forms who was signed in on their pages: so many keys, of so long ago.
WHOSE, WHOSE_FOR, MOST_KEYS = "rungs_whose", timedelta(days=60), 4
#: The buttons whose names do not begin with “_”.
BUTTONS = frozenset(
    ("adopt", "all_new", "back", "end", "known", "leave", "make", "months", "pick", "repeat", "take"),
)
#: Most bytes of a cookie that every browser and server takes; most letters that are packed at all.
MOST_BYTES, MOST_LETTERS = 3800, 40_000

ENDED = gettext_noop("Your session had ended.")
COMES_BACK = gettext_noop("What you typed is kept and comes back when you have signed in.")
EARLIER = gettext_noop("This page was open in an earlier session.")
NOBODYS = gettext_noop(
    "What you typed is not kept, for nothing tells here whose it is: your browser's way back leads to it."
)
OTHERS = gettext_noop("What somebody else had typed in this browser was thrown away.")
TOO_LONG = gettext_noop("What you typed is too long to be kept here: your browser's way back leads to it.")


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


def secret_of(key: str) -> str:
    """Return the secret of a form's key. On pages one half of the key says how the letters of the other are turned."""
    if len(key) != CSRF_TOKEN_LENGTH or set(key) - set(CSRF_ALLOWED_CHARS):
        return key
    at = CSRF_ALLOWED_CHARS.index
    halves = zip(key[CSRF_SECRET_LENGTH:], key[:CSRF_SECRET_LENGTH], strict=True)
    return "".join(CSRF_ALLOWED_CHARS[at(letter) - at(turn)] for letter, turn in halves)


def mark_of(key: str) -> str:
    """Return what stands for the key of a form in a cookie."""
    return salted_hmac(WHOSE, secret_of(key), algorithm="sha256").hexdigest()[:20]


def owners(request: HttpRequest) -> dict[str, int]:
    """Return of the marks of keys that a browser knows who was signed in on their pages."""
    try:
        return dict(signing.loads(request.COOKIES.get(WHOSE, ""), salt=WHOSE, max_age=WHOSE_FOR))
    except (signing.BadSignature, ValueError, TypeError):
        return {}


def typist(request: HttpRequest) -> int | None:
    """Return who was signed in on the page of a form that was sent; None where nothing tells."""
    return owners(request).get(mark_of(request.POST.get("csrfmiddlewaretoken", "")))


def owned(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Have the browser of somebody who is signed in know whose the forms of a page are."""
    if request.user.pk is None:
        return answer
    get_token(request)
    known, mark = owners(request), mark_of(request.META["CSRF_COOKIE"])
    if known.get(mark) == request.user.pk:
        return answer
    others = [(one, whose) for one, whose in known.items() if one != mark]
    marks = [*others, (mark, request.user.pk)][-MOST_KEYS:]
    return with_cookie(request, answer, WHOSE, signing.dumps(marks, salt=WHOSE), WHOSE_FOR)


def packed(request: HttpRequest, whose: int) -> str:
    """Return the cookie that keeps what somebody typed; "" where it is too long."""
    fields = typed(request)
    if sum(len(name) + len(value) for name, value in fields) > MOST_LETTERS:
        return ""
    text = signing.dumps([request.get_full_path(), whose, fields], salt=COOKIE, compress=True)
    return text if len(text) <= MOST_BYTES else ""


def to_login(request: HttpRequest) -> HttpResponse:
    """Lead somebody whose session has ended to the login, and then back to what they typed."""
    if asked_by_script(request):
        return JsonResponse({"why": f"{_(ENDED)} {_('Sign in, then it is done.')}"}, status=401)
    if not typed(request):
        messages.warning(request, f"{_(ENDED)} {_('Sign in, then do it again.')}")
        return redirect_to_login(page_before(request), reverse("admin:login"))
    whose = typist(request)
    cookie = packed(request, whose) if whose is not None else ""
    messages.warning(request, f"{_(ENDED)} {_(COMES_BACK if cookie else NOBODYS if whose is None else TOO_LONG)}")
    return keep(request, redirect_to_login(request.get_full_path(), reverse("admin:login")), cookie)


def once_more(request: HttpRequest) -> HttpResponse:
    """Show a form again whose key was of an earlier session, with what was typed."""
    if asked_by_script(request):
        return JsonResponse({"why": f"{_(EARLIER)} {_('Nothing was written.')}"}, status=403)
    if not typed(request):
        messages.warning(request, f"{_(EARLIER)} {_('Nothing was done: do it again.')}")
        return HttpResponseRedirect(page_before(request))
    whose = typist(request)
    cookie = packed(request, whose) if whose is not None and whose == request.user.pk else ""
    if not cookie:
        why = NOBODYS if whose is None else TOO_LONG if whose == request.user.pk else OTHERS
        messages.warning(request, f"{_(EARLIER)} {_('Nothing was written.')} {_(why)}")
    return keep(request, HttpResponseRedirect(request.get_full_path()), cookie)


def keep(request: HttpRequest, answer: HttpResponse, cookie: str) -> HttpResponse:
    """Have the browser keep what was typed, if there is something."""
    return with_cookie(request, answer, COOKIE, cookie, KEPT_FOR) if cookie else answer


def with_cookie(request: HttpRequest, answer: HttpResponse, name: str, value: str, age: timedelta) -> HttpResponse:
    """Have the browser keep a cookie for the desk's pages."""
    answer.set_cookie(
        name,
        value,
        max_age=age,
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
    if whose != request.user.pk:
        messages.warning(request, _(OTHERS))
        return forgotten(show())
    if address != request.get_full_path():
        return show()
    data = QueryDict(mutable=True)
    for name, value in fields:
        data.appendlist(name, value)
    request.POST = data  # type: ignore[assignment]  # what a form is filled with
    messages.warning(request, _("This is what you typed before your session had ended. Nothing was written yet."))
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
