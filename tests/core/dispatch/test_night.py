"""The nightly work: each part once a day, however the machine's clock jumps, whoever does it, whatever fails."""

import logging
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from celery.beat import ScheduleEntry
from celery.schedules import schedule

from league import tasks
from league.apps.operations.selectors.backups import GOOD
from league.apps.operations.services import nightly_backup
from league.celery import SteadyScheduler, app
from league.core.capabilities import load_mapping
from league.core.dispatch import night
from league.core.jobs.demo_load import hold_demo_load
from league.models import Sign
from tests.helpers.ladder_builders import clock
from tests.helpers.threads import in_threads

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
#: The time from which a day's work is due.
DUE = datetime(2026, 3, 5, 3, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def own_folder(settings: Any, tmp_path: Path) -> None:
    """Let no test that loads demo leagues in another process keep these waiting."""
    settings.VAR = tmp_path


@pytest.fixture
def done() -> Iterator[Counter[str]]:
    """Return how often each of two parts was done, which are all there are."""
    counted: Counter[str] = Counter()
    parts = {name: lambda name=name: counted.update([name]) for name in ("heads", "verify")}
    with patch.object(night, "PARTS", parts), patch.object(night, "load_mapping", return_value={}):
        yield counted


def work(moment: datetime) -> list[str]:
    """Let a worker find the clock at an instant; return the parts that it did."""
    with clock(moment):
        return tasks.every_night()


@pytest.mark.django_db
def test_a_site_that_was_off_at_the_time_does_it_when_it_is_on_again(done: Counter[str]) -> None:
    for moment, expected in (
        (DUE - 9 * HOUR, 1),  # never done
        (DUE - timedelta(microseconds=1), 1),
        (DUE, 2),
        (DUE + 23 * HOUR, 2),
        (DUE + 3 * DAY + 14 * HOUR, 3),  # off for two nights: once
        (DUE + 4 * DAY - HOUR, 3),
        (DUE + 4 * DAY + HOUR, 4),
    ):
        work(moment)
        assert done == {"heads": expected, "verify": expected}, moment


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(4))
def test_a_clock_that_jumps_neither_skips_a_day_nor_repeats_one(done: Counter[str], seed: int) -> None:
    draw = random.Random(seed)
    moment, last, nights = DUE + draw.uniform(0, 9) * DAY, DUE - 1000 * DAY, set[Any]()
    for _ in range(30):
        kind = draw.choice(("on", "on", "on", "far on", "back", "far back"))
        if kind == "far back":
            moment -= draw.uniform(1, 900) * DAY
        elif kind == "back":
            moment -= draw.uniform(0, 1) * DAY
        else:
            moment += draw.uniform(0, 900 if kind == "far on" else 0.4) * DAY
        before = done["heads"]
        did = work(moment)
        assert work(moment) == [], "done a moment ago"
        assert done["heads"] == done["verify"] == before + bool(did)
        today = (moment - timedelta(hours=3, minutes=30)).date()
        if did:
            if last - moment >= DAY:
                nights.clear()  # what the clock showed then counts no more
            assert today not in nights, "each day's work is done once, also when the clock is set back a little"
            last = moment
            nights.add(today)
        # What was done last is never further away than a day, though the clock showed another year then.
        assert abs(moment - last) <= DAY


@pytest.mark.django_db
def test_a_part_that_fails_stops_no_other_and_is_tried_again(
    done: Counter[str], caplog: pytest.LogCaptureFixture
) -> None:
    keys = patch.dict(night.PARTS, {"factors": lambda: 1 / 0})
    with keys:
        assert work(DUE) == ["heads", "verify"]
        (told,) = [record for record in caplog.records if record.levelno == logging.ERROR]
        assert told.getMessage() == "The nightly work “factors” failed; it is tried again in an hour."
    with patch.dict(night.PARTS, {"factors": lambda: done.update(["factors"])}):
        for moment, times in ((DUE + HOUR / 2, 0), (DUE + HOUR, 1), (DUE + 3 * HOUR, 1)):
            with clock(moment):
                tasks.every_night()
            assert done == {"heads": 1, "verify": 1} | ({"factors": times} if times else {})


@pytest.mark.django_db
def test_a_worker_that_died_in_the_work_is_followed_by_another_also_after_a_jump(done: Counter[str]) -> None:
    for moment in (DUE + 2 * HOUR, DUE + 400 * DAY, DUE - 400 * DAY):
        Sign.objects.update_or_create(name="begun.verify", defaults={"at": DUE + HOUR / 2})
        done.clear()
        work(moment)
        assert done == {"heads": 1, "verify": 1}


@pytest.mark.django_db(transaction=True)
@pytest.mark.engine
def test_several_workers_do_each_part_once(done: Counter[str]) -> None:
    did = in_threads([tasks.every_night] * 6)
    assert done == {"heads": 1, "verify": 1}
    assert sorted(name for names in did for name in names) == ["heads", "verify"]


@pytest.mark.django_db
def test_the_backup_is_due_by_the_same_days(settings: Any, done: Counter[str]) -> None:
    settings.RUNGS_BACKUP_DIR = "/kept"
    for ahead, due in ((-2 * DAY, True), (-HOUR, False), (12 * HOUR, False), (400 * DAY, True)):
        Sign.objects.all().delete()
        Sign.objects.create(name=GOOD, at=DUE + HOUR + ahead)
        with clock(DUE + HOUR):
            assert nightly_backup.is_due(DUE + HOUR) is due
            assert bool(nightly_backup.enqueue_backup()) is due


def test_the_name_of_each_part_has_room_in_its_signs() -> None:
    names = [*night.PARTS, *load_mapping(lambda app: app.work.nightly)]
    assert len(set(names)) == len(names) > 8
    longest = Sign._meta.get_field("name").max_length or 0
    assert max(len(prefix + name) for name in names for prefix in (night.DONE, night.BEGUN)) <= longest


@pytest.mark.parametrize("jump", [-900 * DAY, -DAY, -HOUR, HOUR, 900 * DAY])
def test_beat_goes_on_at_once_after_a_jump(jump: timedelta) -> None:
    """Without it the sweep, which finds all work, would wait until the former time is reached again."""
    sent: list[str] = []
    entries = {
        name: ScheduleEntry(name, f"league.{name}", DUE, schedule=schedule(seconds, app=app), app=app)
        for name, seconds in (("sweep", 15), ("exports", 120))
    }
    beat = SteadyScheduler(app, entries, lazy=True)
    machine = SimpleNamespace(now=DUE)

    def run(seconds: int) -> None:
        for _ in range(seconds // 5):
            machine.now += timedelta(seconds=5)
            while beat.tick() == 0:
                pass

    with (
        patch.object(type(app), "now", lambda self: machine.now),
        patch.object(SteadyScheduler, "producer", None),
        patch.object(SteadyScheduler, "apply_entry", lambda self, entry, producer: sent.append(entry.name)),
    ):
        run(150)
        assert set(sent) == {"sweep", "exports"}
        machine.now += jump
        sent.clear()
        run(150)
    assert 9 <= sent.count("sweep") <= 11
    assert 1 <= sent.count("exports") <= 2


@pytest.mark.django_db
def test_a_worker_looks_for_the_work_every_minute_but_not_while_demo_leagues_are_loaded(done: Counter[str]) -> None:
    assert app.conf.beat_schedule["nightly"]["task"] == tasks.every_night.name
    assert app.conf.beat_schedule["nightly"]["schedule"] <= 60
    with hold_demo_load() as sign:
        sign.show("Football", 0, 5)
        assert work(DUE) == []
    assert work(DUE) == ["heads", "verify"]
