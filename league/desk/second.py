"""The second step of signing in: asked for after the password, set up, renewed and ended by whoever has it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME, get_user_model, login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.debug import sensitive_post_parameters

from league.asker import address_of, network_of
from league.desk.again import ask_again
from league.desk.login import answered, in_words, tell
from league.desk.sessions import just_proved, note_steps, now
from league.qr import drawn
from league.services.accounts import second_factor
from league.services.accounts.logins import spend, succeed

#: The mark of a session in which somebody has given the right password, and for how long that is good, in seconds.
PENDING, GOOD_FOR = "rungs_pending", 600
#: Which device is being set up in a session.
BEGUN_HERE = "rungs_device"
BACKEND = "django.contrib.auth.backends.ModelBackend"


class CodeForm(forms.Form):
    """A code of six digits, or a recovery code."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false", "autofocus": True}
        ),
    )


class SignIn(LoginView):
    """Signs in by a password, and asks for the second step where there is one or must be one."""

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, or go on to the second step."""
        user: Any = form.get_user()
        if not second_factor.is_set_up(user) and not second_factor.is_required(user):
            return super().form_valid(form)
        return ask_second_step(self.request, user, self.get_success_url())


def ask_second_step(request: HttpRequest, user: Any, onward: str) -> HttpResponse:
    """Lead a user who gave the right password to the second step, and after it to an address."""
    # Under a new key: nobody who knew the one before may go on from here.
    request.session.flush()
    request.session[PENDING] = {
        "user": user.pk,
        "at": now(),
        "next": onward,
        "password": user.get_session_auth_hash(),
    }
    return HttpResponseRedirect(reverse("code" if second_factor.is_set_up(user) else "second"))


def pending(request: HttpRequest) -> tuple[Any, str]:
    """Return who has given their password here lately, and where they go then; nobody where it is theirs no longer."""
    held: dict[str, Any] = request.session.get(PENDING) or {}
    if now() - held.get("at", 0) > GOOD_FOR:
        return None, ""
    user: Any = get_user_model().objects.filter(pk=held.get("user", 0), is_active=True).first()
    if user is None or not constant_time_compare(held.get("password", ""), user.get_session_auth_hash()):
        return None, ""
    return user, held.get("next", "")


def sign_in(request: HttpRequest, user: Any) -> None:
    """Let somebody in who has taken both steps, with a session of its own."""
    request.session.flush()
    login(request, user, backend=BACKEND)
    note_steps(request.session)


def safe(request: HttpRequest, address: str) -> str:
    """Return an address of this site, the desk's where it is none."""
    fine = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if fine else reverse("admin:index")


@sensitive_post_parameters("code")
def code(request: HttpRequest) -> HttpResponse:
    """Ask for the second step, after the password."""
    user, onward = pending(request)
    if user is None:
        messages.warning(request, _("This page was too old. Sign in again."))
        return HttpResponseRedirect(reverse("admin:login"))
    form = CodeForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_bound and form.is_valid():
        checked = tried(request, user, form.cleaned_data["code"])
        tell("Right code" if checked.right else "Refused: wrong code", user.get_username(), request)
        if checked.right:
            sign_in(request, user)
            tell_left(request, checked.left)
            return answered(request, HttpResponseRedirect(safe(request, onward)))
        status = 429 if checked.wait else 200
        form.add_error(None, wrong(checked.wait))
    return render(request, "look/code.html", {"form": form, "whose": user.get_username()}, status=status)


def tried(request: HttpRequest, user: Any, typed: str) -> second_factor.Checked:
    """Look at a code, unless too many were tried."""
    # No username has a colon.
    whose = (f"code: {user.pk}", network_of(address_of(request)))
    wait = spend(*whose).wait
    if wait:
        return second_factor.Checked(False, wait=wait)
    checked = second_factor.check(user, typed)
    if checked.right:
        succeed(*whose)
    return checked


def wrong(wait: int) -> str:
    """Return what is said of a code that was not right, or not looked at."""
    if wait:
        return _("Too many wrong codes. Wait {time}, then try again.").format(time=in_words(wait))
    return _("This code is not right, or was used before. Wait for the next one of your app.")


def tell_left(request: HttpRequest, left: int | None) -> None:
    """Say how many recovery codes are left to whoever has just used one."""
    if left is not None:
        said = ngettext(
            "You used a recovery code; {count} is left.", "You used a recovery code; {count} are left.", left
        )
        messages.warning(request, said.format(count=left))


@sensitive_post_parameters("code")
def second(request: HttpRequest) -> HttpResponse:
    """Set up a second step, make new recovery codes, or end it."""
    user, onward = (request.user, "") if request.user.is_authenticated else pending(request)
    if user is None:
        return HttpResponseRedirect(f"{reverse('admin:login')}?{REDIRECT_FIELD_NAME}={reverse('second')}")
    if second_factor.is_set_up(user):
        return kept(request, user) if request.user.is_authenticated else HttpResponseRedirect(reverse("code"))
    if request.user.is_authenticated and not just_proved(request.session):
        return ask_again(request)
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        codes = second_factor.set_up(user, form.cleaned_data["code"], session=request.session.session_key)
        if codes:
            tell("Second step switched on", user.get_username(), request)
            if request.user.is_authenticated:
                note_steps(request.session)
            else:
                sign_in(request, user)
            return answered_codes(request, codes, safe(request, onward))
        form.add_error(None, wrong(0))
    device = second_factor.begun(user, request.session.get(BEGUN_HERE))
    request.session[BEGUN_HERE] = device.pk
    secret = device.config_url.partition("secret=")[2].partition("&")[0]
    shown = " ".join(secret[start : start + 4] for start in range(0, len(secret), 4))
    context = {
        "form": form,
        "drawn": drawn(device.config_url),
        "secret": shown,
        "whose": user.get_username(),
        "must": second_factor.is_required(user),
    }
    return render(request, "look/second.html", context)


def kept(request: HttpRequest, user: Any) -> HttpResponse:
    """Show whoever has a second step what they may do with it."""
    if request.method == "POST":
        if not just_proved(request.session):
            return ask_again(request)
        if "_codes" in request.POST:
            return answered_codes(request, second_factor.new_codes(user), reverse("admin:index"))
        if "_end" in request.POST and not second_factor.is_required(user):
            tell("Second step ended", user.get_username(), request)
            second_factor.drop(user, session=request.session.session_key)
            messages.success(request, _("You sign in by your password alone now."))
            return HttpResponseRedirect(reverse("second"))
    context = {"left": second_factor.codes_left(user), "must": second_factor.is_required(user)}
    return render(request, "look/second_kept.html", context)


def answered_codes(request: HttpRequest, codes: list[str], onward: str) -> HttpResponse:
    """Show recovery codes, this once."""
    return answered(request, render(request, "look/codes.html", {"codes": codes, "onward": onward}))
