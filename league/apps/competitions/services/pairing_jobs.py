"""Rounds of large competitions: a worker pairs them, and shows how far it is."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from league.apps.competitions.models import Competition
from league.apps.competitions.services.pairing import (
    RoundProposal,
    build_basis,
    read_competition,
    read_proposal,
    run_with_proposal,
)
from league.apps.competitions.services.rounds import NewRound, make_proposed_round, serialize_reason
from league.core.jobs.services.progress import Progress
from league.core.jobs.services.work import OPEN, finish_job, refuse_cancelled, refuse_lost_asker, request_job
from league.core.locking import run_with_league_lock
from league.models import Job, League

#: Most entries of a round that a request pairs by itself, by format: they take about two seconds. Others take none.
MAX_PAIRED_IN_REQUEST = {"swiss": 600, "tables": 400}


def is_paired_by_worker(competition: Competition) -> bool:
    """Return whether pairing a round of a competition takes longer than a request should."""
    limit = MAX_PAIRED_IN_REQUEST.get(competition.format)
    return limit is not None and competition.entries.entered().count() > limit


def request_pairing(league_id: int, slug: str, new: NewRound, *, dry_run: bool = False) -> Job:
    """Return the job that makes the next round, or proposes it; one that is under way already is not doubled.

    Raises like ``make_round``, as far as that is known before the pairing.
    """
    loaded = read_competition(league_id, slug, new.number)
    arguments = {
        "competition": slug,
        "number": build_basis(loaded, new.confirmed).request.number,
        "starts_at": new.starts_at and new.starts_at.isoformat(),
        "deadline": new.deadline and new.deadline.isoformat(),
        "dry_run": dry_run,
        "confirmed": sorted(new.confirmed),
    }

    def create_job(league: League, now: datetime) -> Job:
        jobs = Job.objects.filter(league=league, kind=Job.Kind.PAIR, state__in=OPEN, cancelled_by="")
        for job in jobs:
            if all(job.arguments.get(name) == value for name, value in arguments.items()):
                return job
        return request_job(league, Job.Kind.PAIR, by=new.by, arguments=arguments)

    # The lock makes concurrent requests see each other's jobs. Nothing is logged.
    return run_with_league_lock(league_id, create_job, any_clock=True)


def run_pairing_job(job: Job, progress: Progress) -> Mapping[str, Any]:
    """Make or propose the round of a job; a worker that dies leaves no round, or a round and an ended job."""
    slug, number = job.arguments["competition"], job.arguments["number"]
    report, confirmed = partial(progress, "pairing"), job.arguments.get("confirmed", ())
    if job.arguments["dry_run"]:
        proposal = read_proposal(job.league_id, slug, number, report, confirmed)[1]
        return _describe(proposal)
    return run_with_proposal(
        job.league_id, slug, lambda proposal: _make_and_finish(job, slug, number, proposal), report, confirmed
    )


def _make_and_finish(job: Job, slug: str, number: int, proposal: RoundProposal | None) -> Mapping[str, Any]:
    def make(league: League, now: datetime) -> Mapping[str, Any]:
        refuse_cancelled(job)
        refuse_lost_asker(job)
        starts_at, deadline = (
            job.arguments[name] and datetime.fromisoformat(job.arguments[name]) for name in ("starts_at", "deadline")
        )
        new = NewRound(job.asked_by, starts_at, deadline, number, job.arguments.get("confirmed", ()))
        make_proposed_round(league.pk, slug, proposal, new)
        assert proposal is not None
        result = _describe(proposal)
        finish_job(job, result=result)
        return result

    return run_with_league_lock(job.league_id, make)


def _describe(proposal: RoundProposal) -> Mapping[str, Any]:
    """Return a round as the result of a job: the entries of each fixture in seat order, and the reasons."""
    return {
        "round": proposal.number,
        "fixtures": [[seat.entry for seat in fixture.seats] for fixture in proposal.fixtures],
        "reasons": [serialize_reason(reason) for reason in proposal.reasons],
    }
