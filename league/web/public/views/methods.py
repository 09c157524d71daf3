"""The pages of ranking methods and rulings."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from league.web.public import files, records
from league.web.public.charts.curves import build_curve
from league.web.public.charts.system_curves import build_method_chart
from league.web.public.present import label_presets, list_parameters
from ratings.contract.set_scores import RULINGS
from ratings.describe.house import HOUSE
from ratings.describe.methods import describe_method
from ratings.fide.regulation_rulings import REGULATION_RULINGS
from ratings.fide.rulings import RULINGS as FIDE_RULINGS
from ratings.registry import UnknownMethod, get_method, load_methods, load_pairing_formats, load_systems
from ratings.seasons.rules import DivisionRule, SeriesRule, StageRule
from ratings.standings.prize_rulings import PRIZE_RULINGS
from ratings.standings.tie_break_codes import all_tie_breaks


def methods(request: HttpRequest) -> HttpResponse:
    """Show all ranking methods."""
    return render(request, "web/public/methods.html", {"methods": list(load_methods().values())})


def one_method(request: HttpRequest, key: str) -> HttpResponse:
    """Show a ranking method with its examples, computed here."""
    try:
        method = get_method(key)
    except UnknownMethod as error:
        raise Http404(str(error)) from None
    description = describe_method(method)
    description["presets"] = label_presets(method, description["presets"])
    labels = {"score": method.score_label, **{column.key: column.label for column in method.columns}}
    for example in description["examples"]:
        expected = example["expected"].items()
        example["figures"] = [(labels[key], value, example["computed"][key]) for key, value in expected]
    parameters, curve = list_parameters(method()), build_curve(method())
    charts = [build_method_chart(method())]
    context = {"description": description, "parameters": parameters, "curve": curve, "charts": charts}
    tables: dict[str, files.Rows] = {
        "parameters": lambda: records.serialize_parameters(parameters),
        "examples": lambda: [
            figure for example in description["examples"] for figure in _serialize_example_values(example)
        ],
        **records.build_curve_tables(curve),
    }
    return files.answer(request, "web/public/method.html", context, tables)


def _serialize_example_values(example: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the values of a worked example as data."""
    about = {"example": example["title"], "printed": example["printed"]}
    pairs = example["expected"].items()
    return [{**about, "figure": key, "expected": value, "computed": example["computed"][key]} for key, value in pairs]


def rulings(request: HttpRequest) -> HttpResponse:
    """Show all rulings: Rungs' own, and those of each system and method, of competitions, of prizes and of sets."""
    groups: list[dict[str, Any]] = [{"title": _("Rungs' own rulings"), "url": "", "key": "rungs", "rulings": HOUSE}]
    for url, kinds in (("pages:system", load_systems()), ("pages:method", load_methods())):
        groups += [
            {"title": kind.title, "url": url, "key": key, "rulings": kind.rulings} for key, kind in kinds.items()
        ]
    of_competitions = (
        (_("Pairings"), "pairings", load_pairing_formats().values()),
        (_("Tie-breaks"), "tie-breaks", all_tie_breaks().values()),
        (_("Seasons"), "seasons", (DivisionRule, SeriesRule, StageRule)),
    )
    for title, key, declaring in of_competitions:
        by_number = {ruling.number: ruling for kind in declaring for ruling in kind.rulings}
        groups.append({"title": title, "url": "", "key": key, "rulings": [by_number[one] for one in sorted(by_number)]})
    groups.append({"title": _("Prizes"), "url": "", "key": "prizes", "rulings": PRIZE_RULINGS})
    groups.append({"title": _("Elo as FIDE has it"), "url": "", "key": "fide", "rulings": FIDE_RULINGS})
    groups.append({"title": _("FIDE's regulations"), "url": "", "key": "regulations", "rulings": REGULATION_RULINGS})
    groups.append({"title": _("Sets"), "url": "", "key": "sets", "rulings": RULINGS})
    # Some rulings apply to several methods: the first is the target of links.
    linked = set[str]()
    for group in groups:
        group["anchors"] = {ruling.number for ruling in group["rulings"]} - linked
        linked |= group["anchors"]
    return render(request, "web/public/rulings.html", {"groups": [group for group in groups if group["rulings"]]})
