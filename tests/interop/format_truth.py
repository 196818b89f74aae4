# SPDX-License-Identifier: BSD-3-Clause
"""Compares the formats that were made of a recording with what was executed.

A folder has them as FORMAT for those of all binaries, and FORMAT.NAME for those of one, NAME being build-id:HEX or its path with
- for /, and FORMAT perhaps with the version of its reader, as bolt-21. What each format has is compared: how often each instruction was executed, taken branches, directions, calls."""
import collections
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data"))
import format_counts
import lcov_truth
import profile_text
from executed import A64_CONDITIONAL, executions


def file_name(b):
    """How a binary is named in the name of a file."""
    return "build-id:" + b.key[1].hex() if b.key[0] == 0 else b.name.replace("/", "-")


def offsets(b):
    """Offsets of the addresses of a binary; what has no segments has offsets for addresses."""
    segments = sorted((address, size, offset) for offset, size, address, _ in b.segments)

    def offset_of(address):
        return next((address - a + o for a, size, o in segments if a <= address < a + size), address)
    return offset_of


class FormatCheck:
    """`binaries` and `contexts` are those of the count file. `edges`: whether branches can be compared."""

    def __init__(self, truth, binaries, contexts, check, edges):
        self.truth, self.contexts, self.check, self.edges = truth, contexts, check, edges
        self.binaries = {b.name: b for b in binaries}
        self.calls = truth.calls(self.is_t32) if edges else {}

    def is_t32(self, name, offset):
        return offset in self.binaries[name].t32

    def all(self, folder):
        files = collections.Counter()
        for path in sorted(glob.glob(glob.escape(folder) + "/*")):
            format_, _, name = os.path.basename(path).partition(".")
            files[format_] += 1
            with open(path, "rb") as f:
                content = f.read()
            if format_ == "lcov":
                lcov_truth.compare(self.truth, self.binaries.values(), self.check, content)
                continue
            counts = getattr(format_counts, format_.partition("-")[0])(content)
            if name:
                self.one(format_, next(b for b in self.binaries.values() if file_name(b) == name), counts)
            else:
                self.whole(format_, counts)
        print("formats: " + ", ".join("%d %s" % (n, format_) for format_, n in files.items()))

    # ---- one binary -------------------------------------------------------------------------------------

    def one(self, format_, b, counts):
        what, truth = "%s of %s: " % (format_, b.name), self.truth
        offset_of = (lambda x: x) if format_ == "autofdo" else offsets(b)
        elf = profile_text.Elf(truth.code.symfs + b.name) if b.segments else None
        stubs = [elf.sections[s][1:] for s in profile_text.STUBS if s in elf.sections] if elf and format_.startswith("bolt") else []

        def stub(at):
            return any(offset <= at < offset + size for offset, size in stubs)
        ranges = {(offset_of(a), offset_of(z)): n for (a, z), n in counts.ranges.items()}
        edges = {(offset_of(a), offset_of(z) if z else None): n for (a, z), n in counts.edges.items()}
        if format_ != "propeller":
            self.check.same(what + "executions", {at: n for at, n in truth.executions(b.name).items() if not stub(at)},
                            self.executed(b, ranges))
        if not self.edges:
            return
        inside = {k: n for k, n in truth.edges[b.name].items() if not stub(k[0])}
        self.check.same(what + "taken", inside, {k: n for k, n in edges.items() if k[1] is not None})
        if format_ == "propeller":
            self.check.same(what + "not taken", truth.not_taken[b.name],
                            {offset_of(a): n for a, n in counts.not_taken.items()}, self.truth.losses)
        if b.name.endswith("32") or format_ in ("llvm", "propeller"):
            return
        taken = collections.Counter()
        for (a, _), n in edges.items():
            taken[a] += n
        self.check.same(what + "branch taken", {at: n for at, n in truth.taken[b.name].items() if not stub(at)}, taken, self.truth.losses)
        if format_ == "autofdo":
            self.directions(what, b, ranges, taken)

    def executed(self, b, ranges):
        """Ranges have the places of their last instructions."""
        steps = collections.Counter()
        for (first, last), n in ranges.items():
            steps[first] += n
            steps[last + (self.truth.code.t32_size(b.name, last) if last in b.t32 else 4)] -= n
        return executions(steps)

    def directions(self, what, b, ranges, taken):
        """A range ends at each branch: those after which no branch was taken are as often as it was not taken. The last one before a
        loss ends a range as well."""
        ends = collections.Counter()
        for (_, last), n in ranges.items():
            ends[last] += n
        got = {at: ends[at] - taken[at] for at in ends
               if ends[at] > taken[at] and self.truth.code.is_a64(A64_CONDITIONAL, b.name, at)}
        self.check.same(what + "not taken", got, self.truth.not_taken[b.name], self.truth.losses)

    # ---- all binaries -----------------------------------------------------------------------------------

    def whole(self, format_, counts):
        if counts.total is not None:
            self.check.same(format_ + ": total", sum(self.truth.insns.values()), counts.total)
        short = os.path.basename if format_ == "top" else lambda name: name
        if format_ == "folded":
            return
        want, got = collections.Counter(), collections.Counter()
        # pprof has the instructions of calling contexts
        for name, n in (self.contexts.insns if format_ == "pprof" else self.truth.insns).items():
            want[short(name)] += n
        for (name, _), n in counts.costs.items():
            got[name] += n
        self.check.same(format_ + ": instructions", +want, +got)
        if format_ == "callgrind":
            self.addresses(counts)
        if self.edges and not self.truth.losses:
            self.calls_of(format_, counts, short)

    def addresses(self, counts):
        for b in self.binaries.values():
            offset_of, executed = offsets(b), self.truth.executions(b.name)
            got = {offset_of(at): n for (name, at), n in counts.costs.items() if name == b.name}
            self.check.same("callgrind of %s: executions" % b.name, {at: executed.get(at, 0) for at in got}, got)

    def calls_of(self, format_, counts, short):
        """Calls into each binary are those by branches with link, and others (sibling calls, signals), as the count file has them;
        at each branch with link they are those of it."""
        into, sites = collections.Counter(), collections.Counter()
        for name, n in self.contexts.others.items():
            into[short(name)] += n
        for (name, at, other, _), n in self.calls.items():
            into[short(other)] += n
            sites[name, at, other] += n
        self.check.same(format_ + ": calls", +into, +counts.calls)
        if format_ == "top":
            return
        places = {name: offsets(b) for name, b in self.binaries.items()}
        got = collections.Counter()
        for (name, at, other), n in counts.sites.items():
            if name in places and self.truth.is_link(name, places[name](at), self.is_t32(name, places[name](at))):
                got[name, places[name](at), other] += n
        self.check.same(format_ + ": calls at", sites, got)
