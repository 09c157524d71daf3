"""All problem codes, with advice; shown on the pages at /docs/problems/.

``PROBLEMS`` are codes of responses, ``FAULTS`` codes of single errors (``errors``); apps declare theirs.
"""

from dataclasses import dataclass
from heapq import merge

from league.core.capabilities import load_declared


@dataclass(frozen=True)
class StatusCode:
    """A response code: its HTTP status, a short title, and advice."""

    status: int
    title: str
    advice: str


PROBLEMS: dict[str, StatusCode] = {
    "invalid": StatusCode(
        400,
        "The request is malformed.",
        "A field of the body or a parameter has the wrong format. Each item of `errors` points to one; correct it and "
        "send the request again.",
    ),
    "unauthenticated": StatusCode(
        401,
        "A token is required.",
        "Send `Authorization: Bearer <token>` with a token that has not expired or been revoked, or sign in.",
    ),
    "forbidden": StatusCode(
        403,
        "You may not do this.",
        "The token's scope or your role in the league is not sufficient. `detail` names what is missing; an owner of "
        "the league can grant it.",
    ),
    "not_found": StatusCode(
        404,
        "Not found.",
        "Check the address, which must end with a slash. Private leagues and players that you cannot see also get "
        "this response.",
    ),
    "method_not_allowed": StatusCode(
        405, "This address does not support the method.", "The header `Allow` lists the supported methods."
    ),
    "not_acceptable": StatusCode(
        406,
        "The requested format is not available.",
        "Request `application/json`, or omit the header `Accept`.",
    ),
    "conflict": StatusCode(
        409,
        "The request conflicts with existing data.",
        "Another request came first, or the name or external_id is already used for something else. Read the existing "
        "data; for a void game, `replaced_by` is its replacement.",
    ),
    "underway": StatusCode(
        409,
        "The same request is being processed.",
        "Send it again after `Retry-After` seconds; you will get the response of the first request.",
    ),
    "cancelled": StatusCode(
        409, "The job was cancelled.", "Nothing was saved. Send the request again if you still want it."
    ),
    "changed": StatusCode(
        412,
        "It has changed since you read it.",
        "`If-Match` does not name the current state. Read it again, check that your change still makes sense, and "
        "send it with the new ETag.",
    ),
    "too_large": StatusCode(
        413, "The body is too large.", "Send less at once. `games/import/` accepts larger files of games."
    ),
    "unsupported_media_type": StatusCode(
        415,
        "This media type is not supported here.",
        "Send JSON with `Content-Type: application/json`, or another type that the operation supports.",
    ),
    "refused": StatusCode(
        422,
        "The request breaks a rule of the league.",
        "The request is well-formed, but its content is not allowed. Each item of `errors` names the seat or field. "
        "Nothing was saved.",
    ),
    "key_reused": StatusCode(
        422,
        "The key was used for another request.",
        "An `Idempotency-Key` identifies one request for 24 hours. Use a new key for a new request.",
    ),
    "too_many": StatusCode(429, "Too many requests in a minute.", "Wait `Retry-After` seconds."),
    "error": StatusCode(
        500,
        "The server failed.",
        "Nothing was partly saved. Try again; if it persists, contact the operator of the site.",
    ),
    "busy": StatusCode(503, "The database is busy.", "Nothing was saved. Send it again after `Retry-After` seconds."),
    "preparing": StatusCode(
        503,
        "The response is being prepared.",
        "It is computed in the background, such as the export of a large league. Send the request again after "
        "`Retry-After` seconds.",
    ),
    "crowded": StatusCode(
        503,
        "Too many long requests are being processed.",
        "The site processes only a few long anonymous requests at once. Send it again after `Retry-After` seconds, or "
        "with a token.",
    ),
    "unavailable": StatusCode(
        503,
        "The database does not answer, or takes no writes.",
        "Nothing was saved. Send it again after `Retry-After` seconds.",
    ),
    "clock_back": StatusCode(
        503,
        "The server's clock is wrong.",
        "Its clock is behind the last change of the league. Nothing was saved. The operator of the site must correct "
        "it; see `docs/operators/trouble.md`.",
    ),
    "full": StatusCode(
        507, "The server's disk is full.", "Nothing was saved. The operator of the site must free disk space."
    ),
}
#: Codes of single errors of the core, with their meanings.
FAULTS: dict[str, str] = {
    "ambiguous_day": "Day and month can be swapped, and nothing says what comes first.",
    "ambiguous_player": "Several players have this name; `candidates` lists them. Send the handle or an external id.",
    "apart": "Nobody can be seated so that these people are apart.",
    "bad_retirement": "No side can have retired, or both did.",
    "bad_set": "The points of a set are impossible, or do not win it.",
    "before_the_field": "The declared field has values from a later day on.",
    "before_the_league": "The game was played before the league's first rule took effect.",
    "beyond": "The position is beyond the end of the log.",
    "blank": "The text is empty.",
    "closed_period": "It would change a published period.",
    "columns": "A row of the file and its header have different numbers of cells.",
    "conflict": "It is already used for something else.",
    "contradicting_id": "A player of this name has another id of the same provider, so the file names another person.",
    "contradiction": "Two values contradict each other, such as scores and places.",
    "contradicts_sets": "The score or place is not the result of the sets.",
    "empty": "The list is empty.",
    "future": "The game is more than a day in the future, or the adjustment is in the future.",
    "impossible_points": "No game has these points, such as 1 and ½.",
    "invalid": "The format or value is not valid.",
    "invalid_choice": "It is not one of the allowed values.",
    "itself": "A player cannot be merged into itself.",
    "ladder": "A ladder cannot rank by the new system.",
    "last_owner": "A league must have an owner.",
    "max_length": "The text or list is too long.",
    "max_value": "The number is too large.",
    "merged": "The player was merged into another one.",
    "mid_period": "A ladder's rule must begin with a period.",
    "min_value": "The number is too small.",
    "missing": "A required value is missing.",
    "never": "This time or day does not exist.",
    "no_day": "The result has no day: add it, or state the first day of the file.",
    "no_game": "The player has not played in this league yet.",
    "no_offset": "The time has no offset, such as Z.",
    "no_outcome": "The outcomes of this game cannot be listed; send scores or places.",
    "no_sets": "The league's rule, or the kind of the game, has no sets.",
    "not_a_date": "It is not a date such as 2024-03-05.",
    "not_a_dict": "It must be an object.",
    "not_a_flag": "It must be true or false.",
    "not_a_list": "It must be a list.",
    "not_a_number": "It must be a number.",
    "not_a_text": "It must be a string.",
    "not_a_time": "It is neither a date nor a time with offset.",
    "not_alone": "It needs another field.",
    "not_an_object": "It must be an object.",
    "not_asked_for": "Games cannot require a field for organisers only, because no score sheet asks for it.",
    "not_dated": "Only dated ladders have a last day.",
    "not_finite": "It must be a finite number.",
    "not_here": "The player is not in this league.",
    "not_json": "It is not JSON.",
    "not_together": "Two parameters exclude each other.",
    "not_utf_8": "It is not valid UTF-8.",
    "not_whole": "It must be a whole number.",
    "not_text": "The file is not text in the encoding that was stated.",
    "nul": "It contains a NUL character.",
    "null": "It must not be null.",
    "other_games": "The new system cannot rate the recorded games.",
    "other_start": "A later rule cannot change the starting rating of new players.",
    "other_system": "The league uses another system.",
    "out_of_bounds": "The number is out of bounds.",
    "out_of_order": "The values are in the wrong order, such as an end before a start.",
    "party": "A party that stays together fits on no side.",
    "past": "It is in the past.",
    "played": "The game has already been played and recorded.",
    "players": "The number of results is not allowed.",
    "removed_choice": "A choice of a declared field cannot be removed.",
    "required": "It is required.",
    "retired_field": "The declared field is retired and takes no new values.",
    "same": "The league already has this value.",
    "same_game": "Both players took part in the same game.",
    "same_system": "Under a rule of the same system, ratings continue.",
    "sets_unequal": "The sides have different numbers of sets, or partners different sets.",
    "sets_unfinished": "Neither side has won enough sets, and neither retired.",
    "sides": "The system has no sides, or all players are on the same side.",
    "sizes": "The sizes of the sides or tables do not fit the people.",
    "taken": "The name is already used.",
    "tie": "The system does not rate ties.",
    "too_long": "The text is too long.",
    "too_many": "There are too many items.",
    "too_many_sets": "The match has more sets than the rule allows, or was won before the last ones.",
    "too_old": "It is too long ago.",
    "total": "The scores do not have the required sum.",
    "twice": "It is given twice.",
    "two_starts": "Both players have an initial rating.",
    "undeclared_field": "The league declares no such field of games, seats or players.",
    "unjudgeable": "The games are too few or too similar to evaluate a system.",
    "unknown": "There is nothing with this name.",
    "unknown_cadence": "There is no such cadence.",
    "unknown_choice": "It is not one of the field's choices.",
    "unknown_field": "The system has no game field of this name.",
    "unknown_kind": "There is no such kind of game.",
    "unknown_method": "There is no such method.",
    "unknown_outcome": "There is no such outcome in the points table.",
    "unknown_player": "There is no such player, and none can be added with this name.",
    "unknown_system": "There is no such rating system.",
    "unknown_time_zone": "There is no such time zone.",
    "unknown_user": "There is no such user.",
    "unrated": "Games of this kind are not rated.",
    "weights": "The system has no weights.",
    "withheld_field": "Texts, and fields that not everyone may read, cannot choose the games of a context.",
    "worksheet": "The score, or an entry on a player, does not match the worksheets.",
    "wrong": "The password is wrong.",
}


def list_faults() -> dict[str, str]:
    """Return the codes of single errors of the core and of the installed apps, with their meanings."""
    return dict(merge(FAULTS.items(), *(faults.items() for faults in load_declared(lambda app: app.api.faults))))
