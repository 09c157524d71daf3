"""Restores rules, adjustments and ladders with the checks of their creation, and compares known players."""

from typing import Any

from django.utils.translation import gettext as _

from league.core.errors import Invalid
from league.core.ladders.services.ladders import RankingRule, check_league, check_words
from league.core.leagues.selectors.rules import build_rule_system, find_rule_at, list_system_changes, load_rules
from league.core.leagues.services.adjustments import check_amount
from league.core.leagues.services.leagues import RuleChoice, check_choice, note_event
from league.core.leagues.services.seasons import check_season
from league.models import Adjustment, Ladder, LadderRule, League, Player, Rule
from ratings.registry import get_method, get_system

Values = dict[str, Any]


def write_rule(league: League, values: Values) -> None:
    """Write a rule with its original times."""
    check_choice(RuleChoice(values["system"], values["parameters"], values["season"], values["start"]))
    created_at = values.pop("created_at")
    values["parameters"] = get_system(values["system"]).whole(values["parameters"])
    values["season"] = check_season(values["season"])
    rule = Rule.objects.create(league=league, **values)
    Rule.objects.filter(pk=rule.pk).update(created_at=created_at)
    if rule.season or list_system_changes(load_rules(league)):
        note_event(league)


def write_adjustment(league: League, values: Values, player: Player, original: Player | None) -> None:
    """Write an adjustment."""
    last = Adjustment.objects.filter(league=league).count()
    if values["number"] != last + 1:
        raise Invalid(_("numbers must have no gaps: this must be adjustment {number}.").format(number=last + 1))
    rule = find_rule_at(load_rules(league), values["at"])
    # After a change of the time zone it may be before the first rule, where it has no effect.
    check_amount(None if rule is None else build_rule_system(rule), values["amount"])
    Adjustment.objects.create(league=league, **{**values, "player": player, "recorded_as": original})
    note_event(league)


def write_ladder(league: League, values: Values) -> Ladder:
    """Write a ladder and its rules."""
    rules, created_at = values.pop("rules"), values.pop("created_at")
    ladder = Ladder(league=league, **values)
    check_words(ladder)
    ladder.save()
    Ladder.objects.filter(pk=ladder.pk).update(created_at=created_at)
    for rule in rules:
        created_at = rule.pop("created_at")
        days = rule["from_date"], rule["to_date"]
        check_league(league, RankingRule(rule["method"], rule["cadence"], rule["parameters"], *days))
        rule["parameters"] = get_method(rule["method"]).whole(rule["parameters"])
        ladder_rule = LadderRule.objects.create(league=league, ladder=ladder, **rule)
        LadderRule.objects.filter(pk=ladder_rule.pk).update(created_at=created_at)
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
