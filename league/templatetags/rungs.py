"""Template tags and filters: numbers, times, languages, emblems and links."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import lru_cache
from html import unescape
from typing import Any

from django import template as templates
from django.conf import settings
from django.forms import BaseForm
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from league.core.accounts.services.first_account import has_account
from league.core.calendar import compute_local_date, is_day_only, start_of_day
from league.core.finish import read_game_of_two
from league.core.games.selectors.games import compute_evening_day
from league.core.players.listed_people import describe_source
from league.core.text import display_formats, formulas, game_results, labels, lookalikes, names, summaries
from league.core.text.display_formats import format_time, get_known_zone, get_known_zone_name
from league.core.text.languages import ASKED, LanguageChoice, languages, list_language_choices
from league.models import League
from league.web.absolute_urls import build_absolute_url
from league.web.public.charts.meetings import format_meeting
from league.web.public.charts.system_curves import build_small_curve
from league.web.public.emblem import RIM, SHIELD, Emblem, get_emblem

register = templates.Library()

#: A run of letters that a narrow column may have to break, with the hyphen after it, and the most letters of a part.
LONG_WORD, MAX_PART = re.compile(r"([^\W\d_]{9,})(-?)"), 8
#: The number of a ruling in a help text.
RULING_NUMBER = re.compile(r"\b(R\d{1,3})\b")
#: A result in a sentence, such as 1–0.
RESULT_PATTERN = re.compile(r"([−\d½.,]+ ?– ?[−\d½.,]+)")
#: What else has an id on a game's page.
OTHER_ANCHORS = ("main", "why", "law", "papers", "towards")
register.simple_tag(has_account)
number = register.filter("number", display_formats.format_number)
signed = register.filter("signed", display_formats.format_signed)
exact = register.filter("exact", display_formats.format_exact)
brief = register.filter("brief", display_formats.format_brief)
direction = register.filter("direction", display_formats.get_direction_class)
ordinal = register.filter("ordinal", display_formats.format_ordinal)
meeting = register.filter("meeting", format_meeting)
of_two = register.filter("of_two", read_game_of_two)
who = register.filter("who", names.format_author)
typeset = register.filter("typeset", formulas.typeset)
isolated = register.filter("isolated", names.isolate_direction)
strange = register.filter("strange", lookalikes.describe_strange_letters)
rating_source = register.filter("rating_source", describe_source)
times = register.filter("times", display_formats.format_frequency)
inside = register.filter("inside", labels.format_inside_sentence)
ended = register.filter("ended", labels.end_sentence)
in_one_line = register.filter("in_one_line", summaries.summarize)
short_day = register.filter("short_day", display_formats.format_day)
day_in_full = register.filter("day_in_full", display_formats.format_full_day)
day_of_year = register.filter("day_of_year", display_formats.format_day_of_year)
weekday = register.filter("weekday", display_formats.format_weekday)


@register.filter
def link_rulings(text: str) -> SafeString:
    """Return a help text in which each number of a ruling, as R122, leads to the ruling."""
    parts = RULING_NUMBER.split(str(text))
    link = format_html('<a href="{}#{{0}}">{{0}}</a>', reverse("pages:rulings"))
    return format_html_join("", "{}", ((format_html(link, part) if at % 2 else part,) for at, part in enumerate(parts)))


@register.simple_tag
def digits(decimals: int, *shown: float | None) -> int:
    """Return the number of decimals with which the numbers add up to the last one, their sum."""
    return display_formats.count_decimals(decimals or 0, shown[:-1], shown[-1])


@register.simple_tag
def column_digits(decimals: int, rows: Iterable[Any]) -> int:
    """Return the number of decimals of a table's columns, with which each row's rating before and change add up."""
    both = [(row.before, row.after) for row in rows if row.before is not None and row.after is not None]
    return max((digits(decimals, before, after - before, after) for before, after in both), default=decimals or 0)


#: Names of forms and of errors in the context of pages.
FORMS, ERRORS = ("form", "confirm", "rule", "own"), ("error", "why", "broken", "failed")


#: Where a page keeps its title for those who share it, the end that is left out there, and the most letters of words.
TITLE, SITE, MAX_SHARED_WORDS = "rungs-title", " · Rungs", 200


@register.simple_block_tag(takes_context=True)
def page_title(context: templates.Context, content: str) -> SafeString:
    """Return the title of a page; it begins with "Error:" if the page shows a refused form or another error."""
    forms = [form for name in FORMS if isinstance(form := context.get(name), BaseForm)]
    sheet = context.get("sheet")
    refused = any(form.errors for form in forms) or (sheet and sheet.formset.total_error_count())
    prefix = f"{_('Error:')} " if refused or any(map(context.get, ERRORS)) else ""
    # No-break spaces stay.
    title = re.sub(r"[ \t\r\n]+", " ", content).strip(" ")
    context.render_context[TITLE] = SafeString(title.removesuffix(SITE))
    return format_html("<title>{}{}</title>", prefix, SafeString(title))


@register.simple_block_tag(takes_context=True)
def shared_words(context: templates.Context, content: str) -> SafeString:
    """Return the page's title and what it says, in a line of text, for those who share its address."""
    words = unescape(" ".join(re.sub(r"<[^>]*>", "", content).split()))
    return format_html(
        '<meta property="og:title" content="{}"><meta property="og:description" content="{}">',
        context.render_context[TITLE],
        Truncator(words).chars(MAX_SHARED_WORDS),
    )


