"""The effects of a change on the confirming page: the sheet before and after, rank changes and closed periods."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nlargest
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.core.dry_runs.services.diff import Diff, PeriodDiff, RatingDiff
from league.core.finish import format_sides, list_figures, list_side_scores
from league.core.games.selectors.games import ShownGame, ShownResult, load_games
from league.core.ladders.selectors.ladders import StandingDifference
from league.core.ladders.selectors.tallies import build_method
from league.core.leaderboard.selectors.compared import (
    BoardMoves,
    RankMove,
    WholeBoard,
    compute_moves,
    load_whole_board,
    round_up,
)
from league.core.rules.selectors.rules import load_decimals, load_rules
from league.core.text.display_formats import format_exact, format_number, format_time
from league.core.text.game_results import format_sets
from league.models import Edition, Game, League, Period, Player
from league.web.public.declared_values import list_declared_values

#: Maximum number of closed periods shown, of lines of each, and of periods decided one by one.
MAX_PERIODS, MAX_PERIOD_LINES, MAX_SINGLE_DECISIONS = 12, 12, 4
#: Maximum number of players shown before the fold, and of further ones whose rank changes.
MAX_MOVES, MAX_RERANKED = 10, 500


class ChangedValue(NamedTuple):
    """A labelled value before and after; "" if there is none."""

    label: str
    before: Any
    after: Any


@dataclass(frozen=True)
class DifferenceRow:
    """One line of the sheet before and after the change; ``score``: the score, place or result, "" if unknown."""

    before: ShownResult | None
    after: ShownResult | None
    score_before: str
    score: str

    @property
    def changed(self) -> bool:
        """Return whether player or score differ."""
        return self.player != self.player_before or self.score != self.score_before

    @property
    def player(self) -> str:
        """The player's name after the change, else before it."""
        line = self.after or self.before
        return line.result.player.name if line else ""

    @property
    def player_before(self) -> str:
        """The player's name before the change."""
        return self.before.result.player.name if self.before else ""

    @property
    def change_before(self) -> float | None:
        """The rating change by the game now."""
        return self.before.change.change if self.before and self.before.change else None

    @property
    def change_after(self) -> float | None:
        """The rating change by the game after the change."""
        return self.after.change.change if self.after and self.after.change else None


@dataclass
class ChangedState:
    """The state read inside the dry run: the game that counts then, and the board if it was rated at once."""

    league: League
    now: datetime
    before: WholeBoard
    game: ShownGame | None = None
    after: WholeBoard | None = None

    def look(self, game: Game) -> None:
        """Read the changed state; called before the dry run is rolled back."""
        league = League.objects.get(pk=self.league.pk)
        (view,) = load_games(league, Game.objects.filter(pk=game.pk))
        self.game = None if view.status == "void" else view
        if league.stale_from is None:
            self.after = load_whole_board(league, self.now)


@dataclass(frozen=True)
class ClosedPeriod:
    """A closed period that would differ from its last edition."""

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
    def form_id(self) -> str:
        """The identifier of the period in the form."""
        return f"{self.diff.ladder}/{self.diff.key}"

    @property
    def publish_label(self) -> str:
        """The label of the first choice."""
        return _("Publish edition {number}").format(number=self.edition.number + 1)

    @property
    def keep_label(self) -> str:
        """The label of the second choice."""
        return _("Keep edition {number}").format(number=self.edition.number)

    @property
    def title(self) -> str:
        """The name of the period, with its ladder if that has another title."""
        period = self.period.name
        if self.diff.title == self.period.title:
            return period
        return _("{period} of {ladder}").format(period=period, ladder=self.diff.title)

    @property
    def heading(self) -> str:
        """The heading of the period."""
        return _("{period} is closed").format(period=self.title)

    @property
    def legend(self) -> str:
        """The legend of the choices."""
        return _("Decision about {period}").format(period=self.period.name)


@dataclass(frozen=True)
class DifferencePage:
    """The content of the confirming page."""

    diff: Diff
    rows: list[DifferenceRow]
    other_changes: list[ChangedValue]
    sums: str
    moves: BoardMoves
    bars: list[tuple[RankMove, str, str]] = field(default_factory=list)
    closed: list[ClosedPeriod] = field(default_factory=list)
    leaders: list[str] = field(default_factory=list)
    ladders: str = ""
    one_sided: str = ""
    """Which sheet exists if only one does: "old" or "new"."""
    played_at: datetime | None = None
    """When the game that counts after the change was played."""
    later: bool = False
    """Whether a background worker rates the games."""

    @property
    def first_bars(self) -> list[tuple[RankMove, str, str]]:
        """The first players, which are always shown."""
        return self.bars[:MAX_MOVES]

    @property
    def folded_bars(self) -> list[tuple[RankMove, str, str]]:
        """The other players, which are folded."""
        return self.bars[MAX_MOVES:]


