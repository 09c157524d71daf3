"""Reads what a page shows of itself where its address is shared."""

import re
from html import unescape

#: The words of a page that has none of its own.
DEFAULT = "Ratings, ladders and games, with every number explained"


def read_shared(page: str) -> tuple[str, str, str]:
    """Return the title of a page, and the title and words for those who share it."""
    titles = re.findall(r"<title>(.*?)</title>", page, re.DOTALL)
    shared = dict(re.findall(r'<meta property="(og:\w+)" content="([^"]*)">', page))
    return unescape(titles[0]), unescape(shared["og:title"]), unescape(shared["og:description"])
