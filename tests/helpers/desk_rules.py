"""Rules and settings at the desk."""

from tests.helpers.desk_client import DESK

RULES, SETTINGS, LOG, JOBS = (f"{DESK}{name}/" for name in ("rules", "settings", "log", "jobs"))
ELO = {f"parameters_{name}": value for name, value in (
    ("k", "40"), ("scale", "400"), ("provisional_games", "0"), ("provisional_k", "40"), ("initial", "1500"),
    ("top_rating", "0"), ("top_k", "10"), ("margin", "none"), ("first_seat", "0"),
    ("winner", "highest"),
)}  # fmt: skip
