"""What the confirming page shows of a change: the sheet before and after, who moves, and the closed periods."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nlargest
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.core.dry_runs.services.diff import Diff, PeriodDiff, RatingDiff
from league.core.games.selectors.finish import scores_of, sides_said
from league.core.games.selectors.games import ShownGame, ShownResult, load_games
from league.core.ladders.selectors.ladders import method_of
from league.core.ladders.selectors.standings import StandingDifference
from league.core.leaderboard.selectors.compared import (
    BoardMoves,
    RankMove,
    WholeBoard,
    moves_between,
    rounded_up,
    whole_board,
)
from league.core.text.numbers import exact, number
from league.core.text.timestamps import format_time
from league.models import Edition, Game, League, Period
from league.web.organiser.change_preview import who_wins

#: Closed periods that are shown, lines of each, and how many may be decided about one by one.
PERIODS, LINES, ONE_BY_ONE = 12, 12, 4
#: Lines of who moves.
MOVES = 12


class Was(NamedTuple):
    """A fact before and after; "" if there is none."""

    label: str
    before: Any
    after: Any


@dataclass(frozen=True)
class DifferenceRow:
    """One line of the sheet before and after: who sat there, what was written, what it moved and would move."""

    before: ShownResult | None
    after: ShownResult | None

    @property
    def changed(self) -> bool:
        """Return whether the line says something else."""
        return self.who != self.was_who or self.score != self.was_score

    @property
    def who(self) -> str:
        """Return the name of who sits there, or sat."""
        one = self.after or self.before
        return one.result.player.name if one else ""

    @property
    def was_who(self) -> str:
        """Return the name of who sat there."""
        return self.before.result.player.name if self.before else ""

    @property
    def score(self) -> str:
        """Return what is written there."""
        return marked(self.after)

    @property
    def was_score(self) -> str:
        """Return what was written there."""
        return marked(self.before)

    @property
    def moved(self) -> float | None:
        """Return what the game moved."""
        return self.before.change.change if self.before and self.before.change else None

    @property
    def moves(self) -> float | None:
        """Return what it would move."""
        return self.after.change.change if self.after and self.after.change else None


def marked(line: ShownResult | None) -> str:
    """Return what is on a line of a sheet: the score, else the place."""
    if line is None:
        return ""
    score, place = line.result.score, line.result.place
    return exact(score) if score is not None else f"{place}." if place else ""


@dataclass
class ChangedState:
    """What was read while the change stood: the game that counts then, and the board where it was rated at once."""

    league: League
    now: datetime
    before: WholeBoard
    game: ShownGame | None = None
    after: WholeBoard | None = None

    def look(self, game: Game) -> None:
        """Read what the change has made of the league's data; it is called before that is taken back."""
        league = League.objects.get(pk=self.league.pk)
        (view,) = load_games(league, Game.objects.filter(pk=game.pk))
        self.game = None if view.status == "void" else view
        if league.stale_from is None:
            self.after = whole_board(league, self.now)


@dataclass(frozen=True)
class ClosedPeriod:
    """A closed period that would differ: its last edition, the lines with another rank, how many more, and who wins."""

    diff: PeriodDiff
    period: Period
    edition: Edition
    decimals: int
    lines: Sequence[StandingDifference]
    more: int
    scores_only: int
    farthest: float | None
    winners: str

    @property
    def asked(self) -> str:
        """Return by what the form knows it."""
        return f"{self.diff.ladder}/{self.diff.key}"

    @property
    def publish(self) -> str:
        """Return the first choice."""
        return _("Publish edition {number}").format(number=self.edition.number + 1)

    @property
    def stand(self) -> str:
        """Return the second choice."""
        return _("Keep edition {number}").format(number=self.edition.number)

    @property
    def title(self) -> str:
        """Return what the period is called, with its ladder where that is called otherwise."""
        period = self.period.name
        if self.diff.title == self.period.title:
            return period
        return _("{period} of {ladder}").format(period=period, ladder=self.diff.title)

    @property
    def is_closed(self) -> str:
        """Return what is above it."""
        return _("{period} is closed").format(period=self.title)

    @property
    def legend(self) -> str:
        """Return what is asked about it."""
        return _("Decision about {period}").format(period=self.period.name)


@dataclass(frozen=True)
class DifferencePage:
    """All that the confirming page shows of a change."""

    diff: Diff
    rows: list[DifferenceRow]
    beside: list[Was]
    sums: str
    moves: BoardMoves
    bars: list[tuple[RankMove, str, str]] = field(default_factory=list)
    closed: list[ClosedPeriod] = field(default_factory=list)
    leaders: list[str] = field(default_factory=list)
    one_sided: str = ""
    """"old" or "new" where only one sheet is there, before or after."""
    played_at: datetime | None = None
    """When the game that counts then was played."""
    later: bool = False
    """Whether the games are rated after the yes, by a worker."""