def build_difference_page(
    old: ShownGame | None, changed_state: ChangedState, diff: Diff, decimals: int
) -> DifferencePage:
    """Return the content of the confirming page; ``old`` is the game that counts now, or None."""
    rows = pair_lines(old, changed_state.game)
    lines = [line for row in rows for line in (row.after, row.before) if line is not None]
    if changed_state.after is not None:
        table = list(dict.fromkeys(line.result.player_id for line in lines))
        moves = compute_moves(changed_state.before, changed_state.after, table, decimals, MAX_MOVES, MAX_RERANKED)
    else:
        moves = _rank_changes(diff.ratings, [line.result.player.handle for line in lines], decimals)
    return DifferencePage(
        diff,
        rows,
        list_other_differences(old, changed_state.game, changed_state.league),
        _describe_sums(rows),
        moves,
        _build_bars(moves),
        load_closed_periods(changed_state.league, diff),
        _describe_new_leaders(diff),
        _describe_ladders(diff),
        one_sided="old" if changed_state.game is None else "new" if old is None else "",
        played_at=changed_state.game.game.played_at if changed_state.game else None,
        later=changed_state.after is None,
    )


def pair_lines(old: ShownGame | None, new: ShownGame | None) -> list[DifferenceRow]:
    """Pair the lines of both sheets, in the new order of seats; players who are no longer in the game come last."""
    old_lines = {line.result.player_id: line for line in (old.results if old else [])}
    pairs: list[tuple[ShownResult | None, ShownResult | None]] = []
    unpaired = dict(old_lines)
    for line in new.results if new else []:
        pairs.append((unpaired.pop(line.result.player_id, None), line))
    removed = list(unpaired.values())
    for place, (before, after) in enumerate(pairs):
        seat = next((line for line in removed if after and line.result.seat == after.result.seat), None)
        if before is None and seat is not None:
            removed.remove(seat)
            pairs[place] = (seat, after)
    pairs += [(line, None) for line in removed]
    old_figures, new_figures = _list_figures_by_player(old), _list_figures_by_player(new)
    return [
        DifferenceRow(
            before,
            after,
            old_figures[before.result.player_id] if before else "",
            new_figures[after.result.player_id] if after else "",
        )
        for before, after in pairs
    ]


def _list_figures_by_player(view: ShownGame | None) -> dict[int, str]:
    """Return player -> figure of a game."""
    results = [line.result for line in view.results] if view else []
    return {result.player_id: text for result, text in zip(results, list_figures(results), strict=True)}


def _list_declared_differences(old: ShownGame, new: ShownGame, league: League) -> list[ChangedValue]:
    """Return the differences in values of declared fields that everyone may read."""
    values = [dict(list_declared_values(league, view, None)) for view in (old, new)]
    pairs = {label: [format_exact(one.get(label, "–")) for one in values] for label in {**values[0], **values[1]}}
    return [ChangedValue(label, before, after) for label, (before, after) in pairs.items() if before != after]


def list_other_differences(old: ShownGame | None, new: ShownGame | None, league: League) -> list[ChangedValue]:
    """Return the differences other than results: time, kind, note, game fields and seats."""
    if old is None or new is None:
        return _describe_sides_and_weight(view) if (view := old or new) else []
    first, second = old.game, new.game
    changes = []
    if first.played_at != second.played_at:
        changes.append(
            ChangedValue(
                _("Played"),
                format_time(first.played_at, league.time_zone),
                format_time(second.played_at, league.time_zone),
            )
        )
    if first.kind != second.kind:
        changes.append(ChangedValue(_("Kind"), first.get_kind_display(), second.get_kind_display()))
    for key in sorted({*first.fields, *second.fields}):
        if first.fields.get(key) != second.fields.get(key):
            changes.append(
                ChangedValue(
                    key.capitalize(), format_exact(first.fields.get(key)), format_exact(second.fields.get(key))
                )
            )
    changes += _list_declared_differences(old, new, league)
    if first.note != second.note:
        changes.append(
            ChangedValue(_("Note"), first.note or pgettext("a note", "none"), second.note or pgettext("a note", "none"))
        )
    seats = [[line.result.player_id for line in view.results] for view in (old, new)]
    if seats[0] != seats[1] and sorted(seats[0]) == sorted(seats[1]):
        names = [", ".join(line.result.player.name for line in view.results) for view in (old, new)]
        changes.append(ChangedValue(_("Seats"), *names))
    if first.weight != second.weight:
        changes.append(ChangedValue(_("Weight"), format_exact(first.weight), format_exact(second.weight)))
    sides = [format_sides([line.result for line in view.results]) for view in (old, new)]
    if sides[0] != sides[1]:
        changes.append(
            ChangedValue(_("Teams"), *(description or pgettext("sides", "no teams") for description in sides))
        )
    sets = [format_sets(view.game.set_rows, [line.result.side for line in view.results]) for view in (old, new)]
    if sets[0] != sets[1]:
        changes.append(ChangedValue(_("Sets"), *(text or pgettext("sets", "none") for text in sets)))
    if first.worksheets != second.worksheets:
        changes.append(ChangedValue(_("Worksheets"), "", pgettext("worksheets", "changed")))
    return changes


