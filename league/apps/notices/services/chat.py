"""Notices as chats take them: bodies for Discord, Slack and Matrix, in which no one's name is markup or calls anyone.

Discord: Execute Webhook; 2,000 letters of content, embeds of 4,096, counted in UTF-16; allowed_mentions. Slack:
incoming webhooks; blocks of plain text, 150 letters in a header and 3,000 in a section, in which & < > are written as
entities. Matrix: the generic webhooks of matrix-hookshot; text and html.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from league.apps.notices.models import Notice
from league.apps.notices.services.render import HEADING, NoticeText, Say, words_of, words_of_test
from league.core.log.chain import canonical
from league.models import League

#: Letters that Discord's Markdown may read as more than themselves.
MARKUP = re.compile(r"[\\`*_~|<>\[\]()#:-]")
#: Stands behind an @, so that it is no one's name: @everyone, @here, @room.
ZERO_WIDTH = "\u200b"
CONTENT, DESCRIPTION, HEADER, SECTION, FALLBACK, MAX_LENGTH = 2000, 4096, 150, 3000, 3900, 16_000
#: Sections of a Slack message; it takes fifty blocks.
MAX_BLOCKS = 40
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def quiet(text: str) -> str:
    """Return a text in which no @ calls anyone."""
    return text.replace("@", f"@{ZERO_WIDTH}")


def for_discord(text: str) -> str:
    """Return a text that Discord shows as it is."""
    return quiet(MARKUP.sub(lambda found: f"\\{found[0]}", text))


def for_slack(text: str) -> str:
    """Return a text that Slack shows as it is."""
    return quiet("".join(ENTITIES.get(letter, letter) for letter in text))


def discord(words: NoticeText) -> dict[str, Any]:
    """Return a message of Discord: the title as content, the rest as an embed that leads to the site."""
    lines = [bold(line) for block in words.blocks for line in (*block, "")]
    embed: dict[str, Any] = {"description": cut_lines(lines, DESCRIPTION)}
    if words.link:
        embed |= {"title": opened(words), "url": words.link}
    return {
        "content": cut(f"**{words.title}**", CONTENT, "**"),
        "embeds": [embed],
        "allowed_mentions": {"parse": []},
    }


def bold(line: str) -> str:
    """Return a heading in bold letters, another line as it is."""
    return f"**{line.removeprefix(HEADING)}**" if line.startswith(HEADING) else line


def slack(words: NoticeText) -> dict[str, Any]:
    """Return a message of Slack: blocks that it shows as they are, and all of it as text for what knows no blocks."""
    blocks: list[dict[str, Any]] = [{"type": "header", "text": plain_text(cut(words.title, HEADER))}]
    texts = [cut_lines([line.removeprefix(HEADING) for line in block], SECTION) for block in words.blocks]
    blocks += [{"type": "section", "text": plain_text(text)} for text in texts[:MAX_BLOCKS]]
    text = cut_lines([words.title, "", *words.text.split("\n")], FALLBACK)
    if words.link:
        link = f"<{words.link}|{opened(words)}>"
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": link}]})
        text = f"{text}\n{link}"
    return {"text": text, "blocks": blocks, "unfurl_links": False}


def plain_text(text: str) -> dict[str, Any]:
    """Return a text in which Slack reads no markup and no :emoji:."""
    return {"type": "plain_text", "text": text, "emoji": False}


def matrix(words: NoticeText) -> dict[str, Any]:
    """Return a message of Matrix: plain text, and the same as HTML."""
    text = cut_lines([words.title, "", *words.text.split("\n"), "", *([words.link] if words.link else [])], MAX_LENGTH)
    html = render_to_string("apps/notices/notice.html", {"words": words, "opened": opened(words)})
    return {"text": text, "html": html.strip()}


def opened(words: NoticeText) -> str:
    """Return what a link to the site is called."""
    with translation.override(words.language):
        return _("View")


def cut(text: str, most: int, end: str = "") -> str:
    """Return at most so many letters, counted in UTF-16, of a text that ends with ``end``; no escape is cut in two."""
    if units(text) <= most:
        return text
    text = text.removesuffix(end)
    while units(text) + len(end) + 1 > most:
        text = text[: -max(1, (units(text) + len(end) + 1 - most) // 2)]
    return re.sub(r"(&[a-z]*|\\+)$", "", text) + f"…{end}"


def cut_lines(lines: Iterable[str], most: int) -> str:
    """Return as many whole lines as there is room for; where the first is too long, what there is room for of it."""
    kept: list[str] = []
    for line in lines:
        if units("\n".join([*kept, line])) > most - 2:
            kept.append("…" if kept else cut(line, most))
            break
        kept.append(line)
    return "\n".join(kept).strip("\n")


def units(text: str) -> int:
    """Return how long a text is in UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


FORMATS: Mapping[str, tuple[Say, Callable[[NoticeText], dict[str, Any]]]] = {
    "discord": (for_discord, discord),
    "slack": (for_slack, slack),
    "matrix": (quiet, matrix),
}


def body_of(form: str, league: League, notice: Notice | None) -> bytes:
    """Return what a chat is sent of a notice; None is a test."""
    say, message = FORMATS[form]
    words = words_of_test(league, say) if notice is None else words_of(notice, league, say)
    return canonical(message(words)).encode()
