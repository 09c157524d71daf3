"""Puts a notice into words: a title, blocks of lines and a link, in the language of its league.

Templates place what is made here; what people called themselves goes through ``say``, which escapes it for where
the words are going.
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
from league.core.calendar import period_name, span_named
from league.core.text import numbers
from league.core.text.names import isolated
from league.models import League

#: Begins a line that is a heading; nothing that people write holds it.
HEADING = "\x02"
#: Maximum number of results listed per game; a sheet may have a hundred.
MAX_RESULTS = 12
#: Maximum length of an error message.
MAX_LETTERS = 400
TEST = "webhook.test"
#: What turns letters that follow it around, and would do so beyond a name.
TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
Say = Callable[[str], str]


@dataclass(frozen=True)
class NoticeText:
    """A notice in words; a heading is a line that begins with HEADING. ``link`` is "" if no one knows the site's."""

    title: str
    blocks: tuple[tuple[str, ...], ...]
    link: str
    language: str

    @property
    def lines(self) -> list[list[tuple[bool, str]]]:
        """Return the blocks, each line with whether it is a heading."""
        return [[(line.startswith(HEADING), line.removeprefix(HEADING)) for line in block] for block in self.blocks]

    @property
    def text(self) -> str:
        """Return the blocks as plain text."""
        return "\n\n".join("\n".join(line.removeprefix(HEADING) for line in block) for block in self.blocks)


def plain(text: str) -> str:
    """Return a text in one line, without control characters and what turns letters around."""
    spaced = "".join(" " if unicodedata.category(letter) in ("Cc", "Zl", "Zp") else letter for letter in text)
    return " ".join(TURNING.sub("", spaced).split())


def words_of(notice: Notice, league: League, say: Say = plain) -> NoticeText:
    """Return what a notice says, in its league's language; ``say`` escapes what people wrote."""
    with translation.override(league.language):
        assert notice.facts is not None, "what was forgotten is told no more"
        facts = WRITERS[notice.kind](notice.facts, say)
        return fill_template(notice.kind.removeprefix("notice."), league, say, facts, path_of(notice, league))


def words_of_test(league: League, say: Say = plain) -> NoticeText:
    """Return what a test says."""
    with translation.override(league.language):
        return fill_template("test", league, say, {}, reverse("pages:league", args=[league.slug]))


def fill_template(name: str, league: League, say: Say, facts: Mapping[str, Any], path: str) -> NoticeText:
    """Fill in a template: its first line is the title, blocks stand apart by empty lines."""
    context = {**facts, "league": say(plain(league.title)), "h": HEADING}
    text = render_to_string(f"apps/notices/{name}.txt", context)
    lines = [line.strip() for line in text.strip().split("\n")]
    blocks = re.split(r"\n{2,}", "\n".join(lines[1:]).strip("\n"))
    parts = tuple(tuple(block.split("\n")) for block in blocks if block)
    link = settings.RUNGS_ORIGIN + path if settings.RUNGS_ORIGIN else ""
    return NoticeText(lines[0], parts, link, league.language)


def path_of(notice: Notice, league: League) -> str:
    """Return the address below the site at which a notice goes on."""
    facts: dict[str, Any] = notice.facts or {}
    if notice.kind == Notice.Kind.PERIOD_CLOSED:
        return reverse("pages:period", args=[league.slug, facts["slug"], facts["period"]])
    if notice.kind == Notice.Kind.EVENING:
        return reverse("pages:league", args=[league.slug])
    page = "desk:jobs" if notice.kind == Notice.Kind.IMPORT_FAILED else "desk:home"
    return reverse(page, args=[league.slug])


