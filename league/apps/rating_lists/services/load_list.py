"""Loads a rating list as a stream, beside everything else: in short transactions, and in use only when it is whole.

Readers see the list before, or the new one; the one before is kept for a month. What an interrupted run left is deleted
by the next one; of two runs at once for a provider, the later one wins.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice, pairwise
from pathlib import Path

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from league.apps.rating_lists.models import ListedRow, RatingList
from league.apps.rating_lists.name_keys import build_key
from league.apps.rating_lists.reading.listed_people import ListedValues, ListProblem, UnreadablePerson
from league.apps.rating_lists.reading.opening import open_list, read_list
from league.core.db.bulk import insert_rows
from league.core.jobs.services.progress import Progress
from league.core.players.external_ids import PROVIDER
from league.core.players.listed_people import LONGEST_WITH_FIRST_DAY

#: Rows of a transaction: others write between two of them.
CHUNK = 10_000
#: Unreadable lines that are named, and the share above which the file is another one than was meant.
MAX_NAMED, MAX_SHARE = 20, 0.01
#: How long a replaced list is kept for the competitions that began with it, wherever on earth their days end.
KEPT = LONGEST_WITH_FIRST_DAY + timedelta(days=1)
State = RatingList.State


@dataclass(frozen=True)
class LoadedList:
    """What was loaded. ``unreadable`` has the first lines that are no people; ``skipped`` is the number of all."""

    provider: str
    dated: date
    people: int
    skipped: int
    unreadable: tuple[UnreadablePerson, ...]


@dataclass(frozen=True)
class ListRequest:
    """Which list a file is. ``columns``: of CSV, meaning -> title of the column."""

    provider: str
    title: str
    dated: date
    columns: Mapping[str, str]
    by: str = ""
    federation: str = ""
    address: str = ""


def load_list(path: Path, request: ListRequest, progress: Progress) -> LoadedList:
    """Load a list and put it into use; raises ListProblem, after which the one before is still in use."""
    if not PROVIDER.fullmatch(request.provider):
        raise ListProblem(f"“{request.provider[:50]}” cannot name a provider: use small letters, such as fide.")
    _delete_lists(RatingList.objects.filter(provider=request.provider, state=State.LOADING))
    _refuse_older(request)
    loading = RatingList.objects.create(
        provider=request.provider, title=request.title, dated=request.dated, federation=request.federation,
        address=request.address, columns=dict(request.columns), loaded_at=timezone.now(), loaded_by=request.by,
    )  # fmt: skip
    try:
        loaded = _load_rows(path, loading, request, progress)
    except BaseException:
        _delete_lists(RatingList.objects.filter(pk=loading.pk))
        raise
    _put_into_use(loading, request, loaded)
    _delete_lists(RatingList.objects.filter(pk__in=_find_obsolete(request.provider)))
    return loaded


def _refuse_older(request: ListRequest) -> None:
    """Raise ListProblem if a newer list is in use."""
    current = RatingList.objects.filter(provider=request.provider, state=State.CURRENT).first()
    if current is not None and current.dated > request.dated:
        raise ListProblem(f"The list of {current.dated} is in use, which is newer than that of {request.dated}.")


def _put_into_use(loading: RatingList, request: ListRequest, loaded: LoadedList) -> None:
    """Let a list replace the one in use; raises ListProblem if another run loaded a newer one, or deleted this one."""
    with transaction.atomic():
        _refuse_older(request)
        RatingList.objects.filter(provider=request.provider, state=State.CURRENT).update(state=State.REPLACED)
        if not RatingList.objects.filter(pk=loading.pk).update(state=State.CURRENT, people=loaded.people):
            raise _describe_other_run(request.provider)


def _describe_other_run(provider: str) -> ListProblem:
    return ListProblem(f"Another run began to load a list of {provider}: this one ended, and changed nothing.")


def _find_obsolete(provider: str) -> list[int]:
    """Return the lists that are not asked for any more: reloaded ones, and those replaced more than a month ago."""
    lists = RatingList.objects.filter(provider=provider, state__in=(State.CURRENT, State.REPLACED))
    last_day = timezone.localdate() - KEPT
    return [
        older.pk
        for older, newer in pairwise(lists.order_by("dated", "pk"))
        if newer.dated == older.dated or newer.dated < last_day
    ]


def _load_rows(path: Path, loading: RatingList, request: ListRequest, progress: Progress) -> LoadedList:
    skipped, named, people = 0, list[UnreadablePerson](), 0
    with open_list(path) as (source, size):
        lines = read_list(source, request.columns)
        while chunk := list(islice(lines, CHUNK)):
            rows = [one for one in chunk if not isinstance(one, UnreadablePerson)]
            faults = [one for one in chunk if isinstance(one, UnreadablePerson)]
            faults += _insert(loading, rows)
            people += len(chunk) - len(faults)
            skipped += len(faults)
            named = sorted([*named, *faults])[:MAX_NAMED]
            progress("Loading", min(source.tell(), size), size)
    if not people or skipped > MAX_SHARE * (people + skipped):
        shown = "; ".join(f"line {line}: {why}" for line, why in named[:3])
        raise ListProblem(
            f"{skipped:,} of {people + skipped:,} lines are no people ({shown}). Nothing was loaded."
            if skipped
            else "The file has no people. Nothing was loaded."
        )
    return LoadedList(request.provider, request.dated, people, skipped, tuple(named))


def _insert(loading: RatingList, rows: list[tuple[int, ListedValues]]) -> list[UnreadablePerson]:
    """Insert rows; return those whose id another one has, which are left out."""
    try:
        with transaction.atomic():
            insert_rows(ListedRow, ("rating_list", *ListedValues._fields, "name_key"), _build_rows(loading, rows))
    except IntegrityError:
        if not RatingList.objects.filter(pk=loading.pk).exists():
            raise _describe_other_run(loading.provider) from None
        return _insert_unique(loading, rows)
    return []


def _insert_unique(loading: RatingList, rows: list[tuple[int, ListedValues]]) -> list[UnreadablePerson]:
    numbers = [values.number for _line, values in rows]
    taken = set[str]()
    for start in range(0, len(numbers), 1000):
        known = ListedRow.objects.filter(rating_list=loading, number__in=numbers[start : start + 1000])
        taken.update(known.values_list("number", flat=True))
    unique, repeated = [], []
    for line, values in rows:
        if values.number in taken:
            repeated.append(UnreadablePerson(line, f"the id {values.number} is on a line before, too"))
        else:
            taken.add(values.number)
            unique.append((line, values))
    with transaction.atomic():
        insert_rows(ListedRow, ("rating_list", *ListedValues._fields, "name_key"), _build_rows(loading, unique))
    return repeated


def _build_rows(loading: RatingList, rows: list[tuple[int, ListedValues]]) -> Iterator[tuple[object, ...]]:
    return ((loading.pk, *values, build_key(values.name)) for _line, values in rows)


def _delete_lists(lists: QuerySet[RatingList]) -> None:
    """Delete lists with their people, some at a time, so that others write between."""
    for pk in list(lists.values_list("pk", flat=True)):
        while True:
            rows = ListedRow.objects.filter(rating_list=pk).order_by()
            # By primary key: rows of a list follow one another.
            last = rows.order_by("pk").values_list("pk", flat=True)[CHUNK - 1 : CHUNK].first()
            rows.filter(**({} if last is None else {"pk__lte": last}))._raw_delete(rows.db)
            if last is None:
                break
        RatingList.objects.filter(pk=pk).delete()
