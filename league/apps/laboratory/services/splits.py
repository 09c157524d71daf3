"""Whether ratings of their own for some games would predict these better than the league's rating of all games."""

from dataclasses import replace

from django.utils.translation import gettext as _

from league.core.contexts.scopes import scope_league
from league.core.db.isolation import long_snapshot
from league.core.replay.services.context_games import choose_games
from league.core.replay.services.history import read_log
from league.core.replay.services.played_games import build_game_columns
from league.core.rules.selectors.rules import build_rule_system, load_rules
from league.models import Context, League
from ratings.laboratory.splitting import judge_split
from ratings.registry import get_system

#: At most so many games are judged in a request, the newest ones.
MAX_GAMES = 5_000
#: The share of them that only warms the ratings up.
WARM_UP_SHARE = 0.2


def advise_on_context(league: League, context: Context) -> str:
    """Return a sentence about a context, which need not be saved: whether splitting pays."""
    rules = load_rules(league)
    if not rules:
        return ""
    system = build_rule_system(rules[-1])
    own_system = get_system(context.system).from_json(context.parameters) if context.system else system
    with long_snapshot():
        log = read_log(league, None, [system, own_system], sides=True)
        chosen = choose_games(scope_league(league, context), log)
    first, last = max(len(log.games) - MAX_GAMES, 0), len(log.games)
    if first == last:
        return _("No game has been rated yet, so nothing can be compared.")
    keys = {spec.key: None for one in (system, own_system) for spec in one.game_fields}
    columns = build_game_columns(log, first, last, league.time_zone, list(keys))
    games = replace(columns, lowest_wins=system.lowest_score_wins())
    answer = judge_split(system, own_system, games, chosen[first:last], warm_up=int(WARM_UP_SHARE * games.games))
    counted = _("{chosen} of {games} games count.").format(chosen=int(chosen.sum()), games=last)
    return f"{counted} {answer.sentence}"
