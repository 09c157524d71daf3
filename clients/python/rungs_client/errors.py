"""What a site refuses, and names that mean several players."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, cast

import httpx

from rungs_client.api_types import BatchLine, ErrorShape, PlayerNameShape, ProblemShape, RefusedLine

Body = TypeVar("Body")
#: Responses after which the same request may succeed: too many requests, and a site that is away for a moment.
TEMPORARY = {429, 502, 503, 504}


class Ambiguity(NamedTuple):
    """A name in a request that means several players."""

    #: Where the name stands in the request, such as ``/results/0/player``.
    pointer: str
    candidates: list[PlayerNameShape]


class RungsError(Exception):
    """A refusal of the site, which means that nothing was written."""

    def __init__(self, problem: ProblemShape, retry_after: float | None = None) -> None:
        super().__init__(f"{problem['status']} {problem['code']}: {problem['detail']}")
        self.problem = problem
        #: The status of the response.
        self.status: int = problem["status"]
        #: A word that stays the same in v1; the page ``/docs/problems/{code}/`` of the site explains it.
        self.code: str = problem["code"]
        #: A sentence that says what to do.
        self.detail: str = problem["detail"]
        #: Each error of the request, with a pointer into its body.
        self.errors: list[ErrorShape] = problem["errors"]
        #: The seconds of ``Retry-After``, if the response has them.
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type[RungsError], tuple[ProblemShape, float | None]]:
        return type(self), (self.problem, self.retry_after)

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self.status in TEMPORARY or self.code == "underway"

    @property
    def ambiguous(self) -> list[Ambiguity]:
        """The names that mean several players, each with those whom it may mean."""
        return list_ambiguous(self.problem)


def list_ambiguous(problem: ProblemShape) -> list[Ambiguity]:
    """Return the names of a request that mean several players."""
    found = (one for one in problem["errors"] if one["code"] == "ambiguous_player")
    return [Ambiguity(one["pointer"], one.get("candidates", [])) for one in found]


def read_problem(line: BatchLine) -> ProblemShape | None:
    """Return why a game of a batch was refused; None if it is recorded."""
    return cast("RefusedLine", line)["problem"] if "problem" in line else None


def read_error(answer: httpx.Response) -> RungsError:
    """Return the error of a response; that of a proxy is no problem document, and has the code ``unknown``."""
    asked = answer.headers.get("Retry-After", "").strip()
    retry_after = float(asked) if asked.isdecimal() else None
    try:
        problem = answer.json()
    except ValueError:
        problem = None
    if isinstance(problem, dict) and isinstance(problem.get("code"), str):
        return RungsError(cast("ProblemShape", {"errors": [], "detail": "", **problem}), retry_after)
    detail = f"The server answered {answer.status_code}, and not as Rungs does. Check the address of the site."
    shape: ProblemShape = {
        "type": "about:blank",
        "title": answer.reason_phrase,
        "status": answer.status_code,
        "code": "unknown",
        "detail": detail,
        "errors": [],
    }
    return RungsError(shape, retry_after)


def replace_names(body: Body, handles: Mapping[str, str]) -> Body:
    """Return a copy of a request with other texts in some places: pointer -> handle."""
    changed = copy.deepcopy(body)
    for pointer, handle in handles.items():
        *path, last = pointer.split("/")[1:]
        place: Any = changed
        for step in path:
            place = place[_read_step(place, step)]
        place[_read_step(place, last)] = handle
    return changed


def read_name(body: object, pointer: str) -> str:
    """Return the text of a request to which a pointer leads."""
    place: Any = body
    for step in pointer.split("/")[1:]:
        place = place[_read_step(place, step)]
    return str(place)


def _read_step(place: object, step: str) -> int | str:
    """Return a step of a pointer as the index or the key that it is."""
    return int(step) if isinstance(place, list | tuple) else step.replace("~1", "/").replace("~0", "~")
