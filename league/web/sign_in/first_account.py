"""The page that creates the first account of a new site; ``rungs serve`` prints its link."""

from allauth.account.utils import perform_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from league.core.accounts.services.first_account import UNKNOWN, create_first_account, is_open
from league.core.errors import NotFound
from league.web.sign_in.invitation_page import AccountForm
from league.web.sign_in.secret_link_pages import hide_page, unknown_link_page

TITLE = gettext_noop("Set up this site")


@sensitive_post_parameters()
@never_cache
def first_account(request: HttpRequest, secret: str) -> HttpResponse:
    """Create the first account, then redirect to the page that creates a league."""
    if not is_open(secret):
        return unknown_link_page(request, _(TITLE), _(UNKNOWN))
    form = AccountForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        data = form.cleaned_data
        try:
            user = create_first_account(secret, data["username"], data["password1"], data["email"])
        except NotFound:
            return unknown_link_page(request, _(TITLE), _(UNKNOWN))
        response: HttpResponse = perform_login(request, user, redirect_url=reverse("desk:found"))
        return response
    return hide_page(render(request, "web/sign_in/first_account.html", {"form": form, "title": _(TITLE)}))
