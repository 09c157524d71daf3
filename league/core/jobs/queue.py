"""Sends a task by name after the commit. A message only says "look": what is due is in the database.

A lost message does no harm (the sweep finds what is due), so a broker must never turn a saved game into an
error, nor keep anyone waiting: a thread of its own carries the messages to it, and while the broker does
not take them, most are let fall at once.
"""

import atexit
import logging
import os
import threading
import time
from collections import OrderedDict
from functools import partial
from importlib import import_module
from typing import TypeVar

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from league.core.monitoring.current_work import request_id
from league.core.monitoring.exporters import TRACES
from league.core.monitoring.meters import METERS
from league.core.monitoring.tasks import HEADER

logger = logging.getLogger(__name__)
# Makes ours the current application.
import_module(settings.CELERY_MODULE)

#: A message that no one took for so many seconds is stale; the sweep has long done the work.
MESSAGE_EXPIRES = 300
#: Maximum number of messages waiting for the broker; equal ones are merged.
MAX_MESSAGES = 1000
#: Seconds for which nothing is sent after the broker did not take a message: first, and at most.
FIRST_PAUSE, MAX_PAUSE = 1.0, 30.0
#: Seconds that the end of a process waits for messages under way.
LAST = 2.0
#: Brokers inside of the process: no one is to be waited for.
INSIDE = ("memory://",)

T = TypeVar("T", int, str)
Headers = dict[str, str]
Message = tuple[str, tuple[int | str, ...]]


def enqueue(task: str, *arguments: int | str) -> None:
    """Send the task with ids as arguments once the current transaction has committed."""
    transaction.on_commit(partial(hand_over, (task, arguments)), robust=True)


def enqueue_each(task: str, ids: list[T]) -> list[T]:
    """Send the task for each id once the current transaction has committed; returns the ids."""
    for one in ids:
        enqueue(task, one)
    return ids


def hand_over(one: Message) -> None:
    """Give a message to the thread that sends; where the broker is inside of the process, send it here."""
    if current_app.conf.task_always_eager or str(current_app.conf.broker_url).startswith(INSIDE):
        send(*one, headers())
    else:
        SENDER.take(one, headers())


def headers() -> Headers:
    """Return what goes along with a message: which request asked for it, and to which trace it belongs."""
    asked = request_id()
    return {**({HEADER: asked} if asked else {}), **TRACES.carried()}


def send(task: str, arguments: tuple[int | str, ...], along: Headers | None = None) -> bool:
    """Send the task now, with the number of the request that asked for it; returns whether the broker took it.

    One that does not is logged, not raised.
    """
    try:
        current_app.send_task(
            task,
            args=arguments,
            retry=False,
            expires=MESSAGE_EXPIRES,
            headers=along or None,
        )
    except (OperationalError, OSError) as error:
        logger.warning("The broker did not take %s%s (%s); the sweep will do it.", task, arguments, error)
        METERS.count("rungs_messages_total", "refused")
        return False
    METERS.count("rungs_messages_total", "sent")
    return True


def answers() -> bool:
    """Return whether the broker takes a connection now, within a second or two."""
    broker = current_app.connection_for_write()
    errors: tuple[type[BaseException], ...] = (OperationalError, OSError, *broker.connection_errors)
    try:
        with broker:
            broker.connect()
    except errors:
        return False
    return True


class Sender:
    """Sends messages one after the other in a thread of its own, which each process starts when it first sends one."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin with nothing: the locks of a fork may be held by threads that are not there."""
        self.changed = threading.Condition()
        #: Each with what goes along for whoever asked for it last.
        self.waiting: OrderedDict[Message, Headers] = OrderedDict()
        self.busy = False
        self.process = 0
        self.pause, self.shut_until = 0.0, 0.0

    def take(self, one: Message, along: Headers | None = None) -> None:
        """Take a message; never waits. What finds no room, or the broker away, falls: the sweep finds what is due."""
        if self.process != os.getpid():
            self.begin()
        with self.changed:
            if time.monotonic() >= self.shut_until and len(self.waiting) < MAX_MESSAGES:
                self.waiting[one] = along or {}
                self.changed.notify_all()

    def begin(self) -> None:
        """Start the thread. A fork has not its parent's, and what its parent has not sent is its parent's to send."""
        with BEGINNING:
            if self.process != os.getpid():
                self.reset()
                self.process = os.getpid()
                threading.Thread(target=self.run, name="sender", daemon=True).start()

    def run(self) -> None:
        """Send what comes, for ever."""
        while True:
            with self.changed:
                while not self.waiting:
                    self.busy = False
                    self.changed.notify_all()
                    self.changed.wait()
                one, along = self.waiting.popitem(last=False)
                self.busy = True
            self.note(sent=self.sent(one, along))

    def sent(self, one: Message, along: Headers) -> bool:
        """Send a message; returns whether the broker took it."""
        try:
            return send(*one, along)
        except Exception:  # whatever it is: the thread must not end
            logger.exception("The message %s could not be sent.", one)
            return False

    def note(self, *, sent: bool) -> None:
        """Let messages fall for a while after the broker did not take one: longer each time, until it takes one."""
        with self.changed:
            if sent:
                self.pause = 0.0
                return
            self.pause = min(self.pause * 2 or FIRST_PAUSE, MAX_PAUSE)
            self.shut_until = time.monotonic() + self.pause
            self.waiting.clear()

    def finish(self, seconds: float = LAST) -> bool:
        """Wait a moment for messages under way; returns whether all are through."""
        if self.process != os.getpid():
            return True
        with self.changed:
            return self.changed.wait_for(lambda: not self.waiting and not self.busy, seconds)


BEGINNING = threading.Lock()
os.register_at_fork(after_in_child=lambda: globals().update(BEGINNING=threading.Lock()))
SENDER = Sender()
atexit.register(SENDER.finish)
