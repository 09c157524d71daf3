"""How far a long piece of work is: what it tells as it goes on, to whoever wants to know."""

from collections.abc import Callable

from django.utils.translation import gettext_noop

#: Called with what is being done, how many steps are done and how many there are (0: not known).
Progress = Callable[[str, int, int], None]

#: All that is told as what is being done. A job keeps it as it is here; pages translate it.
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
    gettext_noop("done"),
)


def silent(what: str, done: int, total: int) -> None:
    """Report to no one."""
