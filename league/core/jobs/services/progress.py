"""Progress reports of long tasks."""

from collections.abc import Callable

from django.utils.translation import gettext_noop

#: Called with the phase, the number of steps done and the total (0: unknown).
Progress = Callable[[str, int, int], None]

#: The names of all phases, stored in English; pages translate them.
# Translators: what a worker does just now, after the kind of the job: "Import: reading, 12 %"
PHASES = (
    gettext_noop("reading"),
    gettext_noop("checking"),
    gettext_noop("adding players"),
    gettext_noop("writing"),
    gettext_noop("rating"),
    gettext_noop("reading the games"),
    gettext_noop("computing"),
    gettext_noop("fitting"),
    gettext_noop("writing the history"),
    gettext_noop("ranking the ladders"),
    gettext_noop("catching up"),
    # Translators: what a verification looks at just now
    gettext_noop("the log"),
    gettext_noop("reading and computing"),
    gettext_noop("the history"),
    gettext_noop("the ratings"),
    gettext_noop("the games"),
    gettext_noop("the periods"),
    gettext_noop("the editions"),
    gettext_noop("pairing"),
    gettext_noop("done"),
)


def ignore_progress(phase: str, done: int, total: int) -> None:
    """Ignore the progress."""
