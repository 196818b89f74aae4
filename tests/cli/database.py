#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""database.py: checks databases of perf-cstrace timeline --format=sqlite.

    database.py calls FILE.db FILE.json       the calls of the timeline's JSON, and parents, call paths and samples that fit them
    database.py callgrind FILE.db FILE        instructions, and calls of each function, are those of profile --format=callgrind;
                                              --sums: only the instructions of all together, as calls were left out
    database.py queries FILE.db               tables, views and what a viewer asks for: call graph, call tree, branches, top calls
    database.py viewer FILE.db VIEWER.py      the call graph and the call tree as perf's exported-sql-viewer.py builds them
"""
import collections
import os
import re
import sqlite3
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import timeline  # noqa: E402

TABLES = {
    "selected_events": "id name",
    "machines": "id pid root_dir",
    "threads": "id machine_id process_id pid tid",
    "comms": "id comm c_thread_id c_time exec_flag has_calls",
    "comm_threads": "id comm_id thread_id",
    "dsos": "id machine_id short_name long_name build_id",
    "symbols": "id dso_id sym_start sym_end binding name",
    "branch_types": "id name",
    "samples": "id evsel_id machine_id thread_id comm_id dso_id symbol_id sym_offset ip time cpu to_dso_id to_symbol_id "
               "to_sym_offset to_ip branch_type in_tx call_path_id insn_count cyc_count flags",
    "call_paths": "id parent_id symbol_id ip",
    "calls": "id thread_id comm_id call_path_id call_time return_time branch_count call_id return_id parent_call_path_id flags "
             "parent_id insn_count cyc_count",
    "machines_view": "id pid root_dir host_or_guest",
    "dsos_view": "id machine_id host_or_guest short_name long_name build_id",
    "symbols_view": "id name dso dso_id sym_start sym_end binding",
    "threads_view": "id machine_id host_or_guest process_id pid tid",
    "comm_threads_view": "comm_id command thread_id pid tid",
    "call_paths_view": "id ip symbol_id symbol dso_id dso_short_name parent_id parent_ip parent_symbol_id parent_symbol "
                       "parent_dso_id parent_dso_short_name",
    "calls_view": "id thread_id pid tid command call_path_id ip symbol_id symbol call_time return_time elapsed_time branch_count "
                  "insn_count cyc_count IPC call_id return_id flags parent_call_path_id parent_id",
    "samples_view": "id time cpu pid tid command event ip_hex symbol sym_offset dso_short_name to_ip_hex to_symbol to_sym_offset "
                    "to_dso_short_name branch_type_name in_tx insn_count cyc_count IPC flags",
}
SWITCHES = {
    "context_switches": "id machine_id time cpu thread_out_id comm_out_id thread_in_id comm_in_id flags",
    "context_switches_view": "id machine_id time cpu pid_out tid_out comm_out pid_in tid_in comm_in flags",
}
Call = collections.namedtuple("Call", TABLES["calls"])
NON_CALL = 4  # a branch that is no call
fail = timeline.fail


def all_calls(db):
    return {c[0]: Call(*c) for c in db.execute("SELECT * FROM calls WHERE id > 0")}


# ---- against the timeline's JSON ------------------------------------------------------------------------


def without_name(name):
    """What is in no file has no symbol in the database."""
    return "unknown" if name in ("[unknown]", "[deep calls]") else name


def fits(db, calls):
    """Each call lies in its parent, whose call path its own continues, and was entered by the branch of its sample."""
    paths = {p[0]: p[1:] for p in db.execute("SELECT id, parent_id, symbol_id FROM call_paths")}
    samples = {s[0]: s[1:] for s in db.execute("SELECT id, thread_id, time, to_symbol_id FROM samples")}
    inner = collections.Counter()
    for c in calls.values():
        if paths[c.call_path_id][0] != c.parent_call_path_id:
            fail("%s: call path %s", c, paths[c.call_path_id])
        if c.call_id and samples[c.call_id] != (c.thread_id, c.call_time, paths[c.call_path_id][1]):
            fail("%s: sample %s", c, samples[c.call_id])
        if not c.parent_id:
            if c.parent_call_path_id != 1:
                fail("%s has no parent", c)
            continue
        up = calls[c.parent_id]
        if up.thread_id != c.thread_id or up.call_path_id != c.parent_call_path_id or not (
                up.call_time <= c.call_time <= c.return_time <= up.return_time):
            fail("%s is not in %s", c, up)
        for what in ("branch_count", "insn_count", "cyc_count"):
            inner[c.parent_id, what] += getattr(c, what)
    for (i, what), n in inner.items():
        if n > getattr(calls[i], what):
            fail("%s: %d in its callees, %s", what, n, calls[i])
    times = [s[1] for i, s in sorted(samples.items()) if i]
    if times != sorted(times):
        fail("samples are not in the order of time")


def same_calls(db, source):
    calls = all_calls(db)
    fits(db, calls)
    if source.left_out:
        print("calls were left out of the JSON")
        return
    names = dict(db.execute("SELECT id, symbol FROM calls_view"))
    tracks = dict((t[0], t[1:]) for t in db.execute("SELECT id, pid, tid FROM threads"))
    got = collections.Counter((tracks[c.thread_id] if tracks[c.thread_id][1] > 0 else None, c.call_time, c.return_time, names[c.id],
                               c.insn_count, c.cyc_count) for c in calls.values())
    want = collections.Counter((e.track if 0 < e.track[1] < timeline.CPU_TRACKS else None, e.begin, e.end, without_name(e.name),
                                int(e.args["insns"]), int(e.args.get("cycles", 0))) for e in source.events if "insns" in e.args)
    # a thread of no known process has a number of the JSON's own
    for counter in (got, want):
        for key in [k for k in counter if k[0] and (k[0][0] < 0 or k[0][0] > timeline.CPU_TRACKS)]:
            counter[((-1, key[0][1]),) + key[1:]] += counter.pop(key)
    for key in (got - want) + (want - got):
        fail("%s: %d in the database, %d in the JSON", key, got[key], want[key])
    print("%d calls" % len(calls))


# ---- against callgrind ----------------------------------------------------------------------------------


def named(name):
    """Where a function without a symbol begins is another question: all of them are one."""
    return "[]" if not name or name[0] == "[" or name == "unknown" else name


def functions_of(path):
    """Instructions, and calls by name of the function. A function may have instructions of others: of stubs, and parts of it."""
    insns, called, names = 0, collections.Counter(), {}
    callee = None
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            m = re.fullmatch(r"(c?)fn=\((\d+)\)(?: (.*))?\n", line)
            if m:
                name = names.setdefault(m[2], named(m[3]))
                callee = name if m[1] else None
            elif line.startswith("calls="):
                called[callee] += int(line.split()[0][6:])
            elif line.startswith("0x") or line.startswith("0 "):
                insns += 0 if callee else int(line.split()[2])
                callee = None
    return insns, called


def same_functions(db, path, sums):
    calls = all_calls(db)
    names = {i: named(name) for i, name in db.execute("SELECT id, symbol FROM calls_view")}
    called = collections.Counter(names[c.id] for c in calls.values() if c.parent_id)
    insns = sum(c.insn_count for c in calls.values() if not c.parent_id)
    want_insns, want_called = functions_of(path)
    if insns != want_insns:
        fail("%d instructions, callgrind %d", insns, want_insns)
    tails = {names[c.id] for c in calls.values() if c.flags & NON_CALL}
    for name in sorted(set() if sums else set(called) | set(want_called)):
        # functions that branch to each other in turn are one call, of which each branch is counted
        if called[name] != want_called[name] and not (name in tails and called[name] < want_called[name]):
            fail("calls of %s: %d, callgrind %d", name, called[name], want_called[name])
    print("%d functions, %d instructions, %d calls" % (len(want_called), insns, sum(called.values())))


# ---- what viewers ask for -------------------------------------------------------------------------------


def columns(db):
    known = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}
    want = dict(TABLES)
    if known & set(SWITCHES):
        want.update(SWITCHES)
    if known != set(want):
        fail("tables %s", known ^ set(want))
    for table, names in want.items():
        cursor = db.execute("SELECT * FROM %s" % table)
        if [c[0] for c in cursor.description] != names.split():
            fail("%s: %s", table, cursor.description)
        cursor.fetchall()


CALL = (" FROM calls c JOIN call_paths p ON p.id = c.call_path_id JOIN symbols s ON s.id = p.symbol_id"
        " JOIN dsos d ON d.id = s.dso_id")


def call_graph(db, comm, thread, path):
    """The calls below a call path, as the viewer's call graph adds them."""
    rows = db.execute("SELECT c.call_path_id, s.name, d.short_name, count(*), sum(c.return_time - c.call_time), sum(c.insn_count)"
                      + CALL + " WHERE c.parent_call_path_id = ? AND c.comm_id = ? AND c.thread_id = ?"
                      " GROUP BY c.call_path_id, s.name, d.short_name", (path, comm, thread)).fetchall()
    return sum(r[3] + call_graph(db, comm, thread, r[0]) for r in rows)


