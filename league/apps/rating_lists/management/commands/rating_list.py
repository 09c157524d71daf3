"""``manage.py rating_list [FILE]``: loads a federation's rating list, updates the lists, or shows those in use."""

import sys
import time
from contextlib import ExitStack
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from league.apps.rating_lists.models import RatingList
from league.apps.rating_lists.reading.fetching import fetch_list, is_address
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
        """Load a list, update those with an address, or show those in use."""
        if options["update"]:
            if options["file"] is not None:
                raise CommandError("--update loads each list from its own address; leave out the file.")
            self._update(options)
        elif options["file"] is None:
            states = list_rating_lists()
            self.write_result(options, [asdict(one) for one in states], describe_states(states))
        else:
            loaded, text = self._load(self._build_request(options), options)
            self.write_result(options, asdict(loaded), text)

    def _update(self, options: dict[str, Any]) -> None:
        """Update each list that has an address; what is wrong with one does not hold up the others."""
        results, problems = [], []
        for request in self._list_updates():
            try:
                results.append(self._load(request, options))
            except CommandError as error:
                problems.append(f"{request.provider}: {error}")
        if results:
            self.write_result(options, [asdict(one) for one, _text in results], "\n".join(text for _, text in results))
        if problems:
            raise CommandError("\n".join(problems))

    def _build_request(self, options: dict[str, Any]) -> ListRequest:
        columns = dict(text.partition("=")[::2] for text in options["column"])
        file = str(options["file"])
        return ListRequest(
            options["provider"], options["title"] or options["provider"].upper(),
            options["dated"] or _find_month(), columns, by="operator",
            federation=options["federation"], address=file if is_address(file) else "",
        )  # fmt: skip

    def _list_updates(self) -> list[ListRequest]:
        """Return the lists in use that were loaded from an address, as of this month."""
        lists = RatingList.objects.filter(state=RatingList.State.CURRENT).exclude(address="").order_by("provider")
        requests = [
            ListRequest(
                one.provider, one.title, max(_find_month(), one.dated), one.columns, by="operator",
                federation=one.federation, address=one.address,
            )
            for one in lists
        ]  # fmt: skip
        if not requests:
            raise CommandError("No list was loaded from an address. Load one: rungs rating-list https://…")
        return requests

    def _load(self, request: ListRequest, options: dict[str, Any]) -> tuple[LoadedList, str]:
        """Load a list; return it, and its description."""
        start, file = time.monotonic(), options["file"]
        try:
            with ExitStack() as stack:
                path = stack.enter_context(fetch_list(request.address)) if request.address else Path(file)
                loaded = load_list(path, request, stack.enter_context(Bars(sys.stderr)))
        except ListProblem as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{request.address or file} cannot be read: {error.strerror}.") from None
        return loaded, describe_loaded(loaded, time.monotonic() - start)


def _find_month() -> date:
    """Return the first of this month, when lists are usually published."""
    return timezone.localdate().replace(day=1)


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
