"""Players' current ratings and ranks in a league."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.leaderboard.selectors.current_board import (
    Listing,
    build_inactive_condition,
    build_listing,
    find_listed_ratings,
    ranks_of,
)
from league.core.players.selectors.visibility import build_named_in_condition
from league.core.rules.selectors.rules import (
    ShownRatings,
    build_rule_system,
    find_rule_to_show,
    load_rules,
    load_shown_ratings,
    serialize_state_after,
)
from league.core.text.display_formats import format_number
from league.models import Inactive, InitialRating, League, Player, Rating, Rule
from league.models.contexts import ratings_of
from ratings.texts import round_as_printed


@dataclass(frozen=True)
class PlayerCard:
    """A player's current rating and rank in a league; ``rating`` and ``score`` are None without rules."""

    player: Player
    rating: float | None
    score: float | None
    rank: int | None
    games: int
    peak: float | None
    last_at: datetime | None
    state: dict[str, float]
    """Every field of the system's state by key; empty without rules."""
    provisional: bool
    unlisted: str
    """Why the player is not on the leaderboard; empty if listed."""
    active: bool = True


def load_card(league: League, player: Player, now: datetime, rules: Sequence[Rule] | None = None) -> PlayerCard:
    """Return a player's card in a league, also before the first game.

    ``rules``: the league's rules, if already loaded.
    """
    return load_cards(league, [player], now, rules)[0]


def load_cards(
    league: League, players: Sequence[Player], now: datetime, rules: Sequence[Rule] | None = None
) -> list[PlayerCard]:
    """Return the cards of players in a league, in order, with a fixed number of queries."""
    rules = load_rules(league) if rules is None else rules
    rated = ratings_of(league).filter(player__in=players).annotate(gone=build_inactive_condition(league))
    ratings = {rating.player_id: rating for rating in rated}
    new = [player.pk for player in players if player.pk not in ratings]
    inactive_rows = Inactive.objects.filter(league=league, player__in=new) if new else Inactive.objects.none()
    inactive = set(inactive_rows.values_list("player", flat=True))
    begins_alone = league.context is not None and bool(league.context.system)
    initial = InitialRating.objects.none()
    if new and not begins_alone:
        initial = InitialRating.objects.filter(league=league, player__in=new)
    starts = dict(initial.values_list("player", "rating"))
    listing = build_listing(league, now)
    reasons = {
        key: explain_absence(league, not player_rating.gone, player_rating, listing)
        for key, player_rating in ratings.items()
    }
    on_board = [player_rating.score for key, player_rating in ratings.items() if not reasons[key]]
    ranks = dict(zip(on_board, ranks_of(league, listing, on_board), strict=True))
    displayed_ratings = load_shown_ratings(league, rules) if ratings else None
    rule = find_rule_to_show(rules, now)
    return [
        _build_rated_card(player, rating, displayed_ratings, reasons[player.pk], ranks.get(rating.score))
        if displayed_ratings is not None and (rating := ratings.get(player.pk))
        else _build_newcomer_card(player, rule, starts.get(player.pk), active=player.pk not in inactive)
        for player in players
    ]


def _build_rated_card(
    player: Player, rating: Any, displayed_ratings: ShownRatings, reason: str, rank: int | None
) -> PlayerCard:
    """Return the card of a player with a rating; ``reason``: why not listed, ``rank``: on the board."""
    state = (rating.rating, rating.state_1, rating.state_2, rating.state_3)
    fields = displayed_ratings.describe(player.pk, state, rating.games)
    return PlayerCard(
        player,
        rating.rating,
        rating.score,
        None if reason else rank,
        rating.games,
        rating.peak,
        rating.last_at,
        **fields,
        unlisted=reason,
        active=not rating.gone,
    )


def is_in_league(league: League, player: Player) -> bool:
    """Return whether a league's data names a player."""
    is_named = build_named_in_condition(League.objects.filter(pk=league.pk))
    return Player.objects.filter(is_named, pk=player.pk).exists()


def explain_absence(league: League, active: bool, rating: Rating, listing: Listing) -> str:
    """Return why a player is not on the leaderboard, empty if listed."""
    if not active:
        return _("The player is marked as inactive.")
    if rating.games < listing.min_games:
        missing_count = listing.min_games - rating.games
        board = ngettext(
            "the board lists after {count} game",
            "the board lists after {count} games",
            listing.min_games,
        )
        needed = ngettext("{count} more game needed: {board}.", "{count} more games needed: {board}.", missing_count)
        return needed.format(
            count=format_number(missing_count), board=board.format(count=format_number(listing.min_games))
        )
    if listing.active_since is not None and rating.last_at < listing.active_since:
        days = league.inactive_after_days or 0
        return ngettext("No game in the last {count} day.", "No game in the last {count} days.", days).format(
            count=format_number(days)
        )
    return ""


def _build_newcomer_card(player: Player, rule: Rule | None, initial: float | None, *, active: bool) -> PlayerCard:
    """Return the card of a player without games in the league, who may have an initial rating.

    ``rule``: the current one, if the league has any.
    """
    reason = _("No game in this league yet.")
    if rule is None:
        return PlayerCard(player, None, None, None, 0, None, None, {}, False, reason, active)
    system = build_rule_system(rule)
    state = system.start()
    state[0] = state[0] if initial is None else initial
    fields = serialize_state_after(system, state, 0)
    score = system.display(state, 0)
    return PlayerCard(player, state[0], score, None, 0, None, None, **fields, unlisted=reason, active=active)


class Nearest(NamedTuple):
    """The distances of a score to adjacent ones on the board, as differences of rounded scores.

    of: number of listed players. behind: distance to the next better score, which has ``next_rank``; ahead: to the next
    worse one; None if there is none. level: number of ties.
    """

    of: int
    behind: float | None
    ahead: float | None
    level: int
    next_rank: int | None = None


def score_distances(league: League, score: float, now: datetime, decimals: int) -> Nearest:
    """Return the distances of a listed player's score to adjacent scores."""
    listing = build_listing(league, now)
    board = find_listed_ratings(league, listing)
    above = board.filter(score__gt=score).order_by("score").values_list("score", flat=True).first()
    below = None
    if above is None:
        below = board.filter(score__lt=score).order_by("-score").values_list("score", flat=True).first()
    counts = board.aggregate(of=Count("pk"), level=Count("pk", filter=Q(score=score)))
    return Nearest(
        counts["of"],
        _subtract_rounded(score, above, decimals),
        _subtract_rounded(score, below, decimals),
        counts["level"] - 1,
        None if above is None else board.filter(score__gt=above).count() + 1,
    )


def _subtract_rounded(value: float, other: float | None, decimals: int) -> float | None:
    """Return the difference of two rounded scores; None if there is no other."""
    return None if other is None else float(abs(round_as_printed(other, decimals) - round_as_printed(value, decimals)))