def _describe_sides_and_weight(view: ShownGame) -> list[ChangedValue]:
    weight = view.game.weight
    facts = [(_("Teams"), format_sides([line.result for line in view.results]))]
    facts += [(_("Weight"), format_exact(weight) if weight != 1.0 else "")]
    return [ChangedValue(label, "", text) for label, text in facts if text]


def _describe_sums(rows: Sequence[DifferenceRow]) -> str:
    count = sum(row.changed for row in rows)
    before = list_side_scores([row.before.result for row in rows if row.before])
    after = list_side_scores([row.after.result for row in rows if row.after])
    if not count or not before or not after:
        return ""
    sums = [sum(score or 0.0 for score in scores) for scores in (before, after)]
    if None in before or None in after:
        message = ngettext("{count} row changed.", "{count} rows changed.", count)
    elif abs(sums[0] - sums[1]) < 1e-9:
        message = ngettext(
            "{count} row changed; the sum is still {before}.", "{count} rows changed; the sum is still {before}.", count
        )
    else:
        message = ngettext(
            "{count} row changed; the sum changes from {before} to {after}.",
            "{count} rows changed; the sum changes from {before} to {after}.",
            count,
        )
    return message.format(count=format_number(count), before=format_exact(sums[0]), after=format_exact(sums[1]))


def _rank_changes(ratings: Sequence[RatingDiff], table: Sequence[str], decimals: int) -> BoardMoves:

    def size(rating: RatingDiff) -> float:
        return float("inf") if rating.before is None or rating.after is None else abs(rating.after - rating.before)

    ratings_by_handle = {rating.player: rating for rating in ratings if rating.player in table}
    selected = [ratings_by_handle[handle] for handle in dict.fromkeys(table) if handle in ratings_by_handle]
    farthest = nlargest(
        MAX_MOVES + 1, (rating for rating in ratings if rating.player not in ratings_by_handle), key=size
    )
    selected += farthest[: max(MAX_MOVES - len(selected), 0)]
    shown_handles = {rating.player for rating in selected}
    rest_change = next((size(rating) for rating in farthest if rating.player not in shown_handles), 0.0)
    rows = [RankMove(0, rating.player, rating.name, rating.before, rating.after, None, None) for rating in selected]
    return BoardMoves(rows, len(ratings) - len(selected), round_up(rest_change, decimals), 0)


def _build_bars(moves: BoardMoves) -> list[tuple[RankMove, str, str]]:
    """Return each move with x and width of its bar, of which the middle is no move; "" if it has none."""
    shifts = [
        row.after - row.before if row.after is not None and row.before is not None else None for row in moves.rows
    ]
    largest = max((abs(shift) for shift in shifts if shift is not None), default=0.0) or 1.0
    bars = []
    for row, shift in zip(moves.rows, shifts, strict=True):
        width = 48 * abs(shift) / largest if shift else 0.0
        bars.append((row, f"{50 - width if (shift or 0) < 0 else 50:.1f}", f"{width:.1f}" if shift else ""))
    return bars


def load_closed_periods(league: League, diff: Diff) -> list[ClosedPeriod]:
    """Return the closed periods that would differ, at most ``MAX_PERIODS``."""
    diffs = diff.closed[:MAX_PERIODS]
    keys = [diff.key for diff in diffs]
    periods = Period.objects.filter(league=league, key__in=keys).select_related("ladder", "rule")
    by_key = {(period.ladder.slug, period.key): period for period in periods}
    editions = Edition.objects.filter(league=league, key__in=keys).defer("document").order_by("number")
    last = {(edition.ladder_id, edition.key): edition for edition in editions}
    return [_build_closed_period(diff, by_key[diff.ladder, diff.key], last) for diff in diffs]


def _build_closed_period(diff: PeriodDiff, period: Period, editions: dict[tuple[int, str], Edition]) -> ClosedPeriod:
    lines = [line for line in diff.lines if line.rank_before != line.rank_after]
    scores = [(line.score_before, line.score_after) for line in diff.lines]
    farthest = max((abs(new - old) for old, new in scores if old is not None and new is not None), default=0.0)
    return ClosedPeriod(
        diff,
        period,
        editions[period.ladder_id, period.key],
        build_method(period.rule).decimals,
        lines[:MAX_PERIOD_LINES],
        max(len(lines) - MAX_PERIOD_LINES, 0),
        len(diff.lines) - len(lines),
        round_up(farthest, build_method(period.rule).decimals),
        describe_winners(diff),
    )


