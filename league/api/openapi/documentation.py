"""The pages that explain the codes of problems: what a problem document's ``type`` leads to."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from league.api.core.codes import FAULTS, PROBLEMS


def problems(request: HttpRequest) -> HttpResponse:
    """Show all codes."""
    return render(request, "docs/problems.html", {"problems": PROBLEMS.items(), "faults": FAULTS.items()})


def one_problem(request: HttpRequest, code: str) -> HttpResponse:
    """Show what a code means and what to do about it."""
    if code in PROBLEMS:
        return render(request, "docs/problem.html", {"code": code, "problem": PROBLEMS[code]})
    if code in FAULTS:
        return render(request, "docs/problem.html", {"code": code, "fault": FAULTS[code]})
    raise Http404