def shown_change(old: ShownGame | None, looked: ChangedState, diff: Diff, decimals: int) -> DifferencePage:
    """Return what the page shows; ``old`` is the game that counts now, None if none does."""
    rows = rows_of(old, looked.game)
    lines = [line for row in rows for line in (row.after, row.before) if line is not None]
    if looked.after is not None:
        table = list(dict.fromkeys(line.result.player_id for line in lines))
        moves = moves_between(looked.before, looked.after, table, decimals, MOVES)
    else:
        moves = moves_of(diff.ratings, [line.result.player.handle for line in lines], decimals)
    return DifferencePage(
        diff,
        rows,
        beside_of(old, looked.game, looked.league),
        sums_of(rows),
        moves,
        bars_of(moves),
        closed_of(looked.league, diff),
        leaders_of(diff),
        one_sided="old" if looked.game is None else "new" if old is None else "",
        played_at=looked.game.game.played_at if looked.game else None,
        later=looked.after is None,
    )


def rows_of(old: ShownGame | None, new: ShownGame | None) -> list[DifferenceRow]:
    """Return the lines of a sheet before and after, by seats of the second; who left the table comes last."""
    before = {line.result.player_id: line for line in (old.results if old else [])}
    rows: list[DifferenceRow] = []
    left = dict(before)
    for line in new.results if new else []:
        rows.append(DifferenceRow(left.pop(line.result.player_id, None), line))
    gone = list(left.values())
    for place, row in enumerate(rows):
        seat = next((one for one in gone if row.after and one.result.seat == row.after.result.seat), None)
        if row.before is None and seat is not None:
            gone.remove(seat)
            rows[place] = DifferenceRow(seat, row.after)
    return rows + [DifferenceRow(line, None) for line in gone]


def beside_of(old: ShownGame | None, new: ShownGame | None, league: League) -> list[Was]:
    """Return what differs beside the results: time, kind, note, fields, and the order at the table."""
    if old is None or new is None:
        return facts_of(view) if (view := old or new) else []
    one, two = old.game, new.game
    found = []
    if one.played_at != two.played_at:
        found.append(
            Was(_("Played"), format_time(one.played_at, league.time_zone), format_time(two.played_at, league.time_zone))
        )
    if one.kind != two.kind:
        found.append(Was(_("Kind"), one.get_kind_display(), two.get_kind_display()))
    for key in sorted({*one.fields, *two.fields}):
        if one.fields.get(key) != two.fields.get(key):
            found.append(Was(key.capitalize(), exact(one.fields.get(key)), exact(two.fields.get(key))))
    if one.note != two.note:
        found.append(Was(_("Note"), one.note or pgettext("a note", "none"), two.note or pgettext("a note", "none")))
    seats = [[line.result.player_id for line in view.results] for view in (old, new)]
    if seats[0] != seats[1] and sorted(seats[0]) == sorted(seats[1]):
        names = [", ".join(line.result.player.name for line in view.results) for view in (old, new)]
        found.append(Was(_("Seats"), *names))
    if one.weight != two.weight:
        found.append(Was(_("Weight"), exact(one.weight), exact(two.weight)))
    sides = [sides_said([line.result for line in view.results]) for view in (old, new)]
    if sides[0] != sides[1]:
        found.append(Was(_("Teams"), *(said or pgettext("sides", "no teams") for said in sides)))
    if one.worksheets != two.worksheets:
        found.append(Was(_("Worksheets"), "", pgettext("worksheets", "changed")))
    return found


def facts_of(view: ShownGame) -> list[Was]:
    """Return what a sheet that comes or goes alone says beside its results: who plays with whom, and its weight."""
    weight = view.game.weight
    said = [(_("Teams"), sides_said([line.result for line in view.results]))]
    said += [(_("Weight"), exact(weight) if weight != 1.0 else "")]
    return [Was(label, "", text) for label, text in said if text]


def sums_of(rows: Sequence[DifferenceRow]) -> str:
    """Return in a sentence how many scores change, and what becomes of their sum."""
    count = sum(row.changed for row in rows)
    before = scores_of([row.before.result for row in rows if row.before])
    after = scores_of([row.after.result for row in rows if row.after])
    if not count or not before or not after:
        return ""
    sums = [sum(score or 0.0 for score in scores) for scores in (before, after)]
    if None in before or None in after:
        said = ngettext("{count} row changed.", "{count} rows changed.", count)
    elif abs(sums[0] - sums[1]) < 1e-9:
        said = ngettext(
            "{count} row changed; the sum is still {before}.", "{count} rows changed; the sum is still {before}.", count
        )
    else:
        said = ngettext(
            "{count} row changed; the sum changes from {before} to {after}.",
            "{count} rows changed; the sum changes from {before} to {after}.",
            count,
        )
    return said.format(count=number(count), before=exact(sums[0]), after=exact(sums[1]))


