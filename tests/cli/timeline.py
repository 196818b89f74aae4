#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""timeline.py: checks files of perf-cstrace timeline.

    timeline.py sound FILE.json              what viewers need: tracks have names, and calls lie within their callers
    timeline.py same FILE.json FILE.perfetto the same tracks and events, and a sound sequence of packets
    timeline.py frames FILE.json FILE.speedscope  the same tracks and events but moments, in speedscope's file format
    timeline.py folded FILE.perfetto FILE    instructions of each stack are those of folded stacks (profile --format=folded)
    timeline.py has FILE.json NAME=[NUMBER]...  the number of events of the category NAME, or with the argument NAME (begin, end);
                                             without a number there are some
    timeline.py middle FILE.json             begin and end of the third quarter of the time, as --time takes them
    timeline.py within FILE.json BEGIN,END   all calls overlap these times
    timeline.py least FILE.perfetto LENGTH DEPTH  each call takes LENGTH ns at least, and has fewer than DEPTH callers
"""
import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
import format_counts  # noqa: E402

CPU_TRACKS = 1 << 22  # processes of Linux have smaller numbers

Event = collections.namedtuple("Event", "track begin end category name args")


def fail(text, *args):
    raise SystemExit(text % args)


def ns(text):
    """Microseconds with three decimals."""
    whole, _, part = text.partition(".")
    if len(part) != 3:
        fail("time %s", text)
    return int(whole) * 1000 + int(part)


class Json:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            content = json.load(f, parse_float=str)
        self.axis = content["otherData"]["axis"]
        self.left_out = int(content["otherData"]["left out"])
        self.processes, self.tracks, self.events = {}, {}, []
        for e in content["traceEvents"]:
            self.add(e)

    def add(self, e):
        track = e["pid"], e["tid"]
        if e["ph"] == "M":
            names = self.processes if e["name"] == "process_name" else self.tracks
            key = e["pid"] if e["name"] == "process_name" else track
            if key in names:
                fail("named twice: %s", e)
            names[key] = e["args"]["name"]
            return
        if e["ph"] not in "Xi" or track not in self.tracks:
            fail("%s", e)
        begin = ns(e["ts"])
        self.events.append(Event(track, begin, begin + ns(e["dur"]) if e["ph"] == "X" else None, e["cat"], e["name"], e["args"]))


# ---- Perfetto -------------------------------------------------------------------------------------------


def message(data):
    """The fields of a message, of which each is there once."""
    out = {}
    for field, value in format_counts.fields(data):
        if field in out:
            fail("field %d twice", field)
        out[field] = value
    return out


class Perfetto:
    """trace_packet.proto, track_descriptor.proto, track_event.proto of google/perfetto."""

    def __init__(self, path):
        with open(path, "rb") as f:
            packets = [(field, message(value)) for field, value in format_counts.fields(f.read())]
        self.processes, self.tracks, self.events = {}, {}, []
        self.interned = {1: {}, 2: {}, 3: {}}
        self.parents, self.open = {}, collections.defaultdict(list)
        self.callers = []  # names, for each event
        for i, (field, p) in enumerate(packets):
            if field != 1 or p[10] != 1 or p[13] != (2 if i else 3):
                fail("packet %d: %s", i, p)
            self.intern(p.get(12, b""))
            if 60 in p:
                self.descriptor(message(p[60]))
            else:
                self.event(p[8], p[11])
        for uuid, events in self.open.items():
            if events:
                fail("track %x: %d slices do not end", uuid, len(events))

    def intern(self, data):
        for field, value in format_counts.fields(data):
            entry = message(value)
            if entry[1] in self.interned[field]:
                fail("interned twice: %s", entry)
            self.interned[field][entry[1]] = entry[2].decode()

    def descriptor(self, d):
        if 3 in d:
            process = message(d[3])
            self.processes[process[1]] = process[6].decode()
        elif 4 in d:
            thread = message(d[4])
            self.tracks[d[1]] = thread[1], thread[2], thread[5].decode()
        elif 5 in d:
            self.tracks[d[1]] = self.parents.get(d[5], "threads"), d[1] - d[5], d[2].decode()
        else:
            self.parents[d[1]] = d[2].decode()

    def event(self, time, data):
        single, args = {}, {}
        for field, value in format_counts.fields(data):
            if field == 4:
                arg = message(value)
                args[self.interned[3][arg[1]]] = arg[3] if 3 in arg else arg[6].decode()
            else:
                single[field] = value
        uuid = single[11]
        if uuid not in self.tracks:
            fail("track %x has no name", uuid)
        stack = self.open[uuid]
        if single[9] == 2:
            begun = stack.pop()
            self.events[begun] = self.events[begun]._replace(end=time)
            return
        self.callers.append(tuple(self.events[i].name for i in stack))
        self.events.append(Event(uuid, time, None, self.interned[1][single[3]], self.interned[2][single[10]], args))
        if single[9] == 1:
            stack.append(len(self.events) - 1)


def plain(source, key):
    """Events of all tracks: what they show does not depend on how a format numbers tracks."""
    out = collections.defaultdict(list)
    for e in source.events:
        out[key(e.track)].append((e.begin, e.end, e.category, e.name, sorted(e.args.items())))
    return out


def same(a, b):
    """A track is known by its name and events; threads also by their numbers."""
    def json_track(track):
        return (track if track[0] < CPU_TRACKS else "") + (a.tracks[track],) if track[0] < CPU_TRACKS else a.tracks[track]

    def perfetto_track(uuid):
        pid, tid, name = b.tracks[uuid]
        return (pid, tid, name) if isinstance(pid, int) else name
    one = sorted(map(repr, plain(a, json_track).items()))
    two = sorted(map(repr, plain(b, perfetto_track).items()))
    for x, y in zip(one, two):
        if x != y:
            fail("%s\n%s", x[:300], y[:300])
    if len(one) != len(two):
        fail("%d tracks, %d", len(one), len(two))
    of_threads = {pid: name for pid, name in a.processes.items() if pid < CPU_TRACKS}
    if of_threads != b.processes or sorted(set(a.processes.values()) - set(of_threads.values())) != sorted(b.parents.values()):
        fail("processes: %s, %s, %s", a.processes, b.processes, b.parents)


# ---- speedscope -----------------------------------------------------------------------------------------


def profile_events(profile, frames):
    """Events of a profile: in the order of time, each end is that of the frame that began last (file-format-schema.json)."""
    stack, out, now = [], [], profile["startValue"]
    for e in profile["events"]:
        if e["at"] < now:
            fail("%s: %s after %d", profile["name"], e, now)
        now = e["at"]
        if e["type"] == "O":
            stack.append((e["frame"], now))
            continue
        frame, begin = stack.pop()
        if frame != e["frame"]:
            fail("%s: %s ends %s", profile["name"], e, frames[frame])
        out.append((begin, now, frames[frame]["name"], frames[frame].get("file")))
    if stack or now != profile["endValue"] or profile["type"] != "evented":
        fail("profile %s", profile["name"])
    return sorted(out, key=repr)


def frames(source, path):
    with open(path, encoding="utf-8") as f:
        content = json.load(f)
    shared = content["shared"]["frames"]
    if len({tuple(sorted(x.items())) for x in shared}) != len(shared):
        fail("a frame is there twice")
    unit = "nanoseconds" if source.axis == "perf time" else "none"
    got = [(p["name"], profile_events(p, shared)) for p in content["profiles"] if p["unit"] == unit]
    want = collections.defaultdict(list)
    for e in source.events:
        if e.end is not None:
            want[e.track].append((e.begin, e.end, e.name, e.args.get("file")))

    def name(track):
        pid, tid = track
        if pid in source.processes and pid > CPU_TRACKS:
            return "%s, %s" % (source.processes[pid], source.tracks[track])
        return source.tracks[track] + (", %d" % tid if tid < CPU_TRACKS else "")
    want = sorted((name(track), sorted(events, key=repr)) for track, events in want.items())
    if sorted(got) != want:
        for a, b in zip(sorted(got), want):
            if a != b:
                fail("%s\n%s", str(a)[:300], str(b)[:300])
        fail("%d profiles, %d tracks", len(got), len(want))


# ---- what is in a file ----------------------------------------------------------------------------------


def sound(source):
    """Viewers take from begin and end which event is in which one."""
    open_ = collections.defaultdict(list)
    for e in source.events:
        if e.end is None:
            continue
        stack = open_[e.track]
        while stack and stack[-1].end <= e.begin:
            stack.pop()
        if e.end < e.begin or stack and e.end > stack[-1].end:
            fail("%s is not in %s", e, stack and stack[-1])
        if stack and e.category == "run":
            fail("%s: the CPU runs %s", e, stack[-1])
        stack.append(e)


def folded(source, path):
    insns = collections.Counter()
    for e, callers in zip(source.events, source.callers):
        if "insns" in e.args:
            insns[callers + (e.name,)] += e.args["insns"]
            insns[callers] -= e.args["insns"]
    del insns[()]
    want = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            stack, _, n = line.rpartition(" ")
            want[tuple(stack.split(";"))] = int(n)
    insns = {k: n for k, n in insns.items() if n}
    for k in sorted(set(want) | set(insns)):
        if want.get(k) != insns.get(k):
            fail("%s: folded %s, timeline %s", ";".join(k), want.get(k), insns.get(k))
    print("%d stacks" % len(want))


def has(source, wanted):
    counts = collections.Counter(e.category for e in source.events)
    for e in source.events:
        for key in ("begin", "end"):
            if key in e.args:
                counts[key] += 1
    for want in wanted:
        name, _, n = want.rpartition("=")
        if (counts[name] != int(n)) if n.isdigit() else not counts[name]:
            fail("%s: %d; all: %s", name, counts[name], dict(counts))


def least(source, length, depth):
    """With the options --min-duration and --depth."""
    calls = [(e, callers) for e, callers in zip(source.events, source.callers) if "insns" in e.args]
    for e, callers in calls:
        if e.end - e.begin < length or len(callers) >= depth:
            fail("%s, callers %s", e, callers)
    print("%d calls" % len(calls))


def seconds(text):
    whole, _, part = text.partition(".")
    return int(whole) * 1000000000 + int(part)


def middle(source):
    begin, end = (f(e.begin for e in source.events) for f in (min, max))
    print(",".join("%d.%09d" % divmod(begin + (end - begin) * i // 4, 1000000000) for i in (2, 3)))


def within(source, begin, end):
    for e in source.events:
        if (e.end or e.begin) < begin or e.begin > end:
            fail("%s", e)


def main():
    what = sys.argv[1]
    source = (Perfetto if what in ("folded", "least") else Json)(sys.argv[2])
    if what == "sound":
        sound(source)
    elif what == "same":
        same(source, Perfetto(sys.argv[3]))
    elif what == "frames":
        frames(source, sys.argv[3])
    elif what == "folded":
        folded(source, sys.argv[3])
    elif what == "middle":
        middle(source)
    elif what == "within":
        within(source, *map(seconds, sys.argv[3].split(",")))
    elif what == "has":
        has(source, sys.argv[3:])
    else:
        least(source, *map(int, sys.argv[3:]))


if __name__ == "__main__":
    main()
