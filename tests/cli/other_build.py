#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""other_build.py --tool PERF-CSTRACE --gen CST-GEN: counts of a program that is not the one that ran. Tables and reports call
counts exact only if they are, and a compiler's profile is refused without -f. Speaks TAP."""
import argparse
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from tap import Bad, run_cases  # noqa: E402

LIMITS = ["--insns=20000", "--threads=1", "--sections=1", "--exclude=spec,q,src,tx,threads,cut,mprofile,aarch32"]


def run(*words):
    done = subprocess.run(words, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def recording(args, folder, shift, *options):
    """A recording whose program was moved by `shift` bytes in its file: it has no build-id that could tell."""
    perf, images = os.path.join(folder, "perf.data"), os.path.join(folder, "images")
    code, _, err = run(args.gen, "random", "--case=3", "--perf=" + perf, "--images=" + images, *LIMITS, *options)
    if code:
        raise Bad("cst-gen: " + err)
    for path in glob.glob(images + "/*.bin"):
        with open(path, "r+b") as f:
            data = f.read()
            f.seek(0)
            f.write(data[shift:] + data[:shift])
    return ["-i", perf]


def head(args, trace):
    return run(args.tool, "profile", *trace, "--format=top")[1].split("\n")[0]


def overview(args, trace, folder):
    out = os.path.join(folder, "report")
    run(args.tool, "report", *trace, "-o", out)
    return re.search(r'<p class="sub">(.*?)</p>', open(os.path.join(out, "index.html")).read()).group(1)


def stored(args, trace, folder):
    path = os.path.join(folder, "counts")
    run(args.tool, "profile", *trace, "--format=cstrace", "-o", path)
    return ["-i", path]


def formats(args):
    return [f for f in ("autofdo", "llvm", "bolt", "propeller") if f != "propeller" or
            "propeller" in run(args.tool, "profile", "--format=none")[2]]


def exact(args, folder):
    trace = recording(args, folder, 0, "--p-ovf=0")
    for source in (trace, stored(args, trace, folder)):
        if not head(args, source).endswith(", exact") or "exact counts of every executed" not in overview(args, source, folder):
            raise Bad("%s; %s" % (head(args, source), overview(args, source, folder)))
        for f in formats(args):
            code, out, err = run(args.tool, "profile", *source, "--binary=code0.bin", "--format=" + f)
            if code or not out:
                raise Bad("%s: exit %d: %s" % (f, code, err))


def lost(args, folder):
    trace = recording(args, folder, 0, "--p-ovf=30")
    for source in (trace, stored(args, trace, folder)):
        if not head(args, source).endswith(", of what could be decoded") or "exact" in overview(args, source, folder):
            raise Bad("%s; %s" % (head(args, source), overview(args, source, folder)))


def other(args, folder):
    trace = recording(args, folder, 8, "--p-ovf=0")
    counts = stored(args, trace, folder)
    for source in (trace, trace + ["--jobs=2"], counts):
        first, page = head(args, source), overview(args, source, folder)
        for text in (first, page.replace("&#8239;", "").replace(",", "")):
            if "exact" in text or not re.search(r"the trace contradicts the code \D*\d", text):
                raise Bad(text)
        for f in formats(args):
            out = os.path.join(folder, f)
            code, _, err = run(args.tool, "profile", *source, "--binary=code0.bin", "--format=" + f, "-o", out)
            if code != 1 or os.path.exists(out) or not re.search(r"contradicts the code.* [\d,]+ times in [\d,]+ branches.*--symfs.*-f", err):
                raise Bad("%s of %s: exit %d: %s" % (f, source, code, err))
            code, _, err = run(args.tool, "profile", *source, "--binary=code0.bin", "--format=" + f, "-o", out, "-f")
            if code not in (0, 3, 5) or not os.path.getsize(out):
                raise Bad("%s of %s with -f: exit %d: %s" % (f, source, code, err))
            os.unlink(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    args = parser.parse_args()
    cases = [("the program that ran", exact), ("missing trace", lost), ("another program", other)]
    return run_cases([(name, lambda folder, f=case: f(args, folder)) for name, case in cases])


if __name__ == "__main__":
    sys.exit(main())
