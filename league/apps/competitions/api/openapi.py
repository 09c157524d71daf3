"""What competitions add to the API's document: schemas of log entries and exports, descriptions, codes of errors."""

from league.apps.competitions.hall_records import KINDS as KINDS_OF_HALLS
from league.apps.competitions.models import MAX_ROOMS, MAX_SIDE
from league.apps.competitions.records import KINDS as KINDS_OF_COMPETITIONS
from league.apps.competitions.season_records import KINDS
from league.apps.competitions.services.entry_checks import BY_HAND
from league.apps.competitions.services.hall_checks import MAX_COMPETITIONS
from league.core.players.listed_people import LIST, SOURCE
from league.web.api.openapi.described import NUMBER, Descriptions
from league.web.api.openapi.described import TEXT as VISIBLE_TEXT
from league.web.api.openapi.lines import (
    OBJECT,
    TEXT,
    WHOLE,
    LoggedPayload,
    build_array_schema,
    build_object_schema,
    make_nullable,
)
from ratings.trf.head import FEDERATION, TIME_CONTROL

TABLES = {name: build_array_schema(OBJECT) for name in ("entries", "rounds", "fixtures")}
LOGGED = {
    "competition": TEXT,
    "settings": OBJECT,
    **TABLES,
    "standings": OBJECT,
    "file": OBJECT,
    "removed": OBJECT,
    "reason": TEXT,
    **dict.fromkeys(("round", "fixture", "game"), WHOLE),
    "salt": TEXT,
}
LOGGED_SEASON = {
    "season": TEXT,
    "season_settings": OBJECT,
    **{name: build_array_schema(OBJECT) for name in ("season_entries", "season_parts")},
    "season_edition": OBJECT,
    "removed": OBJECT,
    "reason": TEXT,
    "digest": TEXT,
    "salt": TEXT,
}
LOGGED_HALL = {"hall": TEXT, "hall_settings": OBJECT, "removed": OBJECT, "salt": TEXT}
PAYLOADS: dict[str, LoggedPayload] = {
    "SeasonNoted": (
        KINDS,
        build_object_schema(
            LOGGED_SEASON,
            LOGGED_SEASON,
            "A change of a season: the changed rows whole, and the keys of removed rows by table.",
        ),
    ),
    "HallNoted": (
        KINDS_OF_HALLS,
        build_object_schema(LOGGED_HALL, LOGGED_HALL, "A change of a hall, whole, or its removal."),
    ),
    "CompetitionNoted": (
        KINDS_OF_COMPETITIONS,
        build_object_schema(
            LOGGED,
            LOGGED,
            "A change of a competition: the changed rows whole, and the numbers of removed rows by table.",
        ),
    ),
}
EXPORTED = {
    "slug": TEXT,
    "settings": OBJECT,
    **TABLES,
    "standings": build_array_schema(OBJECT),
    "file": make_nullable(OBJECT),
}
EXPORTED_SEASON = {
    "slug": TEXT,
    "settings": OBJECT,
    **{name: build_array_schema(OBJECT) for name in ("season_entries", "season_parts", "season_edition")},
}
EXPORTED_HALL = {"slug": TEXT, "settings": OBJECT}
#: The bodies with the settings of a competition.
SETTINGS = ("CompetitionInputRequest", "PatchedCompetitionChangeRequest")
_NUMBER_OF_ENTRY = {"number": ("The number of the entry.", 1, NUMBER)}
DESCRIPTIONS = Descriptions(
    addressed={
        "competition": ("The competition's slug.", "club-evening", VISIBLE_TEXT),
        "season": ("The season's slug.", "boxes-2024-03", VISIBLE_TEXT),
        "hall": ("The hall's slug.", "town-hall", VISIBLE_TEXT),
    },
    addressed_below={
        "/pairing-formats/": {"key": ("The key of a pairing format.", "swiss", VISIBLE_TEXT)},
        "/entries/": _NUMBER_OF_ENTRY,
        "/standings/": _NUMBER_OF_ENTRY,
        "/rounds/": {"number": ("The number of the round.", 1, NUMBER)},
        "/fixtures/": {"number": ("The id of the fixture.", 1, NUMBER)},
    },
    other_bodies={
        "import_competition": "The body can also be a tournament report as application/x-trf or text/plain, CSV of "
        "fixtures as text/csv, or a competition as application/json, each without `format`.",
    },
    fields={
        "fixtures": {"minItems": 1},
        "rooms": {"minItems": 1, "maxItems": MAX_ROOMS},
        "parts": {"minItems": 1, "maxItems": MAX_COMPETITIONS},
        "rating_lists": {"items": {"type": "string", "pattern": f"^{LIST.pattern}$"}, "uniqueItems": True},
        "time_control": {"pattern": f"^({TIME_CONTROL.pattern})?$"},
        "by_hand": {"pattern": f"^({BY_HAND.pattern})?$"},
        **{f"{body}.federation": {"pattern": f"^({FEDERATION.pattern})?$"} for body in SETTINGS},
        # Of boards, not of seats: none, or one a board.
        "BoardsInputRequest.results": {"minItems": 0, "maxItems": MAX_SIDE},
        "OfficialRatingInputRequest.rating_from": {"pattern": f"^{SOURCE.pattern}$"},
    },
    # A PATCH has nothing that is required, but for this.
    together={"PatchedMoveInputRequest": {"required": ["player", "level"]}},
    one_of=("NewEntriesRequest", "NewFixturesRequest", "FixtureOutcomeRequest"),
)
FAULTS = {
    "acceleration": "The accelerated rounds are fixed once round 1 is made.",
    "board": "A board follows its match of teams: change the match.",
    "board_order": "A player sits behind one of a lower place in the squad.",
    "boards": "A match of teams has at least two boards.",
    "unpaired_entries": "Entries have no fixture in a round that was paired by hand: confirm it.",
    "both_colours": "Both players of a pairing by hand get the wrong colour: acknowledge it.",
    "both_entered": "Both players take part in a competition that has not ended.",
    "bracket": "A match of a bracket needs its result before the next round.",
    "by_hand": "The round is paired by hand: confirm it.",
    "bye": "The fixture, or the game, is a bye.",
    "cancelled": "The fixture is cancelled.",
    "carried": "In a bracket no points are carried from stage to stage.",
    "circle": "A season cannot follow itself.",
    "colour_difference": "By the pairing by hand an entry has one colour three times more often: confirm it.",
    "count": "The number of entries or results is not the fixture's.",
    "deadline": "The deadline of the fixture has passed.",
    "differs_from_rules": "A round that was paired by hand differs from what the rules pair: confirm it.",
    "drawn": "It does not change once competitions of the season are drawn.",
    "differs": "Rows of the same game contradict each other, or a file the competition that it continues.",
    "ended": "It can be changed only before the end of the competition.",
    "entered_twice": "The player is in two entries of the competition.",
    "entries": "The format cannot be played by this number of entries.",
    "fixed_result": "The regulations fix the results of all but the last two rounds that were played.",
    "forbidden_pair": "Entries that must not meet are paired by hand: confirm it.",
    "format": "The regulations are for Swiss systems and round robins of single players.",
    "full_bye": "Full-point byes are deprecated: acknowledge it.",
    "gap": "There is a prize for a place, but none for the place before.",
    "given": "Only a tournament report gives the points of an acceleration.",
    "imported_rounds": "Pairings of the file do not follow from the rules: confirm it.",
    "imported": "The event of the file was imported before, as the competition that the message names.",
    "later_ratings": "Entries have later ratings, which only a competition of more than 30 days has.",
    "leaves_regulations": "The regulations are left for good: confirm twice.",
    "line_up": "The board lacks a player: the line-ups are not known yet.",
    "made": "The pairings of the round exist already.",
    "match": "A match of teams has no game of its own: its boards have.",
    "missing_player": "A player of the fixture is not in the game.",
    "no_byes": "In this format entries cannot ask for byes.",
    "adjourned_game": "A game is adjourned: by the regulations there is no report before it has ended.",
    "no_condition": "A category needs a condition.",
    "no_draw": "An adjourned game that was paired as a draw is none: confirm it.",
    "no_match": "The fixture is no match of teams, or it was cancelled.",
    "no_meeting": "By the pairing by hand entries of a round robin do not meet: confirm it.",
    "no_place": "The competition has as many entries as it takes.",
    "no_points": "The entry may have no bye with points.",
    "no_result": "The fixture, or one of a round before, has no result yet; a round can be paired if it is confirmed.",
    "no_round": "No round of the competition begins in this month.",
    "numbers_fixed": "Numbers are exchanged in a Swiss system before round 4 is made.",
    "not_entered": "The player has no entry in the season.",
    "not_long": "The competition is not marked as lasting more than 30 days.",
    "not_played": "A game of this kind is no result of a fixture.",
    "not_published": "The round of the fixture is not published.",
    "not_running": "The competition is not running.",
    "not_started": "The competition has not started.",
    "older_adjourned": "A game before the last round is still adjourned: acknowledge it.",
    "one_of": "Exactly one of two members is needed.",
    "other_fixture": "The game is the result of another fixture.",
    "other_player": "The player is not in the fixture.",
    "other_sides": "The sides of the game are not those of the fixture.",
    "person_twice": "One of the people is playing at another table.",
    "points": "An acceleration needs a win that gives as much as two draws, and a loss that gives nothing.",
    "published_round": "The pairing of a published round is changed by hand: confirm it.",
    "regulations": "The regulations fix this; they can be left, which is final.",
    "report_alone": "A result is corrected for the report alone: confirm it.",
    "rematch": "Entries that have met are paired by hand: confirm it.",
    "result_missing": "The game is for a fixture, so it needs scores or places. Another game has the fixture 0.",
    "second_entry": "The result of the fixture is entered twice, at the fixture. Another game has the fixture 0.",
    "second_half_bye": "The entry has more than one half-point bye: confirm it.",
    "second_bye": "An entry that had a bye gets another by hand: confirm it.",
    "started": "It can be changed only before the start of the competition.",
    "table_twice": "Two fixtures of a round, or of an evening, are at the same table, or two rooms have it.",
    "third_colour": "By the pairing by hand an entry has a colour for the third time in a row: confirm it.",
    "too_many_rounds": "The format cannot pair so many rounds.",
    "twice_in_round": "An entry is in two fixtures of a round.",
    "unsuitable": "The hall has no such table, or it does not suit the match.",
    "unknown_board": "The match has no such board.",
    "unknown_category": "The competition has no such category.",
    "unknown_event": "The series has no such event.",
    "unknown_group": "There is no such division or group.",
    "unknown_season": "The league has no such season.",
    "unknown_stage": "The season has no such stage.",
    "unknown_entry": "The competition has no such entry, or it is not in the fixture.",
    "unknown_list": "The entry has a rating in several lists: choose one.",
    "unknown_member": "The squad has no such player.",
    "unknown_rule": "Teams have no such rule.",
    "unknown_fixture": "There is no such fixture.",
    "unknown_reason": "There is no such reason of a forfeit.",
    "unknown_round": "The competition has no such round.",
    "unknown_format": "There is no such pairing format.",
    "unfit_tie_break": "By the regulations a round robin takes no tie-break that sums what opponents have.",
    "unknown_tie_break": "There is no such tie-break.",
    "unplayed": "Fixtures are not played yet.",
    "unpublished": "A round is not published.",
    "waiting": "Only an entry that was added to a full competition is on the waiting list.",
}
