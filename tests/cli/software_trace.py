# SPDX-License-Identifier: BSD-3-Clause
"""Programs print through stimulus port 0 of an ITM and through channels of an STM, while others write elsewhere.
The trace is written here, by the packet formats and nothing else, as a snapshot without code; what was printed has
to come out of `dump --elements --format=json` byte by byte, and messages with their times where the STM marks them."""
import json
import os
import random
import subprocess
import sys
import tempfile

TOOL = os.environ["PERF_CSTRACE"]
TEXT = "Booting... clocks ok\nheap 0x2000 .. 0x8000\nassertion failed: x == 3 (main.c:42)\n\0\xff\x80 bytes, too\n"
MESSAGES = ["hello", "", "from channel", "a longer message, in words of 64 bits and what is left", "\0\xff"]


def parts(data, rng, sizes=(1, 2, 4)):
    """The bytes in pieces of a size that a store has."""
    at = 0
    while at < len(data):
        size = rng.choice([s for s in sizes if s <= len(data) - at])
        yield data[at:at + size]
        at += size


class Itm:
    """Bytes of an ITM (DDI 0403 D4)."""
    def __init__(self):
        self.out = bytearray(5) + b"\x80"

    def port(self, number, data):
        self.out += bytes([number << 3 | {1: 1, 2: 2, 4: 3}[len(data)]]) + data

    def noise(self, rng):
        what = rng.randrange(5)
        if what == 0:
            self.out += b"\x70"                     # overflow
        elif what == 1:
            self.out += bytes([0x10 * rng.randrange(1, 7)])     # local timestamp
        elif what == 2:
            self.out += b"\x17" + rng.randbytes(4)  # PC sample
        elif what == 3:
            self.port(rng.randrange(1, 32), rng.randbytes(4))
        else:
            # port 0 of another page is port 32 * page
            self.out += b"\x28" + b"\x01\x41" + b"\x08"


class Stm:
    """Nibbles of an STM (STPv2)."""
    def __init__(self):
        self.nibbles, self.ts = [15] * 21 + [0, 15, 0, 0, 3], 0

    def put(self, *values):
        self.nibbles += values

    def number(self, value, nibbles):
        self.put(*[value >> 4 * i & 15 for i in reversed(range(nibbles))])

    def select(self, master, channel):
        self.put(1)
        self.number(master, 2)
        self.put(15, 3)
        self.number(channel, 4)

    def data(self, data):
        self.put({1: 4, 2: 5, 4: 6, 8: 7}[len(data)])
        self.number(int.from_bytes(data, "little"), 2 * len(data))

    def message(self, master, channel, data, rng):
        """What the kernel's STM driver does: data, then FLAG with the time."""
        self.select(master, channel)
        for piece in parts(data, rng, (1, 2, 4, 8)):
            self.data(piece)
        self.ts += rng.randrange(1, 1 << 20)
        self.put(14, 14)
        self.number(self.ts, 16)
        return self.ts

    def bytes(self):
        n = self.nibbles + [0] * (len(self.nibbles) % 2)
        return bytes(n[i] | n[i + 1] << 4 for i in range(0, len(n), 2))


def snapshot(folder, kind, register, data):
    os.mkdir(folder)
    for name, text in (
            ("snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\ndevice0=device_0.ini\n[trace]\nmetadata=trace.ini\n"),
            ("device_0.ini", "[device]\nname=SRC_0\nclass=trace_source\ntype=%s\n[regs]\n%s\n" % (kind, register)),
            ("trace.ini", "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=B0\nfile=trace.bin\nformat=source_data\n"
                          "[source_buffers]\nSRC_0=B0\n[core_trace_sources]\n")):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    with open(os.path.join(folder, "trace.bin"), "wb") as f:
        f.write(data)


def elements(folder, codes):
    done = subprocess.run([TOOL, "dump", "-s", folder, "--elements", "--format=json"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode not in codes:
        sys.exit("exit code %d: %s" % (done.returncode, done.stderr))
    return [r for r in map(json.loads, done.stdout.splitlines()) if r["record"] == "element"]


def stored(record, size):
    return int(record["value"], 16).to_bytes(size, "little")


def test_itm(tmp, rng):
    itm = Itm()
    for piece in parts(TEXT.encode("latin-1"), rng):
        itm.port(0, piece)
        while rng.random() < 0.4:
            itm.noise(rng)
    snapshot(os.path.join(tmp, "itm"), "ITM", "ITMTCR(0xE80)=0x00140017", bytes(itm.out))
    found = elements(os.path.join(tmp, "itm"), (0, 3))      # overflows are losses
    got = b"".join(stored(r, r["size"]) for r in found if r["kind"] == "itm" and r.get("port") == 0)
    assert got.decode("latin-1") == TEXT, got
    assert any(r.get("port") == 64 for r in found) and any(r.get("what") == "pc" for r in found)


def test_stm(tmp, rng):
    stm, want = Stm(), {}
    for _ in range(40):
        where = (rng.choice((1, 0x41, 0x80)), rng.choice((0, 7, 0x1234)))
        text = rng.choice(MESSAGES).encode("latin-1")
        want.setdefault(where, []).append((text, stm.message(*where, text, rng)))
    snapshot(os.path.join(tmp, "stm"), "STM", "STMTCSR(0x3A0)=0x00100007", stm.bytes())
    got, now = {}, {}
    for r in elements(os.path.join(tmp, "stm"), (0,)):
        if r["kind"] != "software":
            continue
        where = (r["master"], r["channel"])
        if r.get("marker"):
            got.setdefault(where, []).append((now.pop(where, b""), int(r["timestamp"], 16)))
        else:
            now[where] = now.get(where, b"") + stored(r, r["bits"] // 8)
    assert got == want, (got, want)


def main():
    names = [n for n in globals() if n.startswith("test_")]
    failed = 0
    for number, name in enumerate(names, 1):
        with tempfile.TemporaryDirectory() as tmp:
            try:
                for seed in range(5):
                    os.mkdir(os.path.join(tmp, str(seed)))
                    globals()[name](os.path.join(tmp, str(seed)), random.Random(seed))
                print("ok %d - %s" % (number, name))
            except AssertionError as error:
                failed += 1
                print("not ok %d - %s\n# %s" % (number, name, error))
    print("1..%d" % len(names))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
