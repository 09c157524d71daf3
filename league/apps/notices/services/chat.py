"""Notices as message bodies for Discord, Slack and Matrix; user texts contain no markup and mention no one.

Discord: Execute Webhook, with 2,000 characters of content and embeds of 4,096 (UTF-16), and allowed_mentions. Slack:
incoming webhooks, with blocks of plain text (header 150 characters, section 3,000) in which & < > are entities. Matrix:
generic webhooks of matrix-hookshot, with text and html.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from league.apps.notices.models import Notice
from league.apps.notices.services.render import HEADING_MARK, Escape, NoticeText, render_notice, render_test_notice
from league.core.log.chain import canonical
from league.models import League

#: Characters with a meaning in Discord's Markdown.
DISCORD_MARKUP = re.compile(r"[\\`*_~|<>\[\]()#:-]")
#: Inserted after @, so that @everyone, @here or @room mention no one.
ZERO_WIDTH_SPACE = "\u200b"
#: Maximum lengths in UTF-16 code units.
MAX_DISCORD_CONTENT, MAX_DISCORD_DESCRIPTION = 2000, 4096
MAX_SLACK_HEADER, MAX_SLACK_SECTION, MAX_SLACK_TEXT = 150, 3000, 3900
MAX_MATRIX_TEXT = 16_000
#: Maximum number of sections in a Slack message; Slack allows fifty blocks.
MAX_SLACK_SECTIONS = 40
SLACK_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def disable_mentions(text: str) -> str:
    """Return a text in which @ mentions no one."""
    return text.replace("@", f"@{ZERO_WIDTH_SPACE}")


def escape_for_discord(text: str) -> str:
    """Return a text with Discord's markup escaped."""
    return disable_mentions(DISCORD_MARKUP.sub(lambda match: f"\\{match[0]}", text))


def escape_for_slack(text: str) -> str:
    """Return a text with Slack's markup escaped."""
    return disable_mentions("".join(SLACK_ENTITIES.get(letter, letter) for letter in text))


def _build_discord_message(words: NoticeText) -> dict[str, Any]:
    lines = [_format_discord_line(line) for block in words.blocks for line in (*block, "")]
    embed: dict[str, Any] = {"description": cut_lines(lines, MAX_DISCORD_DESCRIPTION)}
    if words.link:
        embed |= {"title": _translate_link_label(words), "url": words.link}
    return {
        "content": cut_text(f"**{words.title}**", MAX_DISCORD_CONTENT, "**"),
        "embeds": [embed],
        "allowed_mentions": {"parse": []},
    }


def _format_discord_line(line: str) -> str:
    return f"**{line.removeprefix(HEADING_MARK)}**" if line.startswith(HEADING_MARK) else line


def _build_slack_message(words: NoticeText) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": _build_slack_text(cut_text(words.title, MAX_SLACK_HEADER))}
    ]
    texts = [
        cut_lines([line.removeprefix(HEADING_MARK) for line in block], MAX_SLACK_SECTION) for block in words.blocks
    ]
    blocks += [{"type": "section", "text": _build_slack_text(text)} for text in texts[:MAX_SLACK_SECTIONS]]
    text = cut_lines([words.title, "", *words.text.split("\n")], MAX_SLACK_TEXT)
    if words.link:
        link = f"<{words.link}|{_translate_link_label(words)}>"
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": link}]})
        text = f"{text}\n{link}"
    return {"text": text, "blocks": blocks, "unfurl_links": False}


def _build_slack_text(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}


def _build_matrix_message(words: NoticeText) -> dict[str, Any]:
    text = cut_lines(
        [words.title, "", *words.text.split("\n"), "", *([words.link] if words.link else [])], MAX_MATRIX_TEXT
    )
    html = render_to_string("apps/notices/notice.html", {"words": words, "opened": _translate_link_label(words)})
    return {"text": text, "html": html.strip()}


def _translate_link_label(words: NoticeText) -> str:
    with translation.override(words.language):
        return _("View")


def cut_text(text: str, limit: int, end: str = "") -> str:
    """Return a text of at most ``limit`` UTF-16 code units that ends with ``end``; escapes are not split."""
    if utf16_length(text) <= limit:
        return text
    text = text.removesuffix(end)
    while utf16_length(text) + len(end) + 1 > limit:
        text = text[: -max(1, (utf16_length(text) + len(end) + 1 - limit) // 2)]
    return re.sub(r"(&[a-z]*|\\+)$", "", text) + f"…{end}"


def cut_lines(lines: Iterable[str], limit: int) -> str:
    """Return as many complete lines as fit, or the first line cut if it is too long."""
    shown: list[str] = []
    for line in lines:
        if utf16_length("\n".join([*shown, line])) > limit - 2:
            shown.append("…" if shown else cut_text(line, limit))
            break
        shown.append(line)
    return "\n".join(shown).strip("\n")


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


FORMATS: Mapping[str, tuple[Escape, Callable[[NoticeText], dict[str, Any]]]] = {
    "discord": (escape_for_discord, _build_discord_message),
    "slack": (escape_for_slack, _build_slack_message),
    "matrix": (disable_mentions, _build_matrix_message),
}


def render_body(form: str, league: League, notice: Notice | None) -> bytes:
    """Return the message body of a notice, or of a test if ``notice`` is None."""
    escape, build_message = FORMATS[form]
    words = render_test_notice(league, escape) if notice is None else render_notice(notice, league, escape)
    return canonical(build_message(words)).encode()
