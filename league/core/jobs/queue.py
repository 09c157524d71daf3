"""Sends tasks by name after the commit. Messages only trigger a check: pending work is in the database.

Lost messages do no harm, as the sweep finds pending work. So a broker must never turn a saved game into an
error or delay a request: a separate thread sends the messages, and while the broker is unavailable,
most of them are dropped immediately.
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

from league.core.monitoring.tasks import REQUEST_ID_HEADER
from league.core.monitoring.telemetry import METERS, TRACES, request_id

logger = logging.getLogger(__name__)
# Sets the current Celery application.
import_module(settings.CELERY_MODULE)

#: Seconds after which an unconsumed message expires; the sweep has done the work by then.
MESSAGE_EXPIRES = 300
#: Maximum number of messages waiting for the broker; equal ones are merged.
MAX_MESSAGES = 1000
#: Seconds without sending after a failure: initially, and at most.
FIRST_PAUSE, MAX_PAUSE = 1.0, 30.0
#: Seconds that a process waits for pending messages when it ends.
LAST = 2.0
#: In-process brokers, which never block.
INSIDE = ("memory://",)

T = TypeVar("T", int, str)
Headers = dict[str, str]
Message = tuple[str, tuple[int | str, ...]]


def enqueue(task: str, *arguments: int | str) -> None:
    """Send the task with ids as arguments once the current transaction has committed."""
    transaction.on_commit(partial(pass_to_sender, (task, arguments)), robust=True)


def enqueue_each(task: str, ids: list[T]) -> list[T]:
    """Send the task for each id once the current transaction has committed; return the ids."""
    for item_id in ids:
        enqueue(task, item_id)
    return ids


def pass_to_sender(message: Message) -> None:
    """Pass a message to the sender thread; with an in-process broker, send it directly."""
    if current_app.conf.task_always_eager or str(current_app.conf.broker_url).startswith(INSIDE):
        send(*message, build_headers())
    else:
        SENDER.take(message, build_headers())


def build_headers() -> Headers:
    """Return the headers of a message: request id and trace."""
    current_id = request_id()
    return {**({REQUEST_ID_HEADER: current_id} if current_id else {}), **TRACES.carried()}


def send(task: str, arguments: tuple[int | str, ...], along: Headers | None = None) -> bool:
    """Send the task now, with the id of the request that enqueued it; return whether the broker accepted it.

    Failures are logged, not raised.
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


def is_broker_reachable() -> bool:
    """Return whether the broker accepts a connection within a second or two."""
    broker = current_app.connection_for_write()
    errors: tuple[type[BaseException], ...] = (OperationalError, OSError, *broker.connection_errors)
    try:
        with broker:
            broker.connect()
    except errors:
        return False
    return True


class Sender:
    """Sends messages in a separate thread, which each process starts with its first message."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Reset the state, as locks copied by a fork may be held by threads that no longer exist."""
        self.changed = threading.Condition()
        #: Message -> headers of the last request that enqueued it.
        self.waiting: OrderedDict[Message, Headers] = OrderedDict()
        self.busy = False
        self.process = 0
        self.pause, self.shut_until = 0.0, 0.0

    def take(self, one: Message, along: Headers | None = None) -> None:
        """Queue a message without waiting; it is dropped if the queue is full or the broker unavailable."""
        if self.process != os.getpid():
            self.begin()
        with self.changed:
            if time.monotonic() >= self.shut_until and len(self.waiting) < MAX_MESSAGES:
                self.waiting[one] = along or {}
                self.changed.notify_all()

    def begin(self) -> None:
        """Start the thread. A fork needs its own, and its parent's pending messages stay with the parent."""
        with BEGINNING:
            if self.process != os.getpid():
                self.reset()
                self.process = os.getpid()
                threading.Thread(target=self.run, name="sender", daemon=True).start()

    def run(self) -> None:
        """Send messages forever."""
        while True:
            with self.changed:
                while not self.waiting:
                    self.busy = False
                    self.changed.notify_all()
                    self.changed.wait()
                message, along = self.waiting.popitem(last=False)
                self.busy = True
            self.note(sent=self.sent(message, along))

    def sent(self, one: Message, along: Headers) -> bool:
        """Send a message; return whether the broker accepted it."""
        try:
            return send(*one, along)
        except Exception:  # any error: the thread must not end
            logger.exception("The message %s could not be sent.", one)
            return False

    def note(self, *, sent: bool) -> None:
        """After a failure, drop messages for a while, longer each time until one succeeds."""
        with self.changed:
            if sent:
                self.pause = 0.0
                return
            self.pause = min(self.pause * 2 or FIRST_PAUSE, MAX_PAUSE)
            self.shut_until = time.monotonic() + self.pause
            self.waiting.clear()

    def finish(self, seconds: float = LAST) -> bool:
        """Wait briefly for pending messages; return whether all were sent."""
        if self.process != os.getpid():
            return True
        with self.changed:
            return self.changed.wait_for(lambda: not self.waiting and not self.busy, seconds)


BEGINNING = threading.Lock()
os.register_at_fork(after_in_child=lambda: globals().update(BEGINNING=threading.Lock()))
SENDER = Sender()
atexit.register(SENDER.finish)
