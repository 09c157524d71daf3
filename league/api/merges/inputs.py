"""The bodies about merges that the API takes."""

from league.api.core.inputs import Strict, Text


class MergeInput(Strict):
    """Who the player is."""

    into = Text(max_length=120, help_text="Handle or alias of the player who stays.")


class Nothing(Strict):
    """A body without any field."""
