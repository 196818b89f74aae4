# SPDX-License-Identifier: BSD-3-Clause
"""Trees of a machine's files, written as one text (tests/data/targets/*.txt).

    # a comment, also between sections
    [file PATH]             the text below it, without empty lines at its end
    [gzip PATH]             the same, compressed
    [files DIR]             a line "NAME VALUE" for each file: a register, a setting
    [strings PATH]          a line for each string; a byte 0 is behind each (properties of a device tree)
    [link PATH] TARGET
    [folder PATH]
    [empty DIR]             a line for each name of an empty file
    [run OPTIONS]           perf-cstrace check --root TREE OPTIONS: its exit code and what it prints

In lines and paths {0-3,5} stands for each number in turn: a path makes several files, and {} in the lines below it is the
number. """
import gzip
import os
import re

SECTION = re.compile(r"^\[(\w+)(?: ([^\]]*))?\](?: (.*))?$")
RANGE = re.compile(r"\{(\d[\d,-]*)\}")


def numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def each(*texts):
    """The texts for each number of the range that the first one has."""
    found = RANGE.search(texts[0])
    if not found:
        yield texts
        return
    for n in numbers(found[1]):
        yield tuple(RANGE.sub(str(n), t, 1).replace("{}", str(n)) for t in texts)


def sections(text):
    """(kind, path, rest, body) of each section."""
    kind, path, rest, body = None, "", "", []
    for line in text.splitlines():
        found = SECTION.match(line)
        if found:
            if kind:
                yield kind, path, rest, body
            kind, path, rest, body = found[1], found[2] or "", found[3] or "", []
        elif not line.startswith("#") or kind in ("file", "gzip", "run"):
            body.append(line)
    if kind:
        yield kind, path, rest, body


def put(root, path, data):
    path = root + path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)


def lines_of(body):
    return [line for line in body if line.strip()]


def make_one(root, kind, path, rest, text):
    """One section below `root`."""
    body = text.splitlines()
    whole = "\n".join(body).rstrip("\n") + "\n"
    if kind == "file":
        put(root, path, whole)
    elif kind == "gzip":
        put(root, path, gzip.compress(whole.encode(), mtime=0))
    elif kind == "strings":
        put(root, path, b"".join(line.encode() + b"\0" for line in lines_of(body)))
    elif kind == "files":
        for line in lines_of(body):
            name, _, value = line.partition(" ")
            put(root, path + "/" + name, value.strip() + "\n")
    elif kind == "empty":
        for line in lines_of(body):
            put(root, path + "/" + line.strip(), "")
    elif kind == "folder":
        os.makedirs(root + path, exist_ok=True)
    elif kind == "link":
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        os.symlink(rest, root + path)
    else:
        raise ValueError("unknown section [%s]" % kind)


def make(root, text):
    """Makes the tree below `root`. Returns the sections to run as (options, lines)."""
    runs = []
    os.makedirs(root, exist_ok=True)
    for kind, path, rest, body in sections(text):
        if kind == "run":
            runs.append((path, body))
            continue
        for one in each(path, rest, "\n".join(body)):
            make_one(root, kind, *one)
    return runs