def moves_of(ratings: Sequence[RatingDiff], table: Sequence[str], decimals: int) -> BoardMoves:
    """Return who moves where only ratings before and after are known, and no rank."""

    def far(one: RatingDiff) -> float:
        return float("inf") if one.before is None or one.after is None else abs(one.after - one.before)

    own = {one.player: one for one in ratings if one.player in table}
    chosen = [own[handle] for handle in dict.fromkeys(table) if handle in own]
    farthest = nlargest(MOVES + 1, (one for one in ratings if one.player not in own), key=far)
    chosen += farthest[: max(MOVES - len(chosen), 0)]
    shown_ones = {one.player for one in chosen}
    rest = next((far(one) for one in farthest if one.player not in shown_ones), 0.0)
    rows = [RankMove(0, one.player, one.name, one.before, one.after, None, None) for one in chosen]
    return BoardMoves(rows, len(ratings) - len(chosen), rounded_up(rest, decimals), 0)


def bars_of(moves: BoardMoves) -> list[tuple[RankMove, str, str]]:
    """Return each move with x and width of its bar, of which the middle is no move; "" if it has none."""
    shifts = [
        row.after - row.before if row.after is not None and row.before is not None else None for row in moves.rows
    ]
    most = max((abs(shift) for shift in shifts if shift is not None), default=0.0) or 1.0
    found = []
    for row, shift in zip(moves.rows, shifts, strict=True):
        width = 48 * abs(shift) / most if shift else 0.0
        found.append((row, f"{50 - width if (shift or 0) < 0 else 50:.1f}", f"{width:.1f}" if shift else ""))
    return found


def closed_of(league: League, diff: Diff) -> list[ClosedPeriod]:
    """Return the closed periods that would differ, as many as are shown."""
    wanted = diff.closed[:PERIODS]
    keys = [one.key for one in wanted]
    periods = Period.objects.filter(league=league, key__in=keys).select_related("ladder", "rule")
    by_key = {(period.ladder.slug, period.key): period for period in periods}
    editions = Edition.objects.filter(league=league, key__in=keys).defer("document").order_by("number")
    last = {(edition.ladder_id, edition.key): edition for edition in editions}
    return [closed(one, by_key[one.ladder, one.key], last) for one in wanted]


def closed(diff: PeriodDiff, period: Period, editions: dict[tuple[int, str], Edition]) -> ClosedPeriod:
    """Return what is shown of one closed period."""
    lines = [line for line in diff.lines if line.rank_before != line.rank_after]
    scores = [(line.score_before, line.score_after) for line in diff.lines]
    farthest = max((abs(new - old) for old, new in scores if old is not None and new is not None), default=0.0)
    return ClosedPeriod(
        diff,
        period,
        editions[period.ladder_id, period.key],
        method_of(period.rule).decimals,
        lines[:LINES],
        max(len(lines) - LINES, 0),
        len(diff.lines) - len(lines),
        rounded_up(farthest, method_of(period.rule).decimals),
        winners_of(diff),
    )


def winners_of(diff: PeriodDiff) -> str:
    """Return in a sentence who wins a period then."""
    before, after = ([one["name"] for one in winners] for winners in (diff.winners_before, diff.winners_after))
    count, names, others = len(after), joined(after), joined(before)
    if not after:
        said = _("No winner; previously {others}.") if before else _("No leader.")
    elif who_wins(diff.winners_before) == who_wins(diff.winners_after):
        said = ngettext("{names} is still first.", "{names} are still first.", count)
    elif before:
        said = ngettext("{names} wins instead of {others}.", "{names} win instead of {others}.", count)
    else:
        said = ngettext("{names} wins.", "{names} win.", count)
    return said.format(names=names, others=others)


def leaders_of(diff: Diff) -> list[str]:
    """Return a sentence for each open period that another user would lead, the first few."""
    found = []
    for one in diff.periods:
        if one.closed or who_wins(one.winners_before) == who_wins(one.winners_after):
            continue
        after = [who["name"] for who in one.winners_after]
        before = [who["name"] for who in one.winners_before]
        if not after:
            said = _("{period} ({ladder}): no leader any more.")
        elif before:
            said = ngettext(
                "{period} ({ladder}): {names} leads instead of {others}.",
                "{period} ({ladder}): {names} lead instead of {others}.",
                len(after),
            )
        else:
            said = ngettext("{period} ({ladder}): {names} leads.", "{period} ({ladder}): {names} lead.", len(after))
        found.append(said.format(period=one.name, ladder=one.title, names=joined(after), others=joined(before)))
    return found[:PERIODS]


def joined(names: Sequence[str]) -> str:
    """Return names as a sentence tells them; many are counted."""
    if len(names) > 4:
        rest = len(names) - 3
        said = ngettext("{names} and {count} more", "{names} and {count} more", rest)
        return said.format(names=", ".join(names[:3]), count=number(rest))
    if len(names) < 2:
        return "".join(names)
    return _("{names} and {last}").format(names=", ".join(names[:-1]), last=names[-1])
