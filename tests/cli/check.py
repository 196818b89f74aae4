# SPDX-License-Identifier: BSD-3-Clause
"""perf-cstrace check: saved machines with what is printed of them, trees that mean harm, this machine, and the collector."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, "tests/cli")
import target_tree
from tap import Bad, run_cases

TOOL = os.path.abspath(os.environ.get("PERF_CSTRACE", "build/perf-cstrace"))
TARGETS = sorted(glob.glob("tests/data/targets/*.txt"))
LIMIT = 60
# make check takes a part of the long lists of cases.
NIGHTLY = bool(os.environ.get("CSTRACE_NIGHTLY"))
STEP = 1 if NIGHTLY else 50
SHELLS = ["sh", "bash", "busybox", "toybox"] if NIGHTLY else ["sh"]
COLLECTED = TARGETS if NIGHTLY else [path for path in TARGETS if re.search("juno|phone|v7|limits", path)]


def check(*args, code=None, env=None):
    proc = subprocess.run([TOOL, "check", *args], capture_output=True, timeout=LIMIT, env=env)
    out, err = proc.stdout.decode(), proc.stderr.decode()
    if code is not None and proc.returncode not in code:
        raise Bad("check %s: code %d\n%s%s" % (" ".join(args), proc.returncode, out, err))
    return proc.returncode, out, err


# ---- saved machines ----------------------------------------------------------------------------------


def printed(tree, options):
    code, out, err = check("--root", tree, *options.split())
    return ["exit %d" % code] + (out + err).replace(tree, "TREE").splitlines()


def saved(path):
    def case(folder):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        tree = os.path.join(folder, "tree")
        runs = target_tree.make(tree, text)
        if not runs:
            raise Bad("%s has no [run]" % path)
        made = [(options, lines, printed(tree, options)) for options, lines in runs]
        if os.environ.get("REBASE"):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text[:re.search(r"^\[run", text, re.M).start()] + "".join(
                    "[run%s]\n%s\n" % (" " + options if options else "", "\n".join(new)) for options, _, new in made))
            return ""
        for options, old, new in made:
            if old != new:
                raise Bad("%s, [run %s]\n%s" % (path, options, "\n".join(
                    ["- " + x for x in old if x not in new] + ["+ " + x for x in new if x not in old])))
        agree(tree)
        return ""
    return case


def agree(tree):
    """JSON and text say the same."""
    code, out, _ = check("--root", tree)
    other, text, _ = check("--root", tree, "--format=json")
    facts = json.loads(text)
    lines = [line for line in out.split("\n\n")[0].splitlines() if line]
    again = ["%-8s %s%s" % (f["state"], f["text"], " -> " + f["cure"] if f["cure"] else "") for f in facts["findings"]]
    if code != other or lines != again or {0: "yes", 3: "limited", 1: "no"}[code] != facts["able"]:
        raise Bad("text and JSON differ:\n%s\n%s" % (out, text))


# ---- findings that none of the machines has -----------------------------------------------------------

CPU = "/sys/devices/system/cpu/"
CONFIG = "/boot/config-6.1.90"
UNIT = "/sys/devices/platform/2%d040000.etm/etm%d/"
SINKS = ["/sys/devices/cs_etm/sinks/" + name for name in ("tmc_etr0", "tmc_etf0", "tpiu0")]
# What differs from juno.txt (None: the path is not there), the exit code, lines that are printed then, and words that are not.
VARIANTS = [
    ({"/sys/bus/event_source/devices/cs_etm": None, CONFIG: "CONFIG_CORESIGHT=m\n"}, 1,
     ["missing  PMU: there is no cs_etm in /sys/bus/event_source/devices -> install the package with the kernel's drivers "
      "(Ubuntu: linux-modules-extra-6.1.90), and modprobe coresight"], ["trace units:", "sinks:"]),
    ({"/sys/bus/event_source/devices/cs_etm": None, CONFIG: None}, 1,
     ["missing  PMU: there is no cs_etm in /sys/bus/event_source/devices -> the kernel needs CONFIG_CORESIGHT; its configuration "
      "was not found"], []),
    ({"/sys/bus/event_source/devices/cs_etm": None}, 1,
     ["missing  PMU: there is no cs_etm in /sys/bus/event_source/devices -> see what 'dmesg' says of coresight and perf: the "
      "kernel has CONFIG_CORESIGHT"], []),
    ({"/sys/devices/cs_etm/cpu%d" % n: None for n in range(6)}, 1,
     ["missing  trace units: no CPU has one in cs_etm -> see what 'dmesg' says of coresight: firmware describes them, and the "
      "driver refused them"], []),
    ({**{"/sys/devices/cs_etm/cpu%d" % n: None for n in range(6)}, CONFIG: "CONFIG_CORESIGHT=y\n", "/sys/firmware": None}, 1,
     ["missing  trace units: no CPU has one in cs_etm -> build the kernel with CONFIG_CORESIGHT_SOURCE_ETM4X; firmware must "
      "describe them: nodes arm,coresight-etm4x or arm,embedded-trace-extension of the device tree, ACPI devices ARMHC500",
      "note     firmware: no trace hardware was found in device tree or ACPI"], []),
    ({UNIT % (3, 3) + "trcidr/trcidr0": None, "/sys/devices/cs_etm/cpu5": None}, 3,
     ["limit    trace units: none for CPUs 5, so what runs there is not traced -> keep the program on the others: taskset -c 0-4",
      "limit    trace units: registers of CPUs 3 cannot be read, which perf needs -> see what 'dmesg' says of coresight"], []),
    ({SINKS[0]: None, SINKS[1]: None, CONFIG: "CONFIG_CORESIGHT=y\nCONFIG_CORESIGHT_SOURCE_ETM4X=y\n"}, 1,
     ["missing  sinks: cs_etm has none that perf can use -> build the kernel with CONFIG_CORESIGHT_LINK_AND_SINK_TMC",
      "ok       sinks: tpiu0: TPIU, which perf cannot use"], []),
    ({SINKS[0]: None}, 3,
     ["ok       sinks: tmc_etf0: ETF, 64 KB for all CPUs",
      "limit    sinks: RAM of the chip alone, which overruns soon -> trace less: --filter, or strobing",
      "  a program                   in part (sinks): perf record -e cs_etm//u PROGRAM"], []),
    ({UNIT % (0, 0) + "trcidr/trcidr0": "0x20000ea1"}, 3,
     ["limit    timestamps: trace units of CPUs 0 have none, or no free counter for them -> record without: "
      "-e cs_etm/timestamp=0/; samples have the time of their AUX record",
      "  all threads                 in part (timestamps): perf record --kcore -a -e cs_etm// sleep 1",
      "  a timeline, with timestamps no (timestamps)"], []),
    ({UNIT % (n, n) + "trcidr/trcidr5": "0x08c70842" for n in range(6)}, 3,
     ["limit    timestamps: trace units of CPUs 0-5 have none, or no free counter for them -> record without: "
      "-e cs_etm/timestamp=0/; samples have the time of their AUX record"], []),
    ({"/sys/devices/cs_etm/format/contextid": "config:15"}, 3,
     ["limit    threads: trace units of CPUs 0-5 cannot trace CONTEXTIDR_EL2 (TRCIDR2: VMIDOPT, VMIDSIZE), and perf then refuses "
      "-> record without: -e cs_etm/contextid=0/, or one thread with --per-thread"], ["ok       threads"]),
    ({UNIT % (2, 2) + "trcidr/trcidr2": "0x8"}, 3,
     ["limit    threads: trace units of CPUs 2 cannot trace CONTEXTIDR_EL1 (TRCIDR2: CIDSIZE), and perf then refuses -> record "
      "without: -e cs_etm/contextid=0/, or one thread with --per-thread"], []),
    ({CONFIG: "CONFIG_KALLSYMS=y\nCONFIG_CORESIGHT=y\nCONFIG_CORESIGHT_SOURCE_ETM4X=y\n", "/proc/kcore": None}, 3,
     ["limit    threads: CONFIG_PID_IN_CONTEXTIDR is off, so CONTEXTIDR holds 0 -> build the kernel with it; without, context "
      "switch records (--switch-events) and timestamps tell threads apart",
      "note     kernel code: there is no /proc/kcore, so code that the kernel patched is not available -> build the kernel with "
      "CONFIG_PROC_KCORE, or decode with --vmlinux FILE of this very build",
      "  the kernel                  yes: perf record -e cs_etm//k PROGRAM"], []),
    ({CONFIG: "CONFIG_PID_IN_CONTEXTIDR=y\n"}, 3,
     ["limit    kernel code: CONFIG_KALLSYMS is off, so kernel trace cannot be placed -> build the kernel with it"], []),
    ({"/proc/sys/kernel/osrelease": "5.4.0", "/sys/devices/cs_etm/events/autofdo": None, "/sys/kernel/config": None}, 3,
     ["limit    strobing: the kernel has no configuration autofdo -> take a kernel of 5.15 or later; without, trace shorter runs",
      "  a program                   yes: perf record -e cs_etm/@tmc_etr0/u PROGRAM",
      "  a timeline, with timestamps yes: perf record -e cs_etm/timestamp,@tmc_etr0/u PROGRAM"], []),
    ({"/sys/devices/cs_etm/events/autofdo": None, "/sys/kernel/config": None}, 3,
     ["limit    strobing: the kernel has no configuration autofdo -> see what 'dmesg' says of cscfg; without, trace shorter runs"], []),
    ({"/sys/devices/cs_etm/sinks/trbe%d" % n: "0x1" for n in (0, 1, 3, 5)}, 0,
     ["ok       sinks: TRBE of CPUs 0-1,3,5: system memory of each CPU, without frames",
      "note     sinks: CPUs 2,4 have no TRBE and take tmc_etr0; with --per-thread they are not traced -> trace all into one: "
      "-e cs_etm/@tmc_etr0/"], ["trace IDs"]),
    ({**{"/sys/devices/cs_etm/sinks/trbe%d" % n: "0x1" for n in (0, 1, 3, 5)}, SINKS[0]: None}, 3,
     ["limit    sinks: none for CPUs 2,4, which have no TRBE, so what runs there is not traced"], []),
    # 128 CPUs with allocated IDs, of which there are 111 for one sink
    ({CPU + "present": "0-127", CPU + "online": "0-127", "/proc/sys/kernel/osrelease": "6.12.1",
      **{"/sys/devices/cs_etm/cpu%d/trcidr/trcidr0" % n: "0x28000ea1" for n in range(6, 128)}}, 3,
     ["limit    trace IDs: CPUs 111-127 have none in frames, and their trace is lost -> keep the program on CPUs with one: taskset "
      "-c 0-110, and perf record -C 0-110 for all threads"], []),
    ({"/proc/self/status": "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n", "/proc/self/ns/user": "user:[4026532000]"}, 3,
     ["note     permission: in a user namespace of its own the kernel counts no capability, not root's either -> record from the host",
      "limit    permission: kernel.perf_event_paranoid is 2, so this user may record own user code only -> sysctl "
      "kernel.perf_event_paranoid=-1, or record as root (CAP_PERFMON)"], []),
    # CAP_PERFMON alone lifts perf's limits, and kptr_restrict needs CAP_SYSLOG
    ({"/proc/self/status": "Uid:\t1\t1\t1\t1\nCapEff:\t0000004000000000\n", "/proc/sys/kernel/kptr_restrict": "1"}, 3,
     ["limit    kernel code: kernel.kptr_restrict is 1, so kernel maps have address 0 and kernel trace cannot be placed -> sysctl "
      "kernel.kptr_restrict=0, or record as root (CAP_SYSLOG)"], ["permission:", "buffers:"]),
    ({"/usr/bin/perf": None}, 1,
     ["missing  perf: there is none -> install it (Debian: linux-perf, Ubuntu: linux-tools-6.1.90), or build tools/perf of the kernel"], []),
    ({"/collected/perf": "perf version 6.1\n   get_cpuid: [ OFF ]  # HAVE_AUXTRACE_SUPPORT\n"}, 1,
     ["missing  perf: it was built without AUX trace (NO_AUXTRACE), and records none -> take one that was built with it; --perf "
      "FILE names it"], []),
    ({"/sys/kernel/security/lockdown": "none [integrity] confidentiality"}, 0, [], ["lockdown"]),
]


def vary(tree, changes):
    for path, text in changes.items():
        real = os.path.realpath(os.path.dirname(tree + path)) + "/" + os.path.basename(path)
        if os.path.isdir(real) and not os.path.islink(real):
            shutil.rmtree(real)
        elif os.path.lexists(real):
            os.remove(real)
        if text is None:
            continue
        if path.startswith("/proc/self/ns/"):
            os.symlink(text, real)
        else:
            target_tree.put(tree, path, text)


def variants(folder):
    for number, (changes, want, lines, words) in enumerate(VARIANTS):
        tree = juno(os.path.join(folder, str(number)))
        vary(tree, changes)
        code, out, _ = check("--root", tree)
        bad = [line for line in lines if line not in out.splitlines()] + [word for word in words if word in out]
        if code != want or bad:
            raise Bad("variant %d: code %d\n%s\n%s" % (number, code, "\n".join(bad), out))
        agree(tree)


# ---- trees that mean harm ----------------------------------------------------------------------------

JUNO = "tests/data/targets/juno.txt"
PMU = "/sys/bus/event_source/devices/cs_etm"


def juno(folder):
    tree = os.path.join(folder, "tree")
    with open(JUNO, encoding="utf-8") as f:
        target_tree.make(tree, f.read())
    return tree


def replace(path, make):
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    elif os.path.lexists(path):
        os.remove(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    make(path)


def all_files(tree):
    for folder, _, names in os.walk(tree):
        for name in names:
            yield os.path.join(folder, name)


def survives(tree):
    """It ends in time with one of its exit codes, and prints text only."""
    began = time.monotonic()
    for options in ([], ["--format=json"]):
        _, out, err = check("--root", tree, *options, code=(0, 1, 3))
        if err:
            raise Bad("messages: " + err)
        for line in out.splitlines():
            if re.search(r"[\x00-\x1f\x7f-\x9f]", line):
                raise Bad("control characters: %r" % line)
        if options:
            json.loads(out)
    return time.monotonic() - began


def every_file(make):
    """A tree in which each file in turn, and at last all of them, is made into something else."""
    def case(folder):
        tree = juno(folder)
        files = sorted(all_files(tree))
        for path in files[::STEP]:
            whole = open(path, "rb").read() if os.path.isfile(path) else None
            replace(path, make)
            survives(tree)
            if whole is not None:
                replace(path, lambda p: open(p, "wb").write(whole))
        for path in files:
            replace(path, make)
        survives(tree)
    return case


def write(data):
    def make(path):
        with open(path, "wb") as f:
            f.write(data)
    return make


def large(path):
    with open(path, "wb") as f:
        f.truncate(3 << 30)


def outside(folder):
    """Links that leave the tree are resolved inside it: what is outside is not read."""
    tree = juno(folder)
    secret = os.path.join(folder, "secret")
    write(b"0xdeadbeef-secret\n")(secret)
    os.makedirs(os.path.join(folder, "away"))
    write(b"6.66-secret\n")(os.path.join(folder, "away", "osrelease"))
    for name in ("proc/sys/kernel/osrelease", "sys/kernel/security/lockdown", "collected/machine", "collected/perf"):
        for target in (secret, "../" * 12 + secret):
            replace(os.path.join(tree, name), lambda path: os.symlink(target, path))
            for options in ([], ["--format=json"]):
                _, out, err = check("--root", tree, *options)
                if "secret" in out + err:
                    raise Bad("%s was read as %s" % (secret, name))
    os.rename(os.path.join(tree, "proc/sys/kernel"), os.path.join(folder, "kernel"))
    os.symlink(os.path.join(folder, "away"), os.path.join(tree, "proc/sys/kernel"))
    if "secret" in check("--root", tree)[1]:
        raise Bad("a folder outside the tree was read")


def inside(folder):
    """An absolute link means a place in the tree."""
    tree = juno(folder)
    write(b"6.9.0-linked\n")(os.path.join(tree, "elsewhere"))
    replace(os.path.join(tree, "proc/sys/kernel/osrelease"), lambda path: os.symlink("/elsewhere", path))
    if "6.9.0-linked" not in check("--root", tree)[1]:
        raise Bad("the link was not followed")


def many(folder):
    """10000 CPUs, of which each has another unit, and as many sinks."""
    tree = juno(folder)
    for name in ("present", "online"):
        write(b"0-9999\n")(tree + "/sys/devices/system/cpu/" + name)
    for n in range(0, 10000, STEP):
        write(b"0x1\n")("%s%s/sinks/trbe%d" % (tree, PMU, n))
    for n in range(10, 10000, STEP):
        target_tree.make_one(tree, "files", "%s/cpu%d" % (PMU, n), "",
                             "trcidr/trcidr0 0x28000ea1\ntrcidr/trcidr1 0x4100f4%02x\ntrcidr/trcidr3 %d" % (n % 256, n % 4096))
    took = survives(tree)
    return "%.1f s" % took


def lists(folder):
    """Lists of CPUs that are none, or are too long."""
    tree = juno(folder)
    for text in (b"0-4294967295", b"5-3", b"0-", b",,,", b"0-16383,0-16383", b"99999999999999999999", b"-1", b"0-3,\x00", b"1-2-3"):
        for name in ("present", "online"):
            write(text)(tree + "/sys/devices/system/cpu/" + name)
        survives(tree)


def names(folder):
    """Names of sinks and terms with control characters, and a kernel whose release leads elsewhere."""
    tree = juno(folder)
    for name in (b"tmc_etr\x1b[31m", b"tmc_etf\xff\xfe", b"etb\nok       PMU: all is well", "etr\u202e".encode(), b"etb" + b"x" * 240):
        write(b"0x1\n")(os.fsencode(tree + PMU + "/sinks/") + name)
        write(b"config:1\x1b]0;t\x07\n")(os.fsencode(tree + PMU + "/format/") + name)
    target_tree.put(tree, "/sys/hypervisor/type", b"Arm\x1b[2J Ltd\n")
    survives(tree)
    for release in (b"../../../../etc", b"6.1\x1b[0m", b"x" * 3000, b""):
        write(release)(tree + "/proc/sys/kernel/osrelease")
        survives(tree)


def deep(folder):
    """A device tree of 3000 nodes below each other, with links to its top in it."""
    tree = juno(folder)
    at = os.path.join(tree, "sys/firmware/devicetree/base")
    os.makedirs(at, exist_ok=True)
    top = os.open(at, os.O_RDONLY)
    for n in range(3000):
        os.mkdir("n", dir_fd=top)
        os.symlink("/sys/firmware/devicetree/base", "again", dir_fd=top)
        below = os.open("n", os.O_RDONLY, dir_fd=top)
        os.close(top)
        top = below
    os.close(top)
    survives(tree)
    subprocess.run(["rm", "-rf", tree], check=True)


def bomb(folder):
    """A configuration that is small as it is, and large when it is unpacked."""
    import gzip
    tree = juno(folder)
    write(gzip.compress(b"CONFIG_CORESIGHT=y\n" * (8 << 20)))(tree + "/proc/config.gz")
    survives(tree)
    write(gzip.compress(b"CONFIG_CORESIGHT=y\n")[:-9])(tree + "/proc/config.gz")
    survives(tree)


def unreadable(folder):
    """Files that this user may not read, which root can."""
    if os.geteuid() == 0:
        return "root reads everything; the list of the collector stands for it"
    tree = juno(folder)
    for path in all_files(tree):
        os.chmod(path, 0)
    survives(tree)
    return ""


def listed(folder):
    """What the collector could not read is there all the same."""
    tree = juno(folder)
    os.remove(tree + "/proc/kcore")
    if "there is no /proc/kcore" not in check("--root", tree)[1]:
        raise Bad("a file that is absent is there")
    os.makedirs(tree + "/collected", exist_ok=True)
    write(b"/proc/other\n/proc/kcore\n")(tree + "/collected/unreadable")
    if "may not copy /proc/kcore" not in check("--root", tree)[1]:
        raise Bad("a file that could not be read is absent")


def nothing(folder):
    code, out, _ = check("--root", folder)
    if code != 1 or "nothing of one is here" not in out:
        raise Bad("an empty folder: code %d\n%s" % (code, out))
    code, _, err = check("--root", os.path.join(folder, "absent"))
    if code != 1 or "absent" not in err:
        raise Bad("no folder: code %d\n%s" % (code, err))


# ---- this machine, and the collector ---------------------------------------------------------------------


def live(_):
    code, out, err = check(code=(0, 1, 3))
    arm = os.uname().machine.startswith(("aarch64", "arm"))
    if err or (not arm and (code != 1 or "no Arm machine (%s)" % os.uname().machine not in out or "cs_etm" not in out)):
        raise Bad("code %d\n%s%s" % (code, out, err))
    json.loads(check("--format=json")[1])


def fake_perf(folder, text):
    path = os.path.join(folder, "perf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def perf_facts(path):
    return json.loads(check("--format=json", "--perf", path, code=(0, 1, 3))[1])["perf"]


def asks(folder):
    """perf's own words are taken, and a perf that fails, prints too much or never ends does no harm."""
    said = ("[ \"$*\" = \"version --build-options\" ] || exit 1\necho 'perf version 6.12.1'\n"
            "echo '              auxtrace: [ OFF ]  # HAVE_AUXTRACE_SUPPORT'\n"
            "echo '            libopencsd: [ on  ]  # HAVE_CSTRACE_SUPPORT'\n")
    facts = perf_facts(fake_perf(folder, said))
    if (facts["version"], facts["auxtrace"], facts["opencsd"]) != ("6.12.1", False, True):
        raise Bad("%r" % facts)
    for text in ("exit 1\n", "echo 'perf version 6.1'; exit 2\n", "exec yes\n", "printf 'perf version \\0 6.1\\n'\n"):
        if perf_facts(fake_perf(folder, text))["version"] is not None:
            raise Bad("%r has a version" % text)
    for path in ("/nonexistent/perf", folder + "/"):
        if perf_facts(path)["version"] is not None:
            raise Bad("%s has a version" % path)


