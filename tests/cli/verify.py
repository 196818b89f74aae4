#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""verify.py --tool PERF-CSTRACE --gen CST-GEN: perf-cstrace verify. A trace that violates nothing; one with overflows; traces
with a damaged byte, whose report must agree with the records of dump --log; timestamps that go backward; a piece without a
synchronisation. Speaks TAP."""
import argparse
import json
import os
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from auxdata import AUXTRACE, PerfData  # noqa: E402
from tap import Bad, run_cases  # noqa: E402

SAMPLE = ["-i", "tests/data/sample.perf.data", "--symfs", "tests/data/symfs"]
TIMES = 200 if os.environ.get("CSTRACE_NIGHTLY") else 30


def run(*words):
    done = subprocess.run(words, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def rules(args, trace, *more):
    """Exit code and the rules, as JSON has them; the text has to say the same."""
    code, text, err = run(args.tool, "verify", *trace, *more)
    if code not in (0, 3, 4, 5):
        raise Bad("exit %d: %s" % (code, err))
    other, lines, _ = run(args.tool, "verify", *trace, *more, "--format=json")
    found = [json.loads(line) for line in lines.splitlines()]
    heads = re.findall(r"^(error|warning|info) +(\d+)  (.*)$", text, re.M)
    if other != code or [(r["severity"], str(r["count"])) for r in found] != [h[:2] for h in heads]:
        raise Bad("text and JSON differ:\n%s\n%s" % (text, lines))
    return code, found


def clean(args, _folder):
    code, found = rules(args, SAMPLE)
    if code or found:
        raise Bad("exit %d: %s" % (code, found))


def random_trace(args, folder, *options):
    perf, images = os.path.join(folder, "perf.data"), os.path.join(folder, "images")
    code, _, err = run(args.gen, "random", "--perf=" + perf, "--images=" + images, *options)
    if code:
        raise Bad("cst-gen: " + err)
    return ["-i", perf]


def losses(args, folder):
    """Notes of what is missing, and exit code 3."""
    for case in range(1, 40):
        trace = random_trace(args, folder, "--case=%d" % case, "--insns=3000")
        code, found = rules(args, trace)
        if any(r["severity"] != "info" for r in found):
            raise Bad("case %d: a valid trace violates %s" % (case, found))
        if code != (3 if found else 0) and code != 3:
            raise Bad("case %d: exit %d: %s" % (case, code, found))
        if any("overflow" in r["rule"] for r in found):
            return
    raise Bad("no trace has an overflow")


def damaged(args, folder):
    """Errors and warnings are those of dump --log, with the offset of the first one."""
    data = PerfData(SAMPLE[1])
    _, _, _, _, payload, length = next(r for r in data.records() if r[0] == AUXTRACE)
    path, rnd, violated = os.path.join(folder, "damaged.data"), random.Random(7), 0
    for _ in range(TIMES):
        at = rnd.randrange(length)
        with open(path, "wb") as out:
            out.write(data.bytes[:payload + at] + bytes([data.bytes[payload + at] ^ rnd.randrange(1, 256)]) +
                      data.bytes[payload + at + 1:])
        trace = ["-i", path, *SAMPLE[2:]]
        code, found = rules(args, trace)
        _, _, log = run(args.tool, "dump", *trace, "--elements", "--log", "--format=none")
        logged = {}
        for offset, severity, text in re.findall(r"^Idx:(\d+);.* (error|warning|info): (.*?)(?: \([^()]*\))?$", log, re.M):
            logged.setdefault(severity, []).append(int(offset))
        for r in found:
            own = r["rule"].startswith(("a timestamp is lower", "a piece of trace"))
            if not own and r["first"]["offset"] not in logged.get(r["severity"], ()):
                raise Bad("byte %d: %s is not in the log:\n%s" % (at, r, log[-1500:]))
        violated += code == 4
        if (code == 4) != any(r["severity"] != "info" for r in found):
            raise Bad("byte %d: exit %d: %s" % (at, code, found))
    if not violated:
        raise Bad("no damage violates a rule")


def no_synchronisation(args, folder):
    """A trace whose bytes are all 0x01: no A-sync."""
    data = PerfData(SAMPLE[1])
    _, _, _, _, payload, length = next(r for r in data.records() if r[0] == AUXTRACE)
    first = bytearray(data.bytes[payload:payload + length])
    for i in range(0, len(first) - 15, 16):
        # a frame of one ID, whose data bytes are 0x02
        first[i:i + 16] = struct.pack("16B", first[i] if i == 0 else 0x02, *[0x02] * 14, 0)
    path = os.path.join(folder, "nothing.data")
    with open(path, "wb") as out:
        out.write(data.bytes[:payload] + bytes(first) + data.bytes[payload + length:])
    code, found = rules(args, ["-i", path, *SAMPLE[2:]])
    if code != 4 or not any(r["rule"].startswith("a piece of trace without") for r in found):
        raise Bad("exit %d: %s" % (code, found))


def formats(args, _folder):
    code, _, err = run(args.tool, "verify", *SAMPLE, "--format=xml")
    if code != 129 or "text and json" not in err:
        raise Bad("exit %d: %s" % (code, err))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    args = parser.parse_args()
    cases = [("a trace without violations", clean), ("missing trace", losses), ("damaged bytes", damaged),
             ("no synchronisation", no_synchronisation), ("formats", formats)]
    return run_cases([(name, lambda folder, f=case: f(args, folder)) for name, case in cases])


if __name__ == "__main__":
    sys.exit(main())
