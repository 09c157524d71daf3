"""The page that makes the first account of a new site, by the link that ``manage.py serve`` prints at its start."""

from typing import Any

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from league.desk.invited import AccountForm
from league.desk.links import hidden, unknown
from league.desk.login import answered
from league.desk.second import BACKEND, ask_second_step
from league.errors import NotFound
from league.services.accounts import second_factor
from league.services.accounts.first_account import PURPOSE, UNKNOWN, create_first_account, is_open

TITLE = gettext_noop("Set up this site")


@sensitive_post_parameters()
@never_cache
def first_account(request: HttpRequest, secret: str) -> HttpResponse:
    """Ask for the first account and create it; then lead to the page that starts a league."""
    if not is_open(secret):
        return unknown(request, PURPOSE, _(TITLE), _(UNKNOWN))
    form = AccountForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        data = form.cleaned_data
        try:
            user = create_first_account(secret, data["username"], data["password1"], data["email"])
        except NotFound:
            return unknown(request, PURPOSE, _(TITLE), _(UNKNOWN))
        return answered(request, signed_in(request, user))
    return hidden(render(request, "look/first_account.html", {"form": form, "title": _(TITLE)}))


def signed_in(request: HttpRequest, user: Any) -> HttpResponse:
    """Sign the new account in, or lead it to its second step where the site demands one."""
    onward = reverse("desk:found")
    if second_factor.is_required(user):
        return ask_second_step(request, user, onward)
    login(request, user, backend=BACKEND)
    return HttpResponseRedirect(onward)
