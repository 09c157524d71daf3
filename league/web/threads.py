"""The threads of a process that answer requests.

Of those that have nothing to do, the one that was busy last is asked first: its connection to the database
has its statements planned, and both processors remember its data. The standard library's pool asks each
in turn, and makes a future with its locks for every request, which nobody looks at here.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable

Work = Callable[[], object]


class Thread:
    """A thread that waits for work."""

    def __init__(self, work: Work) -> None:
        self.work: Work | None = work
        self.wake = threading.Lock()
        self.wake.acquire()

    def begin(self, work: Work | None) -> None:
        """Let it do something; None: let it end."""
        self.work = work
        self.wake.release()


class Threads:
    """So many threads at most, each made when it is needed."""

    def __init__(self, most: int, name: str) -> None:
        self.most, self.name = most, name
        self.count = 0
        self.idle: list[Thread] = []
        self.waiting: deque[Work] = deque()
        self.stopping = False
        # A signal may come while the loop holds it, and its handler calls ``shutdown``.
        self.lock = threading.RLock()

    def submit(self, work: Work) -> None:
        """Have a thread do it, as soon as one has nothing else to do."""
        with self.lock:
            if self.idle:
                self.idle.pop().begin(work)
            elif self.count < self.most:
                self.count += 1
                thread = Thread(work)
                threading.Thread(target=self.serve, args=(thread,), name=f"{self.name}-{self.count}").start()
            else:
                self.waiting.append(work)

    def serve(self, thread: Thread) -> None:
        """Do what there is to do until told to end."""
        while (work := thread.work) is not None:
            try:
                work()
            except BaseException:  # what ends an answer must not end the thread
                logging.getLogger("gunicorn.error").exception("An answer ended with an error.")
            del work  # a waiting thread keeps nobody's request
            self.rest(thread)

    def rest(self, thread: Thread) -> None:
        """Give a thread what waits, or let it wait."""
        with self.lock:
            thread.work = self.waiting.popleft() if self.waiting else None
            if thread.work is not None or self.stopping:
                return
            self.idle.append(thread)
        thread.wake.acquire()

    def shutdown(self, wait: bool = False) -> None:
        """Let each thread end when nothing waits any more; nobody waits for them here, the interpreter does."""
        with self.lock:
            self.stopping = True
            while self.idle:
                self.idle.pop().begin(None)
