"""Many at one report: it becomes a game exactly once, whoever is quickest."""

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
from tests.helpers.tiers import examples

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]


def tried(work: Callable[[], Any]) -> Callable[[], Any]:
    """Return work whose refusal is its answer, as its sentence."""

    def attempt() -> Any:
        try:
            return work()
        except RungsError as error:
            return error.detail

    return attempt


def settled(league: League) -> None:
    """Demand that books and log agree, and that each recorded report has one game of its own."""
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
    settled(league)


#: How often they meet; each time another one may be the quicker.
ROUNDS = examples(5)
Round = Callable[[League, Report, str], Any]
#: What somebody else does at the moment at which a report is confirmed; the third is the secret of Cleo's link.
OTHERS: dict[str, Round] = {
    "lapse": lambda league, report, cleo: lapse_due_reports(league.pk),
    "refuse": lambda league, report, cleo: refuse_report(
        league.pk, report.pk, reason="No", mark=compute_mark(report), by="olga"
    ),
    "record": lambda league, report, cleo: record_report(league.pk, report.pk, mark=compute_mark(report), by="olga"),
    "dispute": lambda league, report, cleo: dispute_report(cleo, report.pk, reason="No"),
    "revoke": lambda league, report, cleo: make_link(league.pk, f"new-{report.pk}", by="olga", player=player_of("ben")),
}


@pytest.mark.parametrize("other", OTHERS)
def test_who_confirms_meets_somebody_who_does_otherwise(other: str) -> None:
    league = reporting_club(report_timeout="confirm")
    anna, cleo = link_of(league, "anna"), link_of(league, "cleo")
    now = timezone.now()
    for _round in range(ROUNDS):
        now += timedelta(hours=1)
        with clock(now):
            report = reported(anna, played(("anna", "ben", "cleo"), (3, 2, 1)))
        now += timedelta(hours=49)  # its time has run out
        with clock(now):
            meet(OTHERS[other], league, report, cleo)
    assert Report.objects.count() == ROUNDS
    settled(league)


def meet(other: Round, league: League, report: Report, cleo: str) -> None:
    """Let Ben confirm a report while somebody else does otherwise, both twice."""
    ben = link_of(league, "ben")
    in_threads([tried(lambda: other(league, report, cleo)), tried(lambda: confirm_report(ben, report.pk))] * 2)


def test_the_time_runs_out_once_however_many_sweep() -> None:
    league = reporting_club(report_timeout="confirm")
    anna = link_of(league, "anna")
    for hours in range(1, 5):
        reported(anna, played(hours=hours))
    now = timezone.now() + timedelta(hours=49)
    assert sum(in_threads([lambda: lapse_due_reports(league.pk, now)] * 4)) == 4
    assert set(Report.objects.values_list("state", flat=True)) == {"confirmed"}
    settled(league)


def test_one_sheet_that_comes_many_times_at_once_is_one_report() -> None:
    league = reporting_club()
    anna, new = link_of(league, "anna"), played()
    answers = in_threads([lambda: enter_report(anna, new, key="k")] * 6)
    assert sorted(answer.created for answer in answers) == [False] * 5 + [True]
    settled(league)


def test_two_who_keep_the_books_decide_at_once() -> None:
    league = reporting_club()
    report = reported(link_of(league, "anna"))
    seen = compute_mark(report)
    works = [tried(lambda: record_report(league.pk, report.pk, mark=seen, by="olga")),
             tried(lambda: refuse_report(league.pk, report.pk, reason="No", mark=seen, by="rita"))]  # fmt: skip
    answers = in_threads(works * 3)
    assert len([one for one in answers if isinstance(one, str) and one.startswith("This report ")]) == 5
    settled(league)
