#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""profile_address.py flow TOOL RECORDING SYMFS FLOW BINARY
profile_address.py kernel TOOL RECORDING SYMFS TRUTH BINARY FILE
profile_address.py heads BINARY FLOW PROFILE
profile_address.py text BINARY FLOW
profile_address.py split MODULE

flow, kernel: the four texts of `profile` for one binary, each number read by the rule of its reader, have exactly
the ranges and branches that were executed at these addresses of the ELF file. What was executed comes from the
records of the emulator (flow), or from the files of cst-gen --truth (kernel: FILE is the image or module that was
loaded where the recording says). heads: of a profile that create_llvm_prof wrote as text, the count of entries of
each function is the number of branches to its start. text: the executed counts as AutoFDO 0.19 reads them. split:
the second half of the module's .text becomes a section of its own, at the same place.
"""
import collections
import glob
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../data'))
import profile_text

FLOW_CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../gen/qemu/flow-check')
MAP, RECORD = 6, struct.Struct('<8B2I3Q')


class Executed:
    """Addresses as they were when the program ran."""

    def __init__(self):
        self.ranges, self.joined, self.edges = (collections.Counter() for _ in range(3))

    def of(self, start, end, move):
        """What was executed in [start, end), by address of the file; branches out of it go to 0."""
        def inside(pc):
            return start <= pc < end
        out = Executed()
        for into, counter in ((out.ranges, self.ranges), (out.joined, self.joined)):
            for (a, b), n in counter.items():
                if inside(a) and inside(b):
                    into[a - move, b - move] += n
        for (a, b), n in self.edges.items():
            if inside(a):
                out.edges[a - move, b - move if inside(b) else 0] += n
        return out


def flow_of(path):
    executed = Executed()
    for line in subprocess.check_output([FLOW_CHECK, path, '--ranges'], text=True).splitlines():
        kind, a, b, n = line.split()
        (executed.ranges if kind == 'range' else executed.joined)[int(a, 16), int(b, 16)] = int(n)
    for line in subprocess.check_output([FLOW_CHECK, path, '--branches', '100'], text=True).splitlines():
        a, b = line.split()
        executed.edges[int(a, 16), int(b, 16)] += 1
    return executed


def code_segment(elf):
    """The only executable one."""
    segment, = [s for s in elf.load if s[3] & profile_text.PF_X]
    return segment


def place_of_flow(path, name, elf):
    """Where the executable segment of an image was: its start, its end, what was added to its addresses."""
    number, = [line.split('\t')[0] for line in open(path + '.images') if line.split('\t')[1].endswith('/' + name)]
    offset, vaddr, size, _ = code_segment(elf)
    data = open(path, 'rb').read()
    for r in RECORD.iter_unpack(memoryview(data)[8:8 + (len(data) - 8) // RECORD.size * RECORD.size]):
        kind, image, pc, length, at = r[0], r[9], r[10], r[11], r[12]
        if kind == MAP and image == int(number) and at <= offset < at + length:
            start = pc + offset - at
            return start, start + size, start - vaddr
    sys.exit('%s: %s was not mapped' % (path, name))


def truth_of(folder, elf, move):
    """Of ranges.cpuN: ranges as profile_text.executed_ranges() makes them, and branches."""
    def is_system(address):
        return elf.is_system(address - move)

    executed = Executed()
    for name in glob.glob(folder + '/ranges.*'):
        split, joined = profile_text.executed_ranges(open(name), is_system)
        executed.ranges += split
        executed.joined += joined
        taken = None
        for line in open(name):
            words = line.split()
            if words[0] in 'SCYNE':
                continue
            if words[0] == 'R':
                start, end = int(words[1], 16), int(words[2], 16)
                if taken is not None:
                    executed.edges[taken, start] += 1
                taken = end - 4 if words[4] == 'E' and not is_system(end - 4) else None
                continue
            # an exception right at the target has it; where the trace ends nothing does
            if taken is not None:
                executed.edges[taken, int(words[2], 16) if words[0] == 'X' else 0] += 1
            taken = None
        if taken is not None:
            executed.edges[taken, 0] += 1
    return executed


def map_of_record(recording, name):
    """Address and length of the PERF_RECORD_MMAP of a file of the kernel."""
    data = open(recording, 'rb').read()
    at, size = struct.unpack_from('<QQ', data, 40)
    end = at + size
    while at < end:
        kind, _, size = struct.unpack_from('<IHH', data, at)
        if kind == 1 and data[at + 40:data.index(b'\0', at + 40)].decode().endswith(name):
            return struct.unpack_from('<QQ', data, at + 16)
        # the data of an AUXTRACE record stands behind it
        at += size + (struct.unpack_from('<Q', data, at + 8)[0] if kind == 71 else 0)
    sys.exit('%s: no map of %s' % (recording, name))


def beyond(executed, end, messages):
    """What ran behind the end of .text is told, in ranges and branches."""
    ranges = {(a, b): n for (a, b), n in executed.ranges.items() if b >= end}
    edges = {(a, b) for a, b in executed.edges if a >= end}
    text = '%d ranges, executed %d times, and %d edges are outside of its .text' % (
        len(ranges), sum(ranges.values()), len(edges))
    if not ranges or not edges or text not in messages:
        sys.exit('no "%s" in: %s' % (text, messages))


def split(path):
    data = bytearray(open(path, 'rb').read())
    shoff, = struct.unpack_from('<Q', data, 40)
    size, n, names = struct.unpack_from('<HHH', data, 58)
    heads = [bytearray(data[shoff + i * size:shoff + (i + 1) * size]) for i in range(n)]
    text = struct.unpack_from('<QQ', heads[1], 24)
    heads.append(heads[1][:])
    half = text[1] // 2
    struct.pack_into('<Q', heads[1], 32, half)
    struct.pack_into('<QQ', heads[n], 24, text[0] + half, text[1] - half)
    # another name: the end of one that is there
    strings, = struct.unpack_from('<Q', heads[names], 24)
    struct.pack_into('<I', heads[n], 0, data.index(b'build-id', strings) - strings)
    struct.pack_into('<Q', data, 40, len(data))
    struct.pack_into('<H', data, 60, n + 1)
    open(path, 'wb').write(data + b''.join(heads))


def profile_run(tool, recording, symfs, binary, *options):
    done = subprocess.run([tool, 'profile', '-i', recording, '--symfs', symfs, '--binary', binary, '-o', '-', *options],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit('exit %d: %s' % (done.returncode, done.stderr))
    return done


def profile(*args):
    return profile_run(*args).stdout


def check(take, elf, want, *others):
    """`take` makes a text, with the options given; `others`: formats with ranges up to a branch that was taken. Of a
    file that is not linked they have no addresses."""
    text = take()
    path = re.search('^// ((?!build_id).*)$', text, re.M)[1]
    inside = collections.Counter({k: n for k, n in want.edges.items() if k[1]})
    old = inside if elf.outside_019() is None else want.edges
    texts = [('offset', want.ranges, want.edges, profile_text.autofdo(text, elf, path)),
             ('vaddr', want.ranges, old, profile_text.autofdo(take('--address=vaddr'), elf, path, 19))]
    texts += [(name, want.joined, inside, getattr(profile_text, name)(take('--format=' + name))) for name in others]
    bad = []
    for name, ranges, edges, got in texts:
        bad += [name + ': ' + t for t in profile_text.differences('range', ranges, got[0]) +
                profile_text.differences('branch', edges, got[1])]
    print('\n'.join(bad or ['%s: %d texts of %d ranges and %d branches, executed %d and %d times' % (
        path, len(texts), len(want.ranges), len(want.edges), sum(want.ranges.values()), sum(want.edges.values()))]))
    return bool(bad) or len(want.ranges) < 4 or not inside


def flow(tool, recording, symfs, path, binary):
    elf = profile_text.Elf(symfs + binary)
    start, end, move = place_of_flow(path, os.path.basename(binary), elf)
    offset, vaddr = code_segment(elf)[:2]
    if offset == vaddr - elf.load[0][1]:
        sys.exit('%s: offset and address cannot be told apart' % binary)
    return check(lambda *o: profile(tool, recording, symfs, binary, *o), elf, flow_of(path).of(start, end, move), 'llvm')


def kernel(tool, recording, symfs, truth, binary, file):
    elf = profile_text.Elf(symfs + file)
    at, length = map_of_record(recording, binary)
    linked = bool(elf.load)
    move = at - (code_segment(elf)[1] if linked else elf.sections['.text'][0])
    name = '[kernel.kallsyms]' if linked else binary
    options = ['--vmlinux', symfs + '/boot/vmlinux']
    if not linked and elf.sections['.text'][2] < length:
        executed, length = truth_of(truth, elf, move).of(at, at + length, 0), elf.sections['.text'][2]
        beyond(executed, at + length, profile_run(tool, recording, symfs, name, *options).stderr)
    return check(lambda *o: profile(tool, recording, symfs, name, *options, *o), elf,
                 truth_of(truth, elf, move).of(at, at + length, move), *(('llvm', 'bolt') if linked else ()))


def executed_in(binary, path):
    elf = profile_text.Elf(binary)
    start, end, move = place_of_flow(path, os.path.basename(binary), elf)
    return elf, flow_of(path).of(start, end, move)


def heads(binary, path, text):
    """Functions that nobody called have no entries, and a function with few samples may be left out."""
    _, executed = executed_in(binary, path)
    starts = {}
    for line in subprocess.check_output(['nm', '--defined-only', binary], text=True).splitlines():
        address, kind, name = line.split()
        if kind in 'tT':
            starts[name] = int(address, 16)
    got = dict(re.findall(r'^(\w+):\d+:(\d+)$', open(text, errors='replace').read(), re.M))
    bad = 0
    for name, n in got.items():
        entries = sum(times for (a, b), times in executed.edges.items() if b == starts[name])
        if entries and int(n) != entries:
            print('%s: entered %d times, the profile says %s' % (name, entries, n))
            bad = 1
    print('%d functions with entry counts' % len(got))
    return bad or not got


def text(binary, path):
    elf, executed = executed_in(binary, path)
    base = elf.load[0][1]
    print(len(executed.ranges), *('%x-%x:%d' % (a - base, b - base, n) for (a, b), n in executed.ranges.items()), sep='\n')
    print(0, len(executed.edges), *('%x->%x:%d' % (a - base, b - base if b else 0, n)
                                    for (a, b), n in executed.edges.items()), sep='\n')


if __name__ == '__main__':
    try:
        sys.exit({'flow': flow, 'kernel': kernel, 'heads': heads, 'text': text, 'split': split}[sys.argv[1]](*sys.argv[2:]))
    except profile_text.Bad as error:
        sys.exit(str(error))
