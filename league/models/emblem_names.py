"""The names of what an emblem is made of; ``league.web.public.emblem`` draws it."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

#: Derived from the slug.
AUTO = "auto"
#: The names of the hues, 1 to 12.
COLOURS = (
    ("claret", pgettext_lazy("colour", "Claret")),
    ("rust", pgettext_lazy("colour", "Rust")),
    ("amber", pgettext_lazy("colour", "Amber")),
    ("olive", pgettext_lazy("colour", "Olive")),
    ("green", pgettext_lazy("colour", "Green")),
    ("bottle", pgettext_lazy("colour", "Bottle green")),
    ("teal", pgettext_lazy("colour", "Teal")),
    ("steel", pgettext_lazy("colour", "Steel blue")),
    ("blue", pgettext_lazy("colour", "Blue")),
    ("indigo", pgettext_lazy("colour", "Indigo")),
    ("plum", pgettext_lazy("colour", "Plum")),
    ("raspberry", pgettext_lazy("colour", "Raspberry")),
)
#: Ways to divide the field.
DIVISIONS = (
    ("plain", pgettext_lazy("field of a shield", "Plain")),
    ("pale", pgettext_lazy("field of a shield", "Split vertically")),
    ("fess", pgettext_lazy("field of a shield", "Split horizontally")),
    ("bend", pgettext_lazy("field of a shield", "Split diagonally")),
    ("chevron", pgettext_lazy("field of a shield", "Chevron")),
    ("paly", pgettext_lazy("field of a shield", "Stripes")),
    ("chief", pgettext_lazy("field of a shield", "Band at the top")),
)
#: Symbols on the field.
CHARGES = (
    ("heart", pgettext_lazy("charge of a shield", "Heart")),
    ("spade", pgettext_lazy("charge of a shield", "Spade")),
    ("diamond", pgettext_lazy("charge of a shield", "Diamond")),
    ("star", pgettext_lazy("charge of a shield", "Star")),
    ("waves", pgettext_lazy("charge of a shield", "Waves")),
    ("wheel", pgettext_lazy("charge of a shield", "Wheel")),
    ("ladder", pgettext_lazy("charge of a shield", "Ladder")),
    ("crown", pgettext_lazy("charge of a shield", "Crown")),
    ("scales", pgettext_lazy("charge of a shield", "Scales")),
    ("club", pgettext_lazy("charge of a shield", "Club")),
    ("cup", pgettext_lazy("charge of a shield", "Cup")),
    ("tower", pgettext_lazy("charge of a shield", "Tower")),
    ("die", pgettext_lazy("charge of a shield", "Die")),
    ("ball", pgettext_lazy("charge of a shield", "Ball")),
    ("anchor", pgettext_lazy("charge of a shield", "Anchor")),
    ("swords", pgettext_lazy("charge of a shield", "Swords")),
)
_FROM_NAME = _("From the name")
COLOUR_CHOICES, DIVISION_CHOICES, CHARGE_CHOICES = (
    [(AUTO, _FROM_NAME), *named] for named in (COLOURS, DIVISIONS, CHARGES)
)
