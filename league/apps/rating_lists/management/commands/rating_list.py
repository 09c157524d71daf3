"""``manage.py rating_list [FILE]``: loads a federation's rating list, or shows those in use."""

import sys
import time
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from league.apps.rating_lists.reading.listed_people import ListProblem
from league.apps.rating_lists.services.load_list import ListRequest, LoadedList, load_list
from league.cli.people_commands import RATING_LIST
from league.core.players.listed_people import RatingListState, list_rating_lists
from league.core.text.display_formats import format_count
from league.web.terminal.operator import OperatorCommand
from league.web.terminal.progress import Bars


class Command(OperatorCommand):
    """Load a list; a file with more than one line in a hundred that is no person is refused."""

    entry = RATING_LIST

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the list, or show those in use."""
        if options["file"] is None:
            states = list_rating_lists()
            self.write_result(options, [asdict(one) for one in states], describe_states(states))
            return
        start = time.monotonic()
        columns = dict(text.partition("=")[::2] for text in options["column"])
        dated = options["dated"] or timezone.localdate().replace(day=1)
        request = ListRequest(
            options["provider"], options["title"] or options["provider"].upper(), dated, columns, by="operator",
            federation=options["federation"],
        )  # fmt: skip
        try:
            with Bars(sys.stderr) as progress:
                loaded = load_list(options["file"], request, progress)
        except ListProblem as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from None
        self.write_result(options, asdict(loaded), describe_loaded(loaded, time.monotonic() - start))


def describe_states(states: list[RatingListState]) -> str:
    """Return the lists in use, one a line."""
    lines = [
        f"{one.provider}: {one.title}, {one.dated}, {format_count(one.people, 'person', 'people')}" for one in states
    ]
    return "\n".join(lines) or "No rating list is loaded."


def describe_loaded(loaded: LoadedList, seconds: float) -> str:
    """Return what was loaded, and the first lines that were not."""
    people = format_count(loaded.people, "person", "people")
    lines = [f"Loaded {people} of {loaded.provider}, {loaded.dated}; {seconds:.1f} s."]
    if loaded.skipped:
        lines.append(f"{format_count(loaded.skipped, 'line was', 'lines were')} left out:")
        lines += [f"  line {line}: {why}" for line, why in loaded.unreadable]
    return "\n".join(lines)
