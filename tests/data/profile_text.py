# SPDX-License-Identifier: BSD-3-Clause
"""The texts of `profile`, read as their readers do: what each number means is taken from the ELF file, by the rule
of that reader, so that counts can be compared with what was executed, by address. Any line too many, too few or
of another kind is an error.
"""
import collections
import re
import struct

PT_LOAD, PT_NOTE, PF_X = 1, 4, 1
STUBS = ('.plt', '.iplt', '.plt.got', '.plt.sec')   # sections of the linker's stubs, which a profile for BOLT leaves out


class Bad(Exception):
    pass


class Elf:
    """Program headers, sections and build-id, little endian."""

    def __init__(self, path):
        self.data = data = open(path, 'rb').read()
        wide = data[4] == 2
        header = struct.unpack_from('<HHIQQQIHHHHHH' if wide else '<HHIIIIIHHHHHH', data, 16)
        _, _, _, _, phoff, shoff, _, _, phentsize, phnum, shentsize, shnum, names = header
        self.load, self.sections, self.build_id = [], {}, None
        for at in (phoff + i * phentsize for i in range(phnum)):
            if wide:
                kind, flags, offset, vaddr, _, filesz = struct.unpack_from('<IIQQQQ', data, at)
            else:
                kind, offset, vaddr, _, filesz, _, flags = struct.unpack_from('<IIIIIII', data, at)
            if kind == PT_LOAD:
                self.load.append((offset, vaddr, filesz, flags))
            elif kind == PT_NOTE:
                self.notes(offset, offset + filesz)
        heads = [struct.unpack_from('<IIQQQQ' if wide else '<IIIIII', data, shoff + i * shentsize)
                 for i in range(shnum)]
        for name, _, _, addr, offset, size in heads:
            at = heads[names][4] + name
            self.sections[data[at:data.index(b'\0', at)].decode()] = (addr, offset, size)

    def notes(self, at, end):
        while at < end:
            name, size, kind = struct.unpack_from('<III', self.data, at)
            text = at + 12 + (name + 3 & ~3)
            if kind == 3 and self.data[at + 12:at + 16] == b'GNU\0':
                self.build_id = self.data[text:text + size].hex()
            at = text + (size + 3 & ~3)

    def in_stub(self, addr):
        return any(start <= addr < start + size for name, (start, _, size) in self.sections.items() if name in STUBS)

    def is_system(self, address):
        """Is this an A64 instruction such as ISB, which ends a range of the trace and is no branch?"""
        places = [(vaddr, offset, size) for offset, vaddr, size, _ in self.load]
        if not places:
            # a module: what was split off stands behind .text, too
            addr, offset, size = self.sections['.text']
            places = [(addr, offset, 2 * size)]
        for vaddr, offset, size in places:
            if 0 <= address - vaddr < size:
                return struct.unpack_from('<I', self.data, offset + address - vaddr)[0] >> 22 == 0x354
        return False

    def address_020(self, number):
        """AutoFDO 0.20 and later: file offsets, by the last executable segment that begins at or before it; a file
        without segments has its section .text for one."""
        code = [(offset, vaddr) for offset, vaddr, _, flags in self.load if flags & PF_X]
        if not self.load:
            addr, offset, _ = self.sections['.text']
            code = [(offset, addr)]
        base = None
        for offset, vaddr in code:
            if number < offset:
                break
            base = vaddr - offset
        if base is None:
            raise Bad('offset %x is in no executable segment' % number)
        return number + base

    def address_019(self, number):
        """AutoFDO up to 0.19: from the first segment on; from 0 on in a file without segments."""
        return number + (self.load[0][1] if self.load else 0)

    def outside_020(self):
        """The target of branches out of the file: 0, where the file's header is."""
        return 0

    def outside_019(self):
        """The same; not there if 0 is an address of code."""
        return 0 if self.load and not self.load[0][0] else None


def same(number):
    return number


