# SPDX-License-Identifier: BSD-3-Clause
"""Counts in the formats of `profile`, read as their own descriptions say. Each function takes the contents of a file. Addresses stay
what the format has; where there are several binaries these are named as in the format."""
import collections
import gzip
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data"))
import profile_text


class OneBinary:
    """ranges (first, last): times; edges (from, to): times, to 0: elsewhere; entries {to}; not_taken {address}."""

    def __init__(self, ranges=(), edges=(), not_taken=()):
        self.ranges, self.not_taken = collections.Counter(ranges), collections.Counter(not_taken)
        self.edges = collections.Counter({k: n for k, n in dict(edges).items() if k[0]})
        self.entries = collections.Counter({k[1]: n for k, n in dict(edges).items() if not k[0]})


def text_section(lines, between):
    out = collections.Counter()
    for _ in range(int(next(lines))):
        key, times = next(lines).split(":")
        a, b = key.split(between)
        out[int(a, 16), int(b, 16)] += int(times)
    return out


def autofdo(content):
    lines = iter(content.decode().splitlines())
    ranges = text_section(lines, "-")
    if next(lines) != "0":
        raise SystemExit("autofdo: addresses, although the ranges have them")
    return OneBinary(ranges, text_section(lines, "->"))


def llvm(content):
    lines = iter(content.decode().splitlines())
    return OneBinary(text_section(lines, "-"), text_section(lines, "->"))


NONE = 2 ** 64 - 1


def bolt(content):
    """Lines B, F and f, or T and R: a branch and the range behind it, either of which may be NONE; a range behind a return."""
    ranges, edges = collections.Counter(), collections.Counter()
    for line in content.decode().splitlines():
        kind, *words = line.split()
        a, b, last = (int(w, 16) for w in words[:3])
        if kind == "B":
            edges[a, b] += int(words[2])
        elif kind in "Ff":
            ranges[a, b] += int(words[2])
        else:
            if kind == "T" and a != NONE:
                edges[a, b] += int(words[3])
            if last != NONE:
                ranges[b, last] += int(words[3])
    return OneBinary(ranges, edges)


# ---- protobuf -------------------------------------------------------------------------------------------


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(field, value) of a message: a number, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            at += value
            value = data[at - value:at]
        elif key & 7:
            raise SystemExit("protobuf: type %d" % (key & 7))
        yield key >> 3, value


def numbers(value):
    """A repeated number, packed."""
    out, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        out.append(number)
    return out


def propeller(content):
    """branch_frequencies.proto of google/llvm-propeller."""
    edges, not_taken = collections.Counter(), collections.Counter()
    for field, message in fields(content):
        m = collections.defaultdict(int, fields(message))
        if field == 1:
            edges[m[1], m[2]] += m[3]
        else:
            not_taken[m[1]] += m[2]
    return OneBinary((), edges, not_taken)


# ---- all binaries ---------------------------------------------------------------------------------------


class AllBinaries:
    """costs (binary, address): instructions, address None if the format has none; sites (binary, address of the call, binary of the
    callee): calls; calls {binary of the callee}; total, what the format says itself; names {binary}: instructions by function."""

    def __init__(self):
        self.costs, self.sites, self.calls = (collections.Counter() for _ in range(3))
        self.total = None


def callgrind(content):
    out, names, ob, cob, calls = AllBinaries(), {}, None, None, None
    for line in content.decode().splitlines():
        if line.startswith("0x"):
            words = line.split()
            if calls is None:
                out.costs[ob, int(words[0], 16)] += int(words[2])
            else:
                out.sites[ob, int(words[0], 16), cob or ob] += calls
                out.calls[cob or ob] += calls
                calls = cob = None
        elif line.startswith(("ob=", "cob=")):
            m = re.fullmatch(r"c?ob=\((\d+)\)(?: (.*))?", line)
            names.setdefault(m[1], m[2])
            if line[0] == "c":
                cob = names[m[1]]
            else:
                ob = names[m[1]]
        elif line.startswith("calls="):
            calls = int(line.split()[0][6:])
        elif line.startswith("totals: "):
            out.total = int(line[8:])
    return out


def pprof(content):
    """profile.proto of google/pprof: the first location of a sample is in the function itself, the second one at its call."""
    out, strings, mappings, locations, samples = AllBinaries(), [], {0: 0}, {}, []
    for field, message in fields(gzip.decompress(content)):
        if field == 6:
            strings.append(message.decode())
        elif field in (3, 4):
            m = collections.defaultdict(int, fields(message))
            if field == 3:
                mappings[m[1]] = m[5]
            else:
                locations[m[1]] = m[2], m[3]
        elif field == 2:
            m = dict(fields(message))
            calls, weight, insns = numbers(m[2])
            if weight != insns:
                raise SystemExit("pprof: samples are %d, instructions %d" % (weight, insns))
            samples.append((numbers(m[1])[:2], calls, insns))

    def binary(location):
        return strings[mappings[locations[location][0]]] or "[elsewhere]"
    for stack, calls, insns in samples:
        out.costs[binary(stack[0]), None] += insns
        out.calls[binary(stack[0])] += calls
        if len(stack) > 1:
            out.sites[binary(stack[1]), locations[stack[1]][1], binary(stack[0])] += calls
    return out


def folded(content):
    out = AllBinaries()
    out.total = sum(int(line.rsplit(" ", 1)[1]) for line in content.decode().splitlines())
    return out


def top(content):
    """Binaries are named without folders."""
    out = AllBinaries()
    for line in content.decode().splitlines():
        if line.startswith("# Instructions: "):
            out.total = int(line.split()[2].rstrip(","))
        elif line[:1] != "#":
            _, insns, calls, binary, _ = line.split(None, 4)
            out.costs[binary, None] += int(insns)
            out.calls[binary] += int(calls)
    return out


class Source:
    """Of a file of a tracefile: lines {line: executions}, functions {name: executions}, branches {line:
    [(not taken, taken)]}, of which those that were never executed have None for both."""

    def __init__(self):
        self.lines, self.functions, self.branches = {}, {}, collections.defaultdict(list)


def lcov(content):
    out, untaken = {}, None
    for line in content.decode().splitlines():
        key, _, value = line.partition(":")
        words = value.split(",")
        if key == "SF":
            source = out[value] = Source()
        elif key == "DA":
            source.lines[int(words[0])] = int(words[1])
        elif key == "FNDA":
            source.functions[words[1]] = int(words[0])
        elif key == "BRDA":
            count = None if words[3] == "-" else int(words[3])
            if words[2] == "0":
                untaken = count
            else:
                source.branches[int(words[0])].append((untaken, count))
    return out
