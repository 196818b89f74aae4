# SPDX-License-Identifier: BSD-3-Clause
"""What the program does to files: outputs that are inputs, terminals, modes, closed descriptors, FIFOs and devices
where files are expected, files that shrink while they are read, signals, and what convert --images copies."""
import errno
import glob
import itertools
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

import tap

TOOL = os.environ["PERF_CSTRACE"]
SHARED = os.environ.get("CSTRACE_SHARED", "../shared")
SAMPLE = "tests/data/sample.perf.data"
SYMFS = "tests/data/symfs"
PROGRAM = "opt/cstrace-sample/sample.a64"
TIME_LIMIT = 20
MOMENTS = 60 if os.environ.get("CSTRACE_NIGHTLY") else 20
REFUSED = "is one of the files that are read"
# With -o FILE each.
WRITERS = (("inject", "--itrace=i1000il16"), ("script", "--itrace=b", "-F", "ip,addr"), ("dump",),
           ("profile", "--format=autofdo"), ("index",), ("profile", "--format=cstrace"), ("profile", "--format=callgrind"),
           ("timeline",), ("timeline", "--format=perfetto"))


class Bad(Exception):
    pass


def run(*argv, code=0, says=(), **options):
    """The command's result, with its code and words on stderr checked."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    try:
        done = subprocess.run([TOOL, *argv], timeout=TIME_LIMIT, **options)
    except subprocess.TimeoutExpired:
        raise Bad("%s: no end within %d s" % (" ".join(argv), TIME_LIMIT))
    err = (done.stderr or b"").decode("utf-8", "replace")
    done.what = "%s: exit %d: %s" % (" ".join(argv), done.returncode, err[-600:])
    if "Sanitizer" in err or "runtime error:" in err:
        raise Bad(done.what)
    if done.returncode not in (code if isinstance(code, tuple) else (code,)):
        raise Bad("not exit %s: %s" % (code, done.what))
    for word in (says,) if isinstance(says, str) else says:
        if word not in err:
            raise Bad("no '%s': %s" % (word, done.what))
    done.err = err
    return done


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    return path


def mapped(pid, path):
    try:
        return path in read("/proc/%d/maps" % pid).decode()
    except OSError:
        return False


def tree(path):
    return sorted(os.path.relpath(os.path.join(d, n), path) for d, dirs, names in os.walk(path) for n in dirs + names)


class Suite:
    def __init__(self, folder):
        self.folder, self.number, self.failed = folder, 0, 0
        self.sample, self.mess = read(SAMPLE), []
        self.timed, self.images_of_timed = folder + "/timed", folder + "/images"
        os.mkdir(self.images_of_timed)
        subprocess.run([os.environ["CST_GEN"], "random", "--case", "3", "--insns", "3000", "--perf", self.timed, "--images",
                        self.images_of_timed, "--prefix", "", "--buf=cpu", "--cpus=2", "--timed"], check=True,
                       stdout=subprocess.DEVNULL)
        self.window = ("--symfs", self.images_of_timed, "--time", "10%-20%", "--itrace=b", "-F", "ip")

    def new(self):
        """An empty folder."""
        return tempfile.mkdtemp(dir=self.folder)

    def case(self, title, test):
        self.number += 1
        try:
            skipped = test()
            print("ok %d - %s%s" % (self.number, title, " # SKIP " + skipped if skipped else ""), flush=True)
        except Bad as bad:
            self.failed += 1
            print("not ok %d - %s" % (self.number, title))
            print("# " + str(bad).replace("\n", "\n# "), flush=True)

    def package(self):
        place = self.new() + "/package"
        run("convert", "-i", SAMPLE, "--symfs", SYMFS, "--to=package", "--images", "-o", place)
        return place

    def snapshot(self):
        place = self.new() + "/snapshot"
        run("convert", "-i", SAMPLE, "--symfs", SYMFS, "--to=snapshot", "-o", place)
        return place

    def directory(self):
        """A directory as perf record --kcore makes it, without code in its kcore."""
        place = self.new() + "/perf.data"
        write(place + "/data", self.sample)
        return place

    # ---- outputs that are inputs -----------------------------------------------------------------

    def kept(self, path, *argv, **options):
        before = read(path)
        done = run(*argv, code=1, says=REFUSED, **options)
        if read(path) != before:
            raise Bad("%s was replaced: %s" % (path, " ".join(argv)))
        return done

    def own_input(self):
        for command in WRITERS:
            d = self.new()
            path = write(d + "/in", self.sample)
            os.symlink("in", d + "/symbolic")
            os.link(path, d + "/hard")
            for name in ("in", "symbolic", "hard", "./../%s/in" % os.path.basename(d)):
                self.kept(path, *command, "-i", path, "--symfs", SYMFS, "-o", d + "/" + name)
                self.kept(path, *command, "-i", d + "/symbolic", "--symfs", SYMFS, "-o", d + "/" + name)
            if sorted(os.listdir(d)) != ["hard", "in", "symbolic"]:
                raise Bad("left behind: %s" % os.listdir(d))
            with open(path, "rb") as f:
                self.kept(path, *command, "-i", "-", "--symfs", SYMFS, "-o", path, stdin=f)
            # before decoding, so also where there is nothing to write
            done = self.kept(path, *command, "-i", path, "--symfs", self.new(), "-o", path)
            if "missing code" in done.err:
                raise Bad("refused after decoding: " + done.what)

    def other_inputs(self):
        d = self.new()
        root = d + "/root"
        shutil.copytree(SYMFS, root)
        names = write(d + "/kallsyms", b"ffff800010080000 T _text\n")
        kernel = write(d + "/vmlinux", read(SYMFS + "/" + PROGRAM))
        for command in (c for c in WRITERS if c[0] not in ("dump", "index")):
            argv = (*command, "-i", SAMPLE, "--symfs", root)
            self.kept(root + "/" + PROGRAM, *argv, "-o", root + "/" + PROGRAM)
            self.kept(names, *argv, "--kallsyms", names, "-o", names)
            self.kept(kernel, *argv, "--vmlinux", kernel, "-o", kernel)
        path = write(d + "/in", read(self.timed))
        run("index", "-i", path)
        index = path + ".cstidx"
        self.kept(index, "dump", "-i", path, "--symfs", SYMFS, "--from=offset=100", "-o", index)

    def named_inputs(self):
        """Files that options name, and those of lists, for every output of a command, before anything is written."""
        d = self.new()
        counts, other, lists = d + "/counts", d + "/other", d + "/branches"
        for path, form in ((counts, "cstrace"), (other, "cstrace"), (lists, "branch-list")):
            run("profile", "-i", SAMPLE, "--symfs", SYMFS, "--format=" + form, "-o", path)
        names = write(d + "/names", (counts + "\n").encode())
        old = write(d + "/old", b"old")
        elf = write(d + "/elf", read(SYMFS + "/" + PROGRAM))
        tarmac = write(d + "/tarmac", b"0 clk cpu0 IT (0) 00001000 d503201f O EL0t : NOP\n")
        data = write(d + "/data", self.sample)
        commands = (
            (names, "merge", "-f", names), (counts, "merge", "-f", names), (counts, "merge", "--weighted-input=2," + counts, other),
            (counts, "merge", "--subtract", counts, other), (lists, "merge", lists, lists), (elf, "merge", "-k", elf, counts),
            (counts, "profile", "-i", counts, "--symfs", SYMFS, "--format=top"),
            (counts, "profile", "-i", data, "--symfs", SYMFS, "--format=top", "--base", counts),
            (lists, "profile", "-i", lists, "--symfs", SYMFS), (lists, "profile", "-i", lists, "--symfs", SYMFS, "--format=cstrace"),
            (elf, "profile", "-i", data, "--symfs", SYMFS, "--vmlinux", elf), (data, "profile", "-i", data, "--symfs", SYMFS),
            (elf, "inject", "-i", data, "--symfs", SYMFS, "--guestvmlinux", elf))
        for path, *argv in commands:
            self.kept(path, *argv, "-o", path)
            self.kept(path, *argv, "-o", old, "--summary", path)
            if read(old) != b"old":
                raise Bad("the output was written, and the summary refused: %s" % argv)
        for path, *argv in ((tarmac, "compare", "-i", SAMPLE, "--symfs", SYMFS, "--tarmac", tarmac),
                            (data, "compare", "-i", SAMPLE, "--symfs", SYMFS, "--with", data)):
            self.kept(path, *argv, "-o", path)
        with open(names, "rb") as f:
            self.kept(names, "merge", "-f", "-", "-o", names, stdin=f)
        with open(counts, "rb") as f:
            self.kept(counts, "merge", "-", "-o", counts, stdin=f)

    def one_place(self):
        """Two outputs of one command that lead to one place: the file of before stays."""
        counts = self.new() + "/counts"
        run("profile", "-i", SAMPLE, "--symfs", SYMFS, "--format=cstrace", "-o", counts)
        commands = (("profile", "-i", SAMPLE, "--symfs", SYMFS), ("profile", "-i", SAMPLE, "--symfs", SYMFS, "--format=cstrace"),
                    ("inject", "-i", SAMPLE, "--symfs", SYMFS, "--itrace=b"), ("merge", counts))
        says = "the output goes there, too"
        for argv in commands:
            d = self.new()
            os.symlink("new", d + "/link")
            os.symlink(".", d + "/here")
            for a, b in (("new", "new"), ("new", "./new"), ("new", "link"), ("link", "here/new")):
                run(*argv, "-o", d + "/" + a, "--summary", d + "/" + b, code=129, says=says)
                if sorted(os.listdir(d)) != ["here", "link"]:
                    raise Bad("left behind: %s" % os.listdir(d))
            write(d + "/new", b"old")
            run(*argv, "-o", d + "/link", "--summary", d + "/new", code=129, says=says)
            for out, summary in (("-", d + "/new"), (d + "/new", "-"), ("-", "/dev/stdout")):
                with open(d + "/new", "ab") as f:
                    run(*argv, "-o", out, "--summary", summary, code=129, says=says, stdout=f)
            if read(d + "/new") != b"old":
                raise Bad("the file of before was replaced: %s" % (argv,))
            run(*argv, "-o", "/dev/null", "--summary", "/dev/null")

    def link_as_index(self):
        """The index that is found is a link to the recording: it is no index, and must not be made anew."""
        d = self.new()
        path = write(d + "/in", read(self.timed))
        os.symlink("in", path + ".cstidx")
        run("dump", "-i", path, "--symfs", SYMFS, "--from=offset=100", code=(0, 3, 5), says="not an index")
        if read(path) != read(self.timed):
            raise Bad("the recording was replaced by an index")

    def index_anew(self):
        """An index that is found and no good is replaced, although it was read."""
        d = self.new()
        path = write(d + "/in", read(self.timed))
        run("index", "-i", path)
        good = read(path + ".cstidx")
        write(path + ".cstidx", good[:-9])
        run("dump", "-i", path, "--symfs", SYMFS, "--from=offset=100", code=(0, 3, 5), says="made anew")
        if read(path + ".cstidx") != good:
            raise Bad("the damaged index was not made anew")

    def members(self):
        for make, pattern in ((self.package, "**"), (self.snapshot, "*"), (self.directory, "*")):
            place = make()
            files = [f for f in glob.glob(place + "/" + pattern, recursive=True) if os.path.isfile(f)]
            for path in files:
                self.kept(path, "script", "-i", place, "--itrace=b", "--symfs", SYMFS, "-F", "ip", "-o", path)
        place = self.snapshot()
        for path in glob.glob(place + "/*"):
            done = self.kept(path, "dump", "-s", place, "--log", "-o", path)
            if "log:" in done.err:
                raise Bad("refused after decoding: " + done.what)

    def standard_output(self):
        d = self.new()
        path = write(d + "/in", self.sample)
        for command in (*WRITERS[1:4], ("info",)):
            with open(path, "ab") as f:
                run(*command, "-i", path, "--symfs", SYMFS, stdout=f, code=1, says="standard output")
            if read(path) != self.sample:
                raise Bad("%s appended to its input" % command[0])

    def terminal(self):
        package = self.package()
        for argv, text in ((("inject", "-i", SAMPLE, "--symfs", SYMFS), False),
                           (("inject", "-i", SAMPLE, "--symfs", SYMFS, "-o", "-"), False),
                           (("convert", "-i", package, "--to=perf", "-o", "-"), False),
                           (("index", "-i", SAMPLE, "-o", "/dev/stdout"), False),
                           (("dump", "-i", SAMPLE, "--symfs", SYMFS, "--format=none"), True)):
            ends = tap.terminal()
            if not ends:
                return "no terminal can be opened: is /dev/pts there?"
            ours, theirs = ends
            done = run(*argv, stdout=theirs, code=0 if text else 1, says=() if text else "terminal")
            os.close(theirs)
            try:
                shown = os.read(ours, 1 << 16)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                shown = b""
            os.close(ours)
            if bool(shown) != text:
                raise Bad("%d bytes on the terminal: %s" % (len(shown), done.what))

    def modes(self):
        for mask in (0o022, 0o077, 0o002, 0):
            for command in WRITERS:
                d = self.new()
                for name, mode, want in (("new", None, 0o666 & ~mask), ("wide", 0o664, 0o664), ("narrow", 0o600, 0o600),
                                         ("program", 0o755, 0o755)):
                    if mode:
                        os.chmod(write(d + "/" + name, b"old"), mode)
                    run(*command, "-i", SAMPLE, "--symfs", SYMFS, "-o", d + "/" + name, umask=mask)
                    self.has_mode(d + "/" + name, want)
            d = self.new()
            os.mkdir(d + "/old")
            os.chmod(d + "/old", 0o750)
            for name, want in (("new", 0o777 & ~mask), ("old", 0o750)):
                run("convert", "-i", SAMPLE, "--symfs", SYMFS, "--to=package", "--images", "-o", d + "/" + name, umask=mask)
                self.has_mode(d + "/" + name, want)
                self.has_mode(d + "/" + name + "/images", 0o777 & ~mask)
                self.has_mode(d + "/" + name + "/contents.ini", 0o666 & ~mask)
                self.has_mode(d + "/" + name + "/perf.header", 0o666 & ~mask)

    @staticmethod
    def has_mode(path, want):
        mode = stat.S_IMODE(os.stat(path).st_mode)
        if mode != want:
            raise Bad("%s has mode %o, not %o" % (os.path.basename(path), mode, want))

    # ---- descriptors -----------------------------------------------------------------------------

    @staticmethod
    def without(descriptors):
        def close():
            for fd in descriptors:
                os.close(fd)
        return close

    def closed(self):
        subsets = [s for n in (1, 2, 3) for s in itertools.combinations(range(3), n)]
        d = self.new()
        for command in WRITERS:
            argv = (*command, "-i", SAMPLE, "--symfs", SYMFS, "-o")
            run(*argv, d + "/whole")
            for subset in subsets:
                run(*argv, d + "/out", preexec_fn=self.without(subset))
                if read(d + "/out") != read(d + "/whole"):
                    raise Bad("%s without descriptors %s: another output" % (command[0], subset))
                # those that write to standard output without -o
                if 1 in subset and command[0] not in ("index", "timeline"):
                    run(*argv[:-1], code=1, says=() if 2 in subset else "tandard output",
                        preexec_fn=self.without(subset))
        whole = self.package()
        for subset in subsets:
            place = self.new() + "/package"
            run("convert", "-i", SAMPLE, "--symfs", SYMFS, "--to=package", "--images", "-o", place,
                preexec_fn=self.without(subset))
            if tree(place) != tree(whole) or any(
                    read(place + "/" + n) != read(whole + "/" + n) for n in tree(whole) if os.path.isfile(whole + "/" + n)):
                raise Bad("convert without descriptors %s: another package" % (subset,))
            for argv in (("info", "-i", SAMPLE, "--symfs", SYMFS), ("--help",), ("--version",), ("script", "--help"),
                         ("index", "-i", SAMPLE, "--show"), ("--list-cmds",)):
                done = run(*argv, code=(0, 1), preexec_fn=self.without(subset))
                if 1 in subset and done.returncode != 1:
                    raise Bad("no error without standard output: " + done.what)
        for subset in ((0,), (0, 1), (0, 2), (0, 1, 2)):
            run("script", "-i", "-", "-o", d + "/out2", code=1, preexec_fn=self.without(subset))
            if os.path.exists(d + "/out2"):
                raise Bad("an output without input")

    # ---- FIFOs, devices --------------------------------------------------------------------------

    def special(self, path, device):
        if os.path.lexists(path):
            os.unlink(path)
        if device:
            os.symlink("/dev/zero", path)
        else:
            os.mkfifo(path)

    def not_files(self):
        for device in (False, True):
            d = self.new()
            path = write(d + "/in", read(self.timed))
            index = path + ".cstidx"
            self.special(index, device)
            run("dump", "-i", path, "--from=offset=100", code=(0, 3, 5), says=(index, "not a regular file"))
            run("index", "-i", path, code=1, says=(index, "not a regular file"))
            run("index", "-i", path, "--show", code=1, says=(index, "not a regular file"))
            run("dump", "-i", path, "--from=offset=100", "--index", index, code=1, says=(index, "not a regular file"))
            path = write(d + "/in", self.sample)
            place = self.directory()
            self.special(place + "/data", device)
            run("info", "-i", place, code=1, says=(place + "/data", "not a regular file"))
            place = self.directory()
            self.special(place + "/data.0", device)
            run("info", "-i", place, code=1, says=(place + "/data.0", "not a regular file"))
            place = self.directory()
            os.mkdir(place + "/kcore_dir")
            for name in ("kcore", "kallsyms", "modules"):
                self.special(place + "/kcore_dir/" + name, device)
            run("script", "-i", place, "--symfs", SYMFS, "--itrace=b", "-F", "ip")
            run("convert", "-i", place, "--symfs", SYMFS, "--to=package", "-o", d + "/package", code=3, says="kallsyms")
            root = d + "/root"
            shutil.copytree(SYMFS, root)
            self.special(root + "/" + PROGRAM, device)
            run("script", "-i", path, "--symfs", root, "--itrace=b", "-F", "ip", code=5, says=PROGRAM)
            for option in ("--kallsyms", "--jitdump"):
                run("script", "-i", path, "--symfs", SYMFS, option, root + "/" + PROGRAM, "--itrace=b", "-F", "ip",
                    code=(0, 1))
            for make in (self.package, self.snapshot):
                for n in range(20):
                    place = make()
                    files = sorted(f for f in glob.glob(place + "/**", recursive=True) if os.path.isfile(f))
                    if n >= len(files):
                        break
                    self.special(files[n], device)
                    run("script", "-i", place, "--itrace=b", "-F", "ip", code=(1, 3, 5))
                    run("info", "-i", place, code=(0, 1, 3, 5))

    # ---- files that shrink -----------------------------------------------------------------------

    def shrinks(self, argv, path, size, want_signal_text=True):
        """The command writes to a FIFO. When the file is mapped and the FIFO is full or not open yet, it is cut."""
        fifo = self.new() + "/fifo"
        os.mkfifo(fifo)
        keep = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)    # the writer can open it, and fills it
        proc = subprocess.Popen([TOOL, *argv, "-o", fifo], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        end = time.monotonic() + TIME_LIMIT
        while not mapped(proc.pid, path) and proc.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.2)
        if proc.poll() is not None:
            raise Bad("%s ended before the file was cut" % argv[0])
        os.truncate(path, size)
        while proc.poll() is None and time.monotonic() < end:
            try:
                os.read(keep, 1 << 16)
            except BlockingIOError:
                time.sleep(0.01)
        os.close(keep)
        if proc.poll() is None:
            proc.kill()
            raise Bad("%s: no end" % argv[0])
        err = proc.stderr.read().decode()
        if proc.returncode != 1 or path not in err or "shorter" not in err:
            raise Bad("%s: exit %d: %s" % (" ".join(argv), proc.returncode, err[-400:]))

    def shrinking(self):
        for cut in (4096, -1):
            for argv in (("dump",), ("script", "--itrace=i10i", "-F", "ip,sym,addr")):
                path = write(self.new() + "/in", self.sample)
                self.shrinks((*argv, "-i", path, "--symfs", SYMFS), path, cut if cut > 0 else len(self.sample) - 1)
            root = self.new() + "/root"
            shutil.copytree(SYMFS, root)
            program = root + "/" + PROGRAM
            self.shrinks(("script", "--itrace=i10i", "-F", "ip,sym,addr", "-i", SAMPLE, "--symfs", root), program,
                         0 if cut > 0 else os.path.getsize(program) - 1)
        place = self.snapshot()
        path = max((f for f in glob.glob(place + "/*")), key=os.path.getsize)
        self.shrinks(("dump", "-s", place, "--source", "all"), path, 0)
        # of a package, whose trace is in memory
        place = self.package()
        self.shrinks(("script", "--itrace=i10i", "-F", "ip,sym,addr", "-i", place), place + "/images/" + PROGRAM, 0)

    # ---- signals ---------------------------------------------------------------------------------

    def killed(self, argv, place, number, after, scratch):
        env = dict(os.environ, TMPDIR=scratch)
        proc = subprocess.Popen([TOOL, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env=env)
        time.sleep(after)
        proc.send_signal(number)
        code = proc.wait(timeout=TIME_LIMIT)
        if code not in (0, 3, -number):
            raise Bad("%s: exit %d after signal %d" % (" ".join(argv), code, number))
        if os.listdir(scratch) or os.listdir(os.path.dirname(place)) not in ([], [os.path.basename(place)]):
            raise Bad("%s: left after signal %d: %s %s" % (" ".join(argv), number, os.listdir(os.path.dirname(place)),
                                                           os.listdir(scratch)))
        if code < 0 and os.path.exists(place) and not self.whole(place):
            raise Bad("%s: part of an output after signal %d" % (" ".join(argv), number))
        return code < 0

    def whole(self, place):
        return tree(place) == self.expected if os.path.isdir(place) else read(place) == self.expected

    def signals(self):
        rng = random.Random(1)
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
        for command in (*WRITERS, ("convert", "--to=package", "--images"), ("convert", "--to=snapshot")):
            scratch = self.new()
            argv = (*command, "-i", SAMPLE, "--symfs", SYMFS, "-o")
            place = self.new() + "/out"
            start = time.monotonic()
            run(*argv, place)
            took = time.monotonic() - start
            self.expected = tree(place) if os.path.isdir(place) else read(place)
            for i in range(MOMENTS):
                place = self.new() + "/out"
                self.killed((*argv, place), place, numbers[i % len(numbers)], rng.random() * took, scratch)
                shutil.rmtree(os.path.dirname(place))

    def stopped_while_writing(self):
        """The folder is there: convert waits until somebody reads what it says about the missing image."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
            d = self.new()
            ours, theirs = os.pipe()
            os.set_blocking(theirs, False)
            with open(os.devnull, "rb") as null:
                try:
                    while True:
                        os.write(theirs, bytes(4096))
                except BlockingIOError:
                    pass
                os.set_blocking(theirs, True)
                proc = subprocess.Popen([TOOL, "convert", "-i", SAMPLE, "--symfs", d, "--to=package", "--images", "-o",
                                         d + "/package"], stdin=null, stdout=null, stderr=theirs)
            end = time.monotonic() + TIME_LIMIT
            while not os.listdir(d) and proc.poll() is None and time.monotonic() < end:
                time.sleep(0.01)
            found = os.listdir(d)
            proc.send_signal(number)
            code = proc.wait(timeout=TIME_LIMIT)
            os.close(ours)
            os.close(theirs)
            if not found or code != -number or os.listdir(d):
                raise Bad("signal %d: exit %d, before: %s, left: %s" % (number, code, found, os.listdir(d)))

    def ignored(self):
        """nohup: what the caller ignores stays ignored."""
        d = self.new()
        proc = subprocess.Popen([TOOL, "dump", "-i", SAMPLE, "--symfs", SYMFS, "-o", d + "/out"], stderr=subprocess.PIPE,
                                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        proc.send_signal(signal.SIGHUP)
        if proc.wait(timeout=TIME_LIMIT) or not os.path.exists(d + "/out"):
            raise Bad("ended by a signal that was ignored")
        proc.stderr.close()

    # ---- convert --images, --symfs ---------------------------------------------------------------

    def images(self, recording, code, *argv, says=()):
        place = self.new() + "/package"
        run("convert", "-i", recording, "--to=package", "--images", "-o", place, *argv, code=code, says=says)
        return tree(place + "/images") if os.path.isdir(place + "/images") else []

    def elsewhere(self, content):
        """A copy of the sample that names a file in /tmp instead of its program, with this content."""
        d = tempfile.mkdtemp(prefix="x", dir="/tmp")
        self.mess.append(d)
        old = b"/" + PROGRAM.encode()
        new = (d + "/").encode()
        new += b"p" * (len(old) - len(new))
        if len(new) != len(old):
            raise Bad("temporary folder with a long name")
        write(new.decode(), content)
        return write(self.new() + "/in", self.sample.replace(old, new))

    def not_programs(self):
        """Text of this machine that a recording names; the same below --symfs is raw code."""
        secret = b"root:x:0:0:" + bytes(range(256)) * 16
        recording = self.elsewhere(secret)
        snapshot = self.new() + "/snapshot"
        for option in ((), ("-f",), ("--symfs", "/"), ("--symfs", "/tmp/..")):
            if self.images(recording, 3, *option, says="not an ELF file"):
                raise Bad("copied with %s" % (option,))
            run("convert", "-i", recording, "--to=snapshot", "-o", snapshot, *option, code=(1, 3, 5), says="not an ELF file")
            if glob.glob(snapshot + "/mem*"):
                raise Bad("a snapshot with what is no program")
            shutil.rmtree(snapshot, ignore_errors=True)
        root = self.new()
        write(root + "/" + PROGRAM, secret)
        if PROGRAM not in self.images(SAMPLE, 3, "--symfs", root):
            raise Bad("raw code below --symfs was not copied")
        if os.path.exists(SHARED + "/repro/etc-passwd.perf.data"):
            found = self.images(SHARED + "/repro/etc-passwd.perf.data", 3, says="/etc/passwd")
            if any("passwd" in n for n in found):
                raise Bad("copied: %s" % found)

    def links(self):
        outside = self.new()
        write(outside + "/program", read(SYMFS + "/" + PROGRAM))
        for target in (outside + "/program", os.path.relpath(outside + "/program", os.path.dirname(
                os.path.realpath(self.folder) + "/x/root/" + PROGRAM))):
            root = self.folder + "/x/root"
            shutil.rmtree(root, ignore_errors=True)
            os.makedirs(os.path.dirname(root + "/" + PROGRAM))
            os.symlink(target, root + "/" + PROGRAM)
            if self.images(SAMPLE, 3, "--symfs", root, says=PROGRAM):
                raise Bad("a link led out of --symfs: " + target)
            run("script", "-i", SAMPLE, "--symfs", root, "--itrace=b", "-F", "ip", code=5, says=PROGRAM)
        shutil.rmtree(root)
        # as in the target's file system: absolute, and relative to places that are links
        write(root + "/data/programs/v2/a64", read(SYMFS + "/" + PROGRAM))
        os.symlink("/data/../../../data", root + "/opt")
        os.symlink("programs/./v2", root + "/data/cstrace-sample")
        os.symlink("../../../../data/programs/v2/a64", root + "/data/programs/v2/sample.a64")
        run("script", "-i", SAMPLE, "--symfs", root, "--itrace=b", "-F", "ip", code=0)
        if PROGRAM not in self.images(SAMPLE, 0, "--symfs", root):
            raise Bad("not copied through links inside --symfs")

    def this_machine(self):
        """The recording names a program of this machine; nothing says that it is the same."""
        recording = self.elsewhere(read(SYMFS + "/" + PROGRAM))
        if self.images(recording, 3, says=("no build-id", "--symfs /")):
            raise Bad("copied without a build-id")
        for option in (("--symfs", "/"), ("-f",)):
            if not self.images(recording, 0, *option):
                raise Bad("not copied with %s" % (option,))
        snapshot = self.new() + "/snapshot"
        run("convert", "-i", recording, "--to=snapshot", "-o", snapshot, code=3, says="no build-id")
        if glob.glob(snapshot + "/mem*"):
            raise Bad("a snapshot with a file of this machine")
        for option in (("--symfs", "/"), ("-f",)):
            shutil.rmtree(snapshot, ignore_errors=True)
            run("convert", "-i", recording, "--to=snapshot", "-o", snapshot, *option)

    def package_links(self):
        """A package from a stranger: its members are links to files of this machine."""
        for target in (os.path.abspath(SYMFS + "/" + PROGRAM), "../" * 20 + os.path.abspath(SYMFS + "/" + PROGRAM)[1:]):
            place = self.package()
            member = place + "/images/" + PROGRAM
            os.unlink(member)
            os.symlink(target, member)
            run("script", "-i", place, "--itrace=b", "-F", "ip", code=5)
        place = self.directory()
        os.mkdir(place + "/kcore_dir")
        os.symlink("/etc/passwd", place + "/kcore_dir/kallsyms")
        write(place + "/kcore_dir/modules", b"root:x:0:0:root:/root:/bin/sh\n")
        out = self.new() + "/package"
        done = run("convert", "-i", place, "--to=package", "-o", out, code=3,
                   says=("modules", place + "/kcore_dir/kallsyms: a link that leads nowhere in " + place))
        if "kcore_dir/kcore" in done.err:
            raise Bad("a file that is not there is missed: %s" % done.err)
        if os.path.exists(out + "/kcore_dir"):
            raise Bad("copied: %s" % tree(out))
        place = self.directory()
        os.symlink("/", place + "/kcore_dir")   # nothing below it is searched
        run("info", "-i", place, "--symfs", SYMFS, code=(0, 3, 5))

    # ---- odd records under the sanitizers --------------------------------------------------------

    def sanitized(self):
        tool = os.environ["BUILD"] + "/asan/perf-cstrace"
        odd = SHARED + "/repro/misaligned-sideband202.perf.data"
        if not os.path.exists(tool) or not os.path.exists(odd):
            return "no sanitized build, or no shared data"
        d = self.new()
        for argv in (("inject", "-i", odd, "-o", d + "/out"), ("index", "-i", SAMPLE, "-o", d + "/index"),
                     ("dump", "-i", SAMPLE, "--format=none")):
            done = subprocess.run([tool, *argv, "--symfs", SYMFS], stdin=subprocess.DEVNULL, capture_output=True)
            if done.returncode not in (0, 1, 3, 5) or b"runtime error" in done.stderr:
                raise Bad("%s: exit %d: %s" % (argv[0], done.returncode, done.stderr.decode()[:600]))
        return None


def main():
    # A shell starts what runs in the background with some of these ignored, and the programs would leave that so.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        s = Suite(folder)
        s.case("-o is the recording", s.own_input)
        s.case("-o is another file that is read", s.other_inputs)
        s.case("an output is a file that an option names", s.named_inputs)
        s.case("two outputs are one file", s.one_place)
        s.case("-o is a member of the input", s.members)
        s.case("the index is a link to the recording", s.link_as_index)
        s.case("a damaged index is made anew", s.index_anew)
        s.case("standard output is the recording", s.standard_output)
        s.case("nothing but text on a terminal", s.terminal)
        s.case("modes of outputs", s.modes)
        s.case("descriptors 0 to 2 closed", s.closed)
        s.case("FIFOs and devices in place of files", s.not_files)
        s.case("files that shrink while they are read", s.shrinking)
        s.case("signals at %d moments" % MOMENTS, s.signals)
        s.case("signals while a folder is written", s.stopped_while_writing)
        s.case("a signal that the caller ignores", s.ignored)
        s.case("images: no program", s.not_programs)
        s.case("--symfs: links", s.links)
        s.case("images: files of this machine", s.this_machine)
        s.case("packages and directories with links", s.package_links)
        s.case("odd records, sanitized", s.sanitized)
        for d in s.mess:
            shutil.rmtree(d)
        print("1..%d" % s.number)
        return s.failed > 0


sys.exit(main())
