"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig, Pages, Urls


class SharingConfig(CapabilityConfig):
    """Embeds, link pictures, feeds, the calendar and the wall."""

    name = "league.apps.sharing"
    urls = Urls(public="league.apps.sharing.urls.PUBLIC")
    pages = Pages(link_picture="league.apps.sharing.previews.draw_table_card")