def runs_nothing(folder):
    """With --root no program is run."""
    tree = juno(folder)
    ran = os.path.join(folder, "ran")
    path = fake_perf(folder, "touch %s; echo 'perf version 6.1'\n" % ran)
    os.makedirs(tree + "/usr/bin", exist_ok=True)
    replace(tree + "/usr/bin/perf", write(open(path, "rb").read()))
    os.chmod(tree + "/usr/bin/perf", 0o755)
    env = dict(os.environ, PATH=folder + ":" + os.environ["PATH"])
    check("--root", tree, env=env, code=(0, 1, 3))
    check("--root", tree, "--perf", path, env=env, code=(0, 1, 3))
    if os.path.exists(ran):
        raise Bad("a program was run")


COLLECTOR = os.path.abspath("scripts/collect-target")
# All that the collector needs besides its shell.
PROGRAMS = "cat dirname find getconf grep ln mkdir mktemp readlink rm sed tar"


def collect(folder, tree, shell):
    """Runs the collector over a tree, on a machine whose programs say what the tree has of them. Returns the tree it saves."""
    bin_folder = os.path.join(folder, "bin")
    os.makedirs(bin_folder, exist_ok=True)
    for name in PROGRAMS.split():
        if not os.path.exists(os.path.join(bin_folder, name)):
            os.symlink(shutil.which(name), os.path.join(bin_folder, name))
    with open(tree + "/collected/machine", encoding="utf-8") as f:
        machine = dict(line.split() for line in f)
    said = {"uname": machine["arch"], "getconf": machine.get("pagesize", "4096")}
    for name, path in (("perf", "usr/bin/perf"), ("perf", "usr/local/bin/perf"), ("simpleperf", "system/bin/simpleperf")):
        if os.path.exists(os.path.join(tree, path)):
            said[name] = ""
    if "perf" in said and os.path.exists(tree + "/collected/perf"):
        with open(tree + "/collected/perf", encoding="utf-8") as f:
            said["perf"] = f.read()
    for name, text in said.items():
        path = os.path.join(bin_folder, name)
        replace(path, write(("#!/bin/sh\n/bin/cat <<'END'\n%s\nEND\n" % text.rstrip()).encode()))
        os.chmod(path, 0o755)
    proc = subprocess.run([*shell, COLLECTOR, "saved.tar"], cwd=folder, capture_output=True, text=True, timeout=LIMIT,
                          env={"PATH": bin_folder, "COLLECT_ROOT": tree, "TMPDIR": folder})
    if proc.returncode:
        raise Bad("%s: code %d\n%s" % (shell, proc.returncode, proc.stderr))
    left = sorted(name for name in os.listdir(folder) if name.startswith("collect-target"))
    if left:
        raise Bad("temporary files are left: %s" % left)
    with tarfile.open(os.path.join(folder, "saved.tar")) as tar:
        kinds = {m.name: m for m in tar.getmembers()}
        odd = [name for name, m in kinds.items() if not (m.isreg() or m.isdir() or m.issym()) or ".." in name]
        if odd:
            raise Bad("the tar has %s" % odd)
        tar.extractall(folder)
    return os.path.join(folder, "target")


