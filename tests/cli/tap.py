# SPDX-License-Identifier: BSD-3-Clause
"""Cases of a test in Python as TAP."""
import pty
import subprocess
import tempfile


class Bad(Exception):
    """What is wrong, in words."""


def terminal():
    """The two ends of a terminal; None where none can be opened, as in a chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError:
        return None


def run_cases(cases):
    """Runs (name, function of a scratch folder); what the function returns is printed behind the name. None in place of a
    function: the name says why it is skipped. Returns the exit code."""
    failed = 0
    print("1..%d" % len(cases))
    for number, (name, case) in enumerate(cases, 1):
        if not case:
            print("ok %d - %s" % (number, name), flush=True)
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                said = case(folder)
            print("ok %d - %s%s" % (number, name, ": " + said if said else ""), flush=True)
        except (Bad, subprocess.TimeoutExpired) as problem:
            failed += 1
            print("not ok %d - %s" % (number, name))
            print("\n".join("# " + line for line in str(problem).splitlines()), flush=True)
    return 1 if failed else 0
