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
from league.core.log.chain import serialize_canonically
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


def _build_discord_message(notice_text: NoticeText) -> dict[str, Any]:
    lines = [_format_discord_line(line) for block in notice_text.blocks for line in (*block, "")]
    embed: dict[str, Any] = {"description": cut_lines(lines, MAX_DISCORD_DESCRIPTION)}
    if notice_text.link:
        embed |= {"title": _translate_link_label(notice_text), "url": notice_text.link}
    return {
        "content": cut_text(f"**{notice_text.title}**", MAX_DISCORD_CONTENT, "**"),
        "embeds": [embed],
        "allowed_mentions": {"parse": []},
    }


def _format_discord_line(line: str) -> str:
    return f"**{line.removeprefix(HEADING_MARK)}**" if line.startswith(HEADING_MARK) else line


def _build_slack_message(notice_text: NoticeText) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": _build_slack_text(cut_text(notice_text.title, MAX_SLACK_HEADER))}
    ]
    texts = [
        cut_lines([line.removeprefix(HEADING_MARK) for line in block], MAX_SLACK_SECTION)
        for block in notice_text.blocks
    ]
    blocks += [{"type": "section", "text": _build_slack_text(text)} for text in texts[:MAX_SLACK_SECTIONS]]
    text = cut_lines([notice_text.title, "", *notice_text.text.split("\n")], MAX_SLACK_TEXT)
    if notice_text.link:
        link = f"<{notice_text.link}|{_translate_link_label(notice_text)}>"
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": link}]})
        text = f"{text}\n{link}"
    return {"text": text, "blocks": blocks, "unfurl_links": False}


def _build_slack_text(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}


def _build_matrix_message(notice_text: NoticeText) -> dict[str, Any]:
    text = cut_lines(
        [notice_text.title, "", *notice_text.text.split("\n"), "", *([notice_text.link] if notice_text.link else [])],
        MAX_MATRIX_TEXT,
    )
    html = render_to_string(
        "apps/notices/notice.html", {"words": notice_text, "opened": _translate_link_label(notice_text)}
    )
    return {"text": text, "html": html.strip()}


def _translate_link_label(notice_text: NoticeText) -> str:
    with translation.override(notice_text.language):
        return _("View")


def cut_text(text: str, limit: int, end: str = "") -> str:
    """Return a text of at most ``limit`` UTF-16 code units that ends with ``end``; escapes are not split."""
    if count_utf16_units(text) <= limit:
        return text
    text = text.removesuffix(end)
    while count_utf16_units(text) + len(end) + 1 > limit:
        text = text[: -max(1, (count_utf16_units(text) + len(end) + 1 - limit) // 2)]
    return re.sub(r"(&[a-z]*|\\+)$", "", text) + f"…{end}"


def cut_lines(lines: Iterable[str], limit: int) -> str:
    """Return as many complete lines as fit, or the first line cut if it is too long."""
    fitting_lines: list[str] = []
    for line in lines:
        if count_utf16_units("\n".join([*fitting_lines, line])) > limit - 2:
            fitting_lines.append("…" if fitting_lines else cut_text(line, limit))
            break
        fitting_lines.append(line)
    return "\n".join(fitting_lines).strip("\n")


def count_utf16_units(text: str) -> int:
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
    notice_text = render_test_notice(league, escape) if notice is None else render_notice(notice, league, escape)
    return serialize_canonically(build_message(notice_text)).encode()