def describe_winners(diff: PeriodDiff) -> str:
    """Return the message about the winners of a period after the change."""
    before, after = ([winner["name"] for winner in winners] for winners in (diff.winners_before, diff.winners_after))
    count, names, previous_names = len(after), join_names(after), join_names(before)
    if not after:
        message = _("No winner; previously {others}.") if before else _("No leader.")
    elif _list_winner_handles(diff.winners_before) == _list_winner_handles(diff.winners_after):
        message = ngettext("{names} is still first.", "{names} are still first.", count)
    elif before:
        message = ngettext("{names} wins instead of {others}.", "{names} win instead of {others}.", count)
    else:
        message = ngettext("{names} wins.", "{names} win.", count)
    return message.format(names=names, others=previous_names)


def _describe_ladders(diff: Diff) -> str:
    """Return a sentence about the ladders' periods in which ranks change, "" if nothing does."""
    if not diff.moves:
        return ""
    template = _("{period} ({ladder})")
    names = [
        template.format(period=one.name, ladder=one.title)
        for one in diff.periods
        if any(line.rank_before != line.rank_after for line in one.lines)
    ]
    if not names:
        return _("No rank of a ladder changes.")
    sentence = ngettext("Ranks change in a ladder: {names}.", "Ranks change in ladders: {names}.", len(names))
    return sentence.format(names=join_names(names))


def _describe_new_leaders(diff: Diff) -> list[str]:
    messages = []
    for period in diff.periods:
        if period.closed or _list_winner_handles(period.winners_before) == _list_winner_handles(period.winners_after):
            continue
        after = [winner["name"] for winner in period.winners_after]
        before = [winner["name"] for winner in period.winners_before]
        if not after:
            message = _("{period} ({ladder}): no leader any more.")
        elif before:
            message = ngettext(
                "{period} ({ladder}): {names} leads instead of {others}.",
                "{period} ({ladder}): {names} lead instead of {others}.",
                len(after),
            )
        else:
            message = ngettext("{period} ({ladder}): {names} leads.", "{period} ({ladder}): {names} lead.", len(after))
        messages.append(
            message.format(period=period.name, ladder=period.title, names=join_names(after), others=join_names(before))
        )
    return messages[:MAX_PERIODS]


def join_names(names: Sequence[str]) -> str:
    """Join names for a sentence; of more than four, the last ones are counted."""
    if len(names) > 4:
        remaining_count = len(names) - 3
        text = ngettext("{names} and {count} more", "{names} and {count} more", remaining_count)
        return text.format(names=", ".join(names[:3]), count=format_number(remaining_count))
    if len(names) < 2:
        return "".join(names)
    return _("{names} and {last}").format(names=", ".join(names[:-1]), last=names[-1])


#: Maximum number of players named with their change.
MAX_NAMED_PLAYERS = 20


@dataclass(frozen=True)
class ChangePreview:
    """The effects of a change on a league: the largest rating changes, the number of others, and new winners.

    ``player`` is the player that the change concerns.
    """

    league: League
    diff: Diff
    movers: list[RatingDiff]
    more: int
    decimals: int
    player: Player | None = None

    @property
    def all_ratings(self) -> list[RatingDiff]:
        """All players with a rating after the change, best first."""
        return sorted(
            (rating for rating in self.diff.ratings if rating.after is not None),
            key=lambda rating: -(rating.after or 0.0),
        )

    @property
    def new_winners(self) -> list[PeriodDiff]:
        """The first periods that would have different winners, ignoring scores."""
        periods = self.diff.won_otherwise
        return [
            period
            for period in periods
            if _list_winner_handles(period.winners_before) != _list_winner_handles(period.winners_after)
        ][:MAX_NAMED_PLAYERS]


def _list_winner_handles(winners: list[dict[str, Any]]) -> set[str]:
    """Return the players sharing first place."""
    return {winner["player"] for winner in winners}


def find_largest_changes(ratings: Iterable[RatingDiff], limit: int) -> tuple[list[RatingDiff], int]:
    """Return at most ``most`` players with the largest rating changes, and the number of others."""
    movers = sorted(ratings, key=lambda rating: -abs((rating.after or 0.0) - (rating.before or 0.0)))
    return movers[:limit], max(len(movers) - limit, 0)


def build_preview(league: League, diff: Diff, player: Player | None = None) -> ChangePreview:
    """Return the preview of a diff."""
    decimals = load_decimals(league) if load_rules(league) else 0
    return ChangePreview(league, diff, *find_largest_changes(diff.ratings, MAX_NAMED_PLAYERS), decimals, player)
