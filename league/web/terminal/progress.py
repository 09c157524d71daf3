"""Progress bars on a terminal, else one line per stage."""

from types import TracebackType
from typing import Any, Self, TextIO

from tqdm import tqdm


class Bars:
    """A bar for each stage of a service; a ``league.core.jobs.services.progress.Progress``."""

    def __init__(self, stream: TextIO, title: str = "") -> None:
        self.stream, self.title = stream, title
        self.stage = ""
        self.bar: Any = None

    def __enter__(self) -> Self:
        """Start without a bar."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the last bar."""
        self.close()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Update the bar of a stage; a new stage gets a new bar."""
        if what != self.stage:
            self.close()
            self.stage = what
            label = f"{self.title} {what}".strip()
            # disable=None: no bar unless the stream is a terminal; then a line names the stage.
            self.bar = tqdm(total=total or None, desc=label, file=self.stream, mininterval=0.5, disable=None)
            if self.bar.disable:
                self.stream.write(f"{label} …\n")
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        """Close the current bar."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