def call_tree(db, comm, thread, call):
    rows = db.execute("SELECT c.id" + CALL + " WHERE c.parent_id = ? AND c.comm_id = ? AND c.thread_id = ? ORDER BY c.call_time, c.id",
                      (call, comm, thread)).fetchall()
    return sum(1 + call_tree(db, comm, thread, r[0]) for r in rows)


def queries(db):
    columns(db)
    if db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
        fail("the file is damaged")
    nr = len(all_calls(db))
    graph = tree = 0
    for comm, in db.execute("SELECT id FROM comms WHERE has_calls = 1 AND id > 0").fetchall():
        for thread, _, _ in db.execute("SELECT t.id, t.pid, t.tid FROM comm_threads ct JOIN threads t ON t.id = ct.thread_id"
                                       " WHERE ct.comm_id = ?", (comm,)).fetchall():
            graph += call_graph(db, comm, thread, 1)
            tree += call_tree(db, comm, thread, 0)
    # a call whose thread got another name after its caller was entered is below no root of its own name
    renamed = db.execute("SELECT count(*) FROM calls c JOIN calls p ON p.id = c.parent_id WHERE c.id > 0 AND p.id > 0"
                         " AND p.comm_id <> c.comm_id").fetchone()[0]
    if not renamed and (graph != nr or tree != nr):
        fail("%d calls, in the call graph %d, in the call tree %d", nr, graph, tree)
    branches = db.execute(
        "SELECT a.id, a.time, a.cpu, n.comm, t.pid, t.tid, b.name, a.ip, s.name, d.short_name, a.to_ip, ts.name, td.short_name"
        " FROM samples a JOIN comms n ON n.id = a.comm_id JOIN threads t ON t.id = a.thread_id"
        " JOIN branch_types b ON b.id = a.branch_type JOIN symbols s ON s.id = a.symbol_id JOIN symbols ts ON ts.id = a.to_symbol_id"
        " JOIN dsos d ON d.id = a.dso_id JOIN dsos td ON td.id = a.to_dso_id WHERE a.id > 0 AND a.evsel_id = 1").fetchall()
    if len(branches) != db.execute("SELECT count(*) FROM samples WHERE id > 0").fetchone()[0]:
        fail("branches without a thread, a name or a type: of %d", len(branches))
    top = db.execute("SELECT n.comm, t.pid, s.name, c.return_time - c.call_time AS elapsed" + CALL + " JOIN comms n ON n.id = c.comm_id"
                     " JOIN threads t ON t.id = c.thread_id WHERE c.id > 0 ORDER BY elapsed DESC LIMIT 100").fetchall()
    if "context_switches" in {name for name, in db.execute("SELECT name FROM sqlite_master")}:
        times = [t for t, in db.execute("SELECT time FROM context_switches_view ORDER BY id")]
        if times != sorted(times) or db.execute("SELECT count(*) FROM context_switches").fetchone()[0] != len(times):
            fail("context switches")
    if len(top) != min(nr, 100):
        fail("%d top calls", len(top))
    found = db.execute("SELECT count(*)" + CALL + " WHERE c.id > 0 AND s.name GLOB '*'").fetchone()[0]
    if found != nr:
        fail("%d calls are found by name", found)
    print("%d calls, %d branches" % (nr, len(branches)))


