"""What is generated of the clients to install: types of the OpenAPI document, and the client that waits in a thread.

The generators of typed dictionaries that others made need packages at run time, or drop the null of a member; the
schemas here are few in kind, so that a hundred lines write them.
"""

import json
import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CLIENTS = Path(__file__).parents[2] / "clients"
#: The operations that the clients have calls for.
OPERATIONS = {
    "record_game",
    "record_batch",
    "lookup_players",
    "preview_game",
    "balance_sides",
    "get_leaderboard",
    "get_history",
    "list_changes",
}
SCHEMAS = "#/components/schemas/"
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "object": "dict"}
HEAD = '''"""Types of what is sent and answered, generated from the OpenAPI document of Rungs.

``CLIENTS=write script/test tests/openapi/test_client_sources.py`` writes them anew.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

'''


def cut_document(document: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the document that the clients need: their operations, the webhooks, the schemas of both."""
    paths: dict[str, dict[str, Any]] = {}
    for path, operations in document["paths"].items():
        kept = {name: one for name, one in operations.items() if one["operationId"] in OPERATIONS}
        if kept:
            paths[path] = kept
    schemas, found = document["components"]["schemas"], dict[str, Any]()
    waiting = sorted({*find_references(paths), *find_references(document["webhooks"])})
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = schemas[name]
            waiting += find_references(schemas[name])
    components = {**document["components"], "schemas": {name: found[name] for name in sorted(found)}}
    return {**document, "paths": paths, "components": components}


def find_references(value: Any) -> Iterator[str]:
    """Yield the names of the schemas that a part of the document refers to."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref" and inner.startswith(SCHEMAS):
                yield inner.removeprefix(SCHEMAS)
            else:
                yield from find_references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from find_references(inner)


class PythonTypes:
    """The schemas of a document as typed dictionaries; an object within another gets a name of both."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.written: list[str] = []
        for name, schema in document["components"]["schemas"].items():
            self.define(name, schema)
        bodies = [one["post"]["requestBody"]["content"]["application/json"] for one in document["webhooks"].values()]
        names = sorted({name for body in bodies for name in find_references(body["schema"]) if name.endswith("Event")})
        self.written.append(f"type_of WebhookBody = {' | '.join(names)}\n")

    def text(self) -> str:
        """Return the module, as ruff lays it out."""
        aliases = [part.replace("type_of ", "", 1) for part in self.written if part.startswith("type_of ")]
        classes = [part for part in self.written if not part.startswith("type_of ")]
        # Aliases are evaluated when the module is imported, classes are not: unions of classes stand at the end.
        early = [part for part in aliases if "Literal[" in part]
        late = [part for part in aliases if "Literal[" not in part]
        return tidy_python(HEAD + "\n".join([*early, *classes, *late]))

    def define(self, name: str, schema: dict[str, Any]) -> None:
        """Write a schema under a name."""
        if "properties" not in schema:
            self.written.append(f"type_of {name} = {self.express(schema, name)}\n")
            return
        required = set(schema.get("required", ()))
        fields = []
        for key, value in schema["properties"].items():
            kind = self.express(value, name + "".join(part.capitalize() for part in re.split(r"\W|_", key)))
            fields.append((key, kind if key in required else f"NotRequired[{kind}]", value.get("description", "")))
        about = schema.get("description", "A part of an answer.")
        if all(key.isidentifier() and not keyword.iskeyword(key) for key, _, _ in fields):
            lines = [line for key, kind, help_text in fields for line in (*comment(help_text), f"    {key}: {kind}")]
            self.written.append(f"class {name}(TypedDict):\n{docstring(about)}" + "\n".join(lines) + "\n")
            return
        members = ", ".join(f"{json.dumps(key)}: {json.dumps(kind)}" for key, kind, _ in fields)
        self.written.append(f"{name} = TypedDict({json.dumps(name)}, {{{members}}})\n")

    def express(self, schema: dict[str, Any], name: str) -> str:
        """Return a schema as an expression; what needs a name is defined under this one."""
        if "$ref" in schema:
            return str(schema["$ref"].removeprefix(SCHEMAS))
        for key in ("oneOf", "anyOf", "allOf"):
            if key in schema:
                return " | ".join(dict.fromkeys(self.express(one, name) for one in schema[key]))
        if "const" in schema or "enum" in schema:
            values = schema["enum"] if "enum" in schema else [schema["const"]]
            return f"Literal[{', '.join(json.dumps(value) for value in values)}]"
        if "properties" in schema:
            self.define(name, schema)
            return name
        kinds = schema.get("type", [])
        return (
            " | ".join(self.express_kind(kind, schema, name) for kind in ([kinds] if isinstance(kinds, str) else kinds))
            or "Any"
        )

    def express_kind(self, kind: str, schema: dict[str, Any], name: str) -> str:
        """Return one of the types of a schema."""
        if kind == "array":
            return f"list[{self.express(schema.get('items', {}), name)}]"
        if kind == "object":
            inner = schema.get("additionalProperties", {})
            return f"dict[str, {self.express(inner, name) if isinstance(inner, dict) else 'Any'}]"
        return SIMPLE[kind]


def docstring(text: str) -> str:
    """Return the docstring of a class: the first paragraph of a description."""
    told = " ".join(text.partition("\n\n")[0].split())
    return f'    """{told}"""\n\n' if len(told) < 105 else f'    """\n{indent(told, "    ")}\n    """\n\n'


def comment(text: str) -> list[str]:
    """Return a description as comments above a member."""
    return indent(" ".join(text.split()), "    #: ").splitlines()


def indent(text: str, with_: str) -> str:
    """Return a text in lines of at most 120 columns."""
    return textwrap.fill(text, 120, initial_indent=with_, subsequent_indent=with_, break_long_words=False)


#: What becomes of a word of the client for asyncio in the one that waits in a thread, longest first.
WORDS = (
    (r"Awaitable, ", ""),
    (r"Awaitable\[([^]]*)\]", r"\1"),
    (r"await ", ""),
    (r"async (def|with|for)\b", r"\1"),
    (r"\bAsync(Rungs|Client|Iterator|Choose)\b", r"\1"),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\ba(close|read|iter_raw|iter_bytes)\b", r"\1"),
    (r"\bimport asyncio\b", "import time"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\bfor asyncio\b", "for threads"),
    (r"\basync_client\b", "client"),
)


def write_sync_client(text: str) -> str:
    """Return the client for threads, made from the text of the one for asyncio."""
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text)
    head, _, rest = text.partition("\n")
    note = "Generated from ``async_client.py``; see ``api_types.py``."
    return tidy_python(f'{head.removesuffix(chr(34) * 3)}\n\n{note}\n"""\n{rest}')


def tidy_python(text: str) -> str:
    """Return a module as ruff sorts its imports and lays it out."""
    root, ruff = CLIENTS.parent, str(Path(sys.executable).with_name("ruff"))
    for command in (
        ["check", "--fix", "--quiet", "--exit-zero", "--unsafe-fixes", "--select", "I,UP028"],
        ["format", "--quiet"],
    ):
        where = ["--stdin-filename", "clients/python/rungs_client/made.py", "-"]
        done = subprocess.run(
            [ruff, *command, *where], input=text, cwd=root, capture_output=True, text=True, check=True
        )
        text = done.stdout
    return text
