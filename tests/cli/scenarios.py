#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scenarios.py --tool PERF-CSTRACE --gen CST-GEN [--keep DIR] [NAME[:SEED]...]

Runs each scenario of `cst-gen scenario` with several seeds: `script` must list exactly the branches that
were executed, for each CPU and thread, in order, with the process they ran in. What a scenario expects
beyond that is in its files (tests/gen/scenario.h). Speaks TAP; CSTRACE_NIGHTLY=1 takes more seeds.
"""
import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile

LINE = re.compile(r"(?:VM:\s*(\d+))?\s*(-?\d+)/(-?\d+)\s+\[(\d+|-01)\]\s+([0-9a-f]+)\s+=>\s+([0-9a-f]+)\s*$")
NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
SEEDS = 24 if NIGHTLY else 2
CONVERTED = 6 if NIGHTLY else 1
TIME_LIMIT = 60


class Bad(Exception):
    pass


class Expected:
    def __init__(self, folder):
        self.code, self.options, self.stderr, self.info, self.percent = 0, [], [], [], None
        self.events, self.never, self.back, self.profile = [], [], [], []
        self.no_cpu, self.guess, self.also, self.no_package = False, False, [], False
        self.machines, self.as_host = {}, False
        for line in open(os.path.join(folder, "expect")):
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "exit":
                self.code = None if rest == "any" else int(rest)
            elif word == "option":
                self.options.append(rest)
            elif word == "stderr":
                self.stderr.append(rest)
            elif word in ("info", "never", "back", "also"):
                getattr(self, word).append(rest)
            elif word == "profile":
                self.profile.append(rest.split())
            elif word == "guess":
                self.guess = True
            elif word == "event":
                self.events.append((int(rest.split()[0]), rest))
            elif word == "no-cpu":
                self.no_cpu = True
            elif word == "machine":
                self.machines[rest.split()[0]] = int(rest.split()[1])
            elif word == "as-host":
                self.as_host = True
            elif word == "no-package":
                self.no_package = True
            elif word == "subset":
                self.percent = int(rest)
            else:
                raise Bad("what does this expect: " + line)
        self.pids = dict(line.split() for line in open(os.path.join(folder, "threads")))
        self.unknown = [(tid, int(a, 16), int(b, 16)) for tid, a, b in
                        map(str.split, open(os.path.join(folder, "unknown")))]
        self.streams = {}
        for name in os.listdir(folder):
            m = re.fullmatch(r"branches\.cpu(\d+)\.tid(\d+)", name)
            if m:
                self.streams[m.groups()] = self.known(m.group(2), open(os.path.join(folder, name)))
        if self.no_cpu:
            self.streams = sorted_by_thread(self.streams)
        if self.as_host:
            self.streams = by_machine(self.streams)

    def numbers(self, machine, pid, tid):
        """The numbers that threads of a guest have in the truth; those of the host are their own."""
        if not machine:
            return str(pid), str(tid)
        base = self.machines[machine]
        if not self.as_host:
            return str(base + int(pid)), str(base + int(tid))
        if (str(pid), str(tid)) != (machine, machine):
            raise Bad("a guest of process %s ran as %s/%s" % (machine, pid, tid))
        self.pids[str(base)] = str(base)
        return str(base), str(base)

    def known(self, tid, lines):
        """The branches that somebody who lacks the unknown code can find."""
        gone = [(a, b) for t, a, b in self.unknown if t == tid]
        pairs = [tuple(line.split()) for line in lines]
        return [p for p in pairs if p[0] != "0" and
                not any(a <= int(p[0], 16) < b for a, b in gone)]


def sorted_by_thread(streams):
    """What each thread executed on some CPU, in no order."""
    out = {}
    for (_, tid), pairs in streams.items():
        out.setdefault(("-1", tid), []).extend(pairs)
    return {key: sorted(pairs) for key, pairs in out.items()}


def by_machine(streams):
    """Where the threads of guests are not known, what all of a guest executed on a CPU, in no order."""
    out = {}
    for (cpu, tid), pairs in streams.items():
        guest = int(tid) >= 1000000
        merged = out.setdefault((cpu, str(int(tid) // 1000000 * 1000000)) if guest else (cpu, tid), [])
        merged.extend(pairs)
        if guest:
            merged.sort()
    return {key: pairs for key, pairs in out.items() if pairs}


def read_branches(text, want):
    got = {}
    for line in text.splitlines():
        m = LINE.match(line)
        if not m:
            raise Bad("not a branch line: " + line)
        machine, pid, tid, cpu, source, target = m.groups()
        if not int(source, 16) or not int(target, 16):
            continue
        # a thread that is unknown is no wrong one, where not all can be found
        if tid == "-1" and want.percent is not None:
            continue
        pid, tid = want.numbers(machine, pid, tid)
        if want.pids.get(tid) != pid:
            raise Bad("thread %s is in process %s: %s" % (tid, want.pids.get(tid), line))
        if want.no_cpu and int(cpu) >= 0:
            raise Bad("CPU %s: %s" % (cpu, line))
        got.setdefault((str(int(cpu)), tid), []).append((source, target))
    return ordered(got, want)


def ordered(got, want):
    got = by_machine(got) if want.as_host else got
    return sorted_by_thread(got) if want.no_cpu else got


def subsequence(part, whole):
    """Index of the first element of part that is not found, in order, in whole; None: all are."""
    it = iter(whole)
    for i, p in enumerate(part):
        if not any(p == w for w in it):
            return i
    return None


def compare(want, got):
    if want.guess:
        return
    for key in sorted(want.streams.keys() | got.keys()):
        have, executed = got.get(key, []), want.streams.get(key, [])
        name = "cpu %s thread %s" % key
        if want.percent is not None:
            i = subsequence(have, executed)
            if i is not None:
                raise Bad("%s: branch %d of %d was not executed there: %s => %s"
                          % (name, i, len(have), *have[i]))
            if len(have) * 100 < len(executed) * want.percent:
                raise Bad("%s: %d of %d branches found" % (name, len(have), len(executed)))
        elif have != executed:
            i = next((i for i, (a, b) in enumerate(zip(have, executed)) if a != b), min(len(have), len(executed)))
            raise Bad("%s: executed %d, decoded %d; the first %d are equal; executed then %s, decoded %s"
                      % (name, len(executed), len(have), i, executed[i:i + 3], have[i:i + 3]))


def run(argv):
    try:
        return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise Bad("no end within %d s: %s" % (TIME_LIMIT, " ".join(argv)))


def script(args, options):
    return run([args.tool, "script", "--itrace=b", "-F", "machine_pid,pid,tid,cpu,ip,addr"] + options)


def convert(args, source, kind, target, options):
    done = run([args.tool, "convert", "-i", source, "--to", kind, "-o", target] + options)
    if done.returncode not in (0, 3, 5):
        raise Bad("convert to %s: exit %d: %s" % (kind, done.returncode, done.stderr.decode()[-500:]))
    return done.stderr.decode()


def add_events(package, events):
    """Puts events into the log of a package, where they happened."""
    path = os.path.join(package, "system-event-log")
    out = []
    for line in open(path):
        time = line.split()[0]
        while events and time.isdigit() and events[0][0] < int(time):
            out.append(events.pop(0)[1] + "\n")
        out.append(line)
    open(path, "w").writelines(out + [text + "\n" for _, text in events])


def without_files(options, symfs, moved):
    """What is left of the options where none of the files is that they name; those of guests were moved."""
    left, words = [], iter(options)
    for word in words:
        if word in ("--symfs", "--vmlinux", "--kcore", "--kallsyms"):
            next(words)
        elif not word.startswith("--jitdump="):
            left.append(word.replace(symfs, moved))
    return left


def has_module_places(perf):
    """Whether a recording of simpleperf has its FILE (128) or FILE2 (132) section."""
    with open(os.path.join(perf, "data") if os.path.isdir(perf) else perf, "rb") as f:
        head = f.read(104)
    return head[:8] == b"PERFILE2" and bool(struct.unpack_from("<Q", head, 88)[0] & (1 | 1 << 4))


def refused(args, perf, options, folder):
    """convert names the reason why there is no package."""
    done = run([args.tool, "convert", "-i", perf, "--to", "package", "-o", os.path.join(folder, "package")] + options)
    if done.returncode != 1 or b"a package has no place for windows" not in done.stderr:
        raise Bad("convert to package: exit %d: %s" % (done.returncode, done.stderr.decode()[-500:]))


def round_trip(args, perf, options, folder, symfs, want):
    """A package of the recording has all that it needs, and a recording of the package tells the same."""
    module_places = has_module_places(perf)
    package, back, away = (os.path.join(folder, n) for n in ("package", "back.data", "away"))
    convert(args, perf, "package", package, options + ["--images"])
    # another machine: nothing is found where the options, or the records, say
    os.mkdir(away)
    os.rename(perf, os.path.join(away, "recording"))
    os.rename(symfs, os.path.join(away, "symfs"))
    bare = without_files(options, symfs, os.path.join(away, "symfs"))
    found = bare + ["--symfs", os.path.join(package, "images")]
    for need, name, option in (("images/[kernel.kallsyms]",) * 2 + ("--vmlinux",), ("kcore_dir/kcore", "kcore_dir", "--kcore"),
                               ("kcore_dir/kallsyms",) * 2 + ("--kallsyms",)):
        if os.path.exists(os.path.join(package, need)):
            found += [option, os.path.join(package, name)]
    said = convert(args, package, "perf", back, bare)
    if module_places != ("where the kernel's modules were" in said):
        raise Bad("convert to perf: places of modules %s: %s" % (module_places, said[-500:]))
    found += [o.replace("@", os.path.join(away, "symfs")) for o in want.back]
    for source, given in ((package, bare), (back, found)):
        done = script(args, ["-i", source] + given)
        try:
            compare(want, read_branches(done.stdout.decode(), want))
        except Bad as error:
            raise Bad("%s: %s: %s" % (os.path.basename(source), error, done.stderr.decode()[-500:]))


def check_profile(args, perf, options, want):
    """Branches within a binary, with their counts, are those that were executed. Exceptions are none."""
    exceptions = []
    if want.profile:
        lines = run([args.tool, "script", "--itrace=b", "-F", "ip,addr,flags", "-i", perf] + options).stdout.decode()
        exceptions = [tuple(re.findall(r"[0-9a-f]+", line)[-2:]) for line in lines.splitlines()
                      if re.match(r" *(hw int|int|syscall) ", line)]
    for binary, *numbers in want.profile:
        shift, start, end = (int(n, 16) for n in numbers)
        executed = {}
        for pairs, step in [(pairs, 1) for pairs in want.streams.values()] + [(exceptions, -1)]:
            for pair in pairs:
                source, target = (int(a, 16) for a in pair)
                if start <= source < end and start <= target < end:
                    key = tuple(a + shift & 2 ** 64 - 1 for a in (source, target))
                    executed[key] = executed.get(key, 0) + step
        executed = {key: n for key, n in executed.items() if n}
        done = run([args.tool, "profile", "--format=bolt", "--reader=bolt-16", "--binary", binary, "-i", perf] + options)
        got = {}
        for line in done.stdout.decode().splitlines():
            words = line.split()
            if len(words) >= 4 and words[0] == "B" and int(words[1], 16) and int(words[2], 16):
                got[tuple(int(a, 16) for a in words[1:3])] = int(words[3])
        if got != executed:
            odd = sorted(got.items() ^ executed.items())
            raise Bad("profile of %s: %d edges, executed %d; the first that differ: %s; %s"
                      % (binary, len(got), len(executed), odd[:3], done.stderr.decode()[-300:]))


# sample_type bits of perf_event_attr in the order in which a sample has their fields, and the bytes of each
FIELDS = (("identifier", 1 << 16, 8), ("ip", 1 << 0, 8), ("tid", 1 << 1, 8), ("time", 1 << 2, 8), ("addr", 1 << 3, 8),
          ("id", 1 << 6, 8), ("stream", 1 << 9, 8), ("cpu", 1 << 7, 8), ("period", 1 << 8, 8))


def injected_branches(path, want):
    """The branch samples of a file that inject made."""
    data = open(path, "rb").read()
    entry, attrs, size, start, length = struct.unpack_from("<5Q", data, 16)
    layouts = {}
    for at in range(attrs, attrs + size, entry):
        kind, _, config, _, sample_type = struct.unpack_from("<II3Q", data, at)
        ids, ids_size = struct.unpack_from("<QQ", data, at + entry - 16)
        for i in range(ids, ids + ids_size, 8):
            layouts[data[i:i + 8]] = kind, config, sample_type
    got, at, machines = {}, start, {}
    while at < start + length:
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        if kind == 69:	# ID_INDEX with the processes of guests behind the ids
            count = struct.unpack_from("<Q", data, at + 8)[0]
            for i in range(count):
                if size >= 16 + 48 * count:
                    machines[data[at + 16 + 32 * i:at + 24 + 32 * i]] = str(struct.unpack_from("<Q", data, at + 16 + 32 * count + 16 * i)[0])
        layout = layouts.get(data[at + 8:at + 16])
        if kind == 9 and layout and layout[:2] == (0, 4):	# hardware event, branch instructions
            place, field = at + 8, {}
            for name, bit, width in FIELDS:
                if layout[2] & bit:
                    field[name] = struct.unpack_from("<Q", data, place)[0]
                    place += width
            tid, cpu = field["tid"] >> 32, field["cpu"] & 0xffffffff
            cpu -= cpu >> 31 << 32
            if tid == 0xffffffff and want.percent is not None:
                at += size
                continue
            pid, guest = field["tid"] & 0xffffffff, misc & 7 in (4, 5)	# GUEST_KERNEL, GUEST_USER
            # without ids of its own a guest's sample has the host's thread, by which perf finds the guest
            machine = machines.get(data[at + 8:at + 16], str(pid)) if guest else None
            pid, tid = want.numbers(machine, pid, tid)
            if want.pids.get(tid) != pid:
                raise Bad("injected: thread %s is in process %s" % (tid, pid))
            if field["ip"] and field["addr"]:
                got.setdefault((str(cpu), tid), []).append(("%x" % field["ip"], "%x" % field["addr"]))
        at += size
    return ordered(got, want)


def check_inject(args, perf, options, folder, want):
    """The samples of all branches are the branches that were executed."""
    out = os.path.join(folder, "injected.data")
    done = run([args.tool, "inject", "--itrace=b", "-i", perf, "-o", out] + options)
    if done.returncode not in ([want.code] if want.code is not None else [0, 3, 5]):
        raise Bad("inject: exit %d: %s" % (done.returncode, done.stderr.decode()[-300:]))
    if done.returncode == 5 and os.path.exists(out):
        raise Bad("inject: a file of nothing")
    try:
        compare(want, {} if done.returncode == 5 else injected_branches(out, want))
    except Bad as error:
        raise Bad("inject: %s" % error)


def check_filters(args, perf, options, want):
    """A filtered run gives what is left of the full one."""
    fields = ["script", "--itrace=b", "-F", "machine_pid,pid,tid,cpu,time,ip,addr", "-i", perf] + options
    lines = run([args.tool] + fields).stdout.decode().splitlines()
    split = [re.match(r"(?:VM:\s*(?P<vm>\d+))?\s*(-?\d+)/(-?\d+)\s+\[(\d+|-01)\]\s+(\d+\.\d{6}):", line) for line in lines]
    if not split and want.percent == 0:
        return
    if not split or None in split:
        raise Bad("not branch lines with times: " + (lines[split.index(None)] if split else "nothing"))
    times = sorted(m.group(5) for m in split)
    first, last = times[len(times) // 3], times[len(times) // 2]
    known = [m for m in split if m.group(3) != "-1" and not m.group("vm")] or split
    pid, tid = known[len(known) // 2].group(2, 3)
    # a guest is the part of the process that runs it, which has one thread
    for option, keep in (("--cpu=0", lambda m: int(m.group(4)) == 0),
                         ("--tid=" + tid, lambda m: (m.group("vm") or m.group(3)) == tid),
                         ("--pid=" + pid, lambda m: (m.group("vm") or m.group(2)) == pid),
                         ("--pid=" + (list(want.machines) + [pid])[0],
                          lambda m: (m.group("vm") or m.group(2)) == (list(want.machines) + [pid])[0]),
                         ("--time=%s000,%s999" % (first, last), lambda m: first <= m.group(5) <= last)):
        got = run([args.tool] + fields + [option]).stdout.decode().splitlines()
        left = [line for line, m in zip(lines, split) if keep(m)]
        if got != left:
            i = next((i for i, (a, b) in enumerate(zip(got, left)) if a != b), min(len(got), len(left)))
            raise Bad("%s: %d lines, and %d of the full run; the first %d are equal; then %s, full run %s"
                      % (option, len(got), len(left), i, got[i:i + 2], left[i:i + 2]))


def check_verify(args, perf, options, want):
    """A trace in which the decoder finds nothing wrong violates no rule, whatever part of it a filter selects."""
    fields = ["script", "--itrace=b", "-F", "tid,time", "-i", perf] + options
    seen = [line.split() for line in run([args.tool] + fields).stdout.decode().splitlines()]
    parts = [[], ["--cpu=0"]]
    if seen:
        parts += [["--tid=" + seen[len(seen) // 2][0].split("/")[-1]],
                  ["--time=%s,%s" % tuple(seen[len(seen) * n // 4][-1].rstrip(":") for n in (1, 2))]]
    if any("contradicts the code" in text for text in want.stderr):
        parts = []  # verify finds that, too
    # with code 5 no instruction was decoded, and verify has packets
    codes = {None: (0, 3, 5), 5: (3, 5)}.get(want.code, (want.code,))
    for part in parts:
        done = run([args.tool, "verify", "-i", perf] + options + part)
        if done.returncode == 4 or done.returncode not in codes and not part:
            raise Bad("verify %s: exit %d, script %s: %s"
                      % (" ".join(part), done.returncode, want.code, done.stdout.decode()[:500]))


def check_proposal(args, perf, options):
    """Where a program of /opt ran, info proposes a profile of one, not of the busiest library."""
    text = run([args.tool, "info", "--all", "-i", perf] + options).stdout.decode()
    programs = [path for percent, path in re.findall(r"^ +([0-9.]+) %  (/opt/.*)$", text, re.M) if float(percent) > 0]
    proposed = re.findall(r"--binary (\S+)", text)
    if programs and proposed and proposed[0] not in programs:
        raise Bad("info proposes a profile of %s; programs are %s" % (proposed[0], programs))


def scenario(args, name, seed, folder, number=0):
    perf, truth, symfs = (os.path.join(folder, n) for n in ("perf.data", "truth", "symfs"))
    done = run([args.gen, "scenario", name, "--case", str(seed), "--perf", perf, "--truth", truth, "--symfs", symfs])
    if done.returncode:
        raise Bad("cst-gen: exit %d: %s" % (done.returncode, done.stderr.decode()))
    want = Expected(truth)
    options = ["--symfs", symfs] + [o.replace("@", symfs) for o in want.options]
    if want.events:
        package = os.path.join(folder, "declared")
        convert(args, perf, "package", package, options)
        add_events(package, sorted(want.events))
        perf = package
    done = script(args, ["-i", perf] + options)
    err = done.stderr.decode("utf-8", "replace")
    compare(want, read_branches(done.stdout.decode(), want))
    if done.returncode not in ([want.code] if want.code is not None else [0, 3, 5]):
        raise Bad("script: exit %d, not %s: %s" % (done.returncode, want.code, err[-500:]))
    for text in want.stderr:
        if text not in err:
            raise Bad("script does not say '%s': %s" % (text, err[-500:]))
    for text in want.never:
        if text in err:
            raise Bad("script says '%s': %s" % (text, err[-500:]))
    if want.info:
        done = run([args.tool, "info", "-i", perf] + options)
        for text in want.info:
            if text not in done.stdout.decode():
                raise Bad("info does not say '%s'" % text)
    for name in want.also:
        done = script(args, ["-i", os.path.join(perf, name)] + options)
        try:
            compare(want, read_branches(done.stdout.decode(), want))
        except Bad as error:
            raise Bad("%s: %s: %s" % (name, error, done.stderr.decode()[-500:]))
    check_profile(args, perf, options, want)
    thorough = number % args.every == 0
    if thorough and seed < args.convert and not want.events:
        check_inject(args, perf, options, folder, want)
    if thorough and seed < args.filters:
        check_filters(args, perf, options, want)
        check_verify(args, perf, options, want)
        check_proposal(args, perf, options)
    if thorough and seed < args.convert and want.no_package:
        refused(args, perf, options, folder)
    elif thorough and seed < args.convert and not want.events:
        round_trip(args, perf, options, folder, symfs, want)
    return sum(map(len, want.streams.values()))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tool", default="build/perf-cstrace")
    p.add_argument("--gen", default="build/tests/gen/cst-gen")
    p.add_argument("--keep", help="folder for the files, which then stay")
    p.add_argument("--seeds", type=int, default=SEEDS)
    p.add_argument("--convert", type=int, default=CONVERTED, help="seeds that become packages and come back")
    p.add_argument("--filters", type=int, default=CONVERTED, help="seeds whose filtered runs are compared")
    p.add_argument("--every", type=int, default=1, help="convert and filter one scenario in N only")
    p.add_argument("names", nargs="*")
    args = p.parse_args()
    names = args.names or [line.split()[0] for line in run([args.gen, "scenario"]).stdout.decode().splitlines()]
    failed = 0
    without_tracepoints = b"libtraceevent: off" in run([args.tool, "--version"]).stdout
    print("1..%d" % len(names))
    for number, name in enumerate(names, 1):
        name, _, only = name.partition(":")
        if without_tracepoints and name == "sched-switch":
            print("ok %d - %s # SKIP perf-cstrace was made without libtraceevent" % (number, name), flush=True)
            continue
        seeds = [int(only)] if only else range(args.seeds)
        branches, bad = 0, []
        for seed in seeds:
            with tempfile.TemporaryDirectory(prefix="scenario.") as tmp:
                folder = os.path.join(args.keep, "%s.%d" % (name, seed)) if args.keep else tmp
                os.makedirs(folder, exist_ok=True)
                try:
                    branches += scenario(args, name, seed, folder, number)
                except Bad as error:
                    bad.append("seed %d: %s" % (seed, error))
        for text in bad[:3]:
            print("# " + text.replace("\n", "\n# "))
        print("%sok %d - %s: %d seeds, %d branches" % ("not " if bad else "", number, name, len(seeds), branches), flush=True)
        failed += bool(bad)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
