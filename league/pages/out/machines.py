"""What machines look for: the map of the site, and what they may read."""

from typing import TYPE_CHECKING

from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from league.addresses import absolute
from league.models import Ladder, League

if TYPE_CHECKING:  # generic in the stubs only
    LeagueMap = Sitemap[League]
    LadderMap = Sitemap[Ladder]
else:
    LeagueMap = LadderMap = Sitemap


class Leagues(LeagueMap):
    """The public leagues."""

    changefreq = "daily"

    def items(self) -> QuerySet[League]:
        """Return the public leagues."""
        return League.objects.filter(visibility=League.Visibility.PUBLIC).order_by("pk")

    def location(self, item: League) -> str:
        """Return where a league is."""
        return reverse("pages:league", args=[item.slug])


class Ladders(LadderMap):
    """The ladders of public leagues."""

    changefreq = "daily"

    def items(self) -> QuerySet[Ladder]:
        """Return the ladders."""
        public = Ladder.objects.filter(league__visibility=League.Visibility.PUBLIC)
        return public.select_related("league").order_by("pk")

    def location(self, item: Ladder) -> str:
        """Return where a ladder is."""
        return reverse("pages:ladder", args=[item.league.slug, item.slug])


MAPS = {"leagues": Leagues, "ladders": Ladders}


def robots(request: HttpRequest) -> HttpResponse:
    """Say what machines need not read, and where the map is."""
    lines = [
        "User-agent: *",
        "Disallow: /admin/",
        "Disallow: /api/",
        "Disallow: /report/",
        "Disallow: /*?",
        f"Sitemap: {absolute(request, reverse('sitemap'))}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
