"""Periods of a ladder: rankings, editions, comparisons, closing."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.utils.http import http_date
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.db.isolation import postgresql_snapshot
from league.core.errors import Problem
from league.core.ladders.selectors.ladders import (
    Row,
    compute_rows_at,
    find_edition,
    find_ladder,
    find_latest_edition,
    find_period,
    find_periods,
    list_edition_rows,
    load_decisions,
    load_editions,
    load_live_rows,
    load_shown_rows,
)
from league.core.ladders.services.decisions import carry_period, close_period, reopen_period
from league.core.leagues.services.contexts import find_scope
from league.models import Ladder, League, Period
from league.web.api.core.base import (
    PAGE_SIZE,
    FormsEndpoint,
    TableEndpoint,
    build_next_url,
    encode_cursor,
    make_cursor_parser,
    make_time_parser,
    paginate_by_cursor,
    parse_cursor_time,
    parse_integer,
    parse_limit,
    parse_query,
)
from league.web.api.core.idempotency import idempotent
from league.web.api.core.responses import PUBLIC, ApiProblem
from league.web.api.core.schemas import build_page_shape
from league.web.api.ladders.render import (
    DocumentShape,
    EditionShape,
    FullPeriodShape,
    PeriodDiffShape,
    PeriodShape,
    StandingShape,
    render_decision,
    render_edition,
    render_period,
    render_period_diff,
)
from league.web.api.ladders.views import ReasonInput
from league.web.api.openapi.described import EDITION, MOMENT, TEXT
from league.web.api.openapi.examples import (
    READ,
    build_paging_parameters,
    build_query_parameter,
    describe_write,
    request_example,
)
from league.web.api.tables import FORMAT, READ_FORMAT, build_csv_responses, render_csv_response
from league.web.response_headers import PRIVATE

LIVE = "live"


def _parse_edition(text: str) -> str:
    """Parse the number of an edition, or “live”."""
    return text if text == LIVE else str(parse_integer(text, 1, 1_000_000))


def _load_named_rows(period: Period, name: str) -> list[Row]:
    """Return the ranking of a period's edition, or its live ranking."""
    return load_live_rows(period) if name == LIVE else list_edition_rows(find_edition(period, int(name)))


class PeriodEndpoint(FormsEndpoint):
    """Base of the views of one period."""

    def period(self, league: League, ladder: str, key: str) -> tuple[Ladder, Period]:
        """Return a ladder and one of its periods; raises 404."""
        the_ladder = find_ladder(league, ladder)
        return the_ladder, find_period(the_ladder, key)

    def full(
        self, request: Request, league: League, ladder: str, key: str, given: dict[str, Any], status: int = 200
    ) -> HttpResponse:
        """Return a period with its ranking."""
        with postgresql_snapshot():
            selected_ladder, period = self.period(league, ladder, key)
            scope = find_scope(league, given.get("context", ""))
            rows, edition = self.rows(scope, period, given)
            start, size = given.get("after", [0])[0], given.get("limit", PAGE_SIZE)
            cursor = encode_cursor(start + size) if len(rows) > start + size else None
            rows = rows[max(start, 0) : max(start, 0) + size]
            # Nothing is published of a context.
            published, decided = ([], []) if scope.context else (load_editions(period), load_decisions(period))
            editions = [render_edition(request, league, selected_ladder, record) for record in published]
            decisions = [render_decision(record) for record in decided]
        if self.form == "csv":
            return render_csv_response(rows, StandingShape, build_next_url(request, "after", cursor))
        body = {
            **render_period(request, league, selected_ladder, period),
            "edition": edition,
            "standings": rows,
            "editions": editions,
            "decisions": decisions,
            "next": build_next_url(request, "after", cursor),
        }
        return Response(body, status=status)

    def rows(self, league: League, period: Period, given: dict[str, Any]) -> tuple[Sequence[Row], int | None]:
        """Return the requested ranking, and the number of its edition."""
        if league.context is not None:
            return compute_rows_at(league, period, given.get("at", period.ends_at)), None
        if "edition" in given:
            name = given["edition"]
            return _load_named_rows(period, name), None if name == LIVE else int(name)
        if "at" in given:
            return compute_rows_at(league, period, given["at"]), None
        rows, edition = load_shown_rows(period)
        return rows, edition.number if edition else None


class PeriodList(TableEndpoint):
    """The periods of a ladder."""

    @extend_schema(
        operation_id="list_periods",
        parameters=[*build_paging_parameters("Periods"), FORMAT],
        responses={200: build_page_shape(PeriodShape, "Period"), **build_csv_responses(PeriodShape), **READ},
    )
    def get(self, request: Request, league: str, ladder: str) -> HttpResponse:
        """List the periods that have games, and the current one; latest first."""
        the_league = self.league(league)
        query: dict[str, Any] = parse_query(
            request, {"limit": parse_limit, "cursor": make_cursor_parser(str), "format": READ_FORMAT}
        )
        selected_ladder = find_ladder(the_league, ladder)
        periods = find_periods(selected_ladder)
        if "cursor" in query:
            periods = periods.filter(starts_at__lt=parse_cursor_time(query["cursor"][0]))
        page, following = paginate_by_cursor(
            request, periods, query.get("limit", PAGE_SIZE), lambda last: (last.starts_at.isoformat(),)
        )
        results = [render_period(request, the_league, selected_ladder, period) for period in page]
        if self.form == "csv":
            return render_csv_response(results, PeriodShape, following)
        return Response({"results": results, "next": following})


