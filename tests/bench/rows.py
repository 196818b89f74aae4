# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the bench: commands that take turns, and which of them is compared with which."""
from dataclasses import dataclass, field

import checks
from inputs import CC1, TC2_TIMES, TC2_TIMES_COST, WINDOWS
from measure import Job, callgrind, callgrind_by_object

BRANCH_FIELDS = ["--itrace=b", "-F", "pid,tid,cpu,ip,addr"]
MEMORY_LIMIT_MB = 256


@dataclass
class Row:
    input: str
    name: str
    ours: str                   # names of two commands of the group
    peer: str
    floor: float
    aim: float
    check: object = None        # last runs by name -> problems
    cost: object = None         # () -> instructions of ours, P0 elements
    limit: int = MEMORY_LIMIT_MB


@dataclass
class Group:
    """Commands that take turns. `serial`: the name under which two of them, "1" and "2" threads, are in the second table."""
    jobs: dict
    rows: list = field(default_factory=list)
    serial: str = None


@dataclass
class Share:
    """A row that is not of times: what of perf's instructions is the library's."""
    input: str
    name: str
    library: object             # (who) -> its instructions; who: "ours", "peer"
    check: object               # () -> problems
    floor: float
    aim: float


class Rows:
    def __init__(self, inputs):
        self.i = inputs

    def ours(self, command, source, *options, out=None, jobs=1):
        return Job([self.i.tool, command, *source.options(), "-j", str(jobs), *options], out)

    def cost(self, argv, p0):
        return lambda: (callgrind(argv), p0)

    # ---- the library ------------------------------------------------------------------------------

    def library(self, name, label):
        arguments = self.i.library_arguments(name)
        ours, peer = self.i.program("cst_decode"), self.i.program("ocsd_decode")
        p0 = {}

        def remember(runs):
            p0["n"] = runs["peer"].numbers().get("INSTR_RANGE", 0)
            return []

        def edges_are_elements(_runs):
            Job([ours, "check", *arguments]).run()
            return []
        cost = lambda mode: lambda: (callgrind([ours, mode, *arguments]), p0["n"])
        same = lambda mode, keys: checks.all_of(remember, checks.same_numbers(mode, "peer", keys))
        return Group({"peer": Job([peer, *arguments], inside=True), "elements": Job([ours, "elements", *arguments], inside=True),
                      "counts": Job([ours, "counts", *arguments], inside=True)},
                     [Row(label, "full generic elements, null consumer", "elements", "peer", 35, 60,
                          same("elements", ("elements", "ranges", "instructions")), cost("elements")),
                      Row(label, "edge counts in the library", "counts", "peer", 60, 100,
                          checks.all_of(same("counts", ("ranges", "instructions")), edges_are_elements), cost("counts"))])

    # ---- perf.data --------------------------------------------------------------------------------

    def inject(self, source, itrace, out):
        return self.ours("inject", source, "-o", out, "--strip", "--itrace=" + itrace, out=out)

    def inject_peer(self, source, itrace, out):
        return Job(source.in_place("perf", "inject", "-f", "-i", source.perf, "-o", out, "--strip", "--itrace=" + itrace), out)

    def profile(self, source, out, jobs=1):
        return self.ours("profile", source, "--format=autofdo", "--binary", CC1, "-o", out, out=out, jobs=jobs)

    def set26_cost(self, job):
        """Instructions per P0 element are those on set 26, which callgrind does in seconds."""
        return self.cost(job.argv, self.i.set26.p0)

    def injects(self, source, exact, floors):
        """`floors` of: profile, inject i100000il64, inject i1000il64."""
        i, small = self.i, self.i.set26
        out = lambda name: i.path(name)
        check = checks.profiled_as_executed if exact else checks.profiled
        slow = {"peer": self.inject_peer(source, "i1000il64", out("peer.data")),
                "inject": self.inject(source, "i1000il64", out("ours.data")),
                "profile": self.profile(source, out("ours.txt"))}
        fast = {"peer": self.inject_peer(source, "i100000il64", out("peer.data")),
                "inject": self.inject(source, "i100000il64", out("ours.data"))}
        cost = lambda job: None if exact else self.set26_cost(job)
        return [Group(slow, [Row(source.name, "perf.data -> AutoFDO text", "profile", "peer", floors[0], 100,
                                 check("profile", source), cost(self.profile(small, out("cost.txt")))),
                             Row(source.name, "inject --itrace=i1000il64", "inject", "peer", floors[2], 20,
                                 checks.sampled("inject", "peer", source),
                                 cost(self.inject(small, "i1000il64", out("cost-1.data"))))]),
                Group(fast, [Row(source.name, "inject --itrace=i100000il64", "inject", "peer", floors[1], 60,
                                 checks.sampled("inject", "peer", source),
                                 cost(self.inject(small, "i100000il64", out("cost-2.data"))))])]

    def script(self):
        i, source = self.i, self.i.large
        ours = self.ours("script", source, *BRANCH_FIELDS, out=i.path("ours.txt"))
        ours.to_out = True
        peer = Job(["perf", "script", "-f", "-i", source.perf, "--symfs", source.symfs, *BRANCH_FIELDS], i.path("peer.txt"),
                   to_out=True)
        cost = self.set26_cost(self.ours("script", i.set26, *BRANCH_FIELDS))
        check = checks.all_of(checks.listed("ours", "peer", source), checks.listed_as_executed(i.tool, i.set26))
        return Group({"peer": peer, "ours": ours},
                     [Row(source.name, "script --itrace=b to a file", "ours", "peer", 15, 25, check, cost)])

    def cold(self):
        source = self.i.sample
        ours = self.ours("script", source, *BRANCH_FIELDS)
        p0 = Job([self.i.tool, "dump", *source.options(), "--elements", "--format=none"]).run().numbers()["ranges"]
        peer = Job(["perf", "script", "-f", "-i", source.perf, "--symfs", source.symfs, *BRANCH_FIELDS])
        return Group({"peer": peer, "ours": ours},
                     [Row("14 KB", "cold trace, whole process: script --itrace=b", "ours", "peer", 2.5, 5,
                          checks.same_text("ours", "peer"), self.cost(ours.argv, p0))])

    # ---- AUX windows ------------------------------------------------------------------------------

    def windows(self):
        """
        A decoder for each window of 8 KB. What a window costs besides its bytes: the processor time less that of the
        same instructions in one piece.
        """
        i, w = self.i, self.i.windows()
        ours, peer = i.program("cst_decode"), i.program("ocsd_decode")
        dump = lambda source: [i.tool, "dump", "-f", "-i", source.perf, "--elements", "--format=none", "-j", "1"]

        def piece(whole, part):
            """Microseconds for a window."""
            one, many = whole.numbers()["instructions"], part.numbers()["instructions"]
            return (part.cpu - whole.cpu * many / one) / WINDOWS * 1e6

        def cheap(names):
            def check(runs):
                cost = {name: piece(runs[whole], runs[name]) for name, (whole, _) in names.items()}
                i.notes.append("a window of 8 KB costs besides its bytes: " + ", ".join("%s %.1f us" % c for c in cost.items()))
                return ["%s: %.1f us for a window" % (name, cost[name]) for name, (_, most) in names.items() if cost[name] > most]
            return check
        same = checks.same_numbers("library", "peer", ("ranges", "instructions"))
        return Group({"peer": Job([peer, *w.arguments["parts"]], inside=True),
                      "drop-in": Job([*self.drop_in(), peer, *w.arguments["parts"]], inside=True),
                      "drop-in, whole": Job([*self.drop_in(), peer, *w.arguments["whole"]], inside=True),
                      "library": Job([ours, "elements", *w.arguments["parts"]], inside=True),
                      "library, whole": Job([ours, "elements", *w.arguments["whole"]], inside=True),
                      "dump": Job(dump(w.parts)), "dump, whole": Job(dump(w.whole))},
                     [Row(w.parts.name, "elements of the library, reset for each", "library", "peer", 3, None,
                          checks.all_of(same, cheap({"library": ("library, whole", 30), "drop-in": ("drop-in, whole", 60),
                                                     "dump": ("dump, whole", 30)}))),
                      Row(w.parts.name, "dump --elements --format=none", "dump", "peer", 2, None,
                          checks.same_numbers("dump", "peer", ("ranges", "instructions")))])

    # ---- ETMv3 and PTM ----------------------------------------------------------------------------

    def tc2(self, name, kinds, floor, aim, options=()):
        """
        Of ETMv3 a range of ours is several of the peer's, which has one for each instruction, and the peer drops the last
        instruction before a barrier, although it was traced: there its count of a single copy decides.
        """
        i, p0 = self.i, {}
        trace, short = (i.tc2(kinds, times) for times in (TC2_TIMES, TC2_TIMES_COST))
        argv = lambda folder: [i.tool, "dump", "-s", folder, "--elements", "--format=none", "-j", "1", *options]

        def check(runs):
            p0["n"] = runs["peer"].numbers()["ranges"] * TC2_TIMES_COST // TC2_TIMES
            if "etmv3" not in kinds:
                return checks.same_numbers("ours", "peer", ("elements", "ranges", "instructions"))(runs)
            ours = runs["ours"].numbers()["instructions"]
            peer = Job([i.program("ocsd_v7"), *trace.once]).run().numbers()["instructions"] * TC2_TIMES
            return [] if ours == peer > 0 else ["instructions: ours %d, peer %d" % (ours, peer)]
        return Group({"peer": Job([i.program("ocsd_v7"), *trace.peer]), "ours": Job(argv(trace.folder))},
                     [Row("TC2", name, "ours", "peer", floor, aim, check,
                          lambda: (callgrind(argv(short.folder)), p0["n"]))])

    # ---- inside perf ------------------------------------------------------------------------------

    def share(self):
        """The same perf over set 26 with our library and with libopencsd."""
        i, source = self.i, self.i.set26
        script = ["perf", "script", "-f", "-i", source.perf, "--itrace=i100000i", "-F", "ip"]

        prefix = {"ours": self.drop_in(), "peer": []}

        def library(who):
            profile = i.path("callgrind-" + who)
            cost = callgrind_by_object(source.in_place(*prefix[who], "valgrind", "--tool=callgrind",
                                                       "--callgrind-out-file=" + profile, *script), profile)
            return sum(n for name, n in cost.items() if name.startswith(("libopencsd", "libstdc++")))

        def check():
            one, other = (Job(source.in_place(*prefix[who], *script)).run().text for who in prefix)
            return [] if one and one == other else ["perf script prints something else with the drop-in"]
        return Share(source.name, "the drop-in's share of perf's instructions", library, check, 12, 20)

    def drop_in(self):
        return ["env", "LD_LIBRARY_PATH=" + self.i.build + "/opencsd"]

    # ---- threads ----------------------------------------------------------------------------------

    def threads(self):
        """Each command in one thread and in two, with the same result."""
        inject, profile = ["inject", "--strip"], ["profile", "--format=autofdo", "--binary", CC1]
        marks, files = (1.8, 1.95), checks.same_files("1", "2")
        for name, words, file, check, rows in (
                ("inject i100000il64", inject + ["--itrace=i100000il64"], "threads.data", files, True),
                ("profile", profile, "threads.txt", files, True),
                ("dump --format=none", ["dump", "--elements", "--format=none"], None, checks.same_text("1", "2"), True),
                ("script b to /dev/null", ["script", *BRANCH_FIELDS], None, self.same_script, True),
                ("inject i1000il64", inject + ["--itrace=i1000il64"], "threads.data", None, False)):
            jobs = {str(n): self.in_threads(n, words, file) for n in (1, 2)}
            if words[0] == "script":
                for job in jobs.values():
                    job.out, job.to_out = "/dev/null", True
            row = Row(self.i.large.name, "2 threads: " + name, "2", "1", *marks, check)
            yield Group(jobs, [row] if rows else [], name)

    def in_threads(self, n, words, file):
        out = file and self.i.path("%d-%s" % (n, file))
        return self.ours(words[0], self.i.large, *words[1:], *(["-o", out] if out else []), out=out, jobs=n)

    def same_script(self, _runs):
        one, two = (self.ours("script", self.i.set26, *BRANCH_FIELDS, jobs=n).run().text for n in (1, 2))
        return [] if one and one == two else ["the text differs on set 26"]

    # ---- all --------------------------------------------------------------------------------------

    def table(self):
        large = self.i.large
        yield self.library("bugfix-exact-match", "A72, 1 MB")
        yield self.library("26", "set 26")
        yield from self.injects(self.i.set26, True, (35, 35, 15))
        yield from self.injects(large, False, (50, 45, 15))
        yield self.script()
        yield self.cold()
        # every tenth packet turns trace on: packets that are no atoms are decoded in one way only, the general one
        yield self.tc2("dump of ETMv3", ("etmv3",), 7, 15)
        yield self.tc2("dump of PTM", ("ptm",), 9, 25)
        yield self.windows()
        yield from self.threads()
        yield self.share()
