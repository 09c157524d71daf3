"""Embeds, link pictures, feeds, the calendar and the club screen."""
