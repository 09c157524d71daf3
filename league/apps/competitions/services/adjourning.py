"""Adjourns the games whose results are missing when a round is paired, and takes that back with the round."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import Competition
from league.apps.competitions.records import FIXTURE_LOG
from league.apps.competitions.services.log_rows import append_change
from league.models import League


def mark_adjourned(
    league: League,
    now: datetime,
    by: str,
    competition: Competition,
    numbers: Collection[int],
    number: int,
    *,
    adjourned: bool = True,
) -> None:
    """Mark fixtures as adjourned because of a round, with the boards of matches, in a locked league; or take it back.

    The entry of the log names the round, by which ``list_adjourned_with`` finds them again.
    """
    if not numbers:
        return
    fixtures = competition.fixtures.filter(Q(number__in=numbers) | Q(match__in=numbers))
    fixtures.update(adjourned=adjourned)
    append_change(
        league, now, by, ChangeKind.FIXTURE_CHANGED, competition,
        fixtures=FIXTURE_LOG.build_payloads(
            fixtures.select_related("round", "game").order_by("number"), competition=competition.slug
        ),
        members={"round": number},
    )  # fmt: skip
