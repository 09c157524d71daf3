"""Declares what this app adds to a site."""

from league.core.capabilities import CapabilityConfig


class SharingConfig(CapabilityConfig):
    """Embeds, link pictures, feeds, the calendar and the wall."""

    name = "league.apps.sharing"
    link_picture = "league.apps.sharing.previews.draw_table_card"
    public_urls = "league.apps.sharing.urls.PUBLIC"
