"""A league in which one name is everywhere."""

import json

from django.db import models

from league.core.capabilities import list_models
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.ladders.services.decisions import carry_period, reopen_period
from league.core.leagues.services.leagues import change_league
from league.models import League
from tests.helpers.builders import FOUR, make_league, record, rename
from tests.helpers.ladder_builders import close, duel, make_ladder


def build_named_club() -> League:
    """Return a league in which Anna Kowalska is in everything that keeps a name."""
    league = make_league(players=FOUR)
    rename("Anna Kowalska", "anna")
    make_ladder(league)
    record(league, duel("anna", "ben", "2024-03-10", note="Anna was ill."))
    record(league, duel("cleo", "dan", "2024-03-11", note="At the lake."))
    change_league(league.pk, {"metadata": {"chair": "ANNA KOWALSKA"}}, username="olga")
    close(league, "2024-03")
    correct_game(league.pk, 1, duel("ben", "anna", "2024-03-10"), reason="anna kowalska mixed it up", username="olga")
    carry_period(league.pk, "month", "2024-03", reason="Anna agreed.", username="olga")
    void_game(league.pk, 2, reason="A friendly.", username="olga")
    restore_game(league.pk, 2, reason="Anna says it was none.", username="olga")
    reopen_period(league.pk, "month", "2024-03", reason="Late.", username="olga")
    close(league, "2024-03", reason="ANNA asked for it.")
    record(league, duel("anna", "cleo", "2024-04-02"))
    record(league, duel("ben", "cleo", "2024-04-02", metadata={"scorer": "Ben\nAnna Kowalska"}))
    return league


def every_text() -> str:
    """Return every text of every table, as one."""
    found: list[str] = []
    for model in list_models():
        names = [
            one.attname
            for one in model._meta.concrete_fields
            if isinstance(one, models.CharField | models.TextField | models.JSONField)
        ]
        for row in model._default_manager.values_list(*names) if names else ():
            found += [cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False) for cell in row]
    return "\n".join(found).casefold()
