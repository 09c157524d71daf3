"""The end of notices by mail: by the link of one, for whoever has the mail, without signing in.

Opening it ends nothing, for programs open links; pressing a key does, and so does the POST that mail programs send for
their own key "unsubscribe" (RFC 8058), which comes without cookie or form key: the signature in the address is all.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from league.apps.notices.models import Notice
from league.apps.notices.services.choices import Subscription, end, subscription_of
from league.core.errors import NotFound
from league.web.sign_in.secret_link_pages import hidden

#: Sent by the key that ends notices of one kind only.
ONE_KIND = "kind"


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ask what is to end, or end it."""
    try:
        if request.method == "POST":
            all_kinds = request.POST.get("end") != ONE_KIND
            return page(request, end(token, all_kinds=all_kinds), "all" if all_kinds else ONE_KIND)
        return page(request, subscription_of(token), "")
    except NotFound as error:
        context = {"title": gettext("Notices"), "sentence": error.detail}
        return hidden(render(request, "web/sentence.html", context, status=404))


def page(request: HttpRequest, found: Subscription, ended: str) -> HttpResponse:
    """Return the page in the league's language; ``ended`` is what was: "all", "kind", or nothing yet."""
    with translation.override(found.league.language):
        context = {
            "of": found.league.title,
            "kind": gettext(str(Notice.Kind(found.kind).label)),
            "ended": ended,
            "language": found.league.language,
        }
        return hidden(render(request, "apps/notices/unsubscribe.html", context))
