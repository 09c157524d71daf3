"""Rounds of a competition: propose, make, publish, undo."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.apps.competitions.api.base import CompetitionEndpoint, build_confirm_field
from league.apps.competitions.api.shapes import FixtureRenderer, RoundShape, render_round
from league.apps.competitions.models import MAX_ROUNDS, Competition
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.pairing_checks import (
    OutdatedPairing,
    describe_breaches,
    list_outdated_pairings,
)
from league.apps.competitions.services.manual_pairing import make_round_by_hand, publish_checked_round
from league.apps.competitions.services.pairing import RoundProposal, run_with_proposal
from league.apps.competitions.services.pairing_jobs import is_paired_by_worker, request_pairing
from league.apps.competitions.services.rounds import (
    NewRound,
    make_proposed_round,
    preview_round,
    undo_round,
)
from league.core.errors import NotFound
from league.web.api.core.base import DRY_RUN, is_dry_run
from league.web.api.core.idempotency import run_once
from league.web.api.core.inputs import Flag, Moment, StrictSerializer, WholeNumberField
from league.web.api.core.schemas import Shape
from league.web.api.jobs import JobShape, answer_job
from league.web.api.openapi.examples import READ, describe_list, describe_write, request_example


class RoundInput(StrictSerializer):
    """The next round."""

    number = WholeNumberField(
        min_value=1,
        max_value=MAX_ROUNDS,
        required=False,
        default=None,
        allow_null=True,
        help_text="The round that you expect; 409 if it is another one.",
    )
    starts = Moment(required=False, allow_null=True, default=None)
    deadline = Moment(required=False, allow_null=True, default=None)
    by_hand = Flag(
        required=False, default=False, help_text="Without pairings, which you add; byes that were asked for are there."
    )
    confirm = build_confirm_field()


class PublishInput(StrictSerializer):
    """What is confirmed with the publication of a round."""

    confirm = build_confirm_field()


class BreachShape(Shape):
    """A rule that a round breaks since it was changed by hand."""

    fixtures = s.ListField(child=s.IntegerField())
    text = s.CharField()


class OutdatedShape(Shape):
    """The pairings of a round that no longer follow from the rules, and those that would."""

    stands = s.ListField(child=s.ListField(child=s.IntegerField()), help_text="Numbers of entries.")
    follows = s.ListField(child=s.ListField(child=s.IntegerField()), help_text="Numbers of entries.")
    refusal = s.CharField(help_text="Why the rules would pair nothing by now.")


class FullRoundShape(RoundShape):
    """A round, with what it breaks and what no longer follows from the rules."""

    breaches = BreachShape(many=True)
    outdated = OutdatedShape(
        allow_null=True,
        help_text="If the rules may pair it otherwise by now, because an earlier result changed. "
        "The pairings are those of a knock-out that differ, and empty for a Swiss or tables.",
    )


def _render_outdated(found: OutdatedPairing) -> dict[str, Any]:
    return {
        "stands": [list(entries) for entries in found.stands],
        "follows": [list(entries) for entries in found.follows],
        "refusal": found.refusal,
    }


class RoundEndpoint(CompetitionEndpoint):
    """Base of the views of rounds."""

    def read(self, loaded: LoadedCompetition, number: int) -> dict[str, Any]:
        """Return a round in full; raises NotFound."""
        if number not in loaded.rounds:
            message = _("The competition {competition} has no round {round}.")
            raise NotFound(message.format(competition=loaded.competition.title, round=number))
        renderer = FixtureRenderer(self.request, loaded)
        one_round = loaded.rounds[number]
        fixtures = [renderer.render(fixture) for fixture in loaded.list_fixtures(number)]
        return {
            **render_round(self.request, loaded, one_round, fixtures),
            "breaches": [
                {"fixtures": list(breach.fixtures), "text": breach.sentence}
                for breach in describe_breaches(
                    loaded, number, for_organisers=self.is_arbiter(loaded.competition.league)
                )
            ],
            "outdated": next((_render_outdated(found) for found in list_outdated_pairings(loaded, [number])), None),
        }


class Rounds(RoundEndpoint):
    """The rounds of a competition."""

    @describe_list("list_rounds", RoundShape, "Round")
    def get(self, request: Request, league: str, competition: str) -> Response:
        """List the rounds with their fixtures; arbiters also see those that are not published."""
        loaded = self.load(self.competition(league, competition))
        renderer = FixtureRenderer(request, loaded)
        return self.paginate(
            list(loaded.rounds.values()),
            lambda one: render_round(request, loaded, one, map(renderer.render, loaded.list_fixtures(one.number))),
        )

    @describe_write(
        "make_round",
        RoundInput,
        {201: FullRoundShape, 200: FullRoundShape, 202: JobShape},
        request_example("Next round", {"number": 1, "starts": "2024-03-06T18:00:00Z"}),
        parameters=[DRY_RUN],
    )
    def post(self, request: Request, league: str, competition: str) -> HttpResponse:
        """Make the next round as the rules pair it, with the reasons. A dry run returns the proposal: 200.

        While results are missing it is refused with the code `no_result`; if `confirm` has it, they are adjourned.
        With `by_hand` it has no pairings yet: a round that the rules cannot pair. Add its fixtures, then publish it.
        Only arbiters see it until it is published. A job pairs a large Swiss round or large tables: 202.
        """
        found = self.competition(league, competition, "arbitrate")
        data = self.body(RoundInput)
        new = NewRound(self.viewer.name, data["starts"], data["deadline"], data["number"], data["confirm"])
        dry = is_dry_run(request)
        if data["by_hand"] and not dry:
            return run_once(
                request,
                lambda: make_round_by_hand(found.league_id, found.slug, new).number,
                render=lambda number: self._show(found, number),
            )
        if is_paired_by_worker(found):
            return run_once(
                request,
                lambda: answer_job(request, request_pairing(found.league_id, found.slug, new, dry_run=dry)),
            )
        if dry:
            return Response(self.read(*preview_round(found.league_id, found.slug, new)))

        def make(proposal: RoundProposal | None) -> HttpResponse:
            return run_once(
                request,
                lambda: make_proposed_round(found.league_id, found.slug, proposal, new).number,
                render=lambda number: self._show(found, number),
            )

        return run_with_proposal(found.league_id, found.slug, make, confirmed=new.confirmed)

    def _show(self, competition: Competition, number: int) -> Response:
        body = self.read(load_competition(competition), number)
        return Response(body, status=201, headers={"Location": body["url"]})


class OneRound(RoundEndpoint):
    """A round of a competition."""

    @extend_schema(operation_id="get_round", responses={200: FullRoundShape, **READ})
    def get(self, request: Request, league: str, competition: str, number: int) -> Response:
        """Read a round: its fixtures, the reasons, what it breaks, and whether the rules would pair it otherwise."""
        found = self.bare_competition(league, competition)
        return Response(self.read(self.load(found), number))

    @describe_write("undo_round", None, {204: None})
    def delete(self, request: Request, league: str, competition: str, number: int) -> Response:
        """Undo the last round, while nothing of it was played."""
        found = self.bare_competition(league, competition, "arbitrate")
        undo_round(found.league_id, found.slug, number, by=self.viewer.name)
        return Response(status=204)


class PublishRound(RoundEndpoint):
    """The publication of a round."""

    @describe_write("publish_round", PublishInput, {200: FullRoundShape}, request_example("Usual", {}))
    def post(self, request: Request, league: str, competition: str, number: int) -> HttpResponse:
        """Publish a round: everyone who sees the league sees its fixtures.

        Under the regulations a round that was changed by hand is compared with the rules: 409 with the difference,
        until `confirm` has `differs_from_rules`.
        """
        found = self.bare_competition(league, competition, "arbitrate")

        def publish() -> int:
            confirmed = self.optional_body(PublishInput)["confirm"]
            by = self.viewer.name
            return publish_checked_round(found.league_id, found.slug, number, by=by, confirmed=confirmed).number

        return run_once(
            request,
            publish,
            render=lambda number: Response(self.read(load_competition(found), number)),
        )