def shells():
    """Those that are here, as command lines."""
    return [[shutil.which(name), *(["sh"] if name.endswith("box") else [])] for name in SHELLS if shutil.which(name)]


def collected(folder):
    """What the collector saves of a machine means the same as the machine."""
    number = 0
    for path in COLLECTED:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if "[file /collected/unreadable]" in text:
            continue        # as root, who runs the collector here, nothing is unreadable
        for shell in shells():
            number += 1
            work = os.path.join(folder, str(number))
            tree = os.path.join(work, "tree")
            target_tree.make(tree, text)
            saved_tree = collect(work, tree, shell)
            for options in ([], ["--format=json"]):
                want = check("--root", tree, *options)[1].replace("/usr/local/bin/perf", "/usr/bin/perf")
                got = check("--root", saved_tree, *options)[1].replace(work + "/bin/perf", "/usr/bin/perf")
                got = got.replace(work + "/bin/simpleperf", "/system/bin/simpleperf")
                if want != got:
                    raise Bad("%s, %s\n%s" % (path, shell, "\n".join(
                        ["- " + x for x in want.splitlines() if x not in got] +
                        ["+ " + x for x in got.splitlines() if x not in want])))
    return "%d times, in %s" % (number, ", ".join(os.path.basename(shell[0]) for shell in shells()))


