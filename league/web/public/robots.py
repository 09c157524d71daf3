"""What machines look for: the map of the site, and what they may read."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from league.models import Ladder, League
from league.web.absolute_urls import absolute

if TYPE_CHECKING:  # generic in the stubs only
    LeagueMap = Sitemap[League]
    LadderMap = Sitemap[Ladder]
else:
    LeagueMap = LadderMap = Sitemap


class SiteSitemap:
    """Addresses that begin where the site says it is found."""

    def get_domain(self, site: Any = None) -> str:
        """Return the host."""
        return urlsplit(settings.RUNGS_ORIGIN).netloc or str(super().get_domain(site))  # type: ignore[misc]  # a mixin

    def get_protocol(self, protocol: str | None = None) -> str:
        """Return http or https."""
        return urlsplit(settings.RUNGS_ORIGIN).scheme or str(super().get_protocol(protocol))  # type: ignore[misc]  # a mixin


class LeagueSitemap(SiteSitemap, LeagueMap):
    """The public leagues."""

    changefreq = "daily"

    def items(self) -> QuerySet[League]:
        """Return the public leagues."""
        return League.objects.filter(visibility=League.Visibility.PUBLIC).order_by("pk")

    def location(self, item: League) -> str:
        """Return where a league is."""
        return reverse("pages:league", args=[item.slug])


class LadderSitemap(SiteSitemap, LadderMap):
    """The ladders of public leagues."""

    changefreq = "daily"

    def items(self) -> QuerySet[Ladder]:
        """Return the ladders."""
        public = Ladder.objects.filter(league__visibility=League.Visibility.PUBLIC)
        return public.select_related("league").order_by("pk")

    def location(self, item: Ladder) -> str:
        """Return where a ladder is."""
        return reverse("pages:ladder", args=[item.league.slug, item.slug])


MAPS = {"leagues": LeagueSitemap, "ladders": LadderSitemap}


def index(request: HttpRequest) -> HttpResponse:
    """List the parts of the map."""
    parts = [absolute(request, reverse("sitemap-part", args=[name])) for name in MAPS]
    context = {"sitemaps": [{"location": part, "last_mod": None} for part in parts]}
    return render(request, "sitemap_index.xml", context, content_type="application/xml")


def robots(request: HttpRequest) -> HttpResponse:
    """Say what machines need not read, and where the map is."""
    lines = [
        "User-agent: *",
        "Disallow: /admin/",
        "Disallow: /api/",
        "Disallow: /report/",
        "Disallow: /*?",
        # What chats show of a link, in its language: the longer line goes before the shorter one.
        "Allow: /*/card.png",
        f"Sitemap: {absolute(request, reverse('sitemap'))}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
