"""The core and the user interfaces know no app by name, in code, texts and comments."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("league/core", "league/models", "league/web")
#: What names an app or what only an app has. "report" and "notice" are looked for as nouns: as verbs they are common.
NAMES = {
    "competitions": r"competition|tournament|fixture|entrant|pairing.job",
    "reports": r"player.reports?|\breport_|\breporting\b(?! (errors|it)\b)|\b(an?|the|open|unconfirmed) reports?\b"
    r"|report.?link",
    "webhooks": r"webhook",
    "notices": r"\bnotices?\b|last_notice",
    "laboratory": r"laborator|second.(board|system)",
    "sharing": r"league\.apps|\bapps[./]sharing|\bembeds?\b",
    "imports": r"\bpaste[sd]? (list|text)|import_games|imports?\.services",
    "operations": r"apps[./]operations",
}
#: File or folder -> app -> why its word may stand there.
ALLOWED = {
    "league/models/leagues.py": {
        "reports": "the settings of a league are one fact, which every site reads (ADR 24)",
        "competitions": "a column keeps the name of the release before",
        "webhooks": "a column keeps the name of the release before",
        "notices": "a column keeps the name of the release before; the help of the language",
        "laboratory": "a column keeps the name of the release before",
    },
    "league/models/record.py": {"laboratory": "the kinds of jobs have a constraint in the database"},
    "league/web/organiser/league_forms.py": {"reports": "the settings of a league, as above"},
    "league/web/organiser/log_sentences.py": {"reports": "the settings of a league, as above"},
    "league/web/organiser/members.py": {"competitions": "what an arbiter may do"},
    "league/web/sign_in/invitation_page.py": {
        "competitions": "what an arbiter may do",
        "notices": "what an address is used for",
    },
    "league/web/sign_in/link_visits.py": {"competitions": "a member of games in the API and in links"},
    "league/core/games/services": {"competitions": "a member of games in the API and in files"},
    "league/web/api/games": {"competitions": "a member of games in the API"},
    "league/web/public/views/methods.py": {"competitions": "rulings of pairing formats, which are not the app's"},
    "league/core/monitoring/telemetry.py": {"webhooks": "all metrics of a site are known before the first request"},
    "league/web/api/openapi/reference.py": {
        "webhooks": "a word of OpenAPI",
        "laboratory": "groups of addresses in their order",
    },
    "league/core/replay/services/played_games.py": {"laboratory": "ratings.laboratory, which is not the app"},
    "league/core/capabilities.py": {"sharing": "where apps are"},
}


def list_places() -> Iterator[tuple[str, int, str]]:
    """Yield path, line number and text of every line of the folders."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                yield str(path.relative_to(ROOT)), number, line


def find_allowed(path: str, app: str) -> str | None:
    """Return the file or folder where the word of an app may stand, None if it may not."""
    return next((place for place, apps in ALLOWED.items() if path.startswith(place) and app in apps), None)


def test_no_app_is_named() -> None:
    found, used = list[str](), defaultdict(set)
    for path, number, line in list_places():
        for app, pattern in NAMES.items():
            if re.search(pattern, line, re.IGNORECASE):
                place = find_allowed(path, app)
                if place is None:
                    found.append(f"{path}:{number}: {line.strip()} ({app})")
                else:
                    used[place].add(app)
    assert found == []
    assert {place: set(apps) for place, apps in ALLOWED.items()} == used


def test_what_names_an_app_is_found() -> None:
    lines = {
        "competitions": "def find_fixture(", "reports": "# An open report of the league.", "webhooks": "WEBHOOK = 1",
        "notices": "# Sends the notices.", "laboratory": "from the laboratory", "sharing": "league.apps.sharing.urls",
        "imports": "of a pasted list", "operations": "league.apps.operations",
    }  # fmt: skip
    assert {app for app, line in lines.items() if re.search(NAMES[app], line, re.IGNORECASE)} == set(NAMES)
    assert not re.search(NAMES["reports"], "# Report the step; the view reports it.", re.IGNORECASE)
