"""Zones whose times before 1970 are other ones on another machine."""

from datetime import timedelta

import pytest
from django.db.models import F

from league.models import Rule
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, record, sheet

pytestmark = pytest.mark.django_db


def test_the_first_rule_may_begin_by_another_tables_local_mean_time() -> None:
    # Amsterdam in 1800: +0:19:32 where tzdata was made with "backzone" (Debian), +0:17:30 elsewhere.
    league = make_league(time_zone="Europe/Amsterdam")
    record(league, sheet(("anna", "ben"), (1, 0)))
    Rule.objects.update(starts_at=F("starts_at") - timedelta(seconds=122))
    assert verify_league(league.pk).differences == []
    Rule.objects.update(starts_at=F("starts_at") - timedelta(hours=2))
    (found,) = verify_league(league.pk).differences
    assert found.startswith("The rule from 1800-01-01 has starts_at 1799-12-31T21:")
