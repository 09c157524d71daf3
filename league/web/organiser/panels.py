"""Panels that apps add to the organiser's pages."""

from typing import NamedTuple

from django.utils.safestring import SafeString


class HomePanel(NamedTuple):
    """A panel on the overview: its HTML, whether it comes before the evening, and its number of due decisions."""

    html: SafeString
    comes_first: bool = False
    due: int = 0
    #: The line about the due decisions.
    due_html: SafeString = SafeString("")
