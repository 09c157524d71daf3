"""Merging two players who are the same person, and undoing that."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from league.core.dry_runs.services.run import preview_merge, preview_unmerge
from league.core.errors import NotFound, Problem, Refused
from league.core.permissions import Viewer, refuse_foreign
from league.core.players.selectors.resolve import find_one
from league.core.players.services.affected_leagues import Permission
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.text.names import NAME_LENGTH
from league.models import Merge, Player
from league.web.api.core.base import DRY_RUN, Endpoint, is_dry_run
from league.web.api.core.idempotency import idempotent
from league.web.api.core.inputs import JsonTextField, StrictSerializer
from league.web.api.core.schemas import Shape, render_fields
from league.web.api.dry_runs import DiffShape
from league.web.api.jobs import JobShape, answer_dry_run
from league.web.api.openapi.examples import describe_write, request_example


class MergeInput(StrictSerializer):
    """The player to merge into."""

    into = JsonTextField(max_length=NAME_LENGTH, help_text="Handle or alias of the remaining player.")


class EmptyBody(StrictSerializer):
    """A body without fields."""


class MergeShape(Shape):
    """A merge of two players; ``undone_at`` is null while it is in force."""

    player = s.CharField()
    into = s.CharField()
    at = s.DateTimeField()
    by = s.CharField()
    undone_at = s.DateTimeField(allow_null=True)
    undone_by = s.CharField()


class LeagueDiffShape(DiffShape):
    """The exact effect of the change on one league."""

    league = s.CharField()


class LeagueDiffsShape(Shape):
    """The exact effect of the change, by league."""

    leagues = LeagueDiffShape(many=True)


def render_merge(merge: Merge) -> dict[str, Any]:
    """Return a merge."""
    return render_fields(MergeShape, merge, player=merge.player.handle, into=merge.into.handle)


MERGE_OR_DIFFS = PolymorphicProxySerializer(
    "MergeOrDiffs", serializers=[MergeShape, LeagueDiffsShape], resource_type_field_name=None
)


def find_target(handle: str, viewer: Viewer) -> Player:
    """Return the player to merge into; raises Refused if there is none or the viewer may not see them."""
    try:
        return find_one(handle, viewer).original
    except Refused as error:
        raise Refused.of([replace(problem, pointer="/into") for problem in error.problems]) from None
    except NotFound as error:
        raise Refused.of([Problem("/into", "unknown_player", error.detail)]) from None


class MergeEndpoint(Endpoint):
    """Base of merging and undoing."""

    def allow(self) -> Permission:
        """Return the check that the viewer is an organiser of all affected leagues."""
        viewer = self.demand("organise")
        return lambda leagues: refuse_foreign(viewer, leagues)


class MergePlayer(MergeEndpoint):
    """Merging."""

    @describe_write(
        "merge_player",
        MergeInput,
        {200: MERGE_OR_DIFFS, 202: JobShape},
        request_example("Pedja", {"into": "pedja"}),
        parameters=[DRY_RUN],
    )
    @idempotent()
    def post(self, request: Request, player: str) -> Response:
        """Merge a player into another one; all affected leagues are replayed. Recorded facts are unchanged.

        A dry run returns the diff of each affected league.
        """
        allow, dry = self.allow(), is_dry_run(request)
        data = self.body(MergeInput)
        duplicate, survivor = find_one(player, self.viewer).original, find_target(data["into"], self.viewer)
        if dry:
            return answer_dry_run(self, preview_merge, duplicate, survivor, self.viewer)
        return Response(render_merge(merge_players(duplicate, survivor, username=self.viewer.name, allow=allow)))


class UnmergePlayer(MergeEndpoint):
    """Undoing a merge."""

    @describe_write(
        "unmerge_player",
        EmptyBody,
        {200: MERGE_OR_DIFFS, 202: JobShape},
        request_example("Nothing", {}),
        parameters=[DRY_RUN],
    )
    @idempotent()
    def post(self, request: Request, player: str) -> Response:
        """Undo the merge of a player: games, initial rating and aliases are restored.

        A dry run returns the diff of each affected league.
        """
        allow, dry = self.allow(), is_dry_run(request)
        self.body(EmptyBody)
        duplicate = find_one(player, self.viewer).original
        if dry:
            return answer_dry_run(self, preview_unmerge, duplicate, self.viewer)
        return Response(render_merge(unmerge_player(duplicate, username=self.viewer.name, allow=allow)))
