# SPDX-License-Identifier: BSD-3-Clause
"""Recordings whose compressed records expand to thousands of times their size: memory stays bounded, the loss is
told and counted, and --max-expand takes them whole. Speaks TAP."""
import ctypes
import os
import struct
import subprocess
import sys
import tempfile

MIB = 1 << 20
COMPRESSED, MMAP2, SWITCH, AUXTRACE, FINISHED_ROUND = 81, 10, 14, 71, 68
TRAILER = 32  # of the generator's records: thread, time, CPU, identifier
MAX_RSS = 96 * MIB


class Bad(Exception):
    pass


def compress(data):
    """One zstd frame; the library is there, the program under test is linked with it."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
    zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    zstd.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    room = ctypes.create_string_buffer(zstd.ZSTD_compressBound(len(data)))
    size = zstd.ZSTD_compress(room, len(room), data, len(data), 9)
    return room.raw[:size]


def records(data):
    """(offset, type, size) of the records of a perf.data file."""
    at, size = struct.unpack_from("<2Q", data, 40)
    end = at + size
    while at < end:
        kind, _, n = struct.unpack_from("<IHH", data, at)
        yield at, kind, n
        at += n + (struct.unpack_from("<Q", data, at + 8)[0] if kind == AUXTRACE else 0)


def with_bomb(plain, packed, mib, group=None):
    """The recording with maps, one over the other again and again, and switches between them, which take memory
    for each, in front of its compressed records."""
    maps = [plain[at:at + n] for at, kind, n in records(plain) if kind == MMAP2]
    switch = struct.pack("<IHH", SWITCH, 0, 8 + TRAILER) + maps[0][-TRAILER:]
    group = group or maps[0] + maps[0][:32] + struct.pack("<Q", 4096) + maps[0][40:] + 8 * switch
    # Frame by frame, since the memory of this process would count as that of its children.
    frame = compress(group * (2 * MIB // len(group)))
    record = (struct.pack("<IHH", COMPRESSED, 0, 8 + len(frame)) + frame) * (mib // 2)
    at = next(at for at, kind, _ in records(packed) if kind == COMPRESSED)
    out = bytearray(packed)
    start, size = struct.unpack_from("<2Q", out, 40)
    out[at:at] = record
    struct.pack_into("<Q", out, 48, size + len(record))
    table = start + size + len(record)
    for i in range(sum(bin(b).count("1") for b in out[72:104])):
        offset, = struct.unpack_from("<Q", out, table + 16 * i)
        struct.pack_into("<Q", out, table + 16 * i, offset + len(record))
    return bytes(out)


class Run:
    def __init__(self, folder, *argv):
        self.out_path, err_path = os.path.join(folder, "out"), os.path.join(folder, "err")
        with open(self.out_path, "wb") as out, open(err_path, "wb") as err:
            proc = subprocess.Popen([os.environ["PERF_CSTRACE"], *argv], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            _, status, usage = os.wait4(proc.pid, 0)
        self.code, self.rss = os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024
        self.out, self.err = open(self.out_path, "rb").read(), open(err_path).read()

    def want(self, code, *words):
        if self.code != code:
            raise Bad("exit %d, not %d: %s" % (self.code, code, self.err[:900]))
        for w in words:
            if w not in self.err:
                raise Bad("no '%s': %s" % (w, self.err[:900]))
        if self.rss > MAX_RSS:
            raise Bad("%d MiB of memory" % (self.rss // MIB))
        return self


def main():
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        for name, option in (("plain", "--timed"), ("packed", "--compress=1")):
            subprocess.run([os.environ["CST_GEN"], "random", "--case", "7", "--insns=4000", "--timed", option, "--perf", at(name),
                            "--images", at("images")], check=True, stdout=subprocess.DEVNULL)
        plain, packed = open(at("plain"), "rb").read(), open(at("packed"), "rb").read()
        for name, mib in (("bomb", 400), ("small", 70)):
            with open(at(name), "wb") as f:
                f.write(with_bomb(plain, packed, mib))
        script = ["script", "--itrace=b", "-F", "ip,addr", "-i"]
        honest = Run(folder, *script, at("packed")).want(0)

        def bounded():
            Run(folder, *script, at("bomb")).want(5, "--max-expand=SIZE", "compressed records beyond the limit")

        def injected():
            Run(folder, "inject", "-i", at("bomb"), "-o", at("injected")).want(5, "--max-expand=SIZE")
            if os.path.exists(at("injected")):
                raise Bad("a file of %d bytes, of nothing" % os.path.getsize(at("injected")))

        def informed():
            run = Run(folder, "info", "-i", at("bomb")).want(5)
            if b"--max-expand" not in run.out + run.err.encode():
                raise Bad("info does not say what helps")

        def allowed():
            whole = Run(folder, *script, at("small"), "--max-expand=1g").want(0)
            if whole.out != honest.out:
                raise Bad("not the branches of the recording itself")
            Run(folder, *script, at("small")).want(5, "--max-expand=SIZE")

        def packaged():
            Run(folder, "convert", "-i", at("rounds"), "--to=package", "-o", at("package")).want(0)
            Run(folder, "convert", "-i", at("maps"), "--to=package", "-o", at("package2")).want(0)

        def small_limit():
            Run(folder, *script, at("packed"), "--max-expand=100").want(5, "more than 100 bytes", "--max-expand=SIZE")

        # records of 8 bytes, of which each is a line of the package's log; and maps
        for name, group in (("rounds", struct.pack("<IHH", FINISHED_ROUND, 0, 8) * 64), ("maps", None)):
            with open(at(name), "wb") as f:
                f.write(with_bomb(plain, packed, 30, group))
        tests = [("400 MiB: memory is bounded", bounded), ("inject: what is written is bounded", injected),
                 ("info says what helps", informed), ("--max-expand takes the whole", allowed),
                 ("a limit below the recording's", small_limit), ("a package: memory is bounded", packaged)]
        failed = 0
        for i, (name, test) in enumerate(tests, 1):
            try:
                test()
                print("ok %d - %s" % (i, name))
            except Bad as error:
                failed += 1
                print("not ok %d - %s" % (i, name))
                print("# %s" % str(error).replace("\n", " | "))
        print("1..%d" % len(tests))
    sys.exit(failed > 0)


main()
