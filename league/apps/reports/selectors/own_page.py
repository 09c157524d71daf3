"""What the page of a private link shows of its player: the rating, the last change, and the last games."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from league.apps.reports.models import DISPLAY_PERIOD, Report, ReportLink
from league.apps.reports.selectors.reports import MAX_SHOWN, OwnOutcome, ReportView
from league.core.finish import Finisher, index_first_lines_of_sides, list_finishers, read_game_of_two
from league.core.games.selectors.games import ShownGame, find_games, load_games
from league.core.ladders.selectors.ladders import load_live_rows, load_periods_at
from league.core.ladders.selectors.tallies import build_method
from league.core.leaderboard.selectors.current_board import build_listing, find_listed_ratings
from league.core.players.selectors.cards import PlayerCard, load_card
from league.core.text.display_formats import format_number
from league.core.text.names import join_partners
from league.models import Game, League, Period, Player, RatingChange, Result
from ratings.contract.system import RatingSystem

#: Games shown to those who have not played lately.
MAX_EARLIER = 5
#: Periods in which a player's place is shown.
MAX_PLACES = 2


@dataclass(frozen=True)
class OwnPlace:
    """A player's place in a period that is being played, and its number of ranked players.

    ``score``: with what it counts.
    """

    period: Period
    rank: int
    score: str
    of: int


@dataclass(frozen=True)
class OwnStanding:
    """A player's rating and rank, and the change by the last game, None before the first."""

    card: PlayerCard
    last: RatingChange | None
    of: int
    """The number of players on the board."""
    places: list[OwnPlace]


@dataclass(frozen=True)
class OwnGame:
    """A game with what it has changed for the player, None if it is not rated; ``outcome``: in a game of two."""

    view: ShownGame
    change: RatingChange | None
    outcome: OwnOutcome | None


@dataclass(frozen=True)
class OwnGames:
    """Games that were recorded without a report, newest first; and those of reports, by the game's id.

    ``is_recent``: they are of the period in which reports are shown; else the last ones of any time.
    """

    recorded: list[ShownGame]
    reported: dict[int, ShownGame]
    is_recent: bool
    player: Player
    system: RatingSystem

    def add_recorded(self, view: ReportView) -> ReportView:
        """Return a report with its recorded game, if it has one, and what that changed for the player."""
        game = self.reported.get(view.report.game_id) if view.report.game_id else None
        return view if game is None else replace(view, game=game, change=self._find_change(game))

    @property
    def lines(self) -> list[OwnGame]:
        """The games with their changes."""
        return [OwnGame(view, self._find_change(view), self._find_outcome(view)) for view in self.recorded]

    def _find_change(self, view: ShownGame) -> RatingChange | None:
        return next((line.change for line in view.results if line.result.player_id == self.player.pk), None)

    def _find_outcome(self, view: ShownGame) -> OwnOutcome | None:
        results = [line.result for line in view.results]
        own = next((one for one in results if one.player_id == self.player.pk), None)
        finish, pair = _find_own_finish(results, own, self.system), read_game_of_two(view.results, own)
        if finish is None or pair is None or not pair.result:
            return None
        first, second = pair.sides
        partners = [line.result.player.name for line in first if line.result.player_id != self.player.pk]
        opponents = [line.result.player.name for line in second]
        return OwnOutcome(finish, pair.result, join_partners(partners), join_partners(opponents))


def _find_own_finish(results: Sequence[Result], own: Result | None, system: RatingSystem) -> Finisher | None:
    """Return how a player did in a game of two players or sides; None for other games."""
    if len({*index_first_lines_of_sides(results)}) != 2:
        return None
    return next((one for one in list_finishers(results, system) if one.result is own), None)


def find_reported_outcome(view: ReportView, player: Player, system: RatingSystem) -> OwnOutcome | None:
    """Return how a player did by a report of a game of two; None for other games."""
    sides, pair = view.sides, view.find_pair_of(player.handle)
    is_own = [player.handle in [line["player"] for line in side] for side in sides]
    if pair is None or True not in is_own:
        return None
    at = is_own.index(True)
    results = [Result(score=side[0].get("score"), place=side[0].get("place")) for side in sides]
    finish = _find_own_finish(results, results[at], system)
    partners = [line["name"] for line in sides[at] if line["player"] != player.handle]
    outcome = (pair.result, join_partners(partners), join_partners([line["name"] for line in pair.second]))
    return OwnOutcome(finish, *outcome) if finish else None


def load_standing(league: League, player: Player, link: ReportLink, now: datetime) -> OwnStanding | None:
    """Return a player's standing; None if the reader may not know it.

    A table's link shows everyone's page, so it shows what is public only.
    """
    if not _may_see_ratings(league, link):
        return None
    lines = RatingChange.objects.filter(league=league, player=player, step=1)
    listed = find_listed_ratings(league, build_listing(league, now)).count()
    card, last = load_card(league, player, now), lines.order_by("-games").first()
    return OwnStanding(card, last, listed, _list_places(league, player, now))


def _may_see_ratings(league: League, link: ReportLink) -> bool:
    return link.player is not None or league.visibility == League.Visibility.PUBLIC


def find_shown_change(league: League, player: Player, link: ReportLink, game: Game) -> float | None:
    """Return what a game has changed for a player; None if it is not rated, or the reader may not know it."""
    if not _may_see_ratings(league, link):
        return None
    (view,) = load_games(league, Game.objects.filter(pk=game.pk))
    changes = (line.change for line in view.results if line.result.player_id == player.pk)
    return next((one.change for one in changes if one is not None), None)


def _list_places(league: League, player: Player, now: datetime) -> list[OwnPlace]:
    """Return the player's places in the periods that are being played, without those that never end."""
    running = [period for period in load_periods_at(league, now) if period.rule.cadence != "all_time"]
    places = []
    for period in running[:MAX_PLACES]:
        method, rows = build_method(period.rule), load_live_rows(period)
        ranked = [row for row in rows if row["rank"] is not None]
        own = next((row for row in ranked if row["player"] == player.handle), None)
        if own is not None:
            score = f"{method.score_label} {format_number(own['score'], method.decimals)}"
            places.append(OwnPlace(period, own["rank"], score, len(ranked)))
    return places


def load_own_games(
    league: League, player: Player, reports: Sequence[ReportView], system: RatingSystem, now: datetime
) -> OwnGames:
    """Return a player's games beside these reports."""
    games = find_games(league).counting().filter(results__player=player)
    recent = games.filter(played_at__gt=now - DISPLAY_PERIOD)
    unreported = recent.exclude(pk__in=Report.objects.filter(game__in=recent).values("game"))
    recorded = load_games(league, unreported[:MAX_SHOWN])
    reported = [view.report.game_id for view in reports if view.report.game_id]
    of_reports = load_games(league, find_games(league).filter(pk__in=reported)) if reported else []
    is_recent = bool(recorded or of_reports)
    if not is_recent:
        recorded = load_games(league, games[:MAX_EARLIER])
    return OwnGames(recorded, {view.game.pk: view for view in of_reports}, is_recent, player, system)
