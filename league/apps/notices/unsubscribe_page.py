"""Unsubscribing from notices with the link in a mail, without signing in.

Opening the page changes nothing, as mail programs open links; a button or the One-Click POST of mail programs (RFC
8058) does. That POST has no cookie or CSRF token; the signature in the URL is enough.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from league.apps.notices.models import Notice
from league.apps.notices.services.choices import Subscription, end_notices, find_subscription
from league.core.errors import NotFound
from league.web.sign_in.secret_link_pages import hide_page

#: Value of the button that ends notices of one kind only.
ONE_KIND = "kind"


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ask what to end, or end it."""
    try:
        if request.method == "POST":
            all_kinds = request.POST.get("end") != ONE_KIND
            return _render_page(request, end_notices(token, all_kinds=all_kinds), "all" if all_kinds else ONE_KIND)
        return _render_page(request, find_subscription(token), "")
    except NotFound as error:
        context = {"title": gettext("Notices"), "sentence": error.detail}
        return hide_page(render(request, "web/sentence.html", context, status=404))


def _render_page(request: HttpRequest, subscription: Subscription, ended: str) -> HttpResponse:
    with translation.override(subscription.league.language):
        context = {
            "of": subscription.league.title,
            "kind": gettext(str(Notice.Kind(subscription.kind).label)),
            "ended": ended,
            "language": subscription.league.language,
        }
        return hide_page(render(request, "apps/notices/unsubscribe.html", context))
