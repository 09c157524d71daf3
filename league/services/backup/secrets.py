"""The site's secrets in a backup: only where they were asked for, in a file of their own."""

import json
import os
from pathlib import Path

from django.conf import settings

from league.services.backup.files import write_private
from league.services.backup.problems import BackupProblem
from league.services.log.site_key import FILE, PEM, private_key

#: Where the secrets lie in RUNGS_VAR, and the variables that go before.
FILES = {FILE: "RUNGS_HEAD_KEY", "secret_key": "RUNGS_SECRET_KEY"}
#: What was in use earlier, as lists.
OLD = ("RUNGS_OLD_HEAD_KEYS", "RUNGS_OLD_SECRET_KEYS")


def site_secrets() -> str:
    """Return the key that signs heads, the secret of sessions and links, and earlier public keys, as JSON."""
    from cryptography.hazmat.primitives import serialization

    key = private_key(settings.RUNGS_HEAD_KEY, Path(settings.VAR)).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    kept = {
        "RUNGS_HEAD_KEY": key.decode(),
        "RUNGS_SECRET_KEY": settings.SECRET_KEY,
        "RUNGS_OLD_HEAD_KEYS": list(settings.RUNGS_OLD_HEAD_KEYS),
        "RUNGS_OLD_SECRET_KEYS": list(settings.SECRET_KEY_FALLBACKS),
    }
    return json.dumps(kept, indent=1) + "\n"


def bring_secrets(path: Path, folder: Path, stamp: str) -> list[str]:
    """Write the secrets of a backup into RUNGS_VAR, the key of heads where its setting says; returns sentences.

    Another one that is there is kept beside.
    """
    try:
        kept = json.loads(path.read_text())
        files = {name: (variable, str(kept[variable])) for name, variable in FILES.items()}
        old = {name: list(kept[name]) for name in OLD}
    except (OSError, ValueError, KeyError, TypeError):
        raise BackupProblem(f"The database is restored, but {path} cannot be read as the secrets of a site.") from None
    said = []
    for name, (variable, text) in files.items():
        where = Path(settings.RUNGS_HEAD_KEY) if variable == "RUNGS_HEAD_KEY" and in_a_file() else folder / name
        try:
            said += put(where, text, stamp)
        except OSError as error:
            # The database is in its place by now: what cannot be written where it belongs lies beside it.
            said += [f"{where} cannot be written ({error.strerror}): move {folder / name} there."]
            where = folder / name
            said += put(where, text, stamp)
        if where == folder / name and (os.environ.get(variable) or os.environ.get(f"{variable}_FILE")):
            said.append(f"{variable} is set in the environment and goes before that file: see that they are the same.")
    if old["RUNGS_OLD_HEAD_KEYS"]:
        said.append(
            f"Set RUNGS_OLD_HEAD_KEYS={','.join(old['RUNGS_OLD_HEAD_KEYS'])}, by which earlier heads are signed."
        )
    if old["RUNGS_OLD_SECRET_KEYS"]:
        said.append(f"Set RUNGS_OLD_SECRET_KEYS to what {path.name} of the backup says: they are secret.")
    return said


def in_a_file() -> bool:
    """Tell whether the setting of the key that signs heads is the path of a file."""
    return bool(settings.RUNGS_HEAD_KEY) and not settings.RUNGS_HEAD_KEY.startswith(PEM)


def put(path: Path, text: str, stamp: str) -> list[str]:
    """Write a secret into its file unless it is there already; returns what was done, in sentences."""
    if path.exists() and path.read_text().strip() == text.strip():
        return []
    said = [f"{path} was written."]
    if path.exists():
        old = path.rename(path.with_name(f"{path.name}.before-{stamp}"))
        said = [f"{path} was written; the other secret that was there is {old}."]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(path, text)
    return said
