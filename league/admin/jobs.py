"""Jobs: to look at while they run. The page asks again by itself until the job has ended."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from league.admin.base import OwnLeagues
from league.admin.derived import ReadOnly
from league.models import Job
from league.selectors.jobs import progress_of

#: Seconds after which the browser asks again.
REFRESH = 2


@admin.register(Job)
class JobAdmin(ReadOnly):
    """What workers do, have done and are to do."""

    list_display = ("kind", "league", "state", "how_far", "phase", "asked_at", "ended_at", "asked_by")
    list_filter = ("state", "kind", ("league", OwnLeagues))
    list_select_related = ("league",)
    search_fields = ("league__slug", "asked_by")
    fields = (
        "kind", "league", "state", "how_far", "phase", "attempts", "asked_by", "asked_at", "started_at", "beat_at",
        "ended_at", "problem", "result",
    )  # fmt: skip
    readonly_fields = ("how_far",)

    @admin.display(description=gettext_lazy("Progress"))
    def how_far(self, job: Job) -> str:
        """Say how far the job is."""
        return f"{progress_of(job):.0%}"

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a job, and again every other second until it has ended."""
        answer = super().change_view(request, object_id, form_url, extra_context)
        job: Job | None = self.get_object(request, unquote(object_id))
        return refreshing(answer, job is not None and job.ended_at is None)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """List the jobs, and again every other second while one is under way."""
        answer = super().changelist_view(request, extra_context)
        return refreshing(answer, Job.objects.filter(ended_at=None).exists())


def refreshing(answer: HttpResponse, under_way: bool) -> HttpResponse:
    """Have the browser ask again while something is under way."""
    if under_way:
        answer["Refresh"] = str(REFRESH)
    return answer
