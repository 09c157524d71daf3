"""What schemathesis is told, so that its cases lead somewhere: where they go, who asks, what no schema can say."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, settings
from schemathesis.checks import CheckFunction
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation import GenerationMode
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.generation.meta import CoverageScenario
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from league.apps.competitions.api.files import TRF_EXAMPLE
from league.apps.imports.api import CSV_EXAMPLE, NDJSON_EXAMPLE
from league.web.api.openapi.described import load_descriptions
from ratings.registry import load_methods, load_systems
from tests.fuzz.books import PLAYERS, read_digest
from tests.helpers.openapi_document import document_path

#: Good data is taken (2xx), or what it names is not there for the asker (401, 403, 404) or stands already (409).
#: 422 is the API's word for what is well-formed and against the rules of the league; If-Match of another state is 412.
TAKEN = ["2xx", "304", "401", "403", "404", "409", "412", "422"]
CONFIG = {
    "checks": {"positive_data_acceptance": {"expected-statuses": TAKEN}},
    # A pattern at every text would be needed to say that none holds NUL; test_api_made_up_bodies.py sends them.
    "generation": {"allow-x00": False},
}
FILE = "application/octet-stream"
#: Kind -> file of a competition.
FILES = {"trf": TRF_EXAMPLE, "csv": "round,player_1,player_2,result\n1,Pedja,Marko,1:0\n"}
PARAMETERS = "which parameters there are depends on the system or method, whose own page has their schema"
ADDED = "systems and methods are files: one that is dropped in is there, without a change of the document"
NAMES = "Unicode's invisible letters cannot be named by patterns that all validators know"
#: Operations with filters by declared fields.
FILTERED = "list_games get_history get_context_history get_leaderboard get_context_leaderboard"
#: Operations, pointer (or its beginning) and codes of errors of data that is good by the schema; why no schema says so.
UNSAID = (
    ("adopt_rule create_league", "/parameters", "invalid", PARAMETERS),
    ("create_league", "/rule/parameters", "invalid", PARAMETERS),
    ("create_ladder change_ranking", "/parameters", "invalid", PARAMETERS),
    ("add_player change_player", "/name", "invalid", NAMES),
    ("add_player change_player", "/aliases/", "invalid", NAMES),
    ("add_player change_player", "/external_ids/", "invalid", NAMES),
    ("list_players", "?external_id", "invalid", NAMES),
    ("create_league change_league", "/time_zone", "unknown_time_zone", "time zones are those that the machine knows"),
    ("create_ladder change_ranking", "/method", "unknown_method", ADDED),
    ("adopt_rule", "/system", "unknown_system", ADDED),
    ("create_league", "/rule/system", "unknown_system", ADDED),
    ("create_ladder change_ranking", "/to", "out_of_bounds", "two days are compared"),
    ("create_league change_league", "/emblem/", "contradiction", "a value and its alias are compared with each other"),
    ("make_token", "/expires_at", "past", "the clock is not in the document"),
    ("get_period", "?at", "not_together", "two parameters exclude each other"),
    ("get_leaderboard get_context_leaderboard", "?after", "not_together", "two parameters exclude each other"),
    ("get_leaderboard get_context_leaderboard", "?club", "invalid", "the league's fields are in the books"),
    ("get_leaderboard get_context_leaderboard", "?country", "invalid", "the league's fields are in the books"),
    ("get_leaderboard get_context_leaderboard", "?born_from", "invalid", "the league's fields are in the books"),
    ("get_leaderboard get_context_leaderboard", "?born_to", "invalid", "the league's fields are in the books"),
    ("decide close_period carry_period reopen_period", "/reason", "missing", "the books say whether it is wanted"),
    ("ask_experiment", "/candidates/", "invalid", PARAMETERS),
    ("ask_experiment", "/candidates/", "unknown_system", ADDED),
    ("ask_experiment", "/candidates/", "twice", "candidates are compared with each other"),
    ("ask_experiment", "/warm_up_share", "not_together", "two fields exclude each other"),
    ("ask_experiment", "/to", "out_of_bounds", "two days are compared"),
    ("ask_experiment", "/candidates", "too_many", "who is fitted counts twice"),
    ("ask_experiment", "/until", "not_together", "it goes with what is fitted, and in one way"),
    ("ask_experiment", "/until", "out_of_bounds", "days are compared"),
    ("choose_second_board create_context change_context", "/system", "unknown_system", ADDED),
    ("choose_second_board create_context change_context", "/parameters", "invalid", PARAMETERS),
    ("create_context change_context", "/start", "other_system", "a beginning and a system are compared"),
    ("create_context change_context", "/filter/field.", "undeclared_field", "the league's fields are in the books"),
    ("declare_field change_field", "/choices/", "twice", "texts are compared without regard to capital letters"),
    ("adopt_rule", "/sets", "invalid", "the numbers of sets are compared with each other, and sets with the system"),
    ("create_league", "/rule/sets", "invalid", "numbers of sets are compared with each other, sets with the system"),
    ("list_games get_history get_context_history", "?from", "invalid", "two moments are compared"),
    (FILTERED, "?field.", "unknown", "the league's fields are in the books"),
    ("compare_period", "?from", "invalid", "two editions are compared"),
    (
        "record_game correct_game preview_game",
        "/players",
        "unknown_player",
        "those named are looked for in the results",
    ),
    ("lookup_players balance_sides seat_tables", "/", "blank", NAMES),
    ("merge_player", "/into", "itself", "the body is compared with the address"),
    ("list_changes", "?after", "beyond", "the length of the log is not in the document"),
    ("create_competition change_competition", "/format", "unknown_format", ADDED),
    ("create_competition change_competition", "/parameters", "invalid", PARAMETERS),
    ("create_competition change_competition", "/points", "", "points are compared with each other"),
    ("create_competition change_competition", "/teams", "format out_of_order", "settings are compared with each other"),
    ("create_competition change_competition", "/sides_of", "boards", "settings are compared with each other"),
    ("create_competition change_competition", "/result_entries", "invalid", "settings are compared with each other"),
    ("create_competition change_competition", "/regulations", "format", "settings are compared with each other"),
    ("create_competition change_competition", "/categories/", "twice no_condition out_of_order", "they are compared"),
    (
        "create_competition change_competition",
        "/prizes/list/",
        "unknown_category empty twice gap out_of_order",
        "prizes are compared with each other and with the categories",
    ),
    ("create_competition change_competition", "/prizes/list/", "invalid", "an amount has at most two decimals"),
    ("create_competition change_competition", "/tie_break", "", "codes are made of a word and modifiers"),
    ("create_competition change_competition", "/time_zone", "unknown_time_zone", "the machine knows the time zones"),
    ("create_competition change_competition", "/ends", "out_of_order", "two days are compared"),
    ("create_competition change_competition", "/title", "", NAMES),
    ("create_competition change_competition", "/sides_of", "sides", "the league's system is in the books"),
    ("change_competition", "/status", "invalid", "the books say what may be set"),
    (
        "revise_final_standings finish_competition cancel_competition leave_regulations",
        "/reason",
        "missing",
        "the books say it",
    ),
    ("add_entries", "", "missing", "a player or players: one of two fields"),
    ("add_entries change_entry", "/entries", "", "entries are compared with those of the books"),
    ("add_entries change_entry", "/byes", "", "the rounds of the competition are in the books"),
    ("add_entries change_entry", "/later_ratings", "not_long", "the competition says whether it is long"),
    ("add_entries change_entry", "/later_ratings/", "twice", "rounds are compared with each other"),
    ("take_listed_ratings", "/entries/", "unknown_entry", "the entries are in the books"),
    ("take_listed_ratings", "/entries/", "twice", "entries are compared with each other"),
    ("create_hall change_hall", "/rooms", "out_of_order table_twice too_many", "tables are counted and compared"),
    ("plan_hall", "/starts", "missing", "the books may have it"),
    ("plan_hall", "/ends", "missing out_of_order", "two moments are compared, which the books may have"),
    ("plan_hall", "/parts/", "not_running unknown_round", "the competitions and their rounds are in the books"),
    ("add_entries change_entry", "/not_against", "", "the numbers of entries are in the books"),
    ("change_entry", "/apart", "", "the numbers of entries are in the books"),
    ("change_entry", "/added_points", "", "points are a fraction in a text"),
    ("change_fixture", "/adjourned", "", "the books have the results"),
    ("add_entries change_entry", "/name", "", NAMES),
    ("add_entries change_entry", "/status", "invalid", "the books say what may be set"),
    ("change_entry", "/withdrawn_after", "", "the rounds of the competition are in the books"),
    ("change_fixture", "/reason", "missing", "the books say whether it is wanted"),
    ("record_fixture_result", "/results", "count", "the books have the seats"),
    ("record_fixture_result", "/forfeit", "unknown_entry", "the books have the entries"),
    ("get_standings explain_standings", "?tie_breaks", "", "codes are made of a word and modifiers"),
    ("get_standings explain_standings", "?round", "unknown", "the rounds are in the books"),
    ("create_season change_season", "/rule", "invalid", "parts and parameters of a rule are compared with each other"),
    ("create_season change_season", "/previous", "", "the seasons are in the books"),
    ("create_season change_season", "/ends", "out_of_order", "two days are compared"),
    ("create_season change_season", "/title", "", NAMES),
    ("change_season", "/status", "invalid", "the books say what may be set"),
    ("move_in_proposal", "/reason", "missing", "the level says whether it is wanted"),
    ("revise_season", "/reason", "missing", "the books say it"),
    ("import_competition", "/document", "invalid", "a file has a format of its own"),
    ("import_competition import_games", "", "not_text", "a parameter states another encoding than the file has"),
)
#: Words that a schema leaves open.
CHOICES: dict[str, Sequence[Any]] = {
    "system": sorted(load_systems()),
    "method": sorted(load_methods()),
    "parameters": [{}],
    "candidates": [[{"system": "preferans"}], [{"system": "elo"}, {"system": "glicko2"}]],
    "time_zone": ["Europe/Belgrade", "UTC"],
    "into": ["marko", "pedja82"],
    "handle": ["vera", "ivo.1"],
    "aliases": [[], ["Vera P."]],
    "url": ["https://club.example/hooks"],
    "kinds": [[], ["game.recorded"]],
    "leagues": [[], ["preferans"]],
}
#: Where the document's example of a body says what stands in the league already: what is asked instead.
BODIES: dict[str, Any] = {
    "create_league": {"slug": "belgrade"},
    "create_ladder": {"slug": "quarter", "method": "points", "cadence": "quarter"},
    "add_player": {"handle": "vera", "name": "Vera", "aliases": ["Vera P."]},
    "change_ranking": {"from": "2024-05-01", "method": "points", "parameters": {}},
    "adopt_rule": {"from": "2024-04-01", "system": "preferans"},
    "make_token": {"name": "server-8"},
    "create_competition": {"slug": "cup"},
    "add_entries": {"player": "johnny"},
    "add_season_entries": {"player": "johnny"},
    "make_round": {"number": 2},
    "change_fixture": {"entries": [2, 1, 3]},
    "exchange_pairing_numbers": {"entries": [1, 2]},
    "enter_match": {"line_ups": [[1, 0], [1, 0]], "results": [{"scores": [1, 0], "forfeit": []}, {}]},
    "record_fixture_result": {
        "results": [{"score": -500}, {"score": 40}, {"score": 460}],
        "details": {"bula": 30},
    },
}
PLACES: dict[str, dict[str, Any]] = {
    "leave_regulations": {"competition": "regular"},
    "merge_player": {"player": "petar"},
    "unmerge_player": {"player": "pedja82"},
    "get_adjustment": {"number": 1},
    "void_adjustment": {"number": 1},
    "delete_league": {"league": "closed"},  # which has no game
    **{key: {"competition": "autumn"} for key in ("add_entries", "start_competition")},
    **{key: {"competition": "spring", "number": 2} for key in ("change_fixture", "record_fixture_result")},
    **{key: {"number": 2} for key in ("publish_round", "undo_round")},
    "add_fixtures": {"competition": "spring"},
    "enter_match": {"league": "chess", "competition": "teams", "number": 1},
    "exchange_pairing_numbers": {"league": "chess", "competition": "open"},
    "import_competition": {"league": "chess"},  # where games are of two
    "balance_sides": {"league": "chess"},  # where games may be of sides
    "get_final_standings": {"competition": "winter", "number": 1},
    **{key: {"competition": "winter"} for key in ("list_final_standings", "revise_final_standings")},
    "close_season": {"season": "series-2024"},
    "get_season_edition": {"season": "series-2023", "number": 1},
    **{key: {"season": "series-2023"} for key in ("list_season_editions", "revise_season", "get_season_standings")},
}
#: The parameters without which an operation asks for nothing.
QUERIES: dict[str, dict[str, str]] = {
    "import_competition": {"create_players": "true"},
    "list_league_players": {"players": "pedja,marko,nobody"},
}
PERIOD = "leagues/preferans/ladders/month/periods/2024-03/"
ROUNDS: tuple[str, Any] = ("leagues/preferans/competitions/club-evening/rounds/", {})
VOID = ("leagues/preferans/games/2/void/", {"reason": "It was a friendly."})
#: What is done before an operation, so that there is something to do.
BEFORE: dict[str, tuple[str, Any]] = {
    "publish_round": ROUNDS,
    "undo_round": ROUNDS,
    "restore_game": ("leagues/preferans/games/1/void/", {"reason": "It was a friendly."}),
    "close_period": (f"{PERIOD}reopen/", {"reason": "A score sheet came late."}),
    "carry_period": VOID,
    "decide": VOID,
    "list_decisions": VOID,
}
#: What only an earlier answer can give: a schema describes its letters, and not which of them lead somewhere.
GIVEN = ("cursor", "after")


@cache
def schema() -> Any:
    """Return the document, bound to the app."""
    loaded = schemathesis.openapi.from_path(str(document_path()), config=SchemathesisConfig.from_dict(CONFIG))
    loaded.app = get_wsgi_application()
    return loaded


def test_of(name: str, ask: Callable[[Any], None], examples: int) -> Callable[[], None]:
    """Return a test that asks every case of an operation: the document's examples, the bounds, and drawn ones.

    ``schema.parametrize()`` would do the same for all operations at once, while tests are collected: ten seconds
    in each process, whatever is tested.
    """
    operation = schema().find_operation_by_id(name)
    bounded = settings(max_examples=examples, suppress_health_check=list(HealthCheck), derandomize=True)

    def test(case: Any) -> None:
        ask(case)

    built: Callable[[], None] = build_operation_test(
        config=schema().config,
        operation=operation,
        test_func=bounded(test),
        given_kwargs={},
        feedback=FeedbackSources(),
    )
    return built


@schemathesis.serializer(FILE)
def files(context: Any, value: Any) -> bytes:
    """Send files of games as they are."""
    text = value if isinstance(value, str | bytes) else json.dumps(value)
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def lead_somewhere(case: Any, dice: Random) -> None:
    """Let most cases with good data go to what there is, with cursors that were given and files that are some."""
    good = {place for place, made in case.meta.components.items() if made.mode == GenerationMode.POSITIVE}
    names = {place.name for place in good}
    if "PATH" in names and dice.random() < 0.8:
        case.path_parameters.update(addresses(case))
    if "QUERY" in names:
        for name in GIVEN:
            if isinstance(case.query.get(name), str):
                del case.query[name]
    if "BODY" in names and case.media_type == FILE:
        case.body = (
            FILES.get(str(case.query.get("format", "trf")), "{}")
            if case.path.endswith("/competitions/import/")
            else (
                CSV_EXAMPLE if case.query.get("format") == "csv" else dice.choice([NDJSON_EXAMPLE, NDJSON_EXAMPLE * 2])
            )
        )
    if "BODY" in names and isinstance(case.body, dict) and dice.random() < 0.8:
        case.body.update({name: dice.choice(words) for name, words in CHOICES.items() if name in case.body})
    of_seats = case.operation.definition.raw["operationId"] in ("record_fixture_result", "enter_match")
    with_players = isinstance(case.body, dict) and "results" in case.body and not of_seats
    if "BODY" in names and dice.random() < 0.5 and with_players:
        seat_known_players(case.body)
    if "BODY" in names and dice.random() < 0.5 and isinstance(case.body, dict) and "cadence" in case.body:
        case.body.pop("to", None)
        case.body |= {"method": "points", "cadence": "month", "from": "2024-04-01"}  # after the published month


def example_of(name: str) -> Any:
    """Return the case that asks what the document's example of an operation asks."""
    operation = schema().find_operation_by_id(name)
    raw = operation.definition.raw
    places = {**addresses_of(operation.path), **PLACES.get(name, {})}
    wanted = [one["name"] for one in raw.get("parameters", []) if one["in"] == "path"]
    asked: dict[str, Any] = {"path_parameters": {one: places[one] for one in wanted}, "query": QUERIES.get(name, {})}
    for kind, content in list(raw.get("requestBody", {}).get("content", {}).items())[:1]:
        asked |= {"media_type": kind, "body": body_of(name, content)}
    return operation.Case(**asked)


