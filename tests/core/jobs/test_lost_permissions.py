"""A job that a person asked for is done only if they may still ask for it when it runs."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User

from league.core.accounts.services.tokens import make_token, revoke_token
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import NEEDED, request_job, run_job
from league.core.permissions import load_viewer_of_user
from league.models import Job, League, Membership
from tests.helpers.builders import make_league

pytestmark = pytest.mark.django_db


def make_owner(league: League, name: str) -> User:
    user = User.objects.create_user(name)
    Membership.objects.create(league=league, user=user, role="owner")
    return user


def run(
    league: League, kind: str, names: tuple[str, ...], meanwhile: Callable[[], object]
) -> list[tuple[int, str | None]]:
    """Ask for a job by each name; return how often the work of each was done, and the code of its problem."""
    done: list[Job] = []

    def work(job: Job, progress: Progress) -> Mapping[str, Any]:
        done.append(job)
        return {}

    ended = []
    jobs = []
    for name in names:
        jobs.append(request_job(league, kind, by=name))
        # Only one of a kind may be open.
        Job.objects.filter(pk=jobs[-1].pk).update(state=Job.State.DONE)
    meanwhile()
    for job in jobs:
        Job.objects.filter(pk=job.pk).update(state=Job.State.WAITING)
        assert run_job(job.pk, {kind: work})
        job.refresh_from_db()
        ended.append((done.count(job), job.problem and job.problem["code"]))
    return ended


def set_role(role: str) -> None:
    Membership.objects.filter(user__username="eva").update(role=role)


#: What may happen to Eva, who owns the league, or to her token before the job runs.
LOSSES: dict[str, Callable[[], object]] = {
    "fewer rights": lambda: set_role("recorder"),
    "no member": lambda: Membership.objects.filter(user__username="eva").delete(),
    "inactive": lambda: User.objects.filter(username="eva").update(is_active=False),
    "deleted": lambda: User.objects.filter(username="eva").delete(),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", NEEDED)
def test_a_job_whose_asker_lost_the_right_to_it_does_nothing(kind: str, loss: str) -> None:
    league = make_league()
    owner = make_owner(league, "eva")
    # A token may do no more than who made it.
    make_token("server", "organise", leagues=[league], maker=load_viewer_of_user(owner))
    names = ("eva", "server")
    assert run(league, kind, names, lambda: None) == [(1, None)] * 2
    assert run(league, kind, names, LOSSES[loss]) == [(0, "forbidden")] * 2


def test_a_token_that_is_revoked_asks_for_nothing_any_more() -> None:
    league = make_league()
    make_token("server", "organise")
    assert run(league, Job.Kind.VERIFY, ("server",), lambda: revoke_token("server")) == [(0, "forbidden")]


@pytest.mark.parametrize("kind", [Job.Kind.REPLAY, Job.Kind.SECOND])
def test_what_the_league_needs_anyway_is_done_whoever_asked(kind: str) -> None:
    league = make_league()
    make_owner(league, "eva")
    assert run(league, kind, ("eva",), LOSSES["no member"]) == [(1, None)]


def test_a_verification_of_the_night_has_no_asker() -> None:
    assert run(make_league(), Job.Kind.VERIFY, ("",), lambda: None) == [(1, None)]