# ---- perf's own viewer, without a window ----------------------------------------------------------------


class Query:
    """What the viewer uses of QSqlQuery."""

    def __init__(self, db):
        self.db = db

    def exec_(self, statement):
        self.cursor = self.db.execute(statement)
        return True

    def next(self):
        self.row = self.cursor.fetchone()
        return self.row is not None

    def value(self, i):
        return self.row[i]


class Module(types.ModuleType):
    """A module that has any class."""
    __all__ = sorted(set("QThread Signal QAbstractItemModel QSqlQuery Qt QMutex QSqlDatabase".split()))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def load_viewer(path):
    qt = ("QtCore", "QtGui", "QtSql", "QtWidgets")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for name in ("PySide2", "libxed") + tuple("PySide2." + m for m in qt):
        sys.modules[name] = Module(name)
    sys.modules["libxed"].LibXED = object
    core = sys.modules["PySide2.QtCore"]
    core.__all__ = sorted(set(re.findall(r"\bQ[A-Z]\w+", text)) | {"Qt", "Signal"})
    for name in core.__all__:
        setattr(core, name, type(name, (), {}))
    core.Signal = lambda *_: None
    for m in qt[1:]:
        sys.modules["PySide2." + m].__all__ = []
    core.QSqlQuery = Query
    viewer = types.ModuleType("viewer")
    exec(compile(text, path, "exec"), viewer.__dict__)  # pylint: disable=exec-used
    return viewer


