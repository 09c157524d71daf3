"""Strangers who try passwords do not slow the site down: hashes wait for each other, and step back."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password
from django.contrib.auth.models import User
from django.test import Client

from league.core.accounts import hashing
from league.core.accounts.hashing import Bench, PatientHasher
from league.core.errors import Busy


def test_what_is_stored_is_django_s_own_hash() -> None:
    made = PatientHasher().encode("correct horse", "salt", 1000)
    assert made == PBKDF2PasswordHasher().encode("correct horse", "salt", 1000)
    assert made.startswith("pbkdf2_sha256$1000$salt$")


def test_passwords_of_before_are_good(settings: Any) -> None:
    stored = PBKDF2PasswordHasher().encode("correct horse", "salt", 1000)
    settings.PASSWORD_HASHERS = ["league.core.accounts.hashing.PatientHasher"]
    assert check_password("correct horse", stored)
    assert not check_password("wrong", stored)


def test_one_is_made_at_a_time_by_a_thread_that_steps_back() -> None:
    bench, seen, most = Bench(), [], []
    lock = threading.Lock()

    def work() -> str:
        with lock:
            seen.append(1)
            most.append(len(seen))
        time.sleep(0.02)
        with lock:
            seen.pop()
        return str(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    own, go = os.getpriority(os.PRIO_PROCESS, 0), threading.Event()
    with ThreadPoolExecutor(9) as others:
        first = others.submit(bench.hashed, lambda: str(go.wait(60)) and work())
        while bench.present == 0:
            time.sleep(0.01)
        waiting = [others.submit(bench.hashed, work) for _ in range(8)]
        while bench.present < 9:
            time.sleep(0.01)
        go.set()
        told = [one.result() for one in waiting]
        assert int(first.result()) == own, "who came while nobody waited does not step back"
    assert max(most) == 1
    assert {int(nice) for nice in told} == {min(own + hashing.BACK, hashing.BACK)} or min(map(int, told)) > own
    assert os.getpriority(os.PRIO_PROCESS, 0) == own


def test_who_finds_no_seat_is_told_at_once_and_who_waits_too_long_while_others_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hashing, "MAX_WAITING", 3)
    monkeypatch.setattr(hashing, "PATIENCE", 0.2)
    bench, go = Bench(), threading.Event()
    with ThreadPoolExecutor(3) as others:
        slow = [others.submit(bench.hashed, lambda: str(go.wait(20))) for _ in range(3)]
        while bench.present < 3:
            time.sleep(0.01)
        with pytest.raises(Busy, match="Too many people are signing in"):
            bench.hashed(lambda: "")
        while bench.present > 2:  # of the two who wait one is refused
            time.sleep(0.01)
        time.sleep(0.5)
        assert bench.present == 2, "the other one waits alone, and is not refused"
        go.set()
        failed = [one for one in slow if one.exception() is not None]
        assert [type(one.exception()) for one in failed] == [Busy]
    assert bench.hashed(lambda: "made") == "made", "the seats are free again"
    assert bench.present == 0


def test_who_signs_in_alone_is_never_refused_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "PATIENCE", 0.01)

    def work() -> str:
        time.sleep(0.2)
        return "made"

    assert Bench().hashed(work) == "made"


def test_a_command_hashes_without_any_limit(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "MAX_WAITING", 0)
    settings.RUNGS_SERVING = False
    assert PatientHasher().encode("correct horse", "salt", 1000)
    settings.RUNGS_SERVING = True
    with pytest.raises(Busy):
        PatientHasher().encode("correct horse", "salt", 1000)


@pytest.mark.django_db
def test_at_the_login_that_is_a_sentence_and_a_time_to_come_again(settings: Any) -> None:
    User.objects.create_superuser("olga", password="x")
    User.objects.update(password=PBKDF2PasswordHasher().encode("x", "salt", 1000))
    settings.PASSWORD_HASHERS, settings.RUNGS_SERVING = ["league.core.accounts.hashing.PatientHasher"], True
    with patch.object(hashing.BENCH, "hashed", side_effect=hashing.make_crowded_error()):
        answer = Client().post("/admin/login/", {"username": "olga", "password": "x"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert "Try again in a few seconds." in answer.content.decode()
