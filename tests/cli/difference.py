#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons for cli/difference.sh:

difference.py top TABLE BEFORE AFTER         the table of profile --base against the tables of both sides
difference.py folded STACKS BEFORE AFTER     the same of stacks
difference.py pages DIR TABLE STACKS         the pages of report --base against both
difference.py noise TOOL FOLDER              which changes are marked, of counts with losses and without
"""
import collections
import html
import os
import re
import subprocess
import sys

import count_file

ROW = re.compile(r"^(.) +([+-]?\d+) +([\d.]+)% +(\d+) +(\d+) +(\S+) +(\d+) +(\d+)  (\S+)  (.*?)((?:  \[.*\])*)$")


def fail(*what):
    print(*what)
    sys.exit(1)


def read(path):
    with open(path) as f:
        return f.read()


def functions(path):
    """[(change, before, after, calls before, calls after, name)]"""
    body = re.split(r"^# Functions: .*\n", read(path), flags=re.M)[1].split("\n# Lines")[0].split("\n# Blocks")[0]
    rows = [ROW.match(line) for line in body.splitlines() if not line.startswith("#")]
    if None in rows:
        fail("a row of", path)
    return [(int(m[2]), int(m[4]), int(m[5]), int(m[7]), int(m[8]), m[10]) for m in rows]


def side(path):
    """{name: [instructions, calls]} of profile --format=top"""
    out = collections.defaultdict(lambda: [0, 0])
    for line in read(path).splitlines():
        if not line.startswith("#"):
            m = re.match(r"^ +[\d.]+% +(\d+) +(\d+)  \S+ +(.*)$", line)
            out[m[3]][0] += int(m[1])
            out[m[3]][1] += int(m[2])
    return out


def unnamed(name):
    return name.startswith("[") and "+0x" in name or name == "[no symbol]"


def top(table, before, after):
    rows, a, b = functions(table), side(before), side(after)
    seen = set()
    for change, old, new, calls_old, calls_new, name in rows:
        if change != new - old:
            fail(name, change, new, old)
        if name in seen or unnamed(name):
            continue
        seen.add(name)
        if ([old, calls_old], [new, calls_new]) != (a.get(name, [0, 0]), b.get(name, [0, 0])):
            fail(name, old, new, calls_old, calls_new, a.get(name), b.get(name))
    if sum(r[1] for r in rows) != sum(n for n, _ in a.values()) or sum(r[2] for r in rows) != sum(n for n, _ in b.values()):
        fail("sums")
    missing = {n for n in set(a) | set(b) if not unnamed(n)} - seen
    if missing:
        fail("missing", missing)
    sizes = [abs(r[0]) for r in rows]
    if sizes != sorted(sizes, reverse=True):
        fail("order")


def stacks(path, numbers):
    out = collections.defaultdict(lambda: [0] * numbers)
    for line in read(path).splitlines():
        words = line.rsplit(" ", numbers)
        name = re.sub(r"\[[^;]*\+0x[0-9a-f]+\]", "[]", words[0])
        for i in range(numbers):
            out[name][i] += int(words[1 + i])
    return out


def folded(path, before, after):
    have, a, b = stacks(path, 2), stacks(before, 1), stacks(after, 1)
    want = {name: [a.get(name, [0])[0], b.get(name, [0])[0]] for name in set(a) | set(b)}
    if dict(have) != want:
        fail({n: (have.get(n), want.get(n)) for n in set(have) | set(want) if have.get(n) != want.get(n)})


def number(text):
    return int(text.replace(",", "") or 0)


def pages(folder, table, stacks_path):
    text = read(folder + "/changes.html")
    want = [r for r in functions(table) if r[0] or r[3] != r[4]]
    body = re.split("<h2>Functions</h2>", text)
    rows = re.findall(r"<tr>(<td.*?)</tr>", body[1].split("</table>")[0]) if len(body) > 1 else []
    have = []
    for row in rows:
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
        name = html.unescape(re.sub(r"<small.*?</small>|<[^>]*>", "", cells[7])).strip()
        change = number(cells[0].replace("&minus;", "-").replace("+", "").replace("&#8239;~", ""))
        have.append((change, number(cells[2]), number(cells[3]), number(cells[5]), number(cells[6]), name))
    if have != want:
        fail("changes.html has", [x for x in zip(have, want) if x[0] != x[1]][:3], len(have), len(want))
    changed_frames(read(folder + "/change-flame.html"), stacks(stacks_path, 2))


def changed_frames(text, leaves):
    """Widths, numbers, colours and texts of the frames are those of the stacks, whose sums those of all below them are added to."""
    frames = re.findall(r'<b class="([ud])(\d)" style="left:[\d.]+%;width:([\d.]+)%;top:\d+px"(?: data-p="(\d+)")?(?: data-f="\d+")? '
                        r'title="(.*?) \([^()]*\): before ([\d,]+), after ([\d,]+) .*?"><small>(.*?)</small> (.*?)</b>', text)
    if not frames or len(frames) != text.count(' title="'):
        fail(len(frames), "frames of", text.count(' title="'))
    total = sum(v[1] for v in leaves.values())
    want = collections.defaultdict(lambda: [0, 0])
    for stack, v in leaves.items():
        names = stack.split(";")
        for i in range(len(names)):
            want[tuple(names[:i + 1])][0] += v[0]
            want[tuple(names[:i + 1])][1] += v[1]
    chains, have = [], collections.defaultdict(lambda: [0, 0])
    for kind, shade, width, parent, name, old, new, change, label in frames:
        old, new = number(old), number(new)
        chains.append((chains[int(parent)] if parent else ()) + (re.sub(r"\[.*\+0x[0-9a-f]+\]", "[]", html.unescape(name)),))
        have[chains[-1]][0] += old
        have[chains[-1]][1] += new
        if label != name or abs(float(width) / 100 - new / total) > 1e-7:
            fail(name, "is called", label, "and", width, "wide, expected", new / total)
        if new > old and (kind != "u" or change.startswith("-")) or new < old and shade != "0" and kind != "d":
            fail(name, old, new, "has the class", kind + shade, "and the text", change)
        if new == old and (shade != "0" or change != "="):
            fail(name, "did not change and has", kind + shade, change)
    wrong = {c: (v, want.get(c)) for c, v in have.items() if "[]" not in c and v != want.get(c)}
    if wrong:
        fail("frames, and their stacks:", wrong)
    roots = sum(v[1] for c, v in have.items() if len(c) == 1)
    if roots > total or roots < 0.99 * total:
        fail("frames without a caller have", roots, "of", total)


def methods(path, counts, build, loss):
    """A count file of methods of generated code, each of which has another id in each build."""
    m = count_file.new()
    m["totals"] = {b"recordings": 1, b"instructions": sum(counts)}
    if loss:
        m["totals"][b"loss.overflow"] = 3
    for i, n in enumerate(counts):
        key = (1, b"%d-%d" % (build, i))
        m["binaries"][key] = [3, 183, b"method%d" % i, [(0, 64, 0, 1)]]
        m["counts"][key] = {count_file.RANGE: {(0, 0, 0, 1): n}}
    with open(path, "wb") as f:
        f.write(count_file.write(m))


def noise(tool, folder):
    before = [100000] * 16
    after = [100000 + 200 * i for i in range(15)] + [200000]       # 0, 0.2 %, ... 2.8 %, 100 %: the median is 1.6 %
    checked = 0
    for n, loss, marked in ((16, (1, 0), 14), (16, (0, 1), 14), (16, (0, 0), 0), (7, (1, 1), 0)):
        paths = [os.path.join(folder, name) for name in ("before.cst", "after.cst")]
        for path, counts, build, lost in zip(paths, (before, after), (1, 2), loss):
            methods(path, counts[:n], build, lost)
        done = subprocess.run([tool, "profile", "-i", paths[1], "--base", paths[0], "--format=top"], capture_output=True, text=True)
        rows = [line for line in done.stdout.splitlines() if "method" in line and not line.startswith("#")]
        names = {int(line.rsplit("method", 1)[1]) for line in rows if line.startswith("~")}
        if done.returncode != (3 if any(loss) else 0) or len(rows) != n or names != set(range(1, 1 + marked)):
            fail(n, loss, done.returncode, sorted(names), done.stdout, done.stderr)
        checked += 1
    print(checked)


if __name__ == "__main__":
    {"noise": noise, "top": top, "folded": folded, "pages": pages}[sys.argv[1]](*sys.argv[2:])
