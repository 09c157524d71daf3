"""Parts that capabilities add to public pages and feeds."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

from league.core.capabilities import load_declared
from league.models import League


class LinkTable(NamedTuple):
    """What the link picture of a page shows: rows of rank, name, a name in plain letters, and figure.

    ``is_ranking``: whether the first three get medals; other rows are numbered by table, round or entry.
    """

    title: str
    under: str
    path: str
    rows: Sequence[tuple[int, str, str, str]]
    empty: str = ""
    is_ranking: bool = False


class PageTab(NamedTuple):
    """A tab of a league's pages; ``key`` is the ``tab`` of the pages behind it."""

    key: str
    label: str
    address: str


def build_league_tabs(league: League) -> list[PageTab]:
    """Return the tabs that capabilities add to the pages of a league."""
    builders = load_declared(lambda app: app.pages.league_tab)
    return [tab for build_tab in builders if (tab := build_tab(league)) is not None]


class FrontNote(NamedTuple):
    """What runs or ends soon in a league, for the first page; ``address``: of its page.

    ``list_address``: of the page that lists all like it, "" if that is the league's board.
    """

    text: str
    address: str
    list_address: str = ""


class CalendarEvent(NamedTuple):
    """An event of a league's calendar: from a time to another, or all of a day if that is how it starts.

    ``uid`` is unique in the league; ``address``: a path of the site.
    """

    uid: str
    starts_at: datetime | date
    ends_at: datetime | date
    title: str
    description: str
    location: str
    address: str
    is_cancelled: bool = False
