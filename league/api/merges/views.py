"""Merging two players who are one person, and taking that back."""

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from league.api.core.base import DRY_RUN, Endpoint, is_dry_run
from league.api.jobs.answers import answer_dry_run
from league.api.jobs.schemas import JobShape
from league.api.merges.inputs import MergeInput, Nothing
from league.api.merges.render import render_merge
from league.api.merges.schemas import LeagueDiffsShape, MergeShape
from league.api.openapi.examples import WRITE, request_example
from league.errors import NotFound, Problem, Refused
from league.models import Player
from league.selectors.permissions import Viewer, refuse_foreign
from league.selectors.players.find import find_original
from league.services.dry_runs.run import preview_merge, preview_unmerge
from league.services.players.affected_leagues import Permission
from league.services.players.merges import merge_players, unmerge_player

MERGE_OR_DIFFS = PolymorphicProxySerializer(
    "MergeOrDiffs", serializers=[MergeShape, LeagueDiffsShape], resource_type_field_name=None
)


def named(into: str, viewer: Viewer) -> Player:
    """Return the player into whom to merge; raises Refused at the field, also for whom the asker may not see."""
    try:
        return find_original(into, viewer)
    except NotFound as error:
        raise Refused.of([Problem("/into", "unknown_player", error.detail)]) from None


class MergeEndpoint(Endpoint):
    """Base of both."""

    def allow(self) -> Permission:
        """Return what looks at the leagues concerned: the asker must be an organiser of all of them."""
        viewer = self.demand("organise")
        return lambda leagues: refuse_foreign(viewer, leagues)


class MergePlayer(MergeEndpoint):
    """Merging."""

    @extend_schema(
        operation_id="merge_player",
        request=MergeInput,
        parameters=[DRY_RUN],
        responses={200: MERGE_OR_DIFFS, 202: JobShape, **WRITE},
        examples=[request_example("Pedja", {"into": "pedja"})],
    )
    def post(self, request: Request, player: str) -> Response:
        """Let everything of a player count for another one; all leagues concerned are replayed. Facts stay.

        A dry run answers the diff of each league concerned.
        """
        allow, dry = self.allow(), is_dry_run(request)
        data = self.body(MergeInput)
        one, into = find_original(player, self.viewer), named(data["into"], self.viewer)
        if dry:
            return answer_dry_run(request, self.viewer, preview_merge, one, into, self.viewer)
        return Response(render_merge(merge_players(one, into, by=self.viewer.name, allow=allow)))


class UnmergePlayer(MergeEndpoint):
    """Taking a merge back."""

    @extend_schema(
        operation_id="unmerge_player",
        request=Nothing,
        parameters=[DRY_RUN],
        responses={200: MERGE_OR_DIFFS, 202: JobShape, **WRITE},
        examples=[request_example("Nothing", {})],
    )
    def post(self, request: Request, player: str) -> Response:
        """Take the merge of a player back: games, start and spellings are his own again, as they were.

        A dry run answers the diff of each league concerned.
        """
        allow, dry = self.allow(), is_dry_run(request)
        self.body(Nothing)
        one = find_original(player, self.viewer)
        if dry:
            return answer_dry_run(request, self.viewer, preview_unmerge, one, self.viewer)
        return Response(render_merge(unmerge_player(one, by=self.viewer.name, allow=allow)))
