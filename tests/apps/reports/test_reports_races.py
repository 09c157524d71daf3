"""Concurrent answers to a report record its game exactly once."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from league.apps.reports.models import Report
from league.apps.reports.selectors.reports import compute_mark
from league.apps.reports.services.answering import confirm_report, dispute_report
from league.apps.reports.services.deciding import record_report, refuse_report
from league.apps.reports.services.entering import enter_report
from league.apps.reports.services.lapsing import lapse_due_reports
from league.apps.reports.services.links import make_link
from league.core.errors import RungsError
from league.core.verify.run import verify_league
from league.models import Game, League, LogEntry
from tests.helpers.builders import player_of
from tests.helpers.ladder_builders import clock
from tests.helpers.report_builders import link_of, played, reported, reporting_club
from tests.helpers.threads import in_threads
from tests.helpers.tiers import examples, mark_slow

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]


def or_refusal(work: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that returns the message of a refusal instead of raising it."""

    def attempt() -> Any:
        try:
            return work()
        except RungsError as error:
            return error.detail

    return attempt


def assert_consistent(league: League) -> None:
    """Check that data and log agree, and that each recorded report has its own game."""
    assert verify_league(league.pk).state == "is right"
    done = Report.objects.filter(state="confirmed")
    assert Game.objects.count() == 2 + done.count()
    assert LogEntry.objects.filter(kind="report.confirmed").count() == done.count()


def test_all_at_the_table_confirm_at_once() -> None:
    league = reporting_club()
    report = reported(link_of(league, "anna"), played(("anna", "ben", "cleo", "dan"), (4, 3, 2, 1)))
    secrets = [link_of(league, one) for one in ("ben", "cleo", "dan")]
    answers = in_threads([partial(confirm_report, secret, report.pk) for secret in secrets * 2])
    assert {answer.game_id for answer in answers} == {Game.objects.get(number=3).pk}
    assert_consistent(league)


#: How often they meet; each time another one may be the quicker.
ROUNDS = examples(5)
Round = Callable[[League, Report, str], Any]
#: What another thread does while a report is confirmed; the third argument is the secret of Cleo's link.
OTHERS: dict[str, Round] = {
    "lapse": lambda league, report, cleo: lapse_due_reports(league.pk),
    "refuse": lambda league, report, cleo: refuse_report(
        league.pk, report.pk, reason="No", mark=compute_mark(report), username="olga"
    ),
    "record": lambda league, report, cleo: record_report(
        league.pk, report.pk, mark=compute_mark(report), username="olga"
    ),
    "dispute": lambda league, report, cleo: dispute_report(cleo, report.pk, reason="No"),
    "revoke": lambda league, report, cleo: make_link(
        league.pk, f"new-{report.pk}", username="olga", player=player_of("ben")
    ),
}


@pytest.mark.parametrize("other", mark_slow(OTHERS, "Another race for the same lock.", but=["lapse", "dispute"]))
def test_concurrent_actions_on_a_report(other: str) -> None:
    league = reporting_club(report_timeout="confirm")
    anna, cleo = link_of(league, "anna"), link_of(league, "cleo")
    now = timezone.now()
    for _round in range(ROUNDS):
        now += timedelta(hours=1)
        with clock(now):
            report = reported(anna, played(("anna", "ben", "cleo"), (3, 2, 1)))
        now += timedelta(hours=49)  # its time has run out
        with clock(now):
            run_round(OTHERS[other], league, report, cleo)
    assert Report.objects.count() == ROUNDS
    assert_consistent(league)


def run_round(other: Round, league: League, report: Report, cleo: str) -> None:
    """Let Ben confirm a report while another thread does something else, both twice."""
    ben = link_of(league, "ben")
    in_threads(
        [or_refusal(lambda: other(league, report, cleo)), or_refusal(lambda: confirm_report(ben, report.pk))] * 2
    )


@pytest.mark.slow("Another race for the same lock.")
def test_concurrent_sweeps_apply_the_timeout_once() -> None:
    league = reporting_club(report_timeout="confirm")
    anna = link_of(league, "anna")
    for hours in range(1, 5):
        reported(anna, played(hours=hours))
    now = timezone.now() + timedelta(hours=49)
    assert sum(in_threads([lambda: lapse_due_reports(league.pk, now)] * 4)) == 4
    assert set(Report.objects.values_list("state", flat=True)) == {"confirmed"}
    assert_consistent(league)


def test_concurrent_forms_create_one_report() -> None:
    league = reporting_club()
    anna, new = link_of(league, "anna"), played()
    answers = in_threads([lambda: enter_report(anna, new, key="k")] * 6)
    assert sorted(answer.created for answer in answers) == [False] * 5 + [True]
    assert_consistent(league)


def test_two_organisers_decide_at_once() -> None:
    league = reporting_club()
    report = reported(link_of(league, "anna"))
    seen = compute_mark(report)
    works = [or_refusal(lambda: record_report(league.pk, report.pk, mark=seen, username="olga")),
             or_refusal(
                 lambda: refuse_report(league.pk, report.pk, reason="No", mark=seen, username="rita"))]  # fmt: skip
    answers = in_threads(works * 3)
    assert len([one for one in answers if isinstance(one, str) and one.startswith("This report ")]) == 5
    assert_consistent(league)
