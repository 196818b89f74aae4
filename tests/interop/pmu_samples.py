# SPDX-License-Identifier: BSD-3-Clause
"""Samples of the PMU and of software in a recording of `cst-gen scenario`, taken where the trace has timestamps, and what the
truth says was executed before them. Made of the truth files alone."""
import os
import re
import struct

from auxdata import PerfData, SAMPLE_CPU, SAMPLE_ID, SAMPLE_IDENTIFIER, SAMPLE_TID, SAMPLE_TIME

TIME_BASE = 1000000000
IP, READ, CALLCHAIN, PERIOD, RAW, BRANCH_STACK = 1, 16, 32, 256, 1024, 2048
STACK_USER, WEIGHT, DATA_SRC = 8192, 16384, 32768
EVENT_BASE = 70
# name, type, config, fields besides IP, TID, TIME, CPU, and the identifier: with fields before, between and behind the ones added
EVENTS = (("cycles", 0, 0, PERIOD), ("cache-misses", 0, 3, READ | CALLCHAIN | WEIGHT | DATA_SRC),
          ("page-faults", 1, 2, PERIOD | RAW | STACK_USER))
FEATURE_EVENT_DESC = 12
IN_KERNEL = 1 << 63
# Between timestamps a decoder estimates times, so that a thread that went to another CPU meanwhile may have its branches in
# another order. Ticks: behind the last timestamp, and until the branches are no more among the newest ones.
GUESSED, SETTLED = 3000, 300


BRANCH, BREAK, EXCEPTION, MOMENT = range(4)


class Moment:
    """A unique timestamp behind an instruction; ip and at: the first and the last one of the block that is executed next."""
    def __init__(self, cpu, time, thread, ip, at):
        self.cpu, self.time, self.thread, self.ip, self.at = cpu, time, thread, ip, at


class Slice:
    """What happened to a thread on a CPU until another one ran: branches as (from, to, kind), BREAK with the address where a traced
    stretch begins, EXCEPTION with the one where it returns to, and moments."""
    def __init__(self, cpu, thread, order):
        self.thread, self.order, self.events = thread, order, []
        self.cpu, self.tail, self.until = cpu, order, None      # the timestamps around its end


class Cpu:
    """Follows the lines of ranges.cpuN. Which of them end with a branch is in the lists of branches, `model` by thread, and what
    kind of branch in `kinds`: lists of (from, to, flags) by CPU and thread."""
    def __init__(self, number, path, model, kinds):
        self.number, self.model, self.kinds, self.slices = number, model, kinds, []
        self.taken = dict.fromkeys(model, 0)
        self.last = self.thread = self.moment = None
        self.gap, self.broken, self.time = True, False, 0
        lines = [line.split() for line in open(path)]
        times = [int(f[1]) for f in lines if f[0] == "S"]
        self.unique = {b for a, b, c in zip([0] + times, times, times[1:] + [0]) if a != b != c}
        for fields in lines:
            self.take(fields)
        self.stamp(self.time + GUESSED)

    def branch(self, to):
        """Takes the next branch of the thread that ran, if it is from the last instruction, to an address (None: any)."""
        if self.gap or not self.slices:
            return
        ran = self.slices[-1].thread
        rest = self.model[ran][self.taken[ran]:self.taken[ran] + 1]
        if rest and rest[0][0] == self.last and to in (None, rest[0][1]):
            kind = self.kinds[self.number, ran][self.taken[ran]]
            if kind[:2] != rest[0]:
                raise ValueError("cpu %d thread %d: script has %s, the model %s" % (self.number, ran, kind, rest[0]))
            self.taken[ran] += 1
            self.slices[-1].events.append((BRANCH, kind))

    def slice(self):
        if not self.slices or self.slices[-1].thread != self.thread:
            self.slices.append(Slice(self.number, self.thread, self.time))
        self.slices[-1].until = None
        return self.slices[-1]

    def stamp(self, time):
        """A timestamp: what was executed since the one before may be dated up to here."""
        for s in reversed(self.slices):
            if s.until:
                break
            s.tail, s.until = self.time, time
        self.time = time

    def take(self, f):
        kind = f[0]
        if kind == "C":
            self.thread = int(f[1]) or int(f[2])        # CONTEXTIDR_EL1 or _EL2
        elif kind == "R":
            self.range(int(f[1], 16), int(f[2], 16))
        elif kind == "X":
            self.branch(int(f[2], 16))
            if self.slices:
                self.slices[-1].events.append((EXCEPTION, int(f[2], 16)))
        elif kind == "S":
            self.stamp(int(f[1]))
            # behind an instruction, not at the begin of a stretch
            if not self.gap and self.time in self.unique and self.slices and self.slices[-1].thread == self.thread:
                self.moment = self.time
        elif kind in "TAOD":
            self.branch(None)
            self.gap, self.moment = True, None
            self.broken |= kind in "OD"

    def range(self, start, end):
        new = not self.slices or self.slices[-1].thread != self.thread
        # the branch by which the kernel enters another thread is of the thread before
        self.branch(start)
        into = self.slice()
        if self.gap:
            into.events.append((BREAK, None if self.broken else start))
        elif self.moment is not None and not new:
            into.events.append((MOMENT, Moment(self.number, self.moment, self.thread, start, end - 4)))
        self.moment = None
        self.gap = self.broken = False
        self.last = end - 4


