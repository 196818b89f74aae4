#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""report.py: what is in the folder of a report.

    report.py pages DIR              well-formed pages that need nothing but the folder, and run no script but the one they allow
    report.py top DIR FILE           the functions are those of profile --format=top, in this order
    report.py lcov DIR FILE          lines, branch directions and sums are those of --format=lcov
    report.py callgrind DIR FILE     executions of instructions, and instructions of lines, are those of --format=callgrind
    report.py folded DIR FILE        frames and inclusive instructions are those of --format=folded
    report.py tasks DIR              prints processes and threads: PID and TID, or PID and "all"
    report.py task DIR PID TID FILE  frames of a thread are those of --format=folded --tid=TID; TID "all": of a process, of --pid=PID
    report.py cycles DIR PLAIN       instructions are those of a report without --metric, and each has its number of cycles
    report.py ranks DIR N            the list of functions has N different ones, by instructions
    report.py timeline DIR FILE      calls in time are those of timeline --format=json
    report.py text DIR WORDS         the words are in the text of a page, and there is no tag that they could have made
    report.py latencies DIR ROW...   the table of latencies has these rows, cells with | between them
    report.py recording TEXT DIR     makes perf.data and symfs of a recording in words (tests/data/recordings)
"""
import base64
import collections
import hashlib
import html.parser
import importlib.machinery
import json
import os
import re
import sys

VOID = {"meta", "link", "input", "br"}
TAGS = VOID | {"html", "head", "title", "body", "nav", "main", "a", "h1", "h2", "p", "ul", "li", "b", "i", "span", "section", "div",
               "table", "tr", "td", "th", "details", "summary", "pre", "code", "button", "script", "small"}
NAME = re.compile(r"(index|functions|flame|flame-up|threads|timeline|files|changes|change-flame|[fs][0-9]+(-[0-9]+)?|t[0-9]+(-up)?)\.html|(style|changes)\.css")
BEGINS = "<!DOCTYPE html>\n<!-- perf-cstrace report -->\n"


class Page(html.parser.HTMLParser):
    """Tags, ids, links, the rows of tables as lists of (class, text), and texts by tag."""

    def __init__(self, path):
        super().__init__()
        self.path, self.open, self.ids, self.links, self.rows, self.frames, self.said = path, [], set(), [], [], [], []
        self.policy = self.script = None
        self.functions = set()
        self.sub = ""
        with open(path, encoding="utf-8", newline="") as f:
            self.text = f.read()
        if not self.text.startswith(BEGINS):
            self.fail("does not begin as a report")
        self.feed(self.text)
        self.close()
        if self.open:
            self.fail("open at the end: %s" % self.open)

    def fail(self, what):
        sys.exit("%s:%d: %s" % (self.path, self.getpos()[0], what))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in TAGS or any(a.startswith("on") or a in ("src", "srcset") for a in attrs):
            self.fail("<%s %s>" % (tag, attrs))
        if not re.fullmatch(r"([a-z]+:[0-9.]+(%|px)(;(?=.)|$))*", attrs.get("style", "")):
            self.fail("style=%s" % attrs["style"])
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        if "id" in attrs:
            if attrs["id"] in self.ids:
                self.fail("id twice: %s" % attrs["id"])
            self.ids.add(attrs["id"])
        if "href" in attrs:
            self.links.append(attrs["href"])
        if tag == "tr":
            self.rows.append((attrs.get("class") or "", attrs.get("id"), []))
        if tag in ("td", "th"):
            self.rows[-1][2].append((attrs.get("class") or "", ""))
        if tag == "b" and "title" in attrs:
            self.frames.append(attrs)
            self.functions.add("f=" + attrs.get("data-f", ""))
        if tag not in VOID:
            self.open.append((tag, attrs.get("class")))

    def handle_startendtag(self, tag, attrs):
        self.fail("<%s/>" % tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.fail("</%s> closes %s" % (tag, self.open[-1:]))
        self.open.pop()

    def handle_data(self, data):
        self.said.append(data)
        tags = [t for t, _ in self.open]
        if tags[-1:] == ["script"]:
            self.script = data
        if "td" in tags or "th" in tags:
            cells = self.rows[-1][2]
            cells[-1] = cells[-1][0], cells[-1][1] + data
        elif self.open[-1:] == [("p", "sub")]:
            self.sub += data

    def handle_comment(self, data):
        if data != " perf-cstrace report ":
            self.fail("a comment: %s" % data)

    def cells(self, row):
        return [text for _, text in row[2]]


def number(text):
    """Of what is not traced as a whole, "at most N" is N."""
    return int(text.replace(",", "").lstrip("\u2264\u202f")) if text.strip() else 0


def read(folder, begins=""):
    return [Page(os.path.join(folder, n)) for n in sorted(os.listdir(folder)) if n.endswith(".html") and n.startswith(begins)]


def pages(folder):
    names = os.listdir(folder)
    for name in names:
        if not NAME.fullmatch(name):
            sys.exit("%s: a file of this name" % name)
    known = {os.path.basename(p.path): p for p in read(folder)}
    for name, p in known.items():
        if '<meta name="viewport" content="width=device-width, initial-scale=1">' not in p.text:
            p.fail("no viewport")
        script = "'sha256-%s'" % base64.b64encode(hashlib.sha256((p.script or "").encode()).digest()).decode()
        if p.policy != "script-src %s; object-src 'none'; base-uri 'none'; form-action 'none'" % script:
            p.fail("its policy is %s, and its script has %s" % (p.policy, script))
        for link in p.links:
            target, _, fragment = link.partition("#")
            if "=" in fragment and fragment in known[target].functions:
                continue
            if (target or name) not in names or (fragment and fragment not in known[target or name].ids):
                p.fail("leads nowhere: %s" % link)
    for sheet in (name for name in names if name.endswith(".css")):
        with open(os.path.join(folder, sheet)) as f:
            style = f.read()
        if re.search(r"url\(|@import|https?:", style):
            sys.exit("%s needs other files" % sheet)
    linked = {link.partition("#")[0] for p in known.values() for link in p.links} | {"index.html"}
    alone = set(names) - linked
    if alone:
        sys.exit("no page leads to %s" % sorted(alone))
    print("%d pages" % len(known))


def same(what, have, want):
    if have != want:
        sys.exit("%s: the report has %r, the format has %r" % (what, have, want))


def functions(folder):
    rows = [[t for t in p.cells(r)] for p in read(folder, "functions") for r in p.rows][1:]
    calls = len(rows[0]) == 7
    return [(r[2], number(r[3]), number(r[5]) if calls else 0, r[-1], number(r[4]) if calls else None) for r in rows]


def top(folder, path):
    want = []
    with open(path) as f:
        head = f.readlines()
    calls = any("Calls" in line for line in head)
    for line in head:
        if not line.startswith("#"):
            part = line.rstrip("\n").split(None, 4 if calls else 3)
            want.append((part[-1], int(part[1]), int(part[2]) if calls else 0, part[-2]))
    have = [f[:4] for f in functions(folder)]
    same("functions", have, want[:len(have)])
    have, wanted = figures(folder), {"instructions, each counted": str(sum(f[1] for f in want)), "functions executed": str(len(want))}
    if calls:
        wanted["calls"] = str(sum(f[2] for f in want))
    same("figures", {k: v.replace(",", "") for k, v in have.items() if k in wanted or k == "calls"}, wanted)
    print("%d functions" % len(want))


def figures(folder):
    """What the first page says of the whole: name -> figure."""
    page, = read(folder, "index")
    box = re.search(r'<ul class="figures">(.*?)</ul>', page.text, re.S).group(1)
    found = re.findall(r"<li[^>]*><b>(.*?)</b> (.*?)</li>", box)
    return {re.sub("<[^>]*>", "", what): html.unescape(figure) for figure, what in found}


def sources(folder):
    """Path -> rows of all pages of the file: line -> (executions, instructions, directions)."""
    files = collections.defaultdict(dict)
    for p in read(folder, "s"):
        for row in p.rows:
            cells = p.cells(row)
            if row[1] and row[1].startswith("L"):
                files[p.sub][number(cells[0])] = cells[1:4]
    return files


def lcov(folder, path):
    files, name = sources(folder), None
    table = {p.cells(r)[0]: p.cells(r) for p in read(folder, "files") for r in p.rows}
    seen, lines, branches, sums, every = set(), {}, collections.defaultdict(list), {}, []
    with open(path) as f:
        for line in f:
            key, _, value = line.rstrip("\n").partition(":")
            if key == "SF":
                name, lines, branches, sums = value, {}, collections.defaultdict(list), {}
            elif key == "DA":
                lines[int(value.split(",")[0])] = int(value.split(",")[1])
            elif key == "BRDA":
                branches[int(value.split(",")[0])].append(value.split(",")[3])
            elif key in ("LF", "LH", "BRF", "BRH", "FNF", "FNH"):
                sums[key] = int(value)
            elif key == "end_of_record" and lines:
                seen.add(name)
                every.append(sums)
                row, = [r for n, r in table.items() if name.endswith(n)]
                for at, kind in ((2, "L"), (4, "BR"), (6, "FN")):
                    have = [number(x) for x in row[at].replace("\u202f", "").split("/")] if row[at] else [0, 0]
                    same("%s, %sF" % (name, kind), have, [sums[kind + "H"], sums[kind + "F"]])
                if name not in files:
                    continue
                same(name, {n: number(c[0]) for n, c in files[name].items() if c[0]}, {n: c for n, c in lines.items() if n})
                for n, b in branches.items():
                    pairs = [("\u2013/\u2013" if b[i] == "-" else "%s/%s" % (b[i + 1], b[i])) for i in range(0, len(b), 2)]
                    have = files[name][n][2].replace(",", "").split(" +")[0].split("; ")
                    same("%s:%d, branches" % (name, n), have, pairs[:len(have)])
                    same("%s:%d, number of branches" % (name, n), len(have), min(len(pairs), 6))
    hit, of = (sum(s[k] for s in every) for k in ("LH", "LF"))
    have = [f.replace("\u202f", "") for what, f in figures(folder).items() if what == "of %s lines executed" % format(of, ",")]
    same("lines executed", have, ["%.1f%%" % (100.0 * hit / of)])
    if not seen or not files or not set(files) <= seen:
        sys.exit("files: the report has %s, the format has %s" % (sorted(files), sorted(seen)))
    print("%d files" % len(seen))


def callgrind_costs(path):
    """Address -> executions, and (file, line) -> instructions."""
    names, addresses, lines, file, skip = {}, {}, collections.Counter(), None, False
    with open(path) as f:
        for text in f:
            at = re.match(r"(fl|fi|fe|cfi)=\((\d+)\)(?: (.*))?$", text)
            if at:
                if at[3]:
                    names[at[2]] = at[3]
                if at[1] != "cfi":
                    file = names[at[2]]
            elif text.startswith("calls="):
                skip = True
            elif text.startswith("0x"):
                if not skip:
                    address, line, cost = text.split()
                    addresses[int(address, 16)] = int(cost)
                    lines[file, int(line)] += int(cost)
                skip = False
    return addresses, lines


def callgrind(folder, path):
    addresses, lines = callgrind_costs(path)
    n = 0
    for p in read(folder, "f"):
        if not re.fullmatch(r"f\d+\.html", os.path.basename(p.path)):
            continue
        for row in p.rows:
            if row[1] and row[1].startswith("a"):
                cells = p.cells(row)
                n += bool(cells[0])
                same(row[1] + " in " + p.path, number(cells[0]), addresses.get(int(row[1][1:], 16), 0))
    left = [a for a, c in addresses.items() if a and c]
    print("%d instructions of %d" % (n, len(left)))
    if n != len(left):
        sys.exit("instructions are not in the pages, or twice")
    for name, rows in sources(folder).items():
        have = {line: number(c[1]) for line, c in rows.items() if c[1]}
        same(name, have, {line: c for (file, line), c in lines.items() if file == name and line and c})


def chains(frames):
    """Instructions of each frame of a graph, by the names from the top down to it."""
    names, found = [], {}
    for f in frames:
        name, n = re.match(r"(.*) \([^()]*\): ([0-9,]+) instructions", f["title"]).groups()
        names.append((names[int(f["data-p"])] if "data-p" in f else ()) + (name,))
        found[names[-1]] = found.get(names[-1], 0) + number(n)
    return found


def graph(what, frames, wanted):
    """Frames have what the stacks have; those that are missing are narrow."""
    found = chains(frames)
    wrong = {k: (n, wanted.get(k)) for k, n in found.items() if n != wanted.get(k)}
    if not found or wrong:
        sys.exit("%s: frames, and what the format has: %s" % (what, wrong))
    least = min(found.values())
    missing = [k for k, n in wanted.items() if n > 2 * least and k not in found and "[no stack]" not in k]
    if missing:
        sys.exit("%s: wide frames are missing: %s" % (what, missing))
    print("%s: %d frames of %d" % (what, len(found), len(wanted)))


def stacks(path):
    """Instructions by stack from the outermost function on, by stack from the innermost one on, and by function."""
    down, up, inside = (collections.Counter() for _ in range(3))
    with open(path) as f:
        for line in f:
            stack, _, n = line.rstrip("\n").rpartition(" ")
            names = tuple(stack.split(";"))
            for i in range(len(names)):
                down[names[:i + 1]] += int(n)
                up[names[i:][::-1]] += int(n)
            for name in set(names):
                inside[name] += int(n)
    return down, up, inside


def graphs(folder, name, down, up):
    for what, wanted in ((name, down), (name + "-up", up)):
        page, = read(folder, what + ".html")
        graph(what, page.frames, wanted)


def tasks(folder):
    """Rows of the list of threads: process, thread ("all N": of a process), name, instructions; number i has the graph t<i + 1>."""
    page, = read(folder, "threads")
    return [(c[2], c[3], c[1], number(c[4])) for c in (page.cells(r) for r in page.rows[1:])]


def task(folder, process, thread, path):
    """The graph of a process or of a thread is that of a profile of it alone. An empty process: unknown."""
    found = [i for i, t in enumerate(tasks(folder)) if t[0] == process and (t[1] == thread or (thread == "all" and t[1].startswith("all")))]
    if len(found) != 1:
        sys.exit("%s of %s is in %d rows" % (thread, process, len(found)))
    graphs(folder, "t%d" % (found[0] + 1), *stacks(path)[:2])


def folded(folder, path):
    down, up, inside = stacks(path)
    functions_of = collections.Counter()
    have = functions(folder)
    for f in have:
        functions_of[f[0]] += 1
    for name, _, calls, _, inclusive in have:
        if calls and functions_of[name] == 1:
            same("inclusive instructions of %s" % name, inclusive, inside[name])
    graphs(folder, "flame", down, up)


def columns(folder):
    """Rows of functions as dicts by the heads of the columns, also those that are lines of text."""
    page, = read(folder, "functions")
    head = page.cells(page.rows[0])
    more = re.search(r'<pre class="words">(.*?)</pre>', page.text, re.S)
    rows = [page.cells(r) for r in page.rows[1:]] + [html.unescape(line).split("\t") for line in (more[1] if more else "").splitlines()]
    return [dict(zip(head, r, strict=True)) for r in rows]


def cycles(folder, plain):
    """The instructions are those of a report of instructions, and each has its number of cycles."""
    have, want = columns(folder), {(r["Function"], r["Binary"]): r["Instructions"] for r in columns(plain)}
    for r in have:
        if r["Function"].startswith("["):
            continue
        same(r["Function"], r["Instructions"], want[r["Function"], r["Binary"]])
        same(r["Function"] + ", each", r["Per instruction"], "%.2f" % (number(r["Cycles"]) / number(r["Instructions"])))
    if not [r for r in have if number(r["Cycles"])]:
        sys.exit("no cycles")
    print("%d functions" % len(have))


def ranks(folder, n):
    """All functions are there, once, with their ranks and numbers in order."""
    rows = columns(folder)
    same("ranks", [number(r["#"]) for r in rows], list(range(1, int(n) + 1)))
    insns = [number(r["Instructions"]) for r in rows]
    same("order", insns, sorted(insns, reverse=True))
    same("names", len({r["Function"] for r in rows}), int(n))


def timeline(folder, path):
    """Function, length in ns and instructions of each call; and callers are longer than what they call."""
    with open(path) as f:
        events = [e for e in json.load(f)["traceEvents"] if e["ph"] == "X" and "insns" in e.get("args", {})]
    wanted = collections.Counter((e["name"], round(1000 * e["dur"]), e["args"]["insns"]) for e in events)
    page, = read(folder, "timeline")
    found, lengths = collections.Counter(), []
    for f in page.frames:
        length = [round(1000 * float(us)) for us in re.findall(r"([0-9.]+) us", f["title"])][-1]
        lengths.append(length)
        if "data-p" not in f:
            continue
        if length > lengths[int(f["data-p"])]:
            sys.exit("longer than its caller: %s" % f["title"])
        name, insns = re.fullmatch(r"(.*): after [0-9.]+ us, [0-9.]+ us, ([0-9,]+) instructions.*", f["title"]).groups()
        found[name, length, number(insns)] += 1
    if not found or found - wanted or (wanted - found and "<p class=\"note\">0 shorter" in page.text):
        sys.exit("only in the report: %s\nonly in the timeline: %s" % (found - wanted, wanted - found))
    print("%d calls of %d" % (sum(found.values()), sum(wanted.values())))


def text(folder, words):
    said = [p for p in read(folder) if words in "".join(p.said)]
    if not said:
        sys.exit("no page says %s" % words)
    print("%d pages say it" % len(said))


def latencies(folder, *wanted):
    with open(os.path.join(folder, "index.html"), encoding="utf-8") as f:
        table = re.search(r'<h2 id="latencies">.*?</section>', f.read(), re.S)
    rows = re.findall(r"<tr><td>.*?</tr>", table[0] if table else "")
    found = ["|".join(re.sub("<.*?>", "", cell) for cell in row.split("</td>")[:-1]) for row in rows]
    if found != list(wanted):
        sys.exit("\n".join(found))


def recording(path, folder):
    run_recording = importlib.machinery.SourceFileLoader("run_recording", "tests/golden/run-recording").load_module()
    os.makedirs(folder)
    run_recording.make(run_recording.parse(path)[0], folder)


if __name__ == "__main__":
    {"latencies": latencies, "recording": recording, "pages": pages, "top": top, "lcov": lcov, "callgrind": callgrind, "folded": folded, "text": text, "task": task, "cycles": cycles, "ranks": ranks,
     "timeline": timeline,
     "tasks": lambda folder: print("\n".join("%s %s" % (t[0], t[1].split()[0]) for t in tasks(folder)))}[sys.argv[1]](*sys.argv[2:])
