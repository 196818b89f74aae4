#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make-seeds.py BUILD OUT: seeds for fuzz_command (command/archive.h), made of the shipped samples, of recordings
that BUILD/tests/gen/cst-gen writes and of what BUILD/perf-cstrace makes of them. The same tree
gives the same seeds."""
import gzip
import lzma
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "cli"))
import count_file  # noqa: E402, the folder is another one
import port  # noqa: E402

MAX_FILES, MAX_SEED = 24, 400000
COMMANDS = ["inject", "script", "dump", "profile", "info", "convert", "index", "compare", "verify", "merge",
            "timeline", "report"]
FILTERED = {"inject", "script", "profile", "dump", "info", "timeline", "report"}
SETS = {"ALL": set(COMMANDS) - {"merge"}, "SAMPLES": FILTERED - {"info", "report"}, "FILTERED": FILTERED}

# Each recording is run with some of these, in turn.
LINES = [
    "script --itrace=b --fields=pid,tid,cpu,time,event,flags,ip,sym,symoff,dso,addr",
    "inject --itrace=i100il64 --output=@/out",
    "profile --format=bolt --output=@/out",
    "report --functions=200 --source=@/symfs --output=@/out",
    "info --all",
    "dump --elements --packets",
    "convert --to=package --images --output=@/out",
    "script --itrace=i500il16g16 --fields=+brstack --ns",
    "index --full",
    "info --format=json",
    "profile --format=autofdo --address=vaddr",
    "dump --format=json --frames --packets --elements --log",
    "inject --itrace=bce --switch-events --hw-index",
    "convert --to=package --output=@/out",
    "dump --format=opencsd --raw --packets --elements",
    "script --itrace=cre --fields=comm,ip,sym,insn,insnlen --time=20%-60%",
    "profile --format=llvm --output=@/out",
    "inject --itrace=i1000ig16be --cpu=0 --output=@/out",
    "dump --elements --from=offset=512 --to=offset=4096",
    "convert --to=snapshot --output=@/out --force",
    "script --itrace=i100il64 --tid=1000",
    "info --no-decode",
    "index --output=@/out --granularity=1024",
    "inject --itrace=i64il --tiles --no-branch-view --output=@/out",
    "dump --strict --elements --insn-ranges --log=warning",
    "profile --comm=one",
    "timeline --output=@/out",
    "report --demangle --files=300 --output=@/out",
    "script --itrace=bZ --pid=1000",
    "profile --format=cstrace --max-stack=3 --output=@/out",
    "profile --format=callgrind --output=@/out",
    "script --itrace=i20il16 --fields=ip,brstackinsn,+srcline",
    "profile --format=lcov --output=@/out",
    "inject --itrace=i1000il64 --jobs=3 --output=@/out",
    "profile --format=pprof --output=@/out",
    "compare --with=@/perf.data --with-symfs=@/symfs",
    "profile --format=folded --demangle --output=@/out",
    "profile --format=autofdo --jobs=3 --output=@/out",
    "dump --format=tarmac --output=@/out",
    "profile --format=propeller --output=@/out",
    "script --insn-trace=disasm --jobs=2",
    "timeline --format=perfetto --output=@/out",
    "profile --format=top",
    "profile --format=cstrace --no-calls --jobs=2 --output=@/out",
    "script --itrace=be --jobs=3 --fields=+disasm",
    "timeline --format=speedscope --output=@/out",
    "dump --format=none --jobs=2",
    "verify",
    "info --jobs=2",
]
# Trace without a recording, one for each random snapshot.
BARE_LINES = [
    ("aligned", "dump --trace=@/trace.bin --core-type=cortex-a53 --frames --packets --elements --elf=@/elf"),
    ("tpiu", "script --trace=@/trace.bin --trace-format=tpiu --core-type=cortex-a53 --reg=TRCCONFIGR=0x1 --itrace=be"),
    ("aligned", "info --trace=@/trace.bin --trace-source=0x10=cortex-a53 --trace-source=17=itm"),
    ("dstream", "dump --trace=@/trace.bin --trace-format=dstream --core-type=cortex-m33 --format=json --elements"),
    ("tpiu", "convert --trace=@/trace.bin --trace-format=tpiu --core-type=cortex-a53 --elf=@/elf --to=snapshot --output=@/out"),
    ("aligned", "dump --trace=@/trace.bin:17 --trace-format=raw --core-type=stm --packets --elements"),
]
# A snapshot has no threads and no perf time.
SNAPSHOT_LINES = [
    "dump --snapshot=@/snapshot --source=all --frames --packets --elements",
    "dump --snapshot=@/snapshot --format=json --source=all --log",
    "dump --snapshot=@/snapshot --format=opencsd --raw --packets --elements",
    "dump --snapshot=@/snapshot --from=offset=64 --elements",
    "index --snapshot=@/snapshot --full",
    "convert --input=@/snapshot --to=perf --output=@/out",
    "convert --input=@/snapshot --to=package --images --output=@/out",
    "script --input=@/snapshot --itrace=be",
    "info --input=@/snapshot",
    "profile --input=@/snapshot --format=bolt",
    "report --input=@/snapshot --output=@/out",
    "inject --input=@/snapshot --itrace=i100il16 --output=@/out",
]
PACKAGE_LINES = [
    "script --input=@/package --itrace=b", "convert --input=@/package --to=perf --output=@/out",
    "dump --input=@/package --elements", "info --input=@/package", "convert --input=@/package --to=package --output=@/out",
    "convert --input=@/package --to=snapshot --force --output=@/out", "index --input=@/package",
    "inject --input=@/package --itrace=i100il8 --output=@/out", "profile --input=@/package --symfs=@/package/images",
]
# What the generator puts into one of its options more, over its cases.
RANDOM = ["", "--pipe", "--compress=1", "--compress=2", "--buf=cpu --cpus=2", "--buf=one --cpus=2 --hw-id=sink", "--ete --raw",
          "--meta=0", "--no-index", "--cid=asid --buf=cpu", "--kernel-traced", "--snapshot-mode", "--no-time-conv --buf=cpu",
          "--hw-id=global --buf=cpu", "--aux-flags=4", "--timeless --buf=cpu", "--maxspec=8", "--barriers --chunk=256", "--cc=4 --ts=2"]


def option_rows():
    """The table of options.c: name, commands, values (None for a flag or free text)."""
    text = open(os.path.join(HERE, "command/options.c")).read()
    text = text[text.index("option_rows[] = {"):]
    rows = []
    for name, mask, kind, rest in re.findall(r'^\t\{ "([\w-]+)", ([A-Z| ]+), OPTION_(\w+), (.*?) \},$', text, re.M | re.S):
        commands = set()
        for word in mask.split(" | "):
            commands |= SETS.get(word, {word.lower()})
        # adjacent literals are one
        values = ["".join(re.findall(r'"([^"]*)"', v)) for v in re.findall(r'(?:"[^"]*"\s*)+', rest)]
        rows.append((name, commands, values if kind == "CHOICE" else None))
    return rows


ROWS = option_rows()


def encode_option(command, word):
    name, _, value = word[2:].partition("=")
    for number, (row, commands, values) in enumerate(ROWS):
        if row == name and command in commands:
            data = bytes([values.index(value)]) if values is not None else value.encode()
            return bytes([number, len(data)]) + data
    raise SystemExit("make-seeds.py: no such option in command/options.c: %s %s" % (command, word))


def encode(line, files):
    command, *words = line.split()
    out = bytes([COMMANDS.index(command), len(words)]) + b"".join(encode_option(command, w) for w in words)
    for name, data in list(files.items())[:MAX_FILES]:
        out += bytes([len(name)]) + name.encode() + struct.pack("<I", len(data)) + data
    return out


class Seeds:
    def __init__(self, out):
        self.out, self.line = out, 0
        os.makedirs(out, exist_ok=True)

    def put(self, name, line, files):
        data = encode(line, files)
        if len(data) <= MAX_SEED:
            open(os.path.join(self.out, name), "wb").write(data)

    def put_some(self, name, files, options=(), count=2, lines=None):
        lines = lines or LINES
        for _ in range(count):
            line = lines[self.line % len(lines)]
            self.line += 1
            self.put("%s-%d" % (name, self.line), " ".join([line, *options]), files)


def tree(folder, prefix):
    """The files below a folder, in order of their names."""
    files = {}
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(at, name)
            if os.path.isfile(path):
                files[os.path.join(prefix, os.path.relpath(path, folder))] = open(path, "rb").read()
    return files


def run(*argv):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def pack(name, data):
    """The ways in which distributions pack modules."""
    packed = {".xz": lzma.compress(data, check=lzma.CHECK_CRC32), ".gz": gzip.compress(data, mtime=0)}
    if shutil.which("zstd"):
        packed[".zst"] = subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE).stdout
    return {name + suffix: text for suffix, text in packed.items()}


def samples(seeds):
    data = os.path.join(TESTS, "data")
    for name, program in (("sample", "a64"), ("sample-a32", "a32"), ("sample-ptm", "a32"), ("sample-t32", "t32"),
                          ("sample-etmv3", "a32"), ("sample-trbe", "a64")):
        path = "opt/cstrace-sample/sample." + program
        files = {"perf.data": open(os.path.join(data, name + ".perf.data"), "rb").read(),
                 "symfs/" + path: open(os.path.join(data, "symfs", path), "rb").read()}
        seeds.put_some(name, files, ["--symfs=@/symfs"], 3)


def bare(seeds, case, trace):
    """The frames of a snapshot as a file of a probe."""
    fmt, line = BARE_LINES[case]
    if fmt != "aligned":
        trace = port.tpiu([trace[at:at + 16] for at in range(0, len(trace), 16)], random.Random(case), fmt != "dstream")
    if fmt == "dstream":
        trace = port.dstream(trace)
    elf = open(os.path.join(TESTS, "data/symfs/opt/cstrace-sample/sample.a64"), "rb").read()
    seeds.put("bare-%d" % case, line, {"trace.bin": trace, "elf": elf})


def generated(seeds, gen, tmp):
    for case, more in enumerate(RANDOM):
        perf, images, snapshot = (os.path.join(tmp, "%s%d" % (n, case)) for n in ("perf", "images", "snapshot"))
        run(gen, "random", "--case", str(case), "--insns=3000", "--perf", perf, "--images", images, "--prefix", "/img",
            *more.split())
        if os.path.exists(perf):
            files = {"perf.data": open(perf, "rb").read(), **tree(images, "symfs/img")}
            seeds.put_some("random%d" % case, files, ["--symfs=@/symfs"] + ["--input=-"] * (more == "--pipe"), 3)
        if case < len(BARE_LINES):
            run(gen, "random", "--case", str(case), "--insns=3000", "--snapshot", snapshot)
            files = tree(snapshot, "snapshot")
            seeds.put_some("snapshot%d" % case, files, [], 4, SNAPSHOT_LINES)
            bare(seeds, case, files["snapshot/trace0.bin"])


def scenario_options(truth):
    """The options of an `expect` file; a value may be in the line behind its option."""
    options = []
    for line in open(os.path.join(truth, "expect")):
        if not line.startswith("option "):
            continue
        word = line.split(" ", 1)[1].strip().replace("@", "@/symfs")
        if word.startswith("--"):
            options.append(word)
        else:
            options[-1] += "=" + word
    return options


def scenarios(seeds, gen, tool, tmp):
    for number, name in enumerate(line.split()[0] for line in run(gen, "scenario").stdout.decode().splitlines()):
        folder = os.path.join(tmp, name)
        perf, truth, symfs = (os.path.join(folder, n) for n in ("perf.data", "truth", "symfs"))
        os.makedirs(folder)
        run(gen, "scenario", name, "--case", "1", "--perf", perf, "--truth", truth, "--symfs", symfs)
        if os.path.isdir(perf):
            files, options = tree(perf, "rec"), ["--input=@/rec"]
        else:
            files, options = {"perf.data": open(perf, "rb").read()}, []
        files.update(tree(symfs, "symfs"))
        if name in ("jit-unknown", "jit-files"):
            files["symfs/tmp/perf-1000.map"] = PERF_MAP
        options += ["--symfs=@/symfs"] + scenario_options(truth)
        seeds.put_some(name, files, options)
        if name in ("modules", "phone-modules"):
            packed = {}
            for path, data in files.items():
                packed.update(pack(path, data) if path.endswith(".ko") else {path: data})
            for suffix in (".xz", ".gz", ".zst"):
                few = {p: d for p, d in packed.items() if ".ko." not in p or p.endswith(suffix)}
                seeds.put_some(name + suffix, few, options, 1)
        if os.path.exists(tool) and "--input=@/rec" not in options:
            from_tool(seeds, tool, name, number, files, options, folder)


def from_tool(seeds, tool, name, number, files, options, folder):
    """Packages and indexes of a recording."""
    perf, symfs = os.path.join(folder, "perf.data"), os.path.join(folder, "symfs")
    real = [o.replace("@/symfs", symfs) for o in options]
    if number % 3 == 0 and not name.startswith("windows"):  # for which a package has no place
        package = os.path.join(folder, "package")
        run(tool, "convert", "-i", perf, "--to=package", "--images", "-o", package, *real)
        contextid = [o for o in options if o.startswith("--contextid")]
        seeds.put_some("package-" + name, tree(package, "package"), contextid, 1, PACKAGE_LINES)
    if number % 4 == 0:
        index = os.path.join(folder, "index")
        run(tool, "index", "-i", perf, "-o", index, "--granularity=1024", *(["--full"] if number % 8 else []), *real)
        with_index = dict(list(files.items())[:1] + [("perf.data.cstidx", open(index, "rb").read())] + list(files.items())[1:])
        seeds.put("index-%s" % name, " ".join(["script --itrace=b --time=40%-60%"] + options), with_index)
        seeds.put("from-%s" % name, " ".join(["dump --elements --from=offset=2048 --index=@/perf.data.cstidx"] + options), with_index)
        seeds.put("show-%s" % name, "index --show", with_index)


# Names that a runtime wrote down for generated code (scenario.h, JIT).
PERF_MAP = b"".join(b"%x %x function%d\n" % (0xffffa0000000 + at, 64, at) for at in range(0, 4096, 64))

SOFTWARE = {
    "STM": ("STMTCSR=0x00100001", "fuzz_stm"), "ITM": ("ITMTCR=0x00110009", "fuzz_itm"),
}


def software(seeds):
    """STM and ITM sources, whose trace is that of the seeds of their own targets."""
    for kind, (register, target) in SOFTWARE.items():
        corpus = os.path.join(HERE, "corpus", target)
        for number, name in enumerate(sorted(os.listdir(corpus))[:4]):
            device = "[device]\nname=SRC\nclass=trace_source\ntype=%s\n[regs]\n%s\n" % (kind, register)
            files = {
                "snapshot/snapshot.ini": "[snapshot]\nversion=1.0\n[device_list]\na=device_1.ini\n[trace]\nmetadata=trace.ini\n",
                "snapshot/device_1.ini": device,
                "snapshot/trace.ini": "[trace_buffers]\nbuffers=b1\n[b1]\nname=ETB_0\nfile=cstrace.bin\nformat=source_data\n"
                                      "[source_buffers]\nSRC=ETB_0\n",
            }
            files = {path: text.encode() for path, text in files.items()}
            files["snapshot/cstrace.bin"] = open(os.path.join(corpus, name), "rb").read()
            seeds.put_some("%s%d" % (kind.lower(), number), files, [], 2, SNAPSHOT_LINES[:3])


def others(seeds):
    """Seeds of the targets of single readers, as recordings and packages."""
    corpus = os.path.join(HERE, "corpus")
    for name in sorted(os.listdir(os.path.join(corpus, "fuzz_session"))):
        data = open(os.path.join(corpus, "fuzz_session", name), "rb").read()
        seeds.put_some("session-" + name, {"perf.data": data}, [], 2)
    for name in sorted(os.listdir(os.path.join(corpus, "fuzz_perfdata"))):
        data = open(os.path.join(corpus, "fuzz_perfdata", name), "rb").read()
        seeds.put_some("perfdata-" + name, {"perf.data": data}, [], 1)
    for name in sorted(os.listdir(os.path.join(corpus, "fuzz_import"))):
        parts = open(os.path.join(corpus, "fuzz_import", name), "rb").read().split(b"\x1c", 4)
        places = ("contents.ini", "trace.ini", "log", "perf.header", "buffer")
        seeds.put_some("convert-" + name, {"package/" + n: d for n, d in zip(places, parts)}, [], 2, PACKAGE_LINES)


def counts(seeds):
    """Count files for merge and report, and a list of them."""
    for number in range(6):
        maker = count_file.Maker(number, binaries=3, places=8)
        files = {"a.cst": count_file.write(maker.model(20)), "b.cst": count_file.write(maker.model(20)),
                 "list": b"# all\na.cst\n2,b.cst\n"}
        for name, line in (("one", "--weighted-input=1,@/a.cst"), ("both", "--weighted-input=1,@/a.cst --weighted-input=3,@/b.cst"),
                           ("out", "--weighted-input=18446744073709551615,@/a.cst --output=@/out"), ("list", "--input-files=@/list")):
            seeds.put("merge-%s%d" % (name, number), "merge " + line, files)
        seeds.put("report-counts%d" % number, "report --output=@/out", {"perf.data": files["a.cst"]})


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, seeds = sys.argv[1], Seeds(sys.argv[2])
    gen, tool = os.path.join(build, "tests/gen/cst-gen"), os.path.join(build, "perf-cstrace")
    for command in COMMANDS:
        seeds.put("help-" + command, command + " --help", {})
        seeds.put("names-" + command, command + " --list-opts", {})
    samples(seeds)
    others(seeds)
    software(seeds)
    counts(seeds)
    if not os.path.exists(gen):
        print("no %s, so no seeds from it" % gen, file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as tmp:
        generated(seeds, gen, tmp)
        scenarios(seeds, gen, tool, tmp)


if __name__ == "__main__":
    main()
