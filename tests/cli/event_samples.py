#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""event_samples TOOL GEN FIRST LAST: samples of transactions, instrumentation and events of generated traces.

Of each case script has a sample for each event of the model of the trace unit, in its order; perf script prints the same lines
of what inject makes; several threads decode the same bytes, also of AUX records that each of them takes, where the model cannot
say what is lost at their begins."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

OPTIONS = "--insns 3000 --p-event 30 --p-ite 30 --ite --buf cpu --exclude cut"
RECORDS = ["--fragment", "700"]
IMPLIED = 0x400  # GEN_F_IMPLIED of tests/gen/gen_event.h
ITRACE = ["xwI", "xwIb", "xwIcr", "xwIi1000il16", "xwIi1us", "wb", "xi100i"]


def run(*args):
    done = subprocess.run(args, capture_output=True, text=True)
    assert done.returncode in (0, 3, 5), (args, done.returncode, done.stderr)
    return done.stdout


def expected(gen, options):
    """The model's events, in order, without the end of a transaction that an overflow implies, which no packet says."""
    for line in run(gen, "random", *options, "--print").splitlines():
        _, flags, event = line.split("\t")
        kind, *rest = event.split()
        if int(flags, 16) & IMPLIED:
            continue
        if kind == "N":
            yield "evt", int(rest[0])
        elif kind == "I":
            yield "ptwrite", int(rest[1], 16)
        elif kind == "B" and rest[0] != "init":
            yield "transactions", rest[0]


def printed(tool, recording):
    """Those that script prints."""
    flags = {"x": "start", "": "commit", "tx abrt": "fail"}
    for line in run(tool, "script", *recording, "--itrace=xwI", "-F", "event,flags,synth").splitlines():
        name, rest = re.match(r" *(\w+)[:\w]*: (.*)", line).groups()
        if name == "transactions":
            yield name, flags[rest.strip()]
        else:
            yield name, int(rest.split("vector: " if name == "evt" else "payload: ")[1].split()[0], 0)


def lines(text, times):
    """Without errors, which perf prints first, folders, which it leaves out for code of the kernel, and the width of columns:
    that of the thread is 7 since perf 6.12, 5 before. Behind a branch from a program into a 32-bit kernel perf finds no file, as it
    takes addresses with bit 63 for the kernel's."""
    text = text if times else re.sub(r" \d+\.\d{9}:", "", text)
    text = re.sub(r"(=> +[c-f][0-9a-f]{7} \[unknown\]) \(.*\)", r"\1", text)
    return [re.sub(r"\([^ ()]*/", "(", " ".join(line.split())) for line in text.splitlines() if "trace error" not in line]


def check(tool, gen, case, folder, records):
    options = ["--case", str(case)] + OPTIONS.split() + (RECORDS if records else [])
    data, images = os.path.join(folder, "perf.data"), os.path.join(folder, "images")
    run(gen, "random", *options, "--perf", data, "--images", images)
    recording = ["-i", data]
    got = list(printed(tool, recording))
    want = got if records else list(expected(gen, options))
    assert got == want, "case %d: %d samples, expected %d" % (case, len(got), len(want))
    # perf shows samples of guests with files of these only
    shown = shutil.which("perf") and want and not json.loads(run(tool, "info", *recording, "--format=json"))["guests"]
    for itrace in ITRACE:
        out = os.path.join(folder, "out")
        made = []
        for jobs in "13":
            run(tool, "inject", *recording, "--itrace=" + itrace, "-j", jobs, "-o", out)
            with open(out, "rb") as f:
                made.append(f.read())
        assert made[0] == made[1], "case %d, %s: -j" % (case, itrace)
        listed = run(tool, "script", *recording, "--itrace=" + itrace, "--ns")
        assert listed == run(tool, "script", *recording, "--itrace=" + itrace, "--ns", "-j", "3"), "script -j"
        if shown:
            perf = run("perf", "script", "-i", out, "--ns")
            # a time that is estimated behind a record's last timestamp may be later than the next record's first, and that of events
            # before the first context and timestamp is the record's: inject raises those that follow
            timed = not records and not re.search(r"^ +:-1 ", listed, re.M)
            assert lines(perf, timed) == lines(listed, timed), \
                "case %d, %s: perf prints other lines" % (case, itrace)
    return len(want), bool(shown)


def main():
    tool, gen, first, last = sys.argv[1:]
    total = compared = 0
    for case in range(int(first), int(last) + 1):
        with tempfile.TemporaryDirectory() as folder:
            for records in (False, True):
                n, shown = check(tool, gen, case, folder, records)
                total += n
                compared += n * shown
    print("%d samples, %d of them compared with perf" % (total, compared))
    assert total > 100 and (compared > 100 or not shutil.which("perf"))


if __name__ == "__main__":
    main()
