"""Renders notices as text in the league's language: a title, blocks of lines and a link.

Names and other text by users pass through ``escape``, which depends on the target format.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from league.apps.notices.models import Notice
from league.core.calendar import format_period_key, parse_span
from league.core.text import display_formats
from league.core.text.game_results import format_result_of_two
from league.core.text.names import PARTNERS, isolate_direction
from league.models import League

#: First character of heading lines; user texts cannot contain it.
HEADING_MARK = "\x02"
#: Maximum number of results listed per game.
MAX_RESULTS = 12
#: Maximum length of an error message.
MAX_MESSAGE_LENGTH = 400
TEST = "webhook.test"
#: Characters that change the direction of the text after them.
BIDI_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
Escape = Callable[[str], str]


@dataclass(frozen=True)
class NoticeText:
    """A rendered notice; heading lines begin with HEADING_MARK. ``link`` is "" if the site's URL is unknown."""

    title: str
    blocks: tuple[tuple[str, ...], ...]
    link: str
    language: str

    @property
    def lines(self) -> list[list[tuple[bool, str]]]:
        """The lines of each block, each with whether it is a heading."""
        return [
            [(line.startswith(HEADING_MARK), line.removeprefix(HEADING_MARK)) for line in block]
            for block in self.blocks
        ]

    @property
    def text(self) -> str:
        """The blocks as plain text."""
        return "\n\n".join("\n".join(line.removeprefix(HEADING_MARK) for line in block) for block in self.blocks)


def convert_to_plain_line(text: str) -> str:
    """Return a text as one line, without control characters and characters that change its direction."""
    spaced = "".join(" " if unicodedata.category(letter) in ("Cc", "Zl", "Zp") else letter for letter in text)
    return " ".join(BIDI_CONTROLS.sub("", spaced).split())


def render_notice(notice: Notice, league: League, escape: Escape = convert_to_plain_line) -> NoticeText:
    """Return a notice in its league's language; ``escape`` is applied to user texts."""
    with translation.override(league.language):
        assert notice.facts is not None, "the facts of this notice were deleted"
        facts = CONTEXT_BUILDERS[notice.kind](notice.facts, escape)
        return _fill_template(
            notice.kind.removeprefix("notice."), league, escape, facts, find_notice_path(notice, league)
        )


def render_test_notice(league: League, escape: Escape = convert_to_plain_line) -> NoticeText:
    """Return a test message."""
    with translation.override(league.language):
        return _fill_template("test", league, escape, {}, reverse("pages:league", args=[league.slug]))


def _fill_template(name: str, league: League, escape: Escape, facts: Mapping[str, Any], path: str) -> NoticeText:
    context = {**facts, "league": escape(convert_to_plain_line(league.title)), "h": HEADING_MARK}
    text = render_to_string(f"apps/notices/{name}.txt", context)
    lines = [line.strip() for line in text.strip().split("\n")]
    blocks = re.split(r"\n{2,}", "\n".join(lines[1:]).strip("\n"))
    line_blocks = tuple(tuple(block.split("\n")) for block in blocks if block)
    link = settings.RUNGS_ORIGIN + path if settings.RUNGS_ORIGIN else ""
    return NoticeText(lines[0], line_blocks, link, league.language)


def find_notice_path(notice: Notice, league: League) -> str:
    """Return the path of the page that a notice links to."""
    facts: dict[str, Any] = notice.facts or {}
    if "path" in facts:
        return str(facts["path"])
    if notice.kind == Notice.Kind.PERIOD_CLOSED:
        return reverse("pages:period", args=[league.slug, facts["slug"], facts["period"]])
    if notice.kind == Notice.Kind.EVENING:
        return reverse("pages:league", args=[league.slug])
    page = "desk:jobs" if notice.kind == Notice.Kind.IMPORT_FAILED else "desk:home"
    return reverse(page, args=[league.slug])


