"""sitemap.xml and robots.txt."""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from league.models import Ladder, League
from league.web.absolute_urls import build_absolute_url

if TYPE_CHECKING:  # generic in the stubs only
    LeagueMap = Sitemap[League]
    LadderMap = Sitemap[Ladder]
else:
    LeagueMap = LadderMap = Sitemap


class SiteSitemap:
    """Uses the configured origin of the site, if any."""

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
        """Return the path of a league."""
        return reverse("pages:league", args=[item.slug])


class LadderSitemap(SiteSitemap, LadderMap):
    """The ladders of public leagues."""

    changefreq = "daily"

    def items(self) -> QuerySet[Ladder]:
        """Return the ladders."""
        public = Ladder.objects.filter(league__visibility=League.Visibility.PUBLIC)
        return public.select_related("league").order_by("pk")

    def location(self, item: Ladder) -> str:
        """Return the path of a ladder."""
        return reverse("pages:ladder", args=[item.league.slug, item.slug])


MAPS = {"leagues": LeagueSitemap, "ladders": LadderSitemap}


def index(request: HttpRequest) -> HttpResponse:
    """Return the sitemap index."""
    addresses = [build_absolute_url(request, reverse("sitemap-part", args=[name])) for name in MAPS]
    context = {"sitemaps": [{"location": address, "last_mod": None} for address in addresses]}
    return render(request, "sitemap_index.xml", context, content_type="application/xml")


def robots(request: HttpRequest) -> HttpResponse:
    """Return robots.txt."""
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in ("/admin/", "/api/", *settings.RUNGS_LINK_PATHS)),
        "Disallow: /*?",
        # Link previews with a language parameter: the longer rule takes precedence.
        "Allow: /*/card.png",
        f"Sitemap: {build_absolute_url(request, reverse('sitemap'))}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
