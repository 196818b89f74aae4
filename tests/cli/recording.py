# SPDX-License-Identifier: BSD-3-Clause
"""A recording as C arrays, for tests/examples/edges.c, and the edges that were executed:
branches of one thread in one piece of code, in many AUX fragments, by cst-gen."""
import collections
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from auxdata import AUX, AUXTRACE, PerfData  # noqa: E402

OPTIONS = ["--case=3", "--exclude=spec,q,src,tx,overflow,aarch32,e10,mprofile,reset,cut,ete", "--kernel-traced=0",
           "--threads=1", "--sections=1", "--user-isas=4", "--insns=400000", "--p-switch=0", "--p-irq=20", "--p-off=10",
           "--buf=cpu", "--fragment=20000"]
REGISTERS = ("configr", "traceidr", "idr0", "idr1", "idr2", "idr8")
A64_BRANCHES = ((0x7c000000, 0x14000000), (0xff000010, 0x54000000), (0x7e000000, 0x34000000), (0x7e000000, 0x36000000),
                (0xfe000000, 0xd6000000))


class Recording:
    def __init__(self, gen, folder):
        perf, self.truth, images = (os.path.join(folder, n) for n in ("perf.data", "truth", "images"))
        subprocess.run([gen, "random", *OPTIONS, "--perf=" + perf, "--truth=" + self.truth, "--images=" + images],
                       check=True, capture_output=True)
        self.perf = PerfData(perf)
        first = next(line for line in self.ranges() if line[0] == "R")
        for start, length, offset, path in self.perf.mappings():
            if start <= int(first[1], 16) < start + length:
                self.at = start
                with open(path, "rb") as f:
                    self.code = f.read()[offset:offset + length]

    def ranges(self):
        with open(os.path.join(self.truth, "ranges.cpu0")) as f:
            for line in f:
                yield line.split()

    def fragments(self):
        """The bytes of each AUX record."""
        buffers, records = [], []
        for kind, _, pos, _, payload, length in self.perf.records():
            if kind == AUXTRACE:
                buffers.append((struct.unpack_from("<Q", self.perf.bytes, pos + 16)[0], payload, length))
            elif kind == AUX:
                records.append(struct.unpack_from("<2Q", self.perf.bytes, pos + 8))
        for offset, size in records:
            start, payload, _ = next(b for b in buffers if b[0] <= offset and offset + size <= b[0] + b[2])
            yield self.perf.bytes[payload + offset - start:payload + offset - start + size]

    def header(self):
        cpu, parts = self.perf.metadata()[0], list(self.fragments())
        text = ["static const uint8_t code[] = { %s };" % ",".join(map(str, self.code)),
                "#define CODE_AT %#xu" % self.at,
                "static const struct cst_etmv4_regs regs = { 0, %s, 0, 0, 0, 0, 0, 0 };" % ", ".join("%#xu" % cpu[r] for r in REGISTERS)]
        text += ["static const uint8_t part%d[] = { %s };" % (i, ",".join(map(str, part))) for i, part in enumerate(parts)]
        text += ["#define FRAGMENTS %d" % len(parts),
                 "static const struct { const uint8_t *bytes; size_t size; } fragment[] = { %s };"
                 % ", ".join("{ part%d, sizeof(part%d) }" % (i, i) for i in range(len(parts)))]
        return "\n".join(text) + "\n"

    def is_branch(self, offset):
        opcode = struct.unpack_from("<I", self.code, offset)[0]
        return any(opcode & mask == value for mask, value in A64_BRANCHES)

    def edges(self):
        """Lines of offsets and counts, as the program prints them: from a branch taken to where execution went on."""
        count, branch = collections.Counter(), None
        for line in self.ranges():
            if line[0] == "R":
                start, last = int(line[1], 16) - self.at, int(line[2], 16) - 4 - self.at
                if branch is not None:
                    count[branch, start] += 1
                branch = last if line[4] == "E" and self.is_branch(last) else None
            elif line[0] in "ATXVD":
                branch = None
        return "".join("%x %x %d\n" % (a, b, n) for (a, b), n in sorted(count.items()))