def _build_evening_context(facts: Mapping[str, Any], escape: Escape) -> dict[str, Any]:
    decimals, top = facts["decimals"], facts["top"]
    leaders = [row["name"] for row in top if row["rank"] == 1]
    return {
        "day": _format_day(date.fromisoformat(facts["day"])),
        "count": facts["count"],
        "people": facts["people"],
        "more": facts["count"] - len(facts["sheets"]),
        "sheets": [_build_game_context(game, escape) for game in facts["sheets"]],
        "movers": [_format_change(mover, decimals, escape) for mover in facts["movers"]],
        "others": facts["moved"] - len(facts["movers"]),
        **_build_adjustment_context(facts, escape),
        "leaders": _join_names(leaders, escape),
        "leading": len(leaders),
        "takes_over": bool(facts["before"]) and set(leaders) != set(facts["before"]),
        "top": _format_rows(top, decimals, escape),
    }


def _format_change(item: Mapping[str, Any], decimals: int, escape: Escape) -> dict[str, Any]:
    """Return a player's name and rating change as text, with what else is stored of the change."""
    change = display_formats.format_signed(item["change"], decimals)
    return {**item, "name": _format_name(item["name"], escape), "change": change}


def _build_adjustment_context(facts: Mapping[str, Any], escape: Escape) -> dict[str, Any]:
    decimals, adjustments = facts["decimals"], facts["adjustments"]
    return {
        "adjustments": [
            {**_format_change(item, decimals, escape), "reason": escape(convert_to_plain_line(item["reason"]))}
            for item in adjustments
        ],
        "adjusted_more": facts["adjusted"] - len(adjustments),
        "seasons": [
            {
                "day": _format_day(date.fromisoformat(item["day"])),
                "count": item["count"],
                "people": [_format_change(person, decimals, escape) for person in item["people"]],
                "others": item["played"] - len(item["people"]),
            }
            for item in facts["seasons"]
        ],
    }


def _build_game_context(game: Mapping[str, Any], escape: Escape) -> dict[str, Any]:
    # Facts stored by earlier versions have no sides.
    lines, sides = game["lines"], game.get("sides")
    won = [] if sides else [line["name"] for line in lines if line["winner"]]
    if sides:
        names = " – ".join(
            escape(PARTNERS).join(_format_name(name, escape) for name in side["names"]) for side in sides
        )
        results = f"{names} {format_result_of_two(*((side['score'], side['place']) for side in sides))}".rstrip()
    else:
        results = ", ".join(_format_result(line, escape) for line in lines[:MAX_RESULTS])
    return {
        "number": game["number"],
        "winners": _join_names(won, escape),
        "won": len(won),
        # Partners win together; players who share first place have not won.
        "alone": len(won) == 1 or (not sides and any(line["winner"] and line["won"] for line in lines)),
        "results": results,
        "more": 0 if sides else max(len(lines) - MAX_RESULTS, 0),
    }


def _format_result(line: Mapping[str, Any], escape: Escape) -> str:
    name = _format_name(line["name"], escape)
    if line["score"] is not None:
        return f"{name} {display_formats.format_exact(line['score'])}"
    return name if line["place"] is None else _("%(name)s place %(place)d") % {"name": name, "place": line["place"]}


def _build_period_context(facts: Mapping[str, Any], escape: Escape) -> dict[str, Any]:
    return {
        "period": escape(format_period(facts["period"])),
        "ladder": escape(convert_to_plain_line(facts["ladder"])),
        "edition": facts["edition"],
        "reason": escape(convert_to_plain_line(facts["reason"])),
        "winners": _join_names(facts["winners"], escape),
        "won": len(facts["winners"]),
        "rows": _format_rows(facts["rows"], facts["decimals"], escape),
    }


def _build_decision_context(facts: Mapping[str, Any], escape: Escape) -> dict[str, Any]:
    periods = [
        {"period": escape(format_period(period["period"])), "ladder": escape(convert_to_plain_line(period["ladder"]))}
        for period in facts["periods"]
    ]
    competitions = facts.get("competitions", 0)
    closed = facts["count"] - facts["reports"] - competitions
    return {
        "count": facts["count"],
        "closed": closed,
        "periods": periods,
        "more": closed - len(periods),
        "reports": facts["reports"],
        "competitions": competitions,
    }


