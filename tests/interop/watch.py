#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""profile --watch=DIR over the files of perf record --switch-output: each is counted once when it is finished, whatever kills the
watch, and the sum has the bytes of a sum that is made at once. 40 files, nightly 500."""
import argparse
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NIGHTLY = os.environ.get("CSTRACE_NIGHTLY", "0") != "0"
FILES, KILLS = (500, 10) if NIGHTLY else (40, 5)


class Bad(Exception):
    pass


class Folder:
    """Recordings with their programs, and a folder that is watched."""
    def __init__(self, args, tmp):
        self.tool, self.tmp, self.n = args.tool, tmp, 0
        self.made, self.files = os.path.join(tmp, "made"), []
        os.mkdir(self.made)
        case = 2000
        while len(self.files) < FILES:
            case += 1
            path = os.path.join(self.made, "%d.data" % len(self.files))
            images = os.path.join(tmp, "images%d" % len(self.files))
            subprocess.run([args.gen, "random", "--case", str(case), "--insns", "400", "--perf", path, "--images", images],
                           check=True, capture_output=True)
            if self.count(path, path + ".cst") == 0:
                self.files.append(path)
            else:
                shutil.rmtree(images)

    def count(self, path, out):
        return subprocess.run([self.tool, "profile", "-i", path, "--symfs", "/", "--format=cstrace", "-o", out],
                              capture_output=True).returncode

    def expected(self, files):
        out = os.path.join(self.tmp, "expected")
        subprocess.run([self.tool, "merge", "-o", out, *[f + ".cst" for f in files]], check=True, capture_output=True)
        with open(out, "rb") as f:
            return f.read()

    def new(self):
        """An empty folder, and the name of its sum."""
        self.n += 1
        path = os.path.join(self.tmp, "in%d" % self.n)
        os.mkdir(path)
        return path, os.path.join(self.tmp, "sum%d" % self.n)

    def watch(self, folder, out, *options):
        self.lines = open(out + ".lines", "ab")
        self.errors = open(out + ".err", "ab")
        # a test in the background of a shell inherits that SIGINT is ignored
        return subprocess.Popen([self.tool, "profile", "--watch", folder, "--format=cstrace", "-o", out, "--symfs", "/", *options],
                                stdout=self.lines, stderr=self.errors,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def lines_of(out):
    with open(out + ".lines", encoding="utf-8") as f:
        return [tuple(line.rstrip("\n").split("\t")) for line in f]


def wait_for(what, condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Bad("not within %d s: %s" % (seconds, what))
        time.sleep(0.01)


def end(process, code, how=signal.SIGTERM):
    process.send_signal(how)
    got = process.wait(timeout=120)
    if got != code:
        raise Bad("exit code %d, not %d" % (got, code))


def same(out, want):
    with open(out, "rb") as f:
        if f.read() != want:
            raise Bad("%s: not the sum of all files" % out)


def as_perf(source, folder, name):
    """perf writes to perf.data, and renames it while it is still open."""
    path = os.path.join(folder, "perf.data")
    with open(source, "rb") as f, open(path, "wb") as to:
        data = f.read()
        to.write(data[:len(data) // 2])
        to.flush()
        time.sleep(0.005)
        to.write(data[len(data) // 2:])
        to.flush()
        os.rename(path, os.path.join(folder, name))


def counts_all(f):
    folder, out = f.new()
    p = f.watch(folder, out, "--interval", "1")
    for i, path in enumerate(f.files):
        as_perf(path, folder, "perf.data.20261130%04d" % i)
    wait_for("all counted", lambda: len(lines_of(out)) >= FILES)
    wait_for("a sum by itself", lambda: os.path.exists(out) and open(out, "rb").read() == f.expected(f.files))
    end(p, 0)
    same(out, f.expected(f.files))
    if sorted(lines_of(out)) != [("counted", "%s/perf.data.20261130%04d" % (folder, i)) for i in range(FILES)]:
        raise Bad("lines: %s" % lines_of(out)[:5])
    if len(os.listdir(folder)) != FILES:
        raise Bad("files are gone")


def survives(f):
    """Killed at any time, by SIGKILL and by SIGTERM, while files come; what is counted is deleted."""
    folder, out = f.new()
    some, at = FILES // (KILLS + 1), 0
    for k in range(KILLS + 1):
        p = f.watch(folder, out, "--delete", "--interval", "1")
        part = f.files[at:at + some] if k < KILLS else f.files[at:]
        for i, path in enumerate(part):
            # before and after the watch began
            as_perf(path, folder, "perf.data.%04d" % (at + i))
        at += len(part)
        if k < KILLS:
            time.sleep(0.05 * (k + 1))
            p.send_signal(signal.SIGKILL if k % 2 == 0 else signal.SIGTERM)
            p.wait()
    wait_for("an empty folder", lambda: not os.listdir(folder))
    p.send_signal(signal.SIGUSR1)
    wait_for("the sum when it is asked for", lambda: os.path.exists(out) and open(out, "rb").read() == f.expected(f.files))
    end(p, 0)
    same(out, f.expected(f.files))
    if {name for _, name in lines_of(out)} != {"%s/perf.data.%04d" % (folder, i) for i in range(FILES)}:
        raise Bad("not every file is reported")


def rotten(f):
    """Rotten files are named, stay, and stop nothing."""
    folder, out = f.new()
    with open(f.files[0], "rb") as g:
        data = g.read()
    for name, content in (("empty", b""), ("text", b"No space left on device\n"), ("head", data[:150]), ("half", data[:len(data) // 2]),
                          ("zeros", bytes(len(data)))):
        with open(os.path.join(folder, name), "wb") as g:
            g.write(content)
    os.mkdir(os.path.join(folder, "folder"))
    os.mkfifo(os.path.join(folder, "fifo"))
    os.symlink("nowhere", os.path.join(folder, "link"))
    shutil.copy(f.files[1], os.path.join(folder, ".hidden"))
    p = f.watch(folder, out, "--delete")
    as_perf(f.files[2], folder, "good")
    wait_for("six lines", lambda: len(lines_of(out)) == 6)
    end(p, 3)
    got = {name.rpartition("/")[2]: why for why, name in lines_of(out)}
    half = got.pop("half")
    if got != {"empty": "error", "text": "error", "head": "error", "zeros": "error", "good": "counted"} or half not in ("losses", "nothing"):
        raise Bad("%s %s" % (got, half))
    with open(out + ".culprits", encoding="utf-8") as g:
        culprits = sorted(line.rstrip("\n").split("\t")[0] for line in g)
    if culprits != sorted(["error"] * 4 + [half]):
        raise Bad("culprits: %s" % culprits)
    left = set(os.listdir(folder))
    if not {"empty", "text", "head", "zeros", "folder", "fifo", "link", ".hidden"} <= left or "good" in left:
        raise Bad("left: %s" % left)
    if half == "nothing":
        same(out, f.expected([f.files[2]]))


def odd_names(f):
    """A line is a word and a name, whatever bytes the name has, and printf %b gives the name back."""
    folder, out = f.new()
    names = ["a\tb", "c\nlosses\tx", "d\\te"]
    for i, name in enumerate(names):
        shutil.copy(f.files[i], os.path.join(folder, name))
    with open(os.path.join(folder, "rot\tten\n\\n"), "wb") as g:
        g.write(b"No space left on device\n")
    p = f.watch(folder, out)
    wait_for("four lines", lambda: len(lines_of(out)) >= 4)
    end(p, 3)
    lines = lines_of(out)
    if [len(line) for line in lines] != [2] * 4:
        raise Bad("lines: %s" % lines)
    got = {(why, subprocess.run(["printf", "%b", name], capture_output=True, text=True, check=True).stdout) for why, name in lines}
    bad = "%s/rot\tten\n\\n" % folder
    if got != {("counted", "%s/%s" % (folder, name)) for name in names} | {("error", bad)}:
        raise Bad("names: %s" % got)
    with open(out + ".culprits", encoding="utf-8") as g:
        if g.read() != "error\t%s/rot\\tten\\n\\\\n\n" % folder:
            raise Bad("culprits")


def in_writing(f):
    """A file that was there and is still written is counted when it is closed."""
    folder, out = f.new()
    with open(f.files[0], "rb") as g:
        data = g.read()
    with open(os.path.join(folder, "slow"), "wb") as g:
        g.write(data[:300])
        g.flush()
        p = f.watch(folder, out)
        as_perf(f.files[1], folder, "other")
        wait_for("the other", lambda: len(lines_of(out)) == 1)
        os.rename(os.path.join(folder, "slow"), os.path.join(folder, "renamed"))
        time.sleep(0.2)
        if len(lines_of(out)) != 1:
            raise Bad("counted while it was written: %s" % lines_of(out))
        g.write(data[300:])
    wait_for("both", lambda: len(lines_of(out)) == 2)
    end(p, 0, signal.SIGINT)
    same(out, f.expected(f.files[:2]))


def is_locked(path):
    """A run holds the lock: not only has it made the file."""
    try:
        with open(path, "rb") as g:
            fcntl.flock(g, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def ends(f):
    """The watch ends with its folder; without a file there is no sum; a second run is refused."""
    folder, out = f.new()
    p = f.watch(folder, out)
    wait_for("the state", lambda: is_locked(out + ".watch/lock"))
    second = subprocess.run([f.tool, "profile", "--watch", folder, "--format=cstrace", "-o", out], capture_output=True, text=True,
                            timeout=60)
    if second.returncode != 1 or "another run works at it" not in second.stderr:
        raise Bad("a second run: %d %s" % (second.returncode, second.stderr))
    time.sleep(0.1)
    os.rmdir(folder)
    if p.wait(timeout=60) != 5 or os.path.exists(out):
        raise Bad("exit code %d" % p.returncode)


def misuse(f):
    folder, out = f.new()
    for options in (["-o", out], ["--format=cstrace"], ["--format=cstrace", "-o", out, "-i", f.files[0]],
                    ["--format=cstrace", "-o", os.path.join(folder, "x")], ["--format=cstrace", "-o", out, "--interval", "0"],
                    ["--format=cstrace", "-o", out, "--summary=x"]):
        done = subprocess.run([f.tool, "profile", "--watch", folder, *options], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 129 or os.listdir(folder):
            raise Bad("%s: %d %s" % (options, done.returncode, done.stderr))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--gen", required=True)
    args = parser.parse_args()
    cases = (("%d files as perf makes them" % FILES, counts_all), ("killed %d times, what is counted is deleted" % KILLS, survives),
             ("rotten files", rotten), ("names with tabs and newlines", odd_names), ("a file in writing", in_writing), ("the end", ends),
             ("wrong usage", misuse))
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        f = Folder(args, tmp)
        for number, (name, case) in enumerate(cases, 1):
            try:
                case(f)
                print("ok %d - %s" % (number, name), flush=True)
            except (Bad, subprocess.SubprocessError, OSError) as e:
                failed += 1
                print("not ok %d - %s\n# %s" % (number, name, str(e).replace("\n", "\n# ")), flush=True)
    print("1..%d" % len(cases))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