class Truth:
    def __init__(self, folder, kinds):
        models = {}
        for name in sorted(os.listdir(folder)):
            m = re.fullmatch(r"branches\.cpu(\d+)\.tid(\d+)", name)
            if m:
                with open(os.path.join(folder, name)) as f:
                    pairs = [tuple(int(w, 16) for w in line.split()) for line in f]
                models.setdefault(int(m[1]), {})[int(m[2])] = [p for p in pairs if p[0]]
        self.slices = []
        for number, model in models.items():
            cpu = Cpu(number, os.path.join(folder, "ranges.cpu%d" % number), model, kinds)
            for thread, pairs in model.items():
                if cpu.taken[thread] != len(pairs):
                    raise ValueError("cpu %d thread %d: %d of %d branches of the model found in its ranges" % (
                        number, thread, cpu.taken[thread], len(pairs)))
            self.slices += cpu.slices
        self.slices.sort(key=lambda s: s.order)
        self.threads = {}
        for s in self.slices:
            self.threads.setdefault(s.thread, []).append(s)

    def samples(self):
        """(moment, branches of its thread up to it, oldest first, number of the newest ones that are known to be without a gap)."""
        for parts in self.threads.values():
            history, known, resume = [], 0, None
            ends = [(part.cpu, part.tail, part.until + SETTLED) for part in parts]
            for kind, what in (event for part in parts for event in part.events):
                if kind == BRANCH:
                    history.append(what)
                    known += 1
                elif kind == MOMENT and any(c != what.cpu and a < what.time < b for c, a, b in ends):
                    pass
                elif kind == MOMENT:
                    yield what, list(history), known
                elif kind == BREAK and (what is None or what != resume):
                    known = 0
                if kind != MOMENT:
                    resume = what if kind == EXCEPTION else None


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def attr(event, size, sample_type):
    _, kind, config, more = EVENTS[event]
    fixed = struct.pack("<IIQQQQ", kind, size, config, 1000, sample_type | more, 4 if more & READ else 0)
    words = bytearray(size)
    words[:len(fixed)] = fixed
    struct.pack_into("<Q", words, 40, 1 << 18)          # sample_id_all
    return bytes(words)


