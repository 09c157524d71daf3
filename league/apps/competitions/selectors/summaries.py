"""Competitions with the numbers of their parts, and what may be seen of them."""

from collections.abc import Sequence

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, FinalStandings, Fixture, Round
from league.apps.competitions.selectors.competitions import build_entered_condition
from league.core.errors import NotFound
from league.models import Game, League


def count_parts(competitions: QuerySet[Competition]) -> QuerySet[Competition]:
    """Return competitions with their ``entry_count``, and ``last_round``, the last published one or None."""
    entries = Count("entries", filter=build_entered_condition("entries__"), distinct=True)
    rounds = Max("round_rows__number", filter=Q(round_rows__published_at__isnull=False))
    return competitions.annotate(entry_count=entries, last_round=rounds)


def find_current_rounds(competitions: QuerySet[Competition]) -> QuerySet[Competition]:
    """Return competitions with their ``current_round``: the first with a missing result, else the last published one.

    None if no round is published. An adjourned game holds back no round. ``open_round``: None if no result is missing.
    ``last_start``: of the last published round, None without a time.
    """
    missing = (
        Fixture.objects.playable()
        .without_result()
        .filter(competition=OuterRef("pk"), round__isnull=False, adjourned=False)
    )
    first = missing.order_by("round__number").values("round__number")[:1]
    published = Round.objects.filter(competition=OuterRef("pk"), published_at__isnull=False)
    last = published.order_by("-number").values("number")[:1]
    starts = published.order_by("-number").values("starts_at")[:1]
    return competitions.annotate(open_round=Subquery(first), last_start=Subquery(starts)).annotate(
        current_round=Coalesce("open_round", Subquery(last))
    )


def find_running(competitions: QuerySet[Competition]) -> QuerySet[Competition]:
    """Return the running ones with their current rounds: first those whose last round began last, then the newest."""
    running = find_current_rounds(competitions).filter(status=Competition.Status.RUNNING)
    return running.order_by(F("last_start").desc(nulls_last=True), "-created_at", "slug")


def count_missing_results(league: League) -> dict[int, int]:
    """Return competition id -> number of missing results; competitions without any are left out."""
    missing = Fixture.objects.playable().without_result().filter(league=league)
    return dict(missing.values("competition").annotate(count=Count("pk")).values_list("competition", "count"))


def find_edition(competition: Competition, number: int) -> FinalStandings:
    """Return an edition of the final standings; raises NotFound."""
    edition = competition.editions.filter(number=number).first()
    if edition is None:
        message = _("The competition {title} has no edition {number} of its final standings.")
        raise NotFound(message.format(title=competition.title, number=number))
    return edition


def load_fixtures_of_games(league: League, order_keys: Sequence[int]) -> dict[int, int]:
    """Return order key -> number of the fixture that a game was recorded for."""
    fixtures = Fixture.objects.filter(league=league, game__order_key__in=order_keys)
    return dict(fixtures.values_list("game__order_key", "number"))


def index_fixtures_of_games(league: League, games: Sequence[Game]) -> dict[int, Fixture]:
    """Return order key -> the fixture that a game, or one that it corrects, was recorded for.

    They have their competitions, rounds and games.
    """
    keys = [game.order_key for game in games]
    fixtures = Fixture.objects.filter(league=league, game__order_key__in=keys)
    found = fixtures.select_related("competition", "round", "game").order_by("-number")
    return {fixture.game.order_key: fixture for fixture in found if fixture.game is not None}


def find_public_fixture_of_game(league: League, game: Game) -> Fixture | None:
    """Return the fixture like ``index_fixtures_of_games``, if everyone may know of it."""
    fixtures = find_public_fixtures(league).filter(game__order_key=game.order_key)
    return fixtures.select_related("competition", "round").first()


def find_public_fixtures(league: League) -> QuerySet[Fixture]:
    """Return the fixtures that everyone may know of."""
    return Fixture.objects.filter(league=league).playable().exclude(competition__status=Competition.Status.DRAFT)
