"""Parts that capabilities add to the organiser's pages."""

from typing import NamedTuple

from django.utils.safestring import SafeString


class HomePanel(NamedTuple):
    """A part of a league's first page: its HTML, whether it comes before the evening, and the decisions due in it."""

    html: SafeString
    comes_first: bool = False
    due: int = 0
    #: The line about these decisions.
    due_html: SafeString = SafeString("")
