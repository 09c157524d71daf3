"""Templates for new leagues: a rule and ladders for a game, created together.

A template only provides initial values: the league, rule and ladders can be changed like any others. The titles of
ladders are in the language of the user who creates the league.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext, gettext_noop

from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import create_league
from league.core.locking import transactional
from league.models import League
from ratings.registry import load_systems


@dataclass(frozen=True)
class LadderPlan:
    """A ladder of a template; ``says`` describes it in a sentence."""

    slug: str
    title: str
    says: str
    ranking: RankingRule


@dataclass(frozen=True)
class Template:
    """Initial values of a new league; ``says`` describes in a sentence whom it suits.

    ``seats`` is the number of players of each game, None if it differs. ``sets``: how the sets of a match count.
    ``also``: other names of what is played, by which it is found.
    """

    key: str
    title: str
    says: str
    game: str
    system: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    ladders: tuple[LadderPlan, ...] = ()
    min_games: int = 3
    seats: int | None = None
    sets: Mapping[str, Any] = field(default_factory=dict)
    also: str = ""


#: Texts here are marked for translation; ``list_templates`` translates them.
POINTS_OF_MONTH = LadderPlan(
    "month",
    gettext_noop("Points of the month"),
    gettext_noop("One point for a win, half a point for a draw, added up over the month."),
    RankingRule("points", "month"),
)
CHALLENGE = LadderPlan(
    "challenge",
    gettext_noop("Challenge ladder"),
    gettext_noop("Beat a player up to three places above you to take their place."),
    RankingRule("challenge", "all_time", {"places": 3}),
)
#: The most common games first, published systems of single games last.
TEMPLATES = (
    Template(
        "hearts",
        gettext_noop("Hearts"),
        gettext_noop("The fewest points win, at tables of any size, with a points table every month."),
        gettext_noop("Hearts"),
        "elo",
        {"winner": "lowest"},
        (POINTS_OF_MONTH,),
    ),
    Template(
        "golf",
        gettext_noop("Golf"),
        gettext_noop("The fewest strokes win, in rounds of two or more, with a points table every month."),
        gettext_noop("Golf"),
        "elo",
        {"winner": "lowest"},
        (POINTS_OF_MONTH,),
    ),
    Template(
        "table-tennis",
        gettext_noop("Table tennis singles"),
        gettext_noop(
            "One against one: ratings that settle within 30 games, a points table every month and a challenge ladder."
        ),
        gettext_noop("Table tennis"),
        "elo",
        {"provisional_games": 30},
        (POINTS_OF_MONTH, CHALLENGE),
        seats=2,
        sets={"best_of": 5, "to": 11},
        also="ping pong",
    ),
    Template(
        "table-tennis-doubles",
        gettext_noop("Table tennis doubles"),
        gettext_noop(
            "Two against two: each player has a rating, and partners gain and lose together. "
            "Choose “In teams” on the first sheet; later sheets remember it."
        ),
        gettext_noop("Table tennis"),
        "elo",
        {"provisional_games": 30},
        (POINTS_OF_MONTH,),
        sets={"best_of": 5, "to": 11},
        also="ping pong",
    ),
    Template(
        "badminton",
        gettext_noop("Badminton singles"),
        gettext_noop("One against one, best of three to 21, with points every month and a challenge ladder."),
        gettext_noop("Badminton"),
        "elo",
        {"provisional_games": 30},
        (POINTS_OF_MONTH, CHALLENGE),
        seats=2,
        sets={"best_of": 3, "to": 21, "cap": 30},
    ),
    Template(
        "tennis",
        gettext_noop("Tennis singles"),
        gettext_noop(
            "One against one, best of three sets with tie-breaks, with points every month and a challenge ladder."
        ),
        gettext_noop("Tennis"),
        "elo",
        {"provisional_games": 30},
        (POINTS_OF_MONTH, CHALLENGE),
        seats=2,
        sets={"best_of": 3, "to": 6, "tie_break": 7},
    ),
    Template(
        "squash",
        gettext_noop("Squash"),
        gettext_noop("One against one, best of five to 11, with points every month and a challenge ladder."),
        gettext_noop("Squash"),
        "elo",
        {"provisional_games": 30},
        (POINTS_OF_MONTH, CHALLENGE),
        seats=2,
        sets={"best_of": 5, "to": 11},
    ),
    Template(
        "skat",
        gettext_noop("Skat"),
        gettext_noop(
            "Tables of three or four: the points on the list are the scores, the highest wins, "
            "and the scores are added up over the month."
        ),
        gettext_noop("Skat"),
        "elo",
        {},
        (
            LadderPlan(
                "month",
                gettext_noop("Score sum of the month"),
                gettext_noop("The scores of the month, added up."),
                RankingRule("points", "month", {"count": "scores"}),
            ),
        ),
    ),
    Template(
        "pool",
        gettext_noop("Pool"),
        gettext_noop(
            "One against one: enter the racks of each player; clear wins count for more. With a "
            "points table every month and a challenge ladder."
        ),
        gettext_noop("Pool"),
        "elo",
        {"margin": "logarithm"},
        (POINTS_OF_MONTH, CHALLENGE),
        seats=2,
    ),
    Template(
        "foosball",
        gettext_noop("Foosball"),
        gettext_noop(
            "Two against two, one against one or any mixture: TrueSkill suits changing teams. "
            "Choose “In teams” on the first sheet; later sheets remember it."
        ),
        gettext_noop("Foosball"),
        "trueskill",
        {"draw_probability": 1},
        (POINTS_OF_MONTH,),
        also="table football, table soccer, kicker",
    ),
    Template(
        "barbu",
        gettext_noop("Barbu monthly with the best ten (Zester)"),
        gettext_noop(
            "Sheets of four whose scores sum to zero, a ladder every month, and each player's "
            "ten best sheets of the year (Zester)."
        ),
        gettext_noop("Barbu"),
        "barbu",
        {"demand_total": "yes", "total": 0},
        (
            LadderPlan(
                "month",
                gettext_noop("Ladder of the month"),
                gettext_noop("The average of the month's adjusted scores; more games count for more."),
                RankingRule("erf_mean", "month"),
            ),
            LadderPlan(
                "zester",
                gettext_noop("Best ten of the year (Zester)"),
                gettext_noop("The average of a player's ten best scores of the year; needs ten games."),
                RankingRule("best_scores", "year"),
            ),
        ),
    ),
    Template(
        "durak",
        gettext_noop("Durak club"),
        gettext_noop("The player left with the cards loses most; the highest rating at the end of the month wins."),
        gettext_noop("Durak"),
        "durak",
        {},
        (
            LadderPlan(
                "month",
                gettext_noop("Durak ladder of the month"),
                gettext_noop("The rating at the end of the month, minus a penalty for few games."),
                RankingRule("rating_score", "month"),
            ),
        ),
    ),
    Template(
        "preferans",
        gettext_noop("Preferans evening"),
        gettext_noop("Tables of three, compared in pairs, with a score sum every quarter."),
        gettext_noop("Preferans"),
        "preferans",
        {},
        (
            LadderPlan(
                "quarter",
                gettext_noop("Score sum of the quarter"),
                gettext_noop("The scores of the quarter, added up; needs five games."),
                RankingRule("points", "quarter", {"count": "scores", "minimum": 5}),
            ),
        ),
    ),
    Template(
        "serpentine",
        gettext_noop("Serpentine room"),
        gettext_noop(
            "Any number of players at a table; a rating predicts a share of the points, and the "
            "highest rating at the end of the month wins."
        ),
        gettext_noop("Board games"),
        "serpentine",
        {},
        (
            LadderPlan(
                "month",
                gettext_noop("Room of the month"),
                gettext_noop("The rating at the end of the month, for players who played in it."),
                RankingRule("rating_score", "month", {"evidence_penalty": 0}),
            ),
        ),
    ),
    Template(
        "chess",
        gettext_noop("Chess with FIDE performance"),
        gettext_noop(
            "Games of two, with K = 40 for new players and 20 after 30 games, and FIDE's "
            "performance rating every quarter."
        ),
        gettext_noop("Chess"),
        "elo",
        {"provisional_games": 30},
        (
            LadderPlan(
                "quarter",
                gettext_noop("Performance of the quarter"),
                gettext_noop("FIDE's performance rating over the quarter; needs five games."),
                RankingRule("fide_performance", "quarter", {"minimum": 5, "unrated": "skip_game"}),
            ),
        ),
        seats=2,
    ),
    Template(
        "doubles",
        gettext_noop("Doubles"),
        gettext_noop(
            "Two against two, or any teams: each player has a rating, and partners gain and lose "
            "together. Choose “In teams” on the first sheet; later sheets remember it."
        ),
        gettext_noop("Doubles"),
        "elo",
        {},
        (POINTS_OF_MONTH,),
    ),
    Template(
        "elo",
        gettext_noop("Elo ladder"),
        gettext_noop("For any game with two or more players and a winner: one rating, and a points table every month."),
        "",
        "elo",
        {},
        (POINTS_OF_MONTH,),
    ),
)


def list_templates() -> list[Template]:
    """Return the templates in the reader's language."""
    return [
        replace(
            template,
            title=gettext(template.title),
            says=gettext(template.says),
            game=gettext(template.game) if template.game else "",
            ladders=tuple(
                replace(plan, title=gettext(plan.title), says=gettext(plan.says)) for plan in template.ladders
            ),
        )
        for template in TEMPLATES
    ]


def list_system_templates() -> list[Template]:
    """Return a template without ladders for every rating system, by title."""
    templates = []
    for system in load_systems().values():
        says = f"{str(system.summary).partition('. ')[0].rstrip('.')}."
        templates.append(Template(f"system-{system.key}", str(system.title), says, "", system.key, min_games=1))
    return sorted(templates, key=lambda template: template.title.casefold())


@transactional
def create_from_template(
    template: Template,
    slug: str,
    title: str,
    *,
    settings: Mapping[str, Any],
    parameters: Mapping[str, Any],
    username: str,
    owner: Any,
) -> League:
    """Create a league with its rule and ladders in one transaction; ``owner`` becomes its owner.

    Raises like ``create_league`` and ``create_ladder``.
    """
    league = create_league(
        slug,
        title,
        settings={"min_games": template.min_games, **settings},
        system=template.system,
        parameters=parameters,
        set_rule=template.sets,
        by=username,
        owner=owner,
    )
    League.objects.filter(pk=league.pk).update(seats=template.seats)
    for plan in template.ladders:
        create_ladder(league.pk, plan.slug, plan.title, plan.ranking, username=username)
    return league