def walk(item):
    """Counts calls and instructions of the items of calls below this one."""
    n = insns = 0
    for i in range(max(item.childCount(), 0)):
        child = item.getChildItem(i)
        if child.level > 2:
            n += int(child.getData(2)) if "Graph" in type(child).__name__ else 1
            insns += child.insn_cnt if child.level == 3 else 0
        more = walk(child)
        n += more[0]
        insns += more[1]
    return n, insns


def viewed(db, path):
    viewer = load_viewer(path)
    glb = types.SimpleNamespace(db=db, dbref=types.SimpleNamespace(TRUE="1", is_sqlite3=True))
    want = db.execute("SELECT count(*), sum(CASE parent_id WHEN 0 THEN insn_count END) FROM calls WHERE id > 0").fetchone()
    for root in (viewer.CallGraphRootItem, viewer.CallTreeRootItem):
        got = walk(root(glb, viewer.CallGraphModelParams(glb)))
        if got != want:
            fail("%s: %s calls and instructions, of %s", root.__name__, got, want)
    print("%d calls, %d instructions" % want)


def main():
    what, db = sys.argv[1], sqlite3.connect("file:%s?mode=ro" % sys.argv[2], uri=True)
    sys.setrecursionlimit(10000)
    if what == "calls":
        same_calls(db, timeline.Json(sys.argv[3]))
    elif what == "callgrind":
        same_functions(db, sys.argv[3], sys.argv[4:] == ["--sums"])
    elif what == "queries":
        queries(db)
    else:
        viewed(db, sys.argv[3])


if __name__ == "__main__":
    main()
