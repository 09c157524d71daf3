"""Short names of the compared systems, and the result of an experiment as a headline."""

from collections import Counter
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.text.display_formats import format_percentage
from league.web.public.game_titles import format_names
from ratings.registry import UnknownSystem, get_system
from ratings.texts import say

#: The measures that decide the headline; the first one that both systems have.
DECIDING = ("log_loss", "order_accuracy")


def name_entrants(report: Mapping[str, Any]) -> dict[str, str]:
    """Return short names by the stored labels: "Elo", or "Elo A" and "Elo B" if two systems have the same title."""
    entries = {entry["label"]: entry["key"] for entry in (*report["measured"], *report["refused"])}
    return name_systems(list(entries.items()))


def name_systems(entries: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return short names by labels, given (label, key) of each system."""
    titles = {label: _find_title(key, label) for label, key in entries}
    counts, used = Counter(titles.values()), Counter[str]()
    names = {}
    for label, title in titles.items():
        names[label] = f"{title} {ascii_uppercase[used[title]]}" if counts[title] > 1 else title
        used[title] += 1
    return names


def _find_title(key: str, label: str) -> str:
    try:
        return str(get_system(key).title)
    except UnknownSystem:  # a baseline, or a system that was removed
        return say(label)


def describe_verdict(report: Mapping[str, Any], names: Mapping[str, str], own: str = "") -> str:
    """Return the result in one line: which systems predict better than the first one, or that none does.

    It begins with ``own``, the label of the league's own system, if that was compared.
    """
    candidates = [entry for entry in report["measured"] if not entry["baseline"]]
    if not candidates:
        return _("No system can rate these games")
    first = names[candidates[0]["label"]]
    differences = select_deciding_differences(report)
    if not differences:
        share = format_percentage(candidates[0]["order_accuracy"]["value"] or 0.0, 1)
        return _("{system} predicts {share} of the pairs correctly").format(system=first, share=share)
    others = {label: names[label] for label in differences}
    if any(difference["low"] is None for difference in differences.values()):
        return _("Too few games to compare {systems}").format(systems=format_names([first, *others.values()]))
    winners = {label: entry["better"] for label, entry in differences.items()}
    if own == candidates[0]["label"]:
        return _describe_own(first, others, winners)
    texts = []
    if own in others:
        texts.append(
            _describe_own(others.pop(own), {candidates[0]["label"]: first}, {candidates[0]["label"]: winners[own]})
        )
    if others:
        texts.append(_describe_comparison(first, others, winners))
    return "; ".join(texts)


def _describe_own(own: str, others: Mapping[str, str], winners: Mapping[str, str]) -> str:
    """Describe how the league's own system compares with others; ``winners`` has the better label of each."""
    better = [name for label, name in others.items() if winners[label] == label]
    if better:
        return _("{system} predicts worse than {others}").format(system=own, others=format_names(better))
    if not any(winners[label] for label in others):
        text = _("{system} cannot be told apart from {others}")
        return text.format(system=own, others=format_names([*others.values()]))
    return _describe_comparison(own, others, winners)


def _describe_comparison(first: str, others: Mapping[str, str], winners: Mapping[str, str]) -> str:
    """Describe how other systems compare with the first; ``winners`` has the better label, empty if undecided."""
    better = [name for label, name in others.items() if winners[label] == label]
    undecided = [name for label, name in others.items() if not winners[label]]
    if better:
        return _describe_better(better, first)
    if undecided:
        return _describe_undecided(undecided, first, len(others))
    if len(others) > 1:
        return _("{first} predicts best").format(first=first)
    return _describe_better([first], next(iter(others.values())))


def _describe_better(better: Sequence[str], first: str) -> str:
    text = ngettext("{systems} predicts better than {first}", "{systems} predict better than {first}", len(better))
    return text.format(systems=format_names(better), first=first)


def _describe_undecided(undecided: Sequence[str], first: str, others: int) -> str:
    if len(undecided) < others:
        return _("No system predicts clearly better than {first}").format(first=first)
    text = ngettext(
        "{systems} and {first} cannot be told apart", "{systems} cannot be told apart from {first}", len(undecided)
    )
    return text.format(systems=format_names(undecided), first=first)


def select_deciding_differences(report: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return each candidate's difference from the first one, by the measure that decides."""
    labels = {entry["label"] for entry in report["measured"] if not entry["baseline"]}
    found: dict[str, Mapping[str, Any]] = {}
    for measure in DECIDING:
        for difference in report["differences"]:
            if difference["measure"] == measure and difference["label"] in labels:
                found.setdefault(difference["label"], difference)
    return found