def evening(facts: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Return what the template of an evening places."""
    decimals, top = facts["decimals"], facts["top"]
    leaders = [row["name"] for row in top if row["rank"] == 1]
    return {
        "day": day_in_words(date.fromisoformat(facts["day"])),
        "count": facts["count"],
        "people": facts["people"],
        "more": facts["count"] - len(facts["sheets"]),
        "sheets": [sheet(one, say) for one in facts["sheets"]],
        "movers": [
            {
                "name": named(one["name"], say),
                "change": numbers.signed(one["change"], decimals),
                "games": one["games"],
            }
            for one in facts["movers"]
        ],
        "others": facts["moved"] - len(facts["movers"]),
        **describe_adjustments(facts, say),
        "leaders": joined(leaders, say),
        "leading": len(leaders),
        "takes_over": bool(facts["before"]) and set(leaders) != set(facts["before"]),
        "top": ranking(top, decimals, say),
    }


def describe_adjustments(facts: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Return what the template places of what no game made."""
    decimals, adjustments = facts["decimals"], facts["adjustments"]
    return {
        "adjustments": [
            {
                "number": one["number"],
                "name": named(one["name"], say),
                "change": numbers.signed(one["change"], decimals),
                "reason": say(plain(one["reason"])),
                "void": one["void"],
            }
            for one in adjustments
        ],
        "adjusted_more": facts["adjusted"] - len(adjustments),
        "seasons": [
            {
                "day": day_in_words(date.fromisoformat(one["day"])),
                "count": one["count"],
                "people": [
                    {"name": named(who["name"], say), "change": numbers.signed(who["change"], decimals)}
                    for who in one["people"]
                ],
                "others": one["played"] - len(one["people"]),
            }
            for one in facts["seasons"]
        ],
    }


def sheet(one: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Return a game as a line tells it."""
    lines = one["lines"]
    results = ", ".join(result(line, say) for line in lines[:MAX_RESULTS])
    won = [line["name"] for line in lines if line["winner"]]
    return {
        "number": one["number"],
        "winners": joined(won, say),
        "won": len(won),
        # Partners win together; who shares first place has not won.
        "alone": len(won) == 1 or any(line["winner"] and line["won"] for line in lines),
        "results": results,
        "more": max(len(lines) - MAX_RESULTS, 0),
    }


def result(line: Mapping[str, Any], say: Say) -> str:
    """Return a result: the name, then the score, else the place."""
    name = named(line["name"], say)
    if line["score"] is not None:
        return f"{name} {numbers.exact(line['score'])}"
    return name if line["place"] is None else _("%(name)s place %(place)d") % {"name": name, "place": line["place"]}


def period(facts: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Return what the template of a closed period places."""
    return {
        "period": say(period_title(facts["period"])),
        "ladder": say(plain(facts["ladder"])),
        "edition": facts["edition"],
        "reason": say(plain(facts["reason"])),
        "winners": joined(facts["winners"], say),
        "won": len(facts["winners"]),
        "rows": ranking(facts["rows"], facts["decimals"], say),
    }


def decision(facts: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Return what the template of decisions that are due places."""
    periods = [
        {"period": say(period_title(one["period"])), "ladder": say(plain(one["ladder"]))} for one in facts["periods"]
    ]
    closed = facts["count"] - facts["reports"]
    more = closed - len(periods)
    return {"count": facts["count"], "closed": closed, "periods": periods, "more": more, "reports": facts["reports"]}


def failed_import(facts: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """Return what the template of a failed import places."""
    refusal = plain(facts["refusal"])
    cut = refusal if len(refusal) <= MAX_LETTERS else f"{refusal[:MAX_LETTERS]}…"
    more = max(facts["problems"] - 1, 0)
    return {"by": say(plain(facts["by"])), "line": facts["line"], "refusal": say(cut), "more": more}


WRITERS: Mapping[str, Callable[[Mapping[str, Any], Say], dict[str, Any]]] = {
    Notice.Kind.EVENING: evening,
    Notice.Kind.PERIOD_CLOSED: period,
    Notice.Kind.DECISION_DUE: decision,
    Notice.Kind.IMPORT_FAILED: failed_import,
}


def ranking(rows: Sequence[Mapping[str, Any]], decimals: int, say: Say) -> list[dict[str, Any]]:
    """Return rows of a board or of a ranking."""
    return [
        {"rank": row["rank"], "name": named(row["name"], say), "score": numbers.number(row["score"], decimals)}
        for row in rows
    ]


def named(name: str, say: Say) -> str:
    """Return a name as a line of a notice holds it."""
    return isolated(say(plain(name)))


def joined(names: Sequence[str], say: Say) -> str:
    """Return names as a sentence tells them."""
    said = [named(name, say) for name in names]
    if len(said) < 2:
        return "".join(said)
    return _("%(names)s and %(last)s") % {"names": ", ".join(said[:-1]), "last": said[-1]}


def day_in_words(day: date) -> str:
    """Return a day, with its year where that is not this one."""
    # Translators: a format of Django's filter "date": Thursday 16 July; then Thursday 16 July 2026
    form = _("l j F") if day.year == timezone.now().year else _("l j F Y")
    return date_format(day, form)


def period_title(key: str) -> str:
    """Return what a period is called."""
    if span_named(key) is not None:
        return period_name(key)
    first, _dash, last = key.partition("--")
    # Translators: a format of Django's filter "date": 16 July 2026
    days = [date_format(date.fromisoformat(day), _("j F Y")) for day in (first, last)]
    return _("%(first)s to %(last)s") % {"first": days[0], "last": days[1]}
