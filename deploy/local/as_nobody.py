"""Runs a program, as nobody where root starts it: PostgreSQL refuses root."""

import os
import pwd
import sys

from league.supervisor import stop_with_parent


def main(command: list[str]) -> None:
    """Become nobody, and then the program."""
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
        # Whoever becomes another user loses this.
        stop_with_parent()
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
