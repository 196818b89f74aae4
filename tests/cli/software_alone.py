#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""software_alone.py --tool PERF-CSTRACE: info and verify of software trace without instructions, and of both; and what is said of
bare trace, which has no processes. Speaks TAP."""
import argparse
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from tap import Bad, run_cases  # noqa: E402

# Synchronisation, an instrumentation packet of one byte at port 0, a reserved header
SYNC, WRITE, RESERVED = b"\0" * 5 + b"\x80", b"\x01A", b"\x04"


def run(*words):
    done = subprocess.run(words, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def bare(folder, *pieces, core="itm"):
    """Options for a buffer of each piece."""
    words = ["--trace-format=raw", "--core-type", core]
    for i, data in enumerate(pieces):
        path = os.path.join(folder, "trace%d" % i)
        with open(path, "wb") as out:
            out.write(data)
        words += ["--trace", path]
    return words


def info(args, folder):
    code, text, err = run(args.tool, "info", *bare(folder, SYNC + WRITE * 20))
    if code or "software trace alone" not in text or "21 packets" not in text or "convert" in err or "perf.data" in text + err:
        raise Bad("exit %d: %s%s" % (code, text, err))
    code, text, err = run(args.tool, "info", *bare(folder, WRITE * 20 + RESERVED), "--format=json")
    if code != 129 or "text only" not in err:
        raise Bad("exit %d: %s" % (code, err))


def verify(args, folder):
    code, text, err = run(args.tool, "verify", *bare(folder, SYNC + WRITE * 20))
    if code or "violates no rule" not in text or "convert" in err:
        raise Bad("exit %d: %s%s" % (code, text, err))
    # the packet at the end is cut
    damaged = SYNC + WRITE * 20 + WRITE[:1]
    code, text, err = run(args.tool, "verify", *bare(folder, SYNC + WRITE * 20, damaged), "--format=json")
    found = [json.loads(line) for line in text.splitlines()]
    if code != 4 or len(found) != 1 or found[0]["first"]["offset"] != len(damaged) - 1 or found[0]["first"]["buffer"] != 1:
        raise Bad("exit %d: %s%s" % (code, text, err))


def mixed(args, folder):
    """An ITM beside a core is no damage of the file."""
    words = ["--trace-format=raw", "--trace-source", "1=itm", "--trace-source", "2=cortex-m33"]
    for i, data in ((1, SYNC + WRITE), (2, b"\0" * 11 + b"\x80")):
        path = os.path.join(folder, "mixed%d" % i)
        with open(path, "wb") as out:
            out.write(data)
        words += ["--trace", "%s:%d" % (path, i)]
    code, text, err = run(args.tool, "info", *words)
    if "software trace (ITM)" not in err or "unreadable" in text or "convert" in err or "copy it again" in text:
        raise Bad("exit %d: %s%s" % (code, text, err))


def firmware(args, folder):
    """Nothing is said of processes and perf record."""
    sync = b"\0" * 11 + b"\x80"
    # Trace Info, Trace On, address 0x1000 in T32 at EL0, E
    trace = sync + b"\x01\0\x04\x83\0\x08\0\0\x20\xf7" * 4
    words = bare(folder, trace, core="cortex-m33")
    for more in ([], ["--elf", os.path.join(folder, "code@0x8000")]):
        with open(os.path.join(folder, "code"), "wb") as out:
            out.write(b"\x00\xbf" * 64)
        for command in (["info"], ["info", "--format=json"], ["script", "--itrace=b"], ["profile", "--format=top"]):
            code, text, err = run(args.tool, command[0], *words, *command[1:], *more)
            said = re.sub(r'"processes":|without times and threads of an operating system', "", text + err)
            if re.search(r"process|perf record|which thread|older than the recording|what perf knows", said):
                raise Bad("%s: exit %d: %s" % (" ".join(command + more), code, said[:1500]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    args = parser.parse_args()
    cases = [("info of an ITM alone", info), ("verify of an ITM alone", verify), ("an ITM beside a core", mixed), ("firmware", firmware)]
    return run_cases([(name, lambda folder, f=case: f(args, folder)) for name, case in cases])


if __name__ == "__main__":
    sys.exit(main())
