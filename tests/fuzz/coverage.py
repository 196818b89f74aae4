#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""coverage.py SUMMARY.json: lines per folder of what llvm-cov export -summary-only says, and the files below 50 %."""
import json
import os
import re
import sys

LOW = 50


def main():
    folders, low = {}, []
    for entry in json.load(open(sys.argv[1]))["data"][0]["files"]:
        # a compiler cache may have the object of another working tree
        name = re.search(r"(?:^|/)((?:lib|perf-plugin)/[^.]*\.c)$", entry["filename"])
        if not name:
            continue
        name = name.group(1)
        lines = entry["summary"]["lines"]
        sums = folders.setdefault(os.path.dirname(name), [0, 0])
        sums[0] += lines["covered"]
        sums[1] += lines["count"]
        if lines["count"] and 100 * lines["covered"] < LOW * lines["count"]:
            low.append((name, lines["covered"], lines["count"]))
    for folder, (covered, count) in sorted(folders.items()):
        print("%-28s %6.1f %%  %5d of %5d lines" % (folder, 100 * covered / count if count else 0, covered, count))
    if low:
        print("\nbelow %d %%:" % LOW)
    for name, covered, count in sorted(low):
        print("%-44s %6.1f %%  %5d of %5d lines" % (name, 100 * covered / count, covered, count))


if __name__ == "__main__":
    main()