def _build_competition_context(facts: Mapping[str, Any], escape: Escape) -> dict[str, Any]:
    """Return the context of pairings, deadlines and final standings."""
    lines = [
        {"table": line["table"], "names": " – ".join(_format_name(name, escape) for name in line["names"])}
        for line in facts.get("fixtures", ())
    ]
    rows = facts.get("rows", ())
    winners = [row["name"] for row in rows if row["rank"] == 1]
    return {
        **{name: facts.get(name) for name in ("round", "last_round", "edition", "time")},
        "competition": escape(convert_to_plain_line(facts["competition"])),
        "day": _format_day(date.fromisoformat(facts["day"])) if facts.get("day") else "",
        "lines": lines,
        "count": facts.get("count", 0),
        "more": facts.get("count", 0) - len(lines),
        "byes": _join_names(facts.get("byes", ()), escape),
        "reason": escape(convert_to_plain_line(facts.get("reason", ""))),
        "winners": _join_names(winners, escape),
        "won": len(winners),
        "rows": [
            {**row, "name": _format_name(row["name"], escape), "points": display_formats.format_exact(row["points"])}
            for row in rows
        ],
    }


def _import_context(facts: Mapping[str, Any], escape: Escape) -> dict[str, Any]:
    refusal = convert_to_plain_line(facts["refusal"])
    shortened = refusal if len(refusal) <= MAX_MESSAGE_LENGTH else f"{refusal[:MAX_MESSAGE_LENGTH]}…"
    return {
        "by": escape(convert_to_plain_line(facts["by"])),
        "line": facts["line"],
        "refusal": escape(shortened),
        "more": max(facts["problems"] - 1, 0),
    }


CONTEXT_BUILDERS: Mapping[str, Callable[[Mapping[str, Any], Escape], dict[str, Any]]] = {
    Notice.Kind.EVENING: _build_evening_context,
    Notice.Kind.PERIOD_CLOSED: _build_period_context,
    Notice.Kind.DECISION_DUE: _build_decision_context,
    Notice.Kind.IMPORT_FAILED: _import_context,
    Notice.Kind.ROUND_PUBLISHED: _build_competition_context,
    Notice.Kind.DEADLINE_NEAR: _build_competition_context,
    Notice.Kind.FINAL_STANDINGS: _build_competition_context,
}


def _format_rows(rows: Sequence[Mapping[str, Any]], decimals: int, escape: Escape) -> list[dict[str, Any]]:
    return [
        {
            "rank": row["rank"],
            "name": _format_name(row["name"], escape),
            "score": display_formats.format_number(row["score"], decimals),
        }
        for row in rows
    ]


def _format_name(name: str, escape: Escape) -> str:
    return isolate_direction(escape(convert_to_plain_line(name)))


def _join_names(names: Sequence[str], escape: Escape) -> str:
    formatted = [_format_name(name, escape) for name in names]
    if len(formatted) < 2:
        return "".join(formatted)
    return _("%(names)s and %(last)s") % {"names": ", ".join(formatted[:-1]), "last": formatted[-1]}


def _format_day(day: date) -> str:
    # Translators: a format of Django's filter "date": Thursday 16 July; then Thursday 16 July 2026
    date_form = _("l j F") if day.year == timezone.now().year else _("l j F Y")
    return date_format(day, date_form)


def format_period(key: str) -> str:
    """Return the name of a period."""
    if parse_span(key) is not None:
        return format_period_key(key)
    first, _dash, last = key.partition("--")
    # Translators: a format of Django's filter "date": 16 July 2026
    days = [date_format(date.fromisoformat(day), _("j F Y")) for day in (first, last)]
    return _("%(first)s to %(last)s") % {"first": days[0], "last": days[1]}
