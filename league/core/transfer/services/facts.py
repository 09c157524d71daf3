"""Restores rules, adjustments and ladders with the checks of their creation, and compares known players."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Invalid
from league.core.ladders.services.ladders import RankingRule, check_league, check_words
from league.core.leagues.services.adjustments import check_amount
from league.core.leagues.services.leagues import RuleChoice, check_choice, note_event
from league.core.leagues.services.seasons import check_season
from league.core.leagues.services.sets import check_sets
from league.core.records import Record
from league.core.rules.selectors.rules import build_rule_system, find_rule_at, list_system_changes, load_rules
from league.models import Adjustment, Ladder, League, Player
from league.models.facts import ADJUSTMENT_RECORD, RULE_RECORD
from league.models.ladders import LADDER_RECORD, LADDER_RULE_RECORD
from ratings.registry import get_method, get_system

Values = dict[str, Any]
#: Member that names a related row -> its value -> the row.
Found = Mapping[str, Mapping[Any, Any]]
NOTHING: Found = {}


class MissingRow(Exception):
    """A line names a row that does not exist: ``value``."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


def build_row(record: Record, league: League, values: Values, found: Found = NOTHING, **references: Any) -> Any:
    """Return the unsaved row of a line; ``references``, and rows that are ``found``, are the related rows of it.

    ``found``: member -> its value -> the row that it names. Raises MissingRow.
    """
    fields: Values = {"league": league, **references}
    if record.position:
        fields[record.position] = values[record.position]
    for name, member in record.line.items():
        value = values[name]
        if len(member.path) > 1 and member.path[0] not in references:
            if value is not None and value not in found[name]:
                raise MissingRow(value)
            fields[member.path[0]] = found[name].get(value)
        elif len(member.path) == 1:
            fields[member.path[0]] = value
    return record.model(**fields)


def write_lines(record: Record, league: League, lines: Sequence[Values], found: Found, **references: Any) -> list[Any]:
    """Write the rows of lines with their children in bulk; return the rows. Raises MissingRow."""
    rows = [build_row(record, league, line, found, **references) for line in lines]
    record.model._default_manager.bulk_create(rows)
    for name, child in record.children.items():
        within = {child.within: references[child.within]} if child.within else {}
        child.model._default_manager.bulk_create(
            build_row(child, league, values, found, **within, **{child.parent: row})
            for row, line in zip(rows, lines, strict=True)
            for values in map(child.open_line, line[name], range(1, len(line[name]) + 1))
        )
    return rows


def save_row(row: Any) -> None:
    """Save a new row with its original times."""
    times = {
        field.name: getattr(row, field.name)
        for field in row._meta.concrete_fields
        if getattr(field, "auto_now_add", False)
    }
    row.save(force_insert=True)
    if times:
        type(row)._default_manager.filter(pk=row.pk).update(**times)


def write_rule(league: League, values: Values) -> None:
    """Write a rule with its original times."""
    check_choice(RuleChoice(values["system"], values["parameters"], values["season"], values["start"]))
    values["parameters"] = get_system(values["system"]).whole(values["parameters"])
    values["season"] = check_season(values["season"])
    values["sets"] = check_sets(values["sets"], values["system"], values["parameters"])
    save_row(build_row(RULE_RECORD, league, values))
    if values["season"] or list_system_changes(load_rules(league)):
        note_event(league)


def write_adjustment(league: League, values: Values, player: Player, original: Player | None) -> None:
    """Write an adjustment."""
    last = Adjustment.objects.filter(league=league).count()
    if values["number"] != last + 1:
        raise Invalid(_("numbers must have no gaps: this must be adjustment {number}.").format(number=last + 1))
    rule = find_rule_at(load_rules(league), values["at"])
    # After a change of the time zone it may be before the first rule, where it has no effect.
    check_amount(None if rule is None else build_rule_system(rule), values["amount"])
    save_row(build_row(ADJUSTMENT_RECORD, league, values, player=player, recorded_as=original))
    note_event(league)


def write_ladder(league: League, values: Values) -> Ladder:
    """Write a ladder and its rules."""
    ladder: Ladder = build_row(LADDER_RECORD, league, values)
    check_words(ladder)
    save_row(ladder)
    for rule in values["rules"]:
        days = rule["from_date"], rule["to_date"]
        check_league(league, RankingRule(rule["method"], rule["cadence"], rule["parameters"], *days))
        rule["parameters"] = get_method(rule["method"]).whole(rule["parameters"])
        save_row(build_row(LADDER_RULE_RECORD, league, rule, ladder=ladder))
    return ladder


def refuse_different_player(player: Player, name: str, merge: dict[str, Any] | None, *, same_people: bool) -> None:
    """Raise Invalid if a known player has another name or merge in the file.

    ``same_people``: equal handles are the same people, even with different names.
    """
    if player.name != name and not same_people:
        raise Invalid(
            _(
                "the handle {handle} is {here} here and {there} in the file. If equal handles are "
                "the same people, use --known-players."
            ).format(handle=player.handle, here=player.name, there=name)
        )
    stored_survivor = None if player.merged_into is None else player.merged_into.handle
    file_survivor = None if merge is None else merge["into"]
    if stored_survivor != file_survivor:
        template = _("the player {player} is {there} in the file and {here} here; make them the same.")
        raise Invalid(
            template.format(
                player=player.handle,
                there=describe_merge_state(file_survivor),
                here=describe_merge_state(stored_survivor),
            )
        )


def describe_merge_state(survivor: str | None) -> str:
    """Return a player's merge in words."""
    return _("not merged") if survivor is None else _("merged into {player}").format(player=survivor)