def discreet(folder):
    """The collector takes none of what a machine does not want to be known for."""
    tree = juno(folder)
    for path in ("/proc/cpuinfo", "/proc/cmdline", "/proc/kcore", "/proc/self/environ", "/proc/sys/kernel/hostname", "/etc/passwd",
                 "/etc/hostname", "/sys/firmware/devicetree/base/serial-number", "/sys/class/dmi/id/product_serial",
                 "/sys/class/dmi/id/product_uuid", "/lib/modules/6.1.90/kernel/drivers/hwtracing/coresight/coresight.ko",
                 "/system/build.prop", "/proc/kallsyms", PMU + "/cpu0/mgmt/trcpidr0"):
        target_tree.put(tree, path, "secret\n")
    for path, text in (("/proc/modules", "coresight 131072 0 - Live 0xffff80007b180000 secret\n"),
                       ("/proc/self/status", "Name:\tsecret\nUid:\t0\t0\t0\t0\nGroups:\tsecret\nCapEff:\t0\n"),
                       ("/proc/self/limits", "Max cpu time secret\nMax locked memory 8388608 8388608 bytes\n")):
        target_tree.put(tree, path, text)
    for path in all_files(collect(folder, tree, ["/bin/sh"])):
        if os.path.isfile(path):
            data = open(path, "rb").read()
            if b"secret" in data or b"ffff80007b180000" in data:
                raise Bad("%s: %r" % (path, data))


