"""Asking for the password again before what reaches far: tokens, members, links to passwords, the second step."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from league.asker import address_of, network_of
from league.desk.csrf import page_before
from league.desk.links import sentence
from league.desk.login import in_words, tell
from league.desk.sessions import just_proved, note_proof
from league.services.accounts.logins import spend, succeed


class AgainForm(forms.Form):
    """The password of whoever is signed in."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", "autofocus": True}),
    )


def proved(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let a form be carried out for whoever gave their password lately; others give it, and do it again."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and request.user.is_authenticated and not just_proved(request.session):
            messages.warning(request, _("Nothing was done yet: give your password, then do it again."))
            return ask_again(request)
        return view(request, *args, **kwargs)

    return guarded


def ask_again(request: HttpRequest) -> HttpResponse:
    """Lead to the page that asks for the password, and back."""
    back = page_before(request) if request.method == "POST" and request.path.startswith("/admin/") else request.path
    return HttpResponseRedirect(f"{reverse('again')}?{urlencode({REDIRECT_FIELD_NAME: back})}")


@sensitive_post_parameters("password")
@login_required
def again(request: HttpRequest) -> HttpResponse:
    """Ask for the password again; who guesses is slowed down as at the login."""
    form = AgainForm(request.POST if request.method == "POST" else None)
    onward = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME, "")
    if not url_has_allowed_host_and_scheme(onward, {request.get_host()}, require_https=request.is_secure()):
        onward = reverse("admin:index")
    status = 200
    if form.is_bound and form.is_valid():
        whose = (request.user.get_username(), network_of(address_of(request)))
        wait = spend(*whose).wait
        if not wait and request.user.check_password(form.cleaned_data["password"]):
            succeed(*whose)
            tell("Right password, again", request.user.get_username(), request)
            note_proof(request.session)
            return HttpResponseRedirect(onward)
        tell("Refused: wrong password, again", request.user.get_username(), request)
        text = _("Too many wrong passwords. Wait {time}, then try again.").format(time=in_words(wait))
        form.add_error("password", text if wait else _("This is not your password."))
        status = 429 if wait else 200
    return render(request, "look/again.html", {"form": form, "next": onward}, status=status)


def changed(request: HttpRequest, change: Callable[[], HttpResponse]) -> HttpResponse:
    """Have a password changed by whoever knows the present one; who guesses it is slowed down as at the login."""
    if request.method != "POST":
        return change()
    name = request.user.get_username()
    whose = (name, network_of(address_of(request)))
    wait = spend(*whose).wait
    if wait:
        tell("Refused: too many wrong passwords, at its change", name, request)
        text = _("Too many wrong passwords. Wait {time}, then try again.").format(time=in_words(wait))
        answer = sentence(request, _("New password"), text, 429)
        answer["Retry-After"] = str(wait)
        return answer
    answer = change()
    if answer.status_code == 302:
        succeed(*whose)
        tell("New password by the present one", name, request)
    elif "old_password" in getattr(getattr(answer, "context_data", {}).get("form"), "errors", {}):
        tell("Refused: wrong password, at its change", name, request)
    return answer