def fields(event, common, moment, pid, number):
    """A sample as bytes: what is before the chain, the chain, what is between, what is behind."""
    more, ident = EVENTS[event][3], EVENT_BASE + event
    head = struct.pack("<QQIIQ", ident, moment.ip, pid, moment.thread, TIME_BASE + moment.time)
    if common & SAMPLE_ID:
        head += struct.pack("<Q", ident)
    head += struct.pack("<II", moment.cpu, 0)
    if more & PERIOD:
        head += struct.pack("<Q", number)
    if more & READ:
        head += struct.pack("<QQ", number, ident)       # read_format ID
    chain = struct.pack("<3Q", 2, (1 << 64) - 512, moment.ip) if more & CALLCHAIN else b""
    between = struct.pack("<I", 20) + b"%020d" % number if more & RAW else b""
    behind = b""
    if more & STACK_USER:
        behind += struct.pack("<Q", 16) + b"stack %010d" % number + struct.pack("<Q", 16)
    if more & WEIGHT:
        behind += struct.pack("<Q", number)
    if more & DATA_SRC:
        behind += struct.pack("<Q", number << 32)
    return head, chain, between, behind


class Entry:
    """A sample: its moment, its fields, and what its thread executed before."""
    def __init__(self, moment, parts, history, known):
        self.moment, self.parts, self.history, self.known = moment, parts, history, known


class Sampled:
    """The recording with samples of the three events in turn."""
    def __init__(self, source, truth, pids):
        self.perf = PerfData(source)
        self.common = self.perf.sample_type & SAMPLE_ID | SAMPLE_IDENTIFIER | IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU
        self.expected, self.data = {}, b""
        for number, (moment, history, known) in enumerate(truth.samples()):
            event = number % len(EVENTS)
            parts = fields(event, self.common, moment, pids.get(moment.thread, moment.thread), number)
            self.data += record(9, b"".join(parts), 1 if moment.ip & IN_KERNEL else 2)
            self.expected[number] = Entry(moment, parts, history, known)

    def attrs(self, size):
        return [attr(event, size, self.common) for event in range(len(EVENTS))]

    def names(self, section):
        """EVENT_DESC with the three events, too."""
        size = self.perf.attr_size - 16
        out = struct.pack("<II", struct.unpack_from("<I", section)[0] + len(EVENTS), size) + section[8:]
        for i, a in enumerate(self.attrs(size)):
            out += a + struct.pack("<II64sQ", 1, 64, EVENTS[i][0].encode(), EVENT_BASE + i)
        return out

    def write(self, path):
        """As a file: the samples behind the other records, the events behind all."""
        p, b = self.perf, self.perf.bytes
        end, shift = p.data_off + p.data_size, len(self.data)
        out = bytearray(b[:end] + self.data + bytes(16 * len(p.features)))
        for i, feature in enumerate(p.features):
            at, n = struct.unpack_from("<QQ", b, end + 16 * i)
            section = self.names(b[at:at + n]) if feature == FEATURE_EVENT_DESC else b[at:at + n]
            struct.pack_into("<QQ", out, end + shift + 16 * i, len(out), len(section))
            out += section
        out += bytes(-len(out) % 8)
        ids = len(out)
        out += struct.pack("<%dQ" % len(EVENTS), *(EVENT_BASE + i for i in range(len(EVENTS))))
        attrs = len(out)
        out += b[p.attrs_off:p.attrs_off + p.attrs_size]
        for i, a in enumerate(self.attrs(p.attr_size - 16)):
            out += a + struct.pack("<QQ", ids + 8 * i, 8)
        struct.pack_into("<QQ", out, 24, attrs, len(out) - attrs)
        struct.pack_into("<Q", out, 48, p.data_size + shift)
        with open(path, "wb") as f:
            f.write(out)

    def write_pipe(self, path):
        """The same as a pipe."""
        p, b = self.perf, self.perf.bytes
        out = b"PERFILE2" + struct.pack("<Q", 16)
        size = p.attr_size - 16
        for at in range(p.attrs_off, p.attrs_off + p.attrs_size, p.attr_size):
            ids, n = struct.unpack_from("<QQ", b, at + size)
            out += record(64, b[at:at + size] + b[ids:ids + n])
        for i, a in enumerate(self.attrs(size)):
            out += record(64, a + struct.pack("<Q", EVENT_BASE + i))
        with open(path, "wb") as f:
            f.write(out + b[p.data_off:p.data_off + p.data_size] + self.data)