def body_of(name: str, content: dict[str, Any]) -> Any:
    """Return the document's example of the body of an operation, as the books allow it."""
    if name == "draw_season":
        return {"digest": read_digest()}
    body = next(iter(content["examples"].values()))["value"]
    return {**body, **BODIES.get(name, {})} if isinstance(body, dict) else body


def addresses(case: Any) -> dict[str, Any]:
    """Return the parts of an address that lead to something, as the document's examples do."""
    known = addresses_of(case.path)
    if case.path.endswith("/merge/"):
        known["player"] = "petar"  # who has not played with those into whom he is merged
    return {name: known[name] for name in case.path_parameters}


def addresses_of(path: str) -> dict[str, Any]:
    """Return what the document's examples put into a path."""
    described = load_descriptions()
    known = {name: entry[1] for name, entry in described.addressed.items()}
    for part, more in described.addressed_below.items():
        if part in path:
            known |= {name: entry[1] for name, entry in more.items()}
    return known


def seat_known_players(body: dict[str, Any]) -> None:
    """Let the players of a game be those of the league, each with a score."""
    old = body["results"]
    scores = [(one.get("score") or 0.0) if isinstance(one, dict) else 0.0 for one in [*old, {}, {}, {}][:3]]
    body["results"] = [{"player": name, "score": score} for name, score in zip(PLAYERS, scores, strict=True)]


