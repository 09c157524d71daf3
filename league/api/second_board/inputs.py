"""The body by which a second board is chosen. It checks form; what systems take, the service knows."""

from league.api.core.inputs import Figures, Strict, Text


class SecondBoardInput(Strict):
    """A rating system with parameters; those left out are as declared."""

    system = Text(max_length=40)
    parameters = Figures(required=False, default=dict)