def collects_here(folder):
    """On this machine it does the same."""
    proc = subprocess.run(["/bin/sh", COLLECTOR], cwd=folder, capture_output=True, text=True, timeout=LIMIT)
    if proc.returncode:
        raise Bad(proc.stderr)
    subprocess.run(["tar", "xf", "target.tar"], cwd=folder, check=True)
    if check("--root", os.path.join(folder, "target"))[0] != check()[0]:
        raise Bad("another verdict")


CASES = [(os.path.basename(path)[:-4], saved(path)) for path in TARGETS] + [
    ("findings and cures", variants),
    ("files that are FIFOs", every_file(os.mkfifo)),
    ("files that are folders", every_file(os.mkdir)),
    ("links in a circle", every_file(lambda path: os.symlink(os.path.basename(path), path))),
    ("links to devices", every_file(lambda path: os.symlink("/dev/zero", path))),
    ("files of 3 GB", every_file(large)),
    ("empty files", every_file(write(b""))),
    ("bytes 0", every_file(write(b"\0" * 5000))),
    ("control characters", every_file(write(b"\x1b[2J\x9b\r6.1 \xff\n" * 20))),
    ("numbers that are too large", every_file(write(b"0xfffffffffffffffff\n"))),
    ("links that lead out of the tree", outside),
    ("an absolute link", inside),
    ("10000 CPUs", many),
    ("lists of CPUs", lists),
    ("names", names),
    ("a deep device tree", deep),
    ("compressed configurations", bomb),
    ("files that may not be read", unreadable),
    ("the collector's list of what it could not read", listed),
    ("no tree", nothing),
    ("this machine", live),
    ("perf is asked", asks),
    ("--root runs nothing", runs_nothing),
    ("the collector, over the saved machines", collected),
    ("what the collector leaves out", discreet),
    ("the collector, here", collects_here),
]

if __name__ == "__main__":
    sys.exit(run_cases(CASES))