@register.filter
def figure(result: Any) -> str:
    """Format what somebody has in a game of more than two."""
    return game_results.format_figure((result.score, result.place))


@register.filter
def colour_discs(text: str) -> SafeString:
    """Escape a text and draw its signs ○ and ● as discs that are white and black in the light and in the dark."""
    drawn: str = conditional_escape(text)
    for sign, name in (("○", "white"), ("●", "black")):
        drawn = drawn.replace(sign, f'<span class="disc {name}">{sign}</span>')
    return SafeString(drawn)


@register.filter
def long_words(name: str) -> SafeString:
    """Escape a name and mark its long words: in a column that is narrower than a word this breaks in equal parts."""
    return SafeString(LONG_WORD.sub(_mark_long_word, conditional_escape(name)))


def _mark_long_word(word: re.Match[str]) -> str:
    letters = word[1]
    size = -(-len(letters) // -(-len(letters) // MAX_PART))
    parts = [letters[start : start + size] for start in range(0, len(letters), size)]
    return f'<span class="word">{"<wbr>".join(parts)}{word[2]}</span>'


@register.filter
def per_cent(part: float, whole: float | None = None) -> str:
    """Format a share such as 0.38, or a part of a whole: 38%."""
    return display_formats.format_percentage(part if whole is None else part / whole)


@register.filter
def percent(value: float) -> str:
    """Format a number of per cent: 38%."""
    return display_formats.format_percentage(value / 100.0)


@register.filter
def item(values: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key, or None."""
    return values.get(key)


@register.filter
def pairs(values: Mapping[str, str] | None) -> list[tuple[str, str]]:
    """Return sorted items; in a template, ``values.items`` would look up a key "items"."""
    return sorted((values or {}).items())


@register.filter
def size(value: float) -> float:
    """Return the absolute value."""
    return abs(value)


@register.filter
def less(value: float, other: float) -> float:
    """Subtract ``other``."""
    return value - other


@register.simple_tag
def moment(value: datetime | None, league: Any, style: str = "day") -> SafeString | str:
    """Format a time in the league's zone as a <time> element.

    Styles: "day", "weekday", "minute", "local", "clock", "evening" or "begin". "local" is for pages that name the time
    zone once. "evening" is the day to whose evening a game belongs. "begin" is when something begins: once its day is
    over, the day alone.
    """
    if value is None:
        return "–"
    if style == "evening":
        # Two games of an evening are the same words.
        value, style = start_of_day(compute_evening_day(league, value), get_known_zone_name(league.time_zone)), "day"
    if style == "clock":
        return display_formats.format_clock(value, league.time_zone)
    zone = get_known_zone_name(league.time_zone)
    if style == "weekday":
        return weekday_in_full(compute_local_date(value, zone))
    # A game that was recorded without a time is at the start of its day.
    only_day = style == "day" or is_day_only(value, zone)
    if style == "begin":
        only_day = only_day or compute_local_date(value, zone) < compute_local_date(timezone.now(), zone)
    if style == "local":
        return display_formats.format_local_time(value, league.time_zone, only_day=only_day)
    return format_time(value, league.time_zone, only_day=only_day)


@register.simple_tag
def lately(value: datetime, league: Any) -> SafeString:
    """Format the day to whose evening a game belongs: today, yesterday, 9 Jul, 9 Jul 2024."""
    return display_formats.format_recent_day(value, league.time_zone)


@register.simple_tag
def movement(before: int | None, now: int | None, moved_from: object = None) -> SafeString:
    """Show a change of rank; ``moved_from`` is the date of the earlier rank."""
    climbed = before - now if before and now else 0
    return _draw_movement(climbed, is_new=before is None, says_since=not moved_from, language=get_language())


@lru_cache(maxsize=1024)
def _draw_movement(climbed: int, *, is_new: bool, says_since: bool, language: str | None) -> SafeString:
    """Render a change of rank in a language: once, because most rows of a table have one of a few."""
    shown = {"climbed": climbed, "steps": abs(climbed), "is_new": is_new, "says_since": says_since}
    return render_to_string("web/public/movement.html", shown)


@register.inclusion_tag("web/organiser/rank.html")
def rank(before: int | None, after: int | None) -> dict[str, Any]:
    """Show a rank with an arrow for its change."""
    return {"before": before, "after": after, "by": abs((before or 0) - (after or 0))}


@register.simple_tag
def day(value: datetime, league: Any) -> str:
    """Format the day to whose evening a game belongs: Thursday 18 June 2026."""
    return weekday_in_full(compute_evening_day(league, value))


@register.filter
def count_ranked(number: int, league: League) -> str:
    """Return a number of those who are ranked in a league: 3 players, 3 teams."""
    return league.words.count_ranked(number)


@register.filter
def count_more(number: int, league: League) -> str:
    """Return the text of a link to more of those who are ranked in a league."""
    return league.words.count_more(number)


@register.filter
def first_wrong_field(form: BaseForm) -> str:
    """Return the id of the first field of a form that has errors, "" without one."""
    return next((field.id_for_label or field.auto_id for field in form if field.errors), "")


@register.filter
def coded(text: str) -> SafeString:
    """Turn backticks into <code> elements."""
    segments = re.split("`([^`]*)`", str(text))
    pieces = [
        format_html("<code>{}</code>", segment) if index % 2 else segment for index, segment in enumerate(segments)
    ]
    return format_html_join("", "{}", ((piece,) for piece in pieces))


@register.filter
def weekday_in_full(value: date) -> str:
    """Format a date with its year: Thursday 18 June 2026."""
    return display_formats.format_weekday(value, always_year=True)


@register.simple_tag
def hour(value: datetime, league: Any) -> str:
    """Format a time of day in the league's time zone; "" if only the day is known."""
    local = value.astimezone(get_known_zone(league.time_zone))
    return "" if is_day_only(value, get_known_zone_name(league.time_zone)) else f"{local:%H:%M}"


@register.filter
def keep_results(text: str) -> SafeString:
    """Keep each result of a sentence, such as 1–0, on one line."""
    parts = RESULT_PATTERN.split(text)
    return format_html_join("", "{}{}", zip(parts[::2], [*map(_keep_whole, parts[1::2]), ""], strict=True))


def _keep_whole(text: str) -> SafeString:
    return format_html('<span class="nowrap">{}</span>', text)


@register.filter
def utc(value: datetime | None) -> SafeString | str:
    """Format a time in UTC."""
    return format_time(value, "UTC")


@register.simple_tag(takes_context=True)
def canonical(context: Mapping[str, Any]) -> str:
    """Return the canonical URL of a page."""
    return build_canonical_url(context["request"])


def build_canonical_url(request: Any) -> str:
    """Return the URL of a request without its language and view options, but with the page number."""
    page = request.GET.get("page", "")
    query = f"?page={page}" if page.isascii() and page.isdigit() and page != "1" else ""
    return build_absolute_url(request, request.path + query)


@register.simple_tag(takes_context=True)
def alternates(context: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (language code, URL of the page in it) for all languages, and "x-default"."""
    address = build_canonical_url(context["request"])
    separator = "&" if "?" in address else "?"
    return [*((code, f"{address}{separator}{ASKED}={code}") for code, _ in languages()), ("x-default", address)]


@register.simple_tag(takes_context=True)
def spoken(context: Mapping[str, Any]) -> list[LanguageChoice]:
    """Return the languages with the page's address in each; none without a request."""
    return list_language_choices(context["request"]) if "request" in context else []


@register.filter
def emblem(league: Any) -> Emblem:
    """Return the emblem of a league or slug."""
    return get_emblem(league)


@register.simple_tag
def icon(league: Any) -> SafeString:
    """Return the <link> element of a league's icon."""
    drawn = get_emblem(league)
    if drawn.picture:
        address = reverse("pages:picture", args=[league.slug, drawn.picture])
        return format_html('<link rel="icon" type="image/png" href="{}">', address)
    return format_html('<link rel="icon" type="image/svg+xml" href="{}">', reverse("pages:emblem", args=[league.slug]))


@register.inclusion_tag("web/public/system_picture.html")
def system_picture(system: Any, named: bool = False) -> dict[str, Any]:
    """Show the curve of a rating system or ladder method, or of its defaults, as a small picture.

    ``named``: with what it shows, in words.
    """
    return {"picture": build_small_curve(system() if isinstance(system, type) else system), "named": named}


@register.inclusion_tag("web/crest.html")
def crest(league: Any, size: str = "", seen: bool = True) -> dict[str, Any]:
    """Show the emblem of a league or slug; size "small" for subpages.

    ``seen``: whether the viewer may see the league; the picture of a private one is for its members only.
    """
    emblem = get_emblem(league)
    picture = emblem.picture if seen or getattr(league, "visibility", "") == "public" else ""
    return {"emblem": emblem, "picture": picture, "league": league, "size": size, "shield": SHIELD, "rim": RIM}


@register.filter
def anchor(handle: str) -> str:
    """Return the id of a player's part of a game's page."""
    return f"player-{handle}" if handle in OTHER_ANCHORS else handle


@register.inclusion_tag("web/public/files.html", takes_context=True)
def files(
    context: Mapping[str, Any], name: str, number: int | str = "", part: str = "", *, heading: str = ""
) -> dict[str, str]:
    """Link to a table of a page as CSV and JSON; ``number`` and ``part`` identify one of several similar tables.

    ``heading``: the id of the heading that names the links, on a page with several tables.
    """
    query = context["request"].GET.copy()
    for parameter in ("page", "pairings", "format", "table", ASKED):
        query.pop(parameter, None)
    query["table"] = "-".join(str(piece) for piece in (name, number, part) if piece)
    addresses = {kind: f"?{query.urlencode()}&format={kind}" for kind in ("csv", "json")}
    return {**addresses, "heading": heading, "name": name}


@register.inclusion_tag("web/public/link_picture.html", takes_context=True)
def card(context: Mapping[str, Any]) -> dict[str, Any]:
    """Add the link preview picture of a page of a public league."""
    request, league = context["request"], context["league"]
    if league.visibility != "public":
        return {}
    try:
        path, description = build_preview_card(request.resolver_match.url_name, league, context)
    except NoReverseMatch:  # the app sharing is not installed
        return {}
    query = "" if get_language() == settings.LANGUAGE_CODE else f"?{ASKED}={get_language()}"
    return {"address": build_absolute_url(request, path + query), "words": description}


def build_preview_card(page: str, league: Any, context: Mapping[str, Any]) -> tuple[str, str]:
    """Return the address of a page's link preview picture, and its text alternative."""
    if page == "player" and context["seated"]:
        player = context["player"]
        description = _("{name} in {league}: score, rank and latest games").format(
            name=player.name, league=league.title
        )
        return reverse("pages:player_card", args=[league.slug, player.handle]), description
    if page == "game":
        return reverse("pages:game_card", args=[league.slug, context["view"].game.number]), context["heading"]
    if context.get("link_picture"):
        return context["link_picture"], context["link_picture_title"]
    period = context.get("period")
    if page in ("ladder", "period") and period:
        ladder = context["ladder"]
        description = _("Top of {ladder}, {period}").format(ladder=ladder.title, period=period.name)
        return reverse("pages:period_card", args=[league.slug, ladder.slug, period.key]), description
    return reverse("pages:league_card", args=[league.slug]), _("Top of the board of {league}").format(
        league=league.title
    )
