"""A league for dry runs, and whether a diff says what the act then does."""

from collections.abc import Callable
from typing import Any

from django.test import Client

from league import tasks
from league.core.dry_runs.services.diff import Diff
from league.models import Job, League
from tests.helpers.builders import make_league, ratings, record, reread
from tests.helpers.desk_client import DESK, page_text
from tests.helpers.ladder_builders import close, duel, keys, make_ladder, ranking


def build_two_ladders(**parameters: Any) -> League:
    """Return a league with March closed, two ladders and four games."""
    league = make_league(parameters={"k": 32, **parameters})
    make_ladder(league)
    make_ladder(league, "strength", "rating_score", "month", evidence_penalty=0)
    for winner, loser, day in (("anna", "ben", "2024-03-05"), ("ben", "cleo", "2024-03-06")):
        record(league, duel(winner, loser, day))
    close(league, "2024-03")
    record(league, duel("anna", "cleo", "2024-04-05"))
    record(league, duel("cleo", "ben", "2024-05-05"))
    return league


def rankings_of(league: League) -> dict[tuple[str, str], dict[str, tuple[Any, ...]]]:
    """Return ladder and period -> player -> rank and score."""
    return {
        (slug, key): {player: (rank, score) for rank, player, score in ranking(league, key, slug)}
        for slug in ("month", "strength")
        for key in keys(league, slug)
    }


def check_diff(league: League, diff: Diff, act: Callable[[], object]) -> None:
    """Commit the real thing, and hold every line of the diff to what it did; and that no line is missing."""
    old, old_ratings = rankings_of(league), ratings(league)
    act()
    new, new_ratings = rankings_of(league), ratings(league)
    none = (None, None)
    moved = {
        (*where, player): (old.get(where, {}).get(player, none), new.get(where, {}).get(player, none))
        for where in old.keys() | new.keys()
        for player in old.get(where, {}).keys() | new.get(where, {}).keys()
        if old.get(where, {}).get(player) != new.get(where, {}).get(player)
    }
    lines = {
        (one.ladder, one.key, line.player): (
            (line.rank_before, line.score_before),
            (line.rank_after, line.score_after),
        )
        for one in diff.periods
        for line in one.lines
    }
    assert moved.items() <= lines.items()
    # A line may also differ in its games or columns only.
    assert all(pair[0] == pair[1] for where, pair in lines.items() if where not in moved)
    names = old_ratings.keys() | new_ratings.keys()
    pairs = {name: (old_ratings.get(name), new_ratings.get(name)) for name in names}
    assert {one.player: (one.before, one.after) for one in diff.ratings} == {
        name: pair for name, pair in pairs.items() if pair[0] != pair[1]
    }


def work_off() -> Job:
    """Let a worker do the only job, and return it."""
    job = Job.objects.get()
    assert (job.kind, job.state) == ("dry_run", "waiting")
    assert tasks.job(str(job.pk))
    return reread(job)


def sent_again(page: Any) -> tuple[str, dict[str, Any]]:
    """Return address and fields of the form that a job's page leads back with."""
    sent = page.context["sent"]
    fields: dict[str, Any] = {}
    for name, value in sent["fields"]:
        fields.setdefault(name, []).append(value)
    return sent["path"], {**fields, "_tried": str(page.context["line"].job.pk)}


def shown_after(olga: Client, path: str, fields: dict[str, Any]) -> Any:
    """Return the page of a long dry run: the page of its job first, which a worker does."""
    waits = olga.post(path, fields, follow=True)
    job = Job.objects.get()
    assert waits.redirect_chain == [(f"{DESK}jobs/{job.pk}/", 302)]
    assert "waiting to start" in page_text(waits)
    assert "Preview changes" not in page_text(waits)
    work_off()
    done = olga.get(f"{DESK}jobs/{job.pk}/")
    assert "data-then" in done.content.decode()
    return olga.post(*sent_again(done))
