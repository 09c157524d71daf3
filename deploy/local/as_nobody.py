"""Runs a program, as the user nobody if started by root: PostgreSQL refuses to run as root."""

import ctypes
import os
import pwd
import signal
import sys

#: As in ``league.core.jobs.supervisor``, which would import Django.
PR_SET_PDEATHSIG = 1


def main(command: list[str]) -> None:
    """Switch to nobody if root, and execute the program."""
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
        # A change of user resets this.
        if sys.platform.startswith("linux"):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
