"""The draw of a season: makes the competitions of its divisions, or of the groups of a stage, as proposed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition, Season, SeasonEntry, SeasonPart
from league.apps.competitions.selectors.brought_ratings import round_rating
from league.apps.competitions.selectors.competitions import build_format
from league.apps.competitions.selectors.season_proposal import SeasonProposal, build_proposal, find_ratings
from league.apps.competitions.selectors.seasons import build_rule, find_season, list_entries, refuse_ended_season
from league.apps.competitions.services.competitions import create_competition, start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.rounds import NewFixture, RoundDates, add_fixtures
from league.apps.competitions.services.season_log import append_season_change
from league.apps.competitions.services.seasons import DIVISION_FORMAT, start_season
from league.apps.competitions.services.slugs import choose_slug
from league.core.calendar import start_of_day
from league.core.errors import Conflict, Invalid, Problem, Refused
from league.core.locking import get_write_time, locked
from league.models import League
from ratings.seasons.divisions import list_divisions
from ratings.seasons.letters import list_letters
from ratings.seasons.rules import PLAY_OFF, DivisionRule
from ratings.seasons.stages import GroupPlace

#: What becomes of a fixture without a result at the end of a division -> what its competition does at a deadline.
DEADLINE_ACTIONS = {
    "ask": Competition.DeadlineAction.ASK,
    "void": Competition.DeadlineAction.WAIT,
    "both_lose": Competition.DeadlineAction.FORFEIT,
    "half": Competition.DeadlineAction.DRAW,
}


@dataclass(frozen=True)
class _Draft:
    """A competition to make, its part of the season, and its players in the order of their seeds.

    ``in_pairs``: the first two meet, the next two, and so on. ``carried``: player -> what an arbiter's added points
    have: round, points and reason.
    """

    title: str
    name: str
    settings: Mapping[str, Any]
    part: Mapping[str, Any]
    players: Sequence[str]
    in_pairs: bool = False
    carried: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@locked
def draw_season(
    league: League, now: datetime, slug: str, digest: str, *, by: str, days_between_rounds: int = 0
) -> list[Competition]:
    """Make what is proposed, and start each competition that can start; return the competitions.

    ``digest``: of the proposal that was read. ``days_between_rounds``: rounds that are made at once are dated, on days
    that the season does not block; 0: they are not. Raises Conflict if the proposal is another one now, or there is
    nothing to draw; Invalid or Refused if a competition cannot be made from the rule's settings. All are made, or none.
    """
    season = find_season(league, slug, for_organisers=True)
    refuse_ended_season(season)
    proposal = build_proposal(season)
    if digest != proposal.digest:
        raise Conflict(_("The list has changed since the proposal was read: read it again. Nothing was drawn."))
    drafts = [*_plan_divisions(season, proposal), *_plan_groups(season, proposal)]
    if not drafts:
        raise Conflict(_("There is nothing to draw now."))
    _refuse_small(drafts)
    entries = list_entries(season)
    ratings = find_ratings(season, entries)
    rounded = {pk: round_rating(rating) for pk, rating in ratings.items()}
    brought = {entry.survivor.handle: rounded.get(entry.survivor.pk) for entry in entries}
    blocked = frozenset(date.fromisoformat(day) for day in season.blocked)
    dates = RoundDates(days_between_rounds, blocked)
    made = [_make_competition(league, season, draft, brought, dates, by) for draft in drafts]
    # The other services locked the league again: the log goes on after what they wrote.
    league.refresh_from_db()
    season.league = league
    parts = [
        SeasonPart(league=league, season=season, competition=competition, **draft.part)
        for draft, competition in zip(drafts, made, strict=True)
    ]
    SeasonPart.objects.bulk_create(parts)
    drawn = _write_levels(season, entries, proposal, brought)
    append_season_change(
        league, get_write_time(league), by, ChangeKind.SEASON_DRAWN, season, settings=start_season(season),
        changed_entries=drawn, parts=parts, members={"digest": digest},
    )  # fmt: skip
    return made


def _refuse_small(drafts: Iterable[_Draft]) -> None:
    """Raise Refused if somebody would play alone."""
    problems = [
        Problem(
            "/divisions",
            "entries",
            _("{title} has one member, who would have nobody to play.").format(title=draft.title),
        )
        for draft in drafts
        if len(draft.players) < 2
    ]
    if problems:
        raise Refused.of(problems)


def _plan_divisions(season: Season, proposal: SeasonProposal) -> Iterable[_Draft]:
    rule = build_rule(season).divisions
    if rule is None:
        return
    for level, letter, placements in list_divisions(proposal.placements):
        name = f"{level}{letter}"
        title = _("Division {name}").format(name=name)
        yield _Draft(
            title,
            name.lower(),
            _build_division_settings(rule),
            {"level": level, "letter": letter},
            [placement.player for placement in placements],
        )


def _build_division_settings(rule: DivisionRule) -> dict[str, Any]:
    action = DEADLINE_ACTIONS[rule.word_on_unplayed].value
    return {"format": DIVISION_FORMAT, "deadline_action": action, **rule.competition}


def _plan_groups(season: Season, proposal: SeasonProposal) -> Iterable[_Draft]:
    grouped = [stage for stage in build_rule(season).stages if stage.parallel > 1]
    for group in proposal.groups:
        name = group.stage.heading
        if group.letter:
            # The stage needs a name only if others have groups, too.
            template = _("Group {letter}") if len(grouped) == 1 else _("{stage}, group {letter}")
            name = template.format(stage=name, letter=group.letter)
        slug = f"{group.stage.key}-{group.letter.lower()}" if group.letter else group.stage.key
        settings = {"format": group.stage.format, **group.stage.competition}
        part = {"stage": group.stage.key, "letter": group.letter}
        handles = [player.handle for player in group.players]
        carried = {
            player.handle: {"round": 0, "points": str(points), "reason": _describe_carried(season, place)}
            for player in group.players
            if player.pk in group.carried
            for place, points in [group.carried[player.pk]]
            if points
        }
        yield _Draft(name, slug, settings, part, handles, in_pairs=group.stage.key == PLAY_OFF, carried=carried)


def _describe_carried(season: Season, place: GroupPlace) -> str:
    """Return the reason of carried points: the stage and the group that they are from."""
    stage = next(one for one in build_rule(season).stages if one.key == place.stage)
    if stage.parallel <= 1:
        return _("Carried from: {stage}").format(stage=stage.heading)
    letter = list_letters(stage.parallel)[place.group]
    return _("Carried from: {stage}, group {letter}").format(stage=stage.heading, letter=letter)


def _make_competition(
    league: League, season: Season, draft: _Draft, ratings: Mapping[str, int | None], dates: RoundDates, by: str
) -> Competition:
    """Make a competition with its entries, and start it unless it has too few."""
    settings: dict[str, Any] = {
        "title": f"{season.title}: {draft.title}"[:120],
        "group": draft.title[:80],
        "status": Competition.Status.OPEN.value,
        **_list_times(season, league.time_zone),
        **draft.settings,
    }
    try:
        slug = choose_slug(Competition, league, f"{season.slug}-{draft.name}")
        competition = create_competition(league.pk, slug, settings, by=by)
    except (Invalid, Refused) as error:
        template = _("The competition “{title}” cannot be made: {why}")
        detail = template.format(title=draft.title, why=error.detail)
        problems = [replace(problem, pointer=f"/rule{problem.pointer}") for problem in error.problems]
        raise type(error)(detail, problems) from error
    new = [
        NewEntry(
            [handle],
            seed=seed,
            rating=ratings.get(handle),
            added_points=[dict(draft.carried[handle])] if handle in draft.carried else [],
        )
        for seed, handle in enumerate(draft.players, 1)
    ]
    add_entries(league.pk, competition.slug, new, by=by)
    if build_format(competition).check_size(len(new)) is None:
        competition = start_competition(league.pk, competition.slug, by=by, dates=dates)
    if draft.in_pairs:
        pairs = [NewFixture([number, number + 1]) for number in range(1, len(new), 2)]
        add_fixtures(league.pk, competition.slug, pairs, by=by)
    return competition


def _list_times(season: Season, zone: str) -> dict[str, Any]:
    """Return when the competitions of a season begin and end: the last one with the last minute of the last day."""
    starts = season.starts and start_of_day(season.starts, zone)
    ends = season.ends and start_of_day(season.ends + timedelta(days=1), zone) - timedelta(minutes=1)
    return {"starts_at": starts, "ends_at": ends}


def _write_levels(
    season: Season, entries: Sequence[SeasonEntry], proposal: SeasonProposal, ratings: Mapping[str, int | None]
) -> list[SeasonEntry]:
    """Write the divisions and ratings that the draw gave; return the changed entries."""
    seats = {placement.player: placement for placement in proposal.placements}
    changed = []
    for entry in entries:
        seat = seats.get(entry.survivor.handle)
        if seat is None or entry.status != SeasonEntry.Status.ENTERED:
            continue
        entry.level, entry.letter, entry.rating = seat.level, seat.letter, ratings[seat.player]
        changed.append(entry)
    SeasonEntry.objects.bulk_update(changed, ["level", "letter", "rating"])
    return changed
