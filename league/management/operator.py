"""Commands that an operator types, who may see and do everything: a refusal is a sentence, without a traceback."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from league.core.errors import RungsError
from league.core.permissions import Viewer, find_league
from league.models import League

OPERATOR = Viewer(name="operator", scope="organise")


def find(slug: str) -> League:
    """Return the league of a slug."""
    return find_league(slug, OPERATOR)


class OperatorCommand(BaseCommand):
    """A command whose refusals are printed as their sentences."""

    def execute(self, *args: Any, **options: Any) -> Any:
        """Run the command; raises CommandError with the sentence of a refusal."""
        try:
            return super().execute(*args, **options)
        except RungsError as error:
            raise CommandError(self.describe(error, options)) from None

    def describe(self, error: RungsError, options: dict[str, Any]) -> str:
        """Return what is printed of a refusal."""
        return error.detail


class LeagueCommand(OperatorCommand):
    """A command about one league, which is its first argument."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the league."""
        parser.add_argument("league", help="the league's slug")
