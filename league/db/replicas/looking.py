"""Asks the database and its replicas every second how far they are, each in a thread with a connection of its own."""

import logging
import os
import threading
import time
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.db.utils import ConnectionHandler

from league.db.postgresql.base import DatabaseWrapper
from league.db.replicas.knowing import EVERY, Choice, Floors, Replica, Samples
from league.db.replicas.positions import IDENTITY, REPLAYED, WRITTEN, number

logger = logging.getLogger(__name__)
#: Leagues of which is known how far each must be.
LEAGUES = 10_000


class NoReplica(Exception):
    """A server that is no replica of the database."""


def name_of(config: dict[str, Any]) -> str:
    """Return what a server is called in logs and figures: where it is, never its password."""
    return f"{config.get('HOST') or 'localhost'}:{config.get('PORT') or 5432}"


class Question:
    """A connection of its own on which a server is asked the same again and again."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.wrapper: DatabaseWrapper | None = None

    def ask(self, sql: str) -> Sequence[Any]:
        """Return the answer; a connection that failed is made anew for the next one."""
        if self.wrapper is None:
            self.wrapper = DatabaseWrapper(self.config, "replicas")
        try:
            with self.wrapper.cursor() as cursor:
                cursor.execute(sql)
                answer: Sequence[Any] = cursor.fetchone()
        except Error:
            self.wrapper.close()
            self.wrapper = None
            raise
        return answer

    def ask_first(self, sql: str) -> Sequence[Any] | None:
        """Return the answer where nothing was asked on this connection yet; None where something was."""
        return self.ask(sql) if self.wrapper is None else None


class Looking:
    """What this process knows of all replicas, and the threads by which it knows; they begin with the first request."""

    def __init__(self, configs: list[dict[str, Any]], lag: float, *, first: int = 0) -> None:
        self.configs = [configured(one) for one in configs]
        self.samples, self.floors = Samples(int(lag / EVERY) + 5), Floors(LEAGUES)
        self.replicas = [Replica(name_of(one), self.samples, lag) for one in configs]
        self.choice = Choice(self.replicas, first, self.floors)
        self.begun_by = 0
        self.lock = threading.Lock()
        self.identity: int | None = None

    def config_of(self, replica: Replica) -> dict[str, Any]:
        """Return where a replica is."""
        return self.configs[self.replicas.index(replica)]

    def begin(self) -> None:
        """Look from now on, in this process."""
        if self.begun_by == os.getpid():
            return
        with self.lock:
            if self.begun_by == os.getpid():
                return
            self.begun_by = os.getpid()
            threading.Thread(target=self.look_at_database, name="replicas", daemon=True).start()
            for one in self.replicas:
                threading.Thread(target=self.look_at, args=(one,), name=f"replica {one.name}", daemon=True).start()

    def look_at_database(self) -> None:
        """Ask the database how far it is, for ever."""
        question = Question(connections.settings[DEFAULT_DB_ALIAS])
        while True:
            self.sample(question)
            time.sleep(EVERY)

    def sample(self, question: Question) -> None:
        """Ask the database how far it is."""
        asked_at = time.monotonic()
        try:
            if identity := question.ask_first(IDENTITY):
                self.identity = identity[0]
            on_disk, written = map(number, question.ask(WRITTEN))
        except Error as error:
            if not self.samples.away:
                logger.warning("Replicas: the database does not say how far it is: %s", error)
            self.samples.away = True
            return
        if self.samples.add(asked_at, on_disk):
            self.floors.forget()
        self.floors.told(asked_at, written)

    def look_at(self, replica: Replica) -> None:
        """Ask a replica how far it is, for ever."""
        question, said = Question(self.config_of(replica)), None
        while not self.samples.taken and not self.samples.away:
            time.sleep(EVERY / 20)
        while True:
            why = self.see(replica, question)
            if why != said:
                logger.warning("The replica %s %s", replica.name, f"is left out: {why}" if why else "is read.")
                said = why
            time.sleep(EVERY)

    def see(self, replica: Replica, question: Question) -> str:
        """Ask a replica how far it is; returns why it is not read, "" where it is."""
        try:
            identity = question.ask_first(IDENTITY)
            if identity and self.identity not in (None, identity[0]):
                return self.no_replica(replica, question, "it is a copy of another database.")
            before = replica.replayed
            (position,) = question.ask(REPLAYED)
        except Error as error:
            replica.lost()
            return f"it does not answer ({str(error).strip().partition(chr(10))[0]})."
        if position is None:
            return self.no_replica(replica, question, "it is no standby; it may have been made the database itself.")
        if not replica.seen(before, number(position)):
            return "it was started again and is not where it was."
        return "" if replica.usable() else f"it is more than {replica.lag:g} seconds behind."

    def no_replica(self, replica: Replica, question: Question, why: str) -> str:
        """Leave a server out that is none of the database's replicas; it is asked anew who it is."""
        replica.lost()
        if question.wrapper is not None:
            question.wrapper.close()
            question.wrapper = None
        return why


def configured(config: dict[str, Any]) -> dict[str, Any]:
    """Return a database as Django's engine wants it, with everything that was left unsaid."""
    given: dict[str, Any] = ConnectionHandler({DEFAULT_DB_ALIAS: dict(config)}).settings[DEFAULT_DB_ALIAS]
    return given


def looking() -> Looking:
    """Return what looks at the replicas of the settings; processes begin with different ones."""
    return Looking(settings.RUNGS_REPLICAS, settings.RUNGS_REPLICA_LAG, first=os.getpid())
