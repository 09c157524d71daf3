"""What a ladder's method asks of a period's games before the league's newest one, where standings do not tell it."""

from dataclasses import dataclass
from functools import cached_property

from django.db.models import Exists, F, OuterRef, QuerySet

from league.db.times import micros, moment_of
from league.models import Period, RatingChange
from league.selectors.ladders.rated_games import RatedGames


@dataclass(frozen=True)
class PeriodPast:
    """The games of a period before the league's newest one, of which these are the last lines (``Past``)."""

    period: Period
    newest: RatedGames

    @property
    def at(self) -> int:
        """Return when the newest game was played, in microseconds since 1970."""
        return int(self.newest.at[-1])

    @property
    def number(self) -> int:
        """Return the newest game's number."""
        return int(self.newest.number[-1])

    @cached_property
    def lines(self) -> QuerySet[RatingChange]:
        """Return the lines of the games before."""
        lines = RatingChange.objects.filter(league=self.newest.league, step=1, at__gte=self.period.starts_at)
        return lines.exclude(number=self.number).order_by()

    def met(self, span: int) -> bool:
        """Tell whether two of the newest game's players were at one table less than so many microseconds before it."""
        players = self.newest.player[self.newest.number == self.number].tolist()
        since = max(self.at - span, micros(self.period.starts_at) - 1)
        recent = self.lines.filter(at__gt=moment_of(since), player__in=players)
        others = recent.filter(game=OuterRef("game"), player__gt=OuterRef("player"))
        return recent.filter(Exists(others)).exists()

    def silent(self, span: int) -> dict[int, int]:
        """Return who was silent for more than so many microseconds at the newest game, but not yet at the one before.

        By player the moment of the last game, the longest ago first.
        """
        if self.at - span <= micros(self.period.starts_at):
            return {}
        before = self.lines.order_by("-at").values_list("at", flat=True).first()
        if before is None:
            return {}
        later = RatingChange.objects.filter(
            league=self.newest.league, player=OuterRef("player"), games=OuterRef("games") + 1, step=1
        ).exclude(number=self.number)
        since = max(micros(before) - span, micros(self.period.starts_at))
        ended = self.lines.filter(at__gte=moment_of(since), at__lt=moment_of(self.at - span))
        found = ended.filter(~Exists(later)).order_by(F("at").asc(), "order_key", "seat").values_list("player", "at")
        return {player: micros(at) for player, at in found}