def said_in_words(case: Any, answer: Any) -> list[CheckFunction]:
    """Return the checks that do not fit a case for a reason that the document says in words, as no schema can."""
    if answer.status_code == 400:
        errors = answer.json()["errors"]
        if errors and all(any(fits(case, error, *known) for known in UNSAID) for error in errors):
            return [positive_data_acceptance]
    if answer.status_code < 300 and may_be_taken(case):
        return [negative_data_rejection]
    if isinstance(case.body, dict) and case.body.get("visibility") == "private":
        # The check asks again as a stranger, for whom the league is not there any more: 404 instead of 401.
        return [ignored_auth]
    if case.operation.definition.raw["operationId"] == "delete_league" and answer.status_code == 204:
        # The check asks again as a stranger when the league is gone; test_deleting_leagues.py asks before that.
        return [ignored_auth]
    # The check takes a token away, and a session only where it made it; test_tokens.py asks without one.
    return [ignored_auth] if "/tokens/" in case.path else []


def spaced(value: Any) -> bool:
    """Tell whether something is a text with space around it."""
    return isinstance(value, str) and value != value.strip()


def may_be_taken(case: Any) -> bool:
    """Tell whether data that is bad by the schema may be taken."""
    if isinstance(case.body, dict) and any(map(spaced, case.body.values())):
        # A text is measured without the space around it, which a schema's maxLength counts.
        return True
    if case.path.endswith("/games/batch/"):
        # Each game is refused on its own, in the line that answers it.
        return True
    # A request may have other headers than those of the document: browsers and proxies add some.
    drawn: Any = case.meta.phase.data if case.meta else None
    is_wider = getattr(drawn, "scenario", None) == CoverageScenario.OBJECT_UNEXPECTED_PROPERTIES
    return is_wider and drawn.parameter_location == ParameterLocation.HEADER


def bad_cookie(case: Any) -> bool:
    """Tell whether a case is about a session that is none."""
    return any(
        place.name == "COOKIE" and made.mode != GenerationMode.POSITIVE for place, made in case.meta.components.items()
    )


def fits(case: Any, error: dict[str, Any], operations: str, pointer: str, code: str, reason: str) -> bool:
    """Tell whether an error is one of a kind."""
    named = case.operation.definition.raw["operationId"] in operations.split()
    return named and error["pointer"].startswith(pointer) and (not code or error["code"] in code.split())
