"""Players' current ratings and ranks in a league."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.leaderboard.selectors.current_board import Listing, inactive_in, listed_ratings, listing_of, ranks_of
from league.core.leagues.selectors.rules import ShownRatings, rule_now, rules_of, shown_ratings, system_of, told_after
from league.core.players.selectors.visibility import named_in
from league.core.text.display_formats import number, rounded
from league.models import Inactive, InitialRating, League, Player, Rating, Rule


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


def card_of(league: League, player: Player, now: datetime, rules: Sequence[Rule] | None = None) -> PlayerCard:
    """Return a player's card in a league, also before the first game.

    ``rules``: the league's rules, if already loaded.
    """
    return cards_of(league, [player], now, rules)[0]


def cards_of(
    league: League, players: Sequence[Player], now: datetime, rules: Sequence[Rule] | None = None
) -> list[PlayerCard]:
    """Return the cards of players in a league, in order, with a fixed number of queries."""
    rules = rules_of(league) if rules is None else rules
    rated = Rating.objects.filter(league=league, player__in=players).annotate(gone=inactive_in(league))
    ratings = {rating.player_id: rating for rating in rated}
    new = [player.pk for player in players if player.pk not in ratings]
    gone = Inactive.objects.filter(league=league, player__in=new) if new else Inactive.objects.none()
    inactive = set(gone.values_list("player", flat=True))
    initial = InitialRating.objects.filter(league=league, player__in=new) if new else InitialRating.objects.none()
    starts = dict(initial.values_list("player", "rating"))
    listing = listing_of(league, now)
    reasons = {key: unlisted_reason(league, not one.gone, one, listing) for key, one in ratings.items()}
    on_board = [one.score for key, one in ratings.items() if not reasons[key]]
    ranks = dict(zip(on_board, ranks_of(league, listing, on_board), strict=True))
    shown = shown_ratings(league, rules) if ratings else None
    rule = rule_now(rules, now)
    return [
        rated_card(player, rating, shown, reasons[player.pk], ranks.get(rating.score))
        if shown is not None and (rating := ratings.get(player.pk))
        else newcomer_card(player, rule, starts.get(player.pk), active=player.pk not in inactive)
        for player in players
    ]


def rated_card(player: Player, rating: Any, shown: ShownRatings, reason: str, rank: int | None) -> PlayerCard:
    """Return the card of a player with a rating; ``reason``: why not listed, ``rank``: on the board."""
    state = (rating.rating, rating.state_1, rating.state_2, rating.state_3)
    whole = shown.describe(player.pk, state, rating.games)
    return PlayerCard(
        player,
        rating.rating,
        rating.score,
        None if reason else rank,
        rating.games,
        rating.peak,
        rating.last_at,
        **whole,
        unlisted=reason,
        active=not rating.gone,
    )


def is_in_league(league: League, player: Player) -> bool:
    """Return whether a league's data names a player."""
    here = named_in(League.objects.filter(pk=league.pk))
    return Player.objects.filter(here, pk=player.pk).exists()


def unlisted_reason(league: League, active: bool, rating: Rating, listing: Listing) -> str:
    """Return why a player is not on the leaderboard, empty if listed."""
    if not active:
        return _("The player is marked as inactive.")
    if not listing.enough_games(rating.games):
        missing = listing.min_games - rating.games
        board = ngettext(
            "the board shows players after {count} game",
            "the board shows players after {count} games",
            listing.min_games,
        )
        needed = ngettext("{count} more game needed: {board}.", "{count} more games needed: {board}.", missing)
        return needed.format(count=number(missing), board=board.format(count=number(listing.min_games)))
    if not listing.recent_enough(rating.last_at):
        days = league.inactive_after_days or 0
        return ngettext("No game in the last {count} day.", "No game in the last {count} days.", days).format(
            count=number(days)
        )
    return ""


def newcomer_card(player: Player, rule: Rule | None, initial: float | None, *, active: bool) -> PlayerCard:
    """Return the card of a player without games in the league, who may have an initial rating.

    ``rule``: the current one, if the league has any.
    """
    reason = _("No game in this league yet.")
    if rule is None:
        return PlayerCard(player, None, None, None, 0, None, None, {}, False, reason, active)
    system = system_of(rule)
    state = system.start()
    state[0] = state[0] if initial is None else initial
    whole = told_after(system, state, 0)
    score = system.display(state, 0)
    return PlayerCard(player, state[0], score, None, 0, None, None, **whole, unlisted=reason, active=active)


class Nearest(NamedTuple):
    """The distances of a score to adjacent ones on the board, as differences of rounded scores.

    of: number of listed players. behind: distance to the next better score; ahead: to the next worse one; None if there
    is none. level: number of ties.
    """

    of: int
    behind: float | None
    ahead: float | None
    level: int


def score_distances(league: League, score: float, now: datetime, decimals: int) -> Nearest:
    """Return the distances of a listed player's score to adjacent scores."""
    listing = listing_of(league, now)
    board = listed_ratings(league, listing)
    above = board.filter(score__gt=score).order_by("score").values_list("score", flat=True).first()
    below = None
    if above is None:
        below = board.filter(score__lt=score).order_by("-score").values_list("score", flat=True).first()
    level = board.filter(score=score).count() - 1
    return Nearest(
        board.count(), printed_difference(score, above, decimals), printed_difference(score, below, decimals), level
    )


def printed_difference(one: float, other: float | None, decimals: int) -> float | None:
    """Return the difference of two rounded scores; None if there is no other."""
    return None if other is None else float(abs(rounded(other, decimals) - rounded(one, decimals)))
