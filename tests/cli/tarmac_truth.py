#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tarmac_truth.py TRUTH TARMAC: the instructions of a Tarmac file of cst-gen are those of the ranges in TRUTH (truth_w.h), CPU by CPU.

For A64. The trace does not show the instructions behind the last waypoint before tracing stops; these the ranges lack.
Prints how many instructions were compared.
"""
import os
import re
import sys

INSN = re.compile(r"\d+ clk cpu(\d+) (IT|IS) \((\d+)\) ([0-9a-f]+) ([0-9a-f]{8}) O ")


def main():
    truth, tarmac = sys.argv[1:]
    executed = {}
    with open(tarmac, encoding="utf-8") as lines:
        for line in lines:
            match = INSN.match(line)
            if match:
                addresses = executed.setdefault(int(match.group(1)), [])
                addresses.append((int(match.group(4), 16), match.group(2)))
                assert int(match.group(3)) == len(addresses), "the index counts: " + line
    total = extra = 0
    for cpu, addresses in sorted(executed.items()):
        at = 0
        with open(os.path.join(truth, "ranges.cpu%d" % cpu), encoding="utf-8") as lines:
            ranges = [line.split() for line in lines]
        stopped = False
        for words in ranges:
            if words[0] in ("T", "A", "Z"):
                stopped = True
            if words[0] != "R":
                continue
            start, end, atom = int(words[1], 16), int(words[2], 16), words[4]
            for pc in range(start, end, 4):
                while stopped and at < len(addresses) and addresses[at][0] != pc:
                    at, extra = at + 1, extra + 1
                stopped = False
                assert at < len(addresses), "cpu%d: %x is missing at the end" % (cpu, pc)
                assert addresses[at][0] == pc, "cpu%d, instruction %d: %x, but %x was executed" % (cpu, at, addresses[at][0], pc)
                if pc + 4 == end and atom in "EN":
                    failed = addresses[at][1] == "IS"
                    assert failed == (atom == "N"), "cpu%d, instruction %d: %s with atom %s" % (cpu, at, addresses[at][1], atom)
                at, total = at + 1, total + 1
        extra += len(addresses) - at
    assert total > 100 and extra * 20 < total, "%d compared, %d that the ranges lack" % (total, extra)
    print(total, extra)
    return 0


if __name__ == "__main__":
    sys.exit(main())
