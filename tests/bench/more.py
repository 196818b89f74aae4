# SPDX-License-Identifier: BSD-3-Clause
"""Rows that BENCH_ALL=1 adds: other options of the same commands, and perf with the drop-in."""
import os

import checks
from measure import Job
from rows import Group, Row


def inject_branches(rows):
    i, source = rows.i, rows.i.large
    ours, peer = (i.path(name + ".data") for name in ("ours", "peer"))

    def check(runs):
        """The peer adds lines for starts and ends of stretches and loses branches before an interrupt."""
        a, b = checks.samples(ours), checks.samples(peer)
        return ["%d branches, %d executed" % (a, source.branches)] * (a < source.branches) + \
            ["%d branches, the peer has %d" % (a, b)] * (abs(b - a) > a // 1000)
    return Group({"peer": rows.inject_peer(source, "b", peer), "ours": rows.inject(source, "b", ours)},
                 [Row(source.name, "inject --itrace=b", "ours", "peer", 8, None, check)])


def inside_perf(rows):
    """The same perf with our library and with libopencsd. Its memory is its own affair."""
    i, source = rows.i, rows.i.large
    script = ["perf", "script", "-f", "-i", source.perf, "--itrace=i100000i", "-F", "ip"]
    yield Group({"peer": Job(source.in_place(*script)), "ours": Job(source.in_place(*rows.drop_in(), *script))},
                [Row(source.name, "perf script i100000i with the drop-in", "ours", "peer", 2, None,
                     checks.same_text("ours", "peer"), limit=0)])
    # The file holds the command that made it: both are called the same.
    jobs = {}
    for who, prefix in (("peer", []), ("ours", rows.drop_in())):
        folder = i.path("inside-" + who)
        os.makedirs(folder)
        jobs[who] = Job(source.in_place("env", "-C", folder, *prefix, "perf", "inject", "-f", "-i", source.perf,
                                        "--itrace=i100000il64", "--strip", "-o", "out.data"), os.path.join(folder, "out.data"))
    yield Group(jobs, [Row(source.name, "perf inject i100000il64 with the drop-in", "ours", "peer", 2, None,
                           checks.same_files("ours", "peer"), limit=0)])


def dump_none(rows):
    """The elements of perf.data through the command."""
    i, source = rows.i, rows.i.set26
    ours = rows.ours("dump", source, "--elements", "--format=none")
    return Group({"peer": Job([i.program("ocsd_decode"), *i.library_arguments("26")]), "ours": ours},
                 [Row(source.name, "dump --elements --format=none", "ours", "peer", 15, None,
                      checks.same_numbers("ours", "peer", ("elements", "ranges", "instructions")),
                      rows.set26_cost(ours))])


def table(rows):
    yield dump_none(rows)
    yield inject_branches(rows)
    yield from inside_perf(rows)
    yield rows.tc2("dump of ETMv3 and PTM", ("etmv3", "ptm"), 15, None)
    yield rows.tc2("dump of ETMv3, a range per instruction", ("etmv3",), 4, None, options=("--insn-ranges",))
