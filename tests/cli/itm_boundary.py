# SPDX-License-Identifier: BSD-3-Clause
"""What hardware often sends: an ITM without synchronisation packets, and frames without synchronisation between them.
Traces that are made here begin anywhere; of captures of microcontrollers (outside the repository) less than 1 % is lost,
and the values are those of another decoder."""
import csv
import json
import os
import random
import re
import subprocess
import sys

from tap import Bad, run_cases

TOOL = os.environ["PERF_CSTRACE"]
HARDWARE = os.path.join(os.environ.get("CSTRACE_SHARED", "../shared"), "corpus/hardware")
RAW = ("--trace-format", "raw", "--core-type", "itm")
TWO = ("--trace-source", "1=itm", "--trace-source", "2=itm")


def dump(path, *options, code=(0, 3, 5)):
    """(elements, messages) of `dump --elements`."""
    done = subprocess.run([TOOL, "dump", "--trace", path, "--elements", "--format=json", *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120)
    if done.returncode not in code:
        raise Bad("exit %d: %s" % (done.returncode, done.stderr))
    return [e for e in map(json.loads, done.stdout.splitlines()) if e.get("kind") not in (None, "no-sync", "end")], done.stderr


def write(folder, data):
    path = os.path.join(folder, "trace")
    with open(path, "wb") as f:
        f.write(data)
    return path


def lost(messages):
    """Bytes of trace that were not decoded."""
    return sum(int(n) for n in re.findall(r"(\d+) bytes (?:before a|are in no)", messages))


# ---- made here -----------------------------------------------------------------------------------

def timestamp(rng):
    delta = rng.choice((rng.randrange(7, 128), rng.randrange(128, 1 << 14), rng.randrange(1 << 14, 1 << 21)))
    out = bytearray(b"\xc0")
    while delta >= 0x80:
        out.append(delta & 0x7f | 0x80)
        delta >>= 7
    return bytes(out) + bytes([delta])


def packets(rng, n):
    """What firmware sends: text through port 0, PC samples, exceptions, a variable that is written, each with its time."""
    text = iter("tick %d, queue %d of 16, state idle\n" % (i // 7, i % 16) for i in range(n))
    line, value = next(text), 0
    for _ in range(n):
        what = rng.randrange(6)
        if what < 2:
            yield bytes([1, ord(line[0])])
            line = line[1:] or next(text)
        elif what == 2:
            yield b"\x17" + (0x08000000 + 2 * rng.randrange(0x4000)).to_bytes(4, "little")
        elif what == 3:
            yield b"\x0e" + bytes([rng.choice((15, 11, 41)), rng.choice((0x10, 0x20, 0x30))])
        elif what == 4:
            value += 1
            yield b"\x8f" + value.to_bytes(4, "little")
        else:
            yield b"\x70" if not rng.randrange(20) else b"\x15\x00"
        if rng.randrange(3):
            yield timestamp(rng)


def same_tail(full, part, first):
    """Elements at or behind offset `first`, without sums, which begin where the trace does."""
    def tail(elements, shift):
        return [{k: v for k, v in e.items() if k not in ("timestamp", "index")} | {"at": e["index"] + shift} for e in elements
                if e["index"] + shift >= first]
    return tail(full, 0) == tail(part[0], part[1])


def cut_anywhere(folder):
    rng, worst, total, exact = random.Random(44), 0, 0, 0
    for _ in range(4):
        data = b"".join(packets(rng, 200))
        full, _ = dump(write(folder, data), *RAW)
        if [e for e in full if e["index"] == 0] == []:
            raise Bad("the first byte begins a packet, and no element is there")
        starts = {e["index"] for e in full}
        for cut in range(1, 40):
            part, said = dump(write(folder, data[cut:]), *RAW)
            if "no synchronisation packet at 1 place" not in said:
                raise Bad("cut at %d: %s" % (cut, said))
            first = next(at for at in range(cut, len(data)) if same_tail(full, (part, cut), at))
            worst, total = max(worst, first - cut), total + 1
            exact += all(e["index"] + cut in starts for e in part)
    if worst > 24 or exact < total * 8 // 10:
        raise Bad("in step after %d bytes at worst; no wrong packet in %d of %d" % (worst, exact, total))
    return "in step after %d bytes at worst; no wrong packet in %d of %d" % (worst, exact, total)


def waits_for_packet(folder):
    data = b"\x01a" * 40 + b"\0\0\0\0\0\x80" + b"\x01b"
    part, said = dump(write(folder, data), *RAW, "--itm-sync")
    if len(part) != 1 or part[0]["value"] != "0x62" or "80 bytes before" not in said or "place" in said:
        raise Bad("%r %s" % (part, said))
    if len(dump(write(folder, data), *RAW, code=(0,))[0]) != 41:
        raise Bad("without --itm-sync packets are missing")


def frames(streams, rng):
    """Frames of the bytes of several IDs, in turns; padding under ID 0 at times."""
    streams, slots, current = {i: bytearray(d) for i, d in streams.items()}, [], None
    while any(streams.values()):
        ident = rng.choice([i for i in streams if streams[i]] + [0])
        data = bytes(rng.randrange(1, 8)) if not ident else streams[ident][:rng.randrange(1, 12)]
        if ident:
            del streams[ident][:len(data)]
        # an ID stands in an even byte only: in an odd one the last byte goes behind it
        if ident != current:
            slots.append(("id", ident))
        slots += [("data", byte) for byte in data]
        current = ident
    slots.append(("id", 0))
    out, frame, flags, position = bytearray(), bytearray(16), 0, 0
    while slots:
        kind, value = slots.pop(0)
        even = position % 2 == 0
        if kind == "id" and not even:
            # put before the byte in front of it, and in effect behind that byte
            before = frame[position - 1] | (flags >> (position - 1) // 2 & 1)
            frame[position - 1], frame[position] = value << 1 | 1, before
            flags |= 1 << (position - 1) // 2
        elif kind == "id":
            frame[position] = value << 1 | 1
        elif even:
            frame[position] = value & 0xfe
            flags |= (value & 1) << position // 2
        else:
            frame[position] = value
        position += 1
        if position == 15 or not slots:
            frame[15] = flags
            out += frame
            frame, flags, position = bytearray(16), 0, 0
    return bytes(out)


def frames_anywhere(folder):
    rng = random.Random(45)
    data = frames({1: b"".join(packets(rng, 500)), 2: b"".join(packets(rng, 500))}, rng)
    full, said = dump(write(folder, data), *TWO)
    if lost(said) or "no synchronisation says" in said:
        raise Bad("whole frames: " + said)
    for cut in range(16):
        begin = -cut % 16
        want, _ = dump(write(folder, data[cut + begin:]), *TWO)
        for form in ("tpiu", "aligned"):
            part, said = dump(write(folder, data[cut:]), *TWO, "--trace-format", form)
            if part != want:
                raise Bad("cut at %d, %s: %d elements, not %d: %s" % (cut, form, len(part), len(want), said))
            if ("byte %d is assumed" % begin not in said) and (begin or form == "tpiu"):
                raise Bad("cut at %d, %s: nothing says where frames begin: %s" % (cut, form, said))


def no_frames(folder):
    """Bytes that are no frames are not aligned, and a message says what is missing."""
    done = subprocess.run([TOOL, "dump", "--trace", write(folder, random.Random(1).randbytes(4096)), "--trace-format", "tpiu",
                           "--core-type", "itm"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    if done.returncode != 1 or "no trace ID in the frames" not in done.stderr or "is assumed" in done.stderr:
        raise Bad(done.stderr)


# ---- captures ------------------------------------------------------------------------------------

def capture(name):
    return os.path.join(HARDWARE, name)


def values_of(*options):
    """[(cycles, comparator, value, PC)] as the csv has them: a timestamp is that of all values since the last one."""
    rows, pending, pc, cycles = [], [], None, 0
    for e in dump(capture("Blinky+Arm.SWO.raw"), *RAW, *options)[0]:
        if e.get("what") == "data-pc":
            pc = int(e["value"], 16)
        elif e.get("what") == "data-write":
            pending.append((e["comparator"], int(e["value"], 16), pc))
            pc = None
        elif e.get("source") == "local-timestamp":
            cycles += e["delta"]
            rows += [(cycles, *value) for value in pending]
            pending = []
    return rows


def swo_values(_):
    """The values of the csv with their PCs and cycles. The peer waits for synchronisation packets: at the start, and for
    2 KB behind a damaged packet; without --itm-sync the values from there are there as well."""
    with open(capture("Blinky+Arm.SWO.csv")) as f:
        want = [(int(r["cycles"]), int(r["source"]), int(r["value"], 16), int(r["pc"], 16)) for r in csv.DictReader(f) if r["value"]]
    if len(want) != 527 or values_of("--itm-sync") != want:
        raise Bad("with --itm-sync: not the %d values of the csv" % len(want))
    found = {value: (cycles, rest) for cycles, *rest in values_of() for value in (rest[1],)}
    wrong = [b for a, b in zip(want, want[1:]) if b[2] == a[2] + 1 and
             (found[b[2]][1] != list(b[1:]) or found[b[2]][0] - found[a[2]][0] != b[0] - a[0])]
    if wrong or any(v[2] not in found for v in want):
        raise Bad("values that the csv has otherwise: %r" % wrong)
    return "%d values, the %d of the csv among them" % (len(found), len(want))


def whole(name, *options):
    def case(_):
        elements, said = dump(capture(name), *options)
        size = os.path.getsize(capture(name))
        if lost(said) * 100 >= size or len(elements) < size // 16:
            raise Bad("%d of %d bytes lost, %d elements: %s" % (lost(said), size, len(elements), said))
        return "%d of %d bytes lost, %d elements" % (lost(said), size, len(elements))
    return case


def main():
    cases = [("an ITM that is cut anywhere", cut_anywhere), ("--itm-sync", waits_for_packet),
             ("frames that begin anywhere", frames_anywhere), ("bytes without frames", no_frames)]
    there = os.path.isdir(HARDWARE)
    m3 = ("--trace-source", "1=itm", "--trace-source", "2=cortex-m3")
    for name, case in (("SWO of an STM32H7", swo_values), ("trace buffer of an STM32H7", whole("Blinky+Arm.TB.raw", *TWO)),
                       ("ITM with PC samples", whole("itm_only.bin", *RAW)),
                       ("STM32F105, aligned", whole("stm32f105.tpiu", *m3)),
                       ("STM32F105, as of a trace port", whole("stm32f105.tpiu", *m3, "--trace-format", "tpiu"))):
        cases.append((name, case) if there else (name + " # SKIP no " + HARDWARE, None))
    return run_cases(cases)


sys.exit(main())
