"""Runs a program, as nobody where root starts it: PostgreSQL refuses root."""

import ctypes
import os
import pwd
import signal
import sys

#: As in ``league.core.jobs.supervisor``, which brings all of Django with it.
PR_SET_PDEATHSIG = 1


def main(command: list[str]) -> None:
    """Become nobody, and then the program."""
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
        # Whoever becomes another user loses this.
        if sys.platform.startswith("linux"):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