def counts(lines, pattern, meaning, outside=None):
    """One section: a line with the number of lines, and these."""
    out, total = collections.Counter(), lines.pop(0)
    for _ in range(int(total)):
        line = lines.pop(0)
        m = re.fullmatch(pattern, line)
        if not m:
            raise Bad('not a count: ' + line)
        a, b, times = m.groups()
        key = meaning(int(a, 16)), 0 if int(b, 16) == outside else meaning(int(b, 16))
        if key in out:
            raise Bad('twice: ' + line)
        out[key] = int(times)
    return out


RANGE, EDGE = r'([0-9a-f]+)-([0-9a-f]+):(\d+)', r'([0-9a-f]+)->([0-9a-f]+):(\d+)'


def autofdo(text, elf, path, version=20):
    """Ranges and edges, those that leave the file with target 0. `path`: as it was recorded."""
    meaning, outside = ((elf.address_020, elf.outside_020()) if version >= 20 else
                        (elf.address_019, elf.outside_019()))
    lines = text.split('\n')
    ranges = counts(lines, RANGE, meaning)
    if lines.pop(0) != '0':
        raise Bad('addresses, although the ranges have them')
    edges = counts(lines, EDGE, meaning, outside)
    end = ['// build_id: 0x' + elf.build_id.ljust(40, '0')] if elf.build_id else []
    if lines != end + ['// ' + path, '', '']:
        raise Bad('ends with %s, not with %s' % (lines, end + ['// ' + path]))
    return ranges, edges


def llvm(text):
    lines = text.split('\n')
    ranges, edges = counts(lines, RANGE, same), counts(lines, EDGE, same)
    if lines != ['']:
        raise Bad('goes on with ' + lines[0])
    return ranges, edges


def bolt(text):
    """Fall-throughs (F, and f of those that were entered from outside) and branches (B) between known places."""
    ranges, edges = collections.Counter(), collections.Counter()
    for line in text.splitlines():
        m = re.fullmatch(r'([Ff]) ([0-9a-f]+) ([0-9a-f]+) (\d+)|(B) ([0-9a-f]+) ([0-9a-f]+) (\d+) 0', line)
        if not m:
            raise Bad('not a line of BOLT: ' + line)
        kind, a, b, times = (w for w in m.groups() if w is not None)
        a, b, into = int(a, 16), int(b, 16), edges if kind == 'B' else ranges
        if kind != 'B' or a and b:
            into[a, b] += int(times)
    return ranges, edges


def executed_ranges(lines, is_system):
    """Ranges of the flow that a trace unit traced (lines of ranges.cpuN), by the addresses of their first and last A64
    instruction: up to each branch, and up to each one that was taken. An exception that returns to the next instruction
    in the same thread does not end a range, nor does an instruction for which is_system(address) is true (ISB)."""
    split, joined = collections.Counter(), collections.Counter()
    ranges = {False: split, True: joined}
    first = {False: None, True: None}
    end = resume = thread = last_thread = None
    interrupted = False

    def close(kind):
        if first[kind] is not None:
            ranges[kind][first[kind], end - 4] += 1
        first[kind] = None

    for line in lines:
        words = line.split()
        if words[0] == 'R':
            start = int(words[1], 16)
            if start != end or interrupted and (resume != start or thread != last_thread):
                close(False)
                close(True)
            for kind in first:
                if first[kind] is None:
                    first[kind] = start
            end, last_thread, interrupted, resume = int(words[2], 16), thread, False, None
            if words[4] in 'EN' and not is_system(end - 4):
                close(False)
                if words[4] == 'E':
                    close(True)
        elif words[0] == 'C':
            thread = words[1:3]
        elif words[0] == 'X':
            interrupted, resume = True, int(words[2], 16) if len(words) > 2 and words[2] != '-' else None
        elif words[0] == 'T':
            interrupted = True
        elif words[0] not in 'SYNE':
            interrupted, resume = True, None
    close(False)
    close(True)
    return split, joined


def differences(what, want, got):
    """As lines, the first five; empty: none."""
    keys = sorted(k for k in want.keys() | got.keys() if want.get(k, 0) != got.get(k, 0))
    return ['%s %x %x: executed %d, in the profile %d' % (what, *k, want.get(k, 0), got.get(k, 0)) for k in keys[:5]]