class OnePeriod(TableEndpoint, PeriodEndpoint):
    """A period of a ladder."""

    @extend_schema(
        operation_id="get_period",
        parameters=[
            build_query_parameter("edition", EDITION, "The number of an edition, or “live” for the current ranking."),
            build_query_parameter("at", MOMENT, "From the games played before this date or time."),
            build_query_parameter("context", TEXT, "The slug of a context: the ranking by its games and ratings."),
            *build_paging_parameters("Lines", 100, "after"),
            FORMAT,
        ],
        responses={200: FullPeriodShape, **build_csv_responses(StandingShape), **READ},
    )
    def get(self, request: Request, league: str, ladder: str, period: str) -> HttpResponse:
        """Read the ranking of a period: the last edition if it is closed, otherwise the live ranking."""
        the_league = self.league(league)
        query: dict[str, Any] = parse_query(
            request,
            {
                "edition": _parse_edition,
                "at": make_time_parser(the_league),
                "context": str,
                "limit": parse_limit,
                "after": make_cursor_parser(int),
                "format": READ_FORMAT,
            },
        )
        for name in ("at", "context"):
            if name in query and "edition" in query:
                message = f"{name} and edition exclude each other: choose one."
                raise ApiProblem(400, message, [Problem(f"?{name}", "not_together", message)])
        return self.full(request, the_league, ladder, period, query)


class OneEdition(PeriodEndpoint):
    """An edition."""

    @extend_schema(operation_id="get_edition", responses={200: DocumentShape, **READ})
    def get(self, request: Request, league: str, ladder: str, period: str, number: int) -> HttpResponse:
        """Read an edition as it was published, byte for byte: canonical JSON with the edition's SHA-256.

        If a player's data was erased since, the document is redacted: X-Content-SHA256 is then its new SHA-256, which
        is in the log, and X-Published-SHA256 the original one.
        """
        the_league = self.bare_league(league)
        edition = find_edition(self.period(the_league, ladder, period)[1], number)
        sha256 = edition.redacted_sha256 or edition.sha256
        headers = {
            "ETag": f'"{sha256}"',
            "X-Content-SHA256": sha256,
            "X-Published-SHA256": edition.sha256,
            "Last-Modified": http_date(edition.published_at.timestamp()),
            "Cache-Control": PUBLIC if self.is_public() else PRIVATE,
        }
        return HttpResponse(edition.document.encode(), content_type="application/json", headers=headers)


class PeriodDiffDetail(PeriodEndpoint):
    """The differences between two rankings of a period."""

    @extend_schema(
        operation_id="compare_period",
        parameters=[
            build_query_parameter("from", EDITION, "The number of an edition (the last one)."),
            build_query_parameter("to", EDITION, "The number of an edition, or “live” (live)."),
        ],
        responses={200: PeriodDiffShape, **READ},
    )
    def get(self, request: Request, league: str, ladder: str, period: str) -> Response:
        """Compare an edition of a period with another one, or with the current ranking."""
        the_league = self.league(league)
        query = parse_query(request, {"from": _parse_edition, "to": _parse_edition})
        with postgresql_snapshot():
            selected_ladder, selected_period = self.period(the_league, ladder, period)
            last = find_latest_edition(selected_period)
            if last is None and "from" not in query:
                raise ApiProblem(404, f"{selected_period.title} was never closed: it has no edition to compare.")
            names = (query.get("from", str(last.number if last else LIVE)), query.get("to", LIVE))
            rows = _load_named_rows(selected_period, names[0]), _load_named_rows(selected_period, names[1])
        return Response(render_period_diff(selected_ladder, selected_period, names, rows))


class Close(PeriodEndpoint):
    """Publishing a period."""

    @describe_write(
        "close_period",
        ReasonInput,
        {201: EditionShape},
        request_example("A late sheet", {"reason": "A score sheet came late."}),
    )
    @idempotent()
    def post(self, request: Request, league: str, ladder: str, period: str) -> Response:
        """Publish an ended period: edition 1, or a new edition with a reason if the ranking has changed."""
        the_league = self.bare_league(league, "organise")
        reason = self.body(ReasonInput)["reason"]
        edition = close_period(the_league.pk, ladder, period, reason=reason, username=self.viewer.name)
        body = render_edition(request, the_league, edition.ladder, edition)
        return Response(body, status=201, headers={"Location": body["url"]})


class PeriodReopening(PeriodEndpoint):
    """Reopening a closed period."""

    @describe_write("reopen_period", ReasonInput, {200: FullPeriodShape})
    @idempotent()
    def post(self, request: Request, league: str, ladder: str, period: str) -> HttpResponse:
        """Reopen a closed period; its editions are unchanged."""
        the_league = self.bare_league(league, "organise")
        reopen_period(the_league.pk, ladder, period, reason=self.body(ReasonInput)["reason"], username=self.viewer.name)
        return self.full(request, the_league, ladder, period, {})


class Carry(PeriodEndpoint):
    """Keeping the last edition of a closed period."""

    @describe_write("carry_period", ReasonInput, {200: FullPeriodShape})
    @idempotent()
    def post(self, request: Request, league: str, ladder: str, period: str) -> HttpResponse:
        """Keep the last edition although the ranking of the period has changed."""
        the_league = self.bare_league(league, "organise")
        carry_period(the_league.pk, ladder, period, reason=self.body(ReasonInput)["reason"], username=self.viewer.name)
        return self.full(request, the_league, ladder, period, {})
