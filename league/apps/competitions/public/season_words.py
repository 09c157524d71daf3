"""Sentences about seasons: the zones of divisions, and what can still happen."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from league.apps.competitions.models import Competition, Season, SeasonPart
from league.apps.competitions.selectors.competitions import get_zone
from league.apps.competitions.selectors.result_texts import format_game_points
from league.apps.competitions.selectors.season_outlook import ZoneNeed
from league.apps.competitions.selectors.season_standings import DivisionLine
from league.apps.competitions.selectors.seasons import build_rule, list_free_events
from league.core.calendar import compute_month
from league.core.text.display_formats import format_day, format_days, format_month
from league.core.text.names import isolate_direction
from ratings.seasons.borders import Zone
from ratings.seasons.rules import PLAY_OFF, SeasonRule, SeriesRule
from ratings.seasons.series import SeriesRow, find_last_sufficient_place

#: Zone -> its word, and the word while it can still change.
ZONES: dict[str, Any] = {
    "champion": pgettext_lazy("zone of a division", "champion"),
    "up": pgettext_lazy("zone of a division", "rises"),
    "play_off": pgettext_lazy("zone of a division", "plays off to rise"),
    "stays": pgettext_lazy("zone of a division", "stays"),
    "play_down": pgettext_lazy("zone of a division", "plays off to stay"),
    "down": pgettext_lazy("zone of a division", "falls"),
}
#: The words once the season is closed.
CLOSED_ZONES: dict[str, Any] = {
    "champion": pgettext_lazy("zone of a division", "champion"),
    "up": pgettext_lazy("zone of a closed division", "rose"),
    "play_off": pgettext_lazy("zone of a closed division", "played off to rise"),
    "stays": pgettext_lazy("zone of a closed division", "stayed"),
    "play_down": pgettext_lazy("zone of a closed division", "played off to stay"),
    "down": pgettext_lazy("zone of a closed division", "fell"),
}
OPEN_ZONES: dict[str, Any] = {
    "champion": gettext_lazy("would be champion"),
    "up": gettext_lazy("would rise"),
    "play_off": gettext_lazy("would play off to rise"),
    "stays": gettext_lazy("would stay"),
    "play_down": gettext_lazy("would play off to stay"),
    "down": gettext_lazy("would fall"),
}
CERTAIN: dict[str, Any] = {
    "champion": gettext_lazy("{name} is champion, whatever happens."),
    "up": gettext_lazy("{name} rises, whatever happens."),
    "play_off": gettext_lazy("{name} plays off to rise, whatever happens."),
    "stays": gettext_lazy("{name} stays, whatever happens."),
    "play_down": gettext_lazy("{name} plays off to stay, whatever happens."),
    "down": gettext_lazy("{name} falls, whatever happens."),
}
#: The best and the worst zone that a player can still reach.
OPEN: dict[tuple[str, str], Any] = {
    ("champion", "stays"): gettext_lazy("{name} is safe and can still become champion."),
    ("champion", "down"): gettext_lazy("{name} can still become champion, and can still fall."),
    ("up", "stays"): gettext_lazy("{name} is safe and can still rise."),
    ("up", "down"): gettext_lazy("{name} can still rise, and can still fall."),
    ("stays", "down"): gettext_lazy("{name} can stay or fall."),
}
#: For any other two, with play-offs.
BETWEEN = gettext_lazy("{name}: from “{best}” to “{worst}” all can still happen.")
#: The sentences of a division from which nobody falls.
OPEN_WITHOUT_FALL: dict[str, Any] = {
    "champion": gettext_lazy("{name} can still become champion."),
    "up": gettext_lazy("{name} can still rise."),
}
#: A player in the last place that falls, who can still stay.
STILL_STAYS = gettext_lazy("{name} would fall, and can still stay.")
#: The same sentences for the reader who is the player.
OWN_OPEN: dict[tuple[str, str], Any] = {
    ("champion", "stays"): gettext_lazy("You are safe and can still become champion."),
    ("champion", "down"): gettext_lazy("You can still become champion, and can still fall."),
    ("up", "stays"): gettext_lazy("You are safe and can still rise."),
    ("up", "down"): gettext_lazy("You can still rise, and can still fall."),
    ("stays", "down"): gettext_lazy("You can stay or fall."),
}
OWN_OPEN_WITHOUT_FALL: dict[str, Any] = {
    "champion": gettext_lazy("You can still become champion."),
    "up": gettext_lazy("You can still rise."),
}
OWN_BETWEEN = gettext_lazy("You: from “{best}” to “{worst}” all can still happen.")
OWN_STILL_STAYS = gettext_lazy("You would fall, and can still stay.")
#: What the place in an event of a series gives, where no table says it.
POINTS_BY: dict[str, Any] = {
    "n_plus_1_minus_place": gettext_lazy("The last of an event gets 1 point, the one above 2, and so on."),
    "share_of_field": gettext_lazy("The winner of an event gets 100 points, the others fewer by equal steps."),
    "competition_points": gettext_lazy("The points of an event are those of its competition."),
}
#: What separates players of a series with the same points.
SERIES_DECISIONS: dict[str, Any] = {
    "firsts": gettext_lazy("ahead by events won"),
    "last_event": gettext_lazy("ahead by the last event"),
}
#: The most points of a table that are listed.
MAX_SHOWN_POINTS = 10
#: The most players who are named as possible winners of a series.
MAX_NAMED = 6


def describe_status(season: Season, parts: Sequence[SeasonPart]) -> str:
    """Return the status and the days of a season in words: a series is never drawn, and runs with its first event.

    A series between two events is not said to run: how many were played is; nor is a season whose competitions have all
    ended.
    """
    competitions = [part.competition for part in parts]
    statuses = {one.status for one in competitions}
    begun = statuses & {Competition.Status.RUNNING, Competition.Status.FINISHED}
    status = Season.Status(season.status)
    if begun and status == Season.Status.OPEN:
        status = Season.Status.RUNNING
    series = build_rule(season).series
    if series and status == Season.Status.RUNNING and Competition.Status.RUNNING not in statuses:
        played = sum(one.status == Competition.Status.FINISHED for one in competitions)
        template = ngettext("{played} of {of} event played", "{played} of {of} events played", int(series.of))
        words = template.format(played=played, of=int(series.of))
    elif status == Season.Status.RUNNING and is_complete(season, parts):
        words = _("All competitions finished")
    else:
        words = str(status.label)
    days = _describe_days(season) or _describe_event_days(competitions)
    return " · ".join([words, *([days] if days else [])])


def is_complete(season: Season, parts: Sequence[SeasonPart]) -> bool:
    """Return whether all competitions of a season have ended, and no event, stage or play-off is to come."""
    rule = build_rule(season)
    stages = {stage.key for stage in rule.stages}
    if rule.divisions and rule.divisions.play_off:
        stages.add(PLAY_OFF)
    ended = {Competition.Status.FINISHED, Competition.Status.CANCELLED}
    return (
        bool(parts)
        and {part.competition.status for part in parts} <= ended
        and stages <= {part.stage for part in parts}
        and not list_free_events(rule, parts)
    )


def find_next_event(competitions: Iterable[Competition]) -> Competition | None:
    """Return the first event that is open for entries or running and has a day."""
    current = (Competition.Status.OPEN, Competition.Status.RUNNING)
    dated = [(one.starts_at, one.pk, one) for one in competitions if one.status in current and one.starts_at]
    return min(dated)[2] if dated else None


def find_undated_event(rule: SeasonRule, parts: Iterable[SeasonPart]) -> int | None:
    """Return the number of the first event of a series that has no competition yet, None if each has one."""
    return next(iter(list_free_events(rule, parts)), None)


def _describe_days(season: Season) -> str:
    """Return the days of a season: July 2026, 1–9 July 2026, from 3 Sep 2026; "" without a first day."""
    if season.starts is None:
        return ""
    if season.ends is None:
        return _("from {day}").format(day=format_day(season.starts))
    month = compute_month(season.starts)
    if (month.first, month.after) == (season.starts, season.ends + timedelta(days=1)):
        return format_month(season.starts)
    return format_days(season.starts, season.ends)


def _describe_event_days(competitions: Iterable[Competition]) -> str:
    """Return the days from the first event to the last; "" if none has a day."""
    public = [one for one in competitions if one.starts_at and one.status != Competition.Status.DRAFT]
    days = sorted({one.starts_at.astimezone(get_zone(one)).date() for one in public if one.starts_at})
    return format_days(days[0], days[-1]) if days else ""


def describe_series_rule(rule: SeriesRule) -> str:
    """Return what an event of a series gives and how many count, as a sentence or two."""
    sentences = []
    if table := rule.points.get("table"):
        shown = ", ".join(format_game_points(Fraction(str(one))) for one in table[:MAX_SHOWN_POINTS])
        more = " …" if len(table) > MAX_SHOWN_POINTS else ""
        sentences.append(_("Points for places 1, 2, 3 …: {points}.").format(points=shown + more))
    else:
        sentences.append(str(POINTS_BY[rule.points["by"]]))
    if rule.points.get("by") != "competition_points":
        sentences.append(_("Players who share a place get the average of the points of their places."))
    if rule.counting < rule.of:
        template = _("The best {best} of {of} events of each player count.")
        sentences.append(template.format(best=rule.counting, of=int(rule.of)))
    return " ".join(sentences)


def describe_zone(line: DivisionLine, season: Season) -> str:
    """Return the zone of a line in words."""
    if line.drawn and not line.certain:
        zone = find_drawn_zone(line)
        if zone is None:
            return _("equal, a lot decides")
        template = _("{zone}: {count} of {of}, by lot")
        return template.format(zone=OPEN_ZONES[zone], count=line.drawn.count(zone), of=len(line.drawn))
    certain = CLOSED_ZONES if season.status == Season.Status.CLOSED else ZONES
    return str((certain if line.certain else OPEN_ZONES)[line.zone])


def find_drawn_zone(line: DivisionLine) -> Zone | None:
    """Return the zone for which a lot is drawn among those who share a place; None if it is drawn for several."""
    zones = {*line.drawn} - {"stays"}
    return zones.pop() if len(zones) == 1 else None


def describe_quotas(lines: Sequence[DivisionLine]) -> str:
    """Return how many of a division cross its borders; "" if nobody does."""
    counts = Counter(line.zone for line in lines)
    words = [
        ngettext("{count} rises", "{count} rise", counts["up"]),
        ngettext("{count} plays off to rise", "{count} play off to rise", counts["play_off"]),
        ngettext("{count} plays off to stay", "{count} play off to stay", counts["play_down"]),
        ngettext("{count} falls", "{count} fall", counts["down"]),
    ]
    crossing = [counts[zone] for zone in ("up", "play_off", "play_down", "down")]
    if not any(crossing):
        return ""
    shown = [word.format(count=count) for word, count in zip(words, crossing, strict=True) if count]
    champion = [_("the first is champion")] if counts["champion"] else []
    return " · ".join([*champion, *shown, *([] if any(crossing[2:]) else [_("nobody falls")])])


def describe_reach(line: DivisionLine, *, mine: bool = False) -> str:
    """Return what can still happen to a player of a division as a sentence or two, "" if nobody can say.

    ``mine``: the player is the reader.
    """
    if line.reach is None:
        return ""
    best, worst = line.reach.best, line.reach.worst
    sentences_by_zones, without_fall, otherwise, last = (
        (OWN_OPEN, OWN_OPEN_WITHOUT_FALL, OWN_BETWEEN, OWN_STILL_STAYS)
        if mine
        else (OPEN, OPEN_WITHOUT_FALL, BETWEEN, STILL_STAYS)
    )
    template = CERTAIN[best] if best == worst else sentences_by_zones.get((best, worst), otherwise)
    if worst == "stays" and best != worst and not line.reach.anybody_falls:
        template = without_fall.get(best, template)
    if (best, worst, line.zone) == ("stays", "down", "down") and not line.drawn:
        template = last
    name = isolate_direction(line.player.name)
    sentences = [str(template).format(name=name, best=ZONES[best], worst=ZONES[worst])]
    return " ".join([*sentences, *(_describe_need(need) for need in line.reach.needs)])


def _describe_need(need: ZoneNeed) -> str:
    """Return what is enough for a zone, whatever the others do."""
    if need.points is None and need.games == 1:
        return {
            "champion": _("A win is enough for the title."),
            "up": _("A win is enough to rise."),
            "stays": _("A win is enough to stay."),
        }[need.zone]
    if need.points is None:
        return {
            "champion": _("Winning all remaining games is enough for the title."),
            "up": _("Winning all remaining games is enough to rise."),
            "stays": _("Winning all remaining games is enough to stay."),
        }[need.zone]
    # Half a point takes the form of one.
    count = math.ceil(need.points)
    template = {
        "champion": ngettext(
            "{points} point more is enough for the title.", "{points} points more are enough for the title.", count
        ),
        "up": ngettext("{points} point more is enough to rise.", "{points} points more are enough to rise.", count),
        "stays": ngettext("{points} point more is enough to stay.", "{points} points more are enough to stay.", count),
    }[need.zone]
    shown = format_game_points(need.points)
    # The number stays with its unit.
    return template.format(points=shown).replace(f"{shown} ", f"{shown}\N{NO-BREAK SPACE}", 1)


def describe_outlook(lines: Sequence[DivisionLine]) -> list[str]:
    """Return what can still happen in a division that is being played, a sentence or two for each player."""
    if not any(line.reach for line in lines):
        return []
    if all(line.certain for line in lines):
        return [_("All is decided: nobody can change zone any more.")]
    return [describe_reach(line) for line in lines]


def describe_series(rule: SeriesRule, rows: Sequence[SeriesRow], people: Any, events: Collection[int]) -> list[str]:
    """Return what can still happen in a series after some ``events``."""
    to_come = [number for number in range(1, int(rule.of) + 1) if number not in events]
    if not events or not to_come or not rows:
        return []
    able = [row for row in rows if row.can_still_win]
    names = {row.player: isolate_direction(people[row.player].name) for row in able}
    if len(able) == 1:
        return [_("{name} wins the series, whatever happens.").format(name=names[able[0].player])]
    if len(able) == len(rows) > MAX_NAMED:
        return [_("All {count} can still win the series.").format(count=len(rows))]
    sentences = []
    for row in able[:MAX_NAMED]:
        name = names[row.player]
        if row.rank == 1:
            sentences.append(_("{name} leads.").format(name=name))
        elif row.needs:
            place = find_last_sufficient_place(rule, to_come[0], row.needs) if len(to_come) == 1 else None
            if place is None:
                template = _("{name} can still win.")
            elif place == 1:
                template = _("{name} can still win: first place in event {number} reaches the leader’s points.")
            else:
                template = _(
                    "{name} can still win: place {place} or better in event {number} reaches the leader’s points."
                )
            sentences.append(template.format(name=name, place=place, number=to_come[0]))
        else:
            sentences.append(_("{name} can still win, level on points with the leader.").format(name=name))
    if len(able) > MAX_NAMED:
        count = len(able) - MAX_NAMED
        template = ngettext("{count} other can still win.", "{count} others can still win.", count)
        sentences.append(template.format(count=count))
    return sentences
