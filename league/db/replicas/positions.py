"""How far a database has been written: positions of PostgreSQL's write-ahead log, as numbers that only grow."""

#: Of the database: what has reached the disk, which a replica can have; and the end of all that was written so far.
WRITTEN = "SELECT pg_current_wal_flush_lsn()::text, pg_current_wal_insert_lsn()::text"
#: Behind everything that is committed by now.
NOW = "SELECT pg_current_wal_insert_lsn()::text"
#: Of a replica: how far it shows what was written. It is NULL where a server is none.
REPLAYED = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END"
#: By which copies of one database know one another.
IDENTITY = "SELECT system_identifier FROM pg_control_system()"


def number(text: str) -> int:
    """Return a position, such as 1/6B374D8, as a number."""
    high, low = text.split("/")
    return (int(high, 16) << 32) + int(low, 16)
