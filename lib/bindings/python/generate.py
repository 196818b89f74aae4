#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""generate.py [--check|--offsets|--folder PREFIX]: writes cstrace/_abi.py, the declarations of the public headers (include/cstrace/) for ctypes.

With --check nothing is written: the exit code is 1 if the file is not what the headers say. lib/bindings/headers.py reads
them. Sizes and offsets are in neither: ctypes finds them as the compiler does, and
tests/interop/python.py compares them with those of a C program, which --offsets writes.

--folder prints where packages are installed with a prefix: on Debian in dist-packages, those of the system for all versions.
"""
import keyword
import os
import sys
import sysconfig
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import headers  # noqa: E402  pylint: disable=wrong-import-position

OUT = os.path.join(HERE, "cstrace", "_abi.py")
HEADERS = ("cstrace/cstrace.h", "cstrace/files/countfile.h", "cstrace/perf/recording.h")    # what the package covers
PLAIN = {
    "void": "None", "char": "c_char", "int": "c_int", "unsigned": "c_uint", "unsigned int": "c_uint", "long": "c_long",
    "size_t": "c_size_t", "int8_t": "c_int8", "int16_t": "c_int16", "int32_t": "c_int32", "int64_t": "c_int64",
    "uint8_t": "c_uint8", "uint16_t": "c_uint16", "uint32_t": "c_uint32", "uint64_t": "c_uint64", "unsigned char": "c_uint8",
}
# Structs that are rows of arrays, and the name of one as a tuple; the fields of a union that have their own place come first.
ROWS = {"cst_generic": "Element", "cst_branch": "Branch", "cst_pair": "Pair", "cst_stats": "Stats", "cst_frame_stats": "FrameStats",
        "cst_count_segment": "CountSegment", "cst_count_range": "CountRange", "cst_count_not_taken": "CountNotTaken",
        "cst_count_edge": "CountEdge", "cst_count_entry": "CountEntry", "cst_count_node": "CountNode"}
RENAMED = {"cst_error": "ErrorCode"}
MASKS = {"cst_check", "cst_memspace", "cst_stop"}   # enums whose values are added, besides those named X_flags


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def enum_class(name):
    return RENAMED.get(name) or "".join(word.capitalize() for word in name[len("cst_"):].split("_"))


def short_names(members):
    """The names of values without what they, or the first two, have in common."""
    names = list(members)
    common = os.path.commonprefix(names).rpartition("_")[0] if len(names) > 1 else names[0].rpartition("_")[0]
    if common in ("CST", ""):
        common = os.path.commonprefix(names[:2]).rpartition("_")[0]
    return [name[len(common) + 1:] if name.startswith(common + "_") else name[len("CST_"):] for name in names]


class Writer:
    """The declarations as a Python module."""

    def __init__(self, declared):
        self.declared = declared
        self.lines = []
        self.written = set()    # structs

    def add(self, text=""):
        self.lines.append(text)

    def ctype(self, kind):
        if kind.kind == "pointer":
            return self.pointer(kind.of)
        if kind.kind == "callback":
            return kind.name or self.callback(kind)
        if kind.kind == "array":
            return "%s * %d" % (self.ctype(kind.of), kind.size)
        if kind.kind == "enum":
            return "c_uint"
        return PLAIN[kind.name] if kind.kind == "plain" else kind.name

    def callback(self, kind):
        return "CFUNCTYPE(%s)" % ", ".join([self.ctype(kind.of)] + [self.ctype(arg.type) for arg in kind.inner])

    def pointer(self, to):
        """Memory, and objects whose inside the headers do not show, are addresses; texts of the library are bytes."""
        if to.name == "char" and to.const:
            return "c_char_p"
        if to.name in ("void", "char", "uint8_t") or to.kind == "struct" and to.name not in self.written:
            return "c_void_p"
        return "POINTER(%s)" % self.ctype(to)

    def module(self):
        self.add("# SPDX-License-Identifier: BSD-3-Clause")
        self.add('"""Declarations of the headers in include/cstrace/, as generate.py writes them. Not to be edited.')
        self.add()
        self.add("An enum cst_X_y is the class XY, its values without their common prefix. Structs have the names of the headers; a type,")
        self.add('as cst_generic.kind, that holds values of an enum is a number."""')
        self.add("from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_char, c_char_p, c_int, c_int32, c_int64, c_long, c_size_t, c_uint,")
        self.add("                    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)")
        self.add("from enum import IntEnum, IntFlag")
        self.add("from struct import pack")
        self.add("from sys import byteorder")
        self.add("from typing import Any, Dict, List, NamedTuple, Tuple")
        self.add()
        for name in sorted(self.declared.constants):
            value = self.declared.constants[name]
            self.add("%s = %s" % (name, '"%s"' % value.encode("unicode_escape").decode() if isinstance(value, str) else
                                  hex(value) if value > 0xffff else value))
        version = ["%d" % self.declared.constants["CST_VERSION_" + part] for part in ("MAJOR", "MINOR", "PATCH")]
        self.add('VERSION = "%s"' % ".".join(version))
        for name, members in self.declared.enums.items():
            self.enum(name, members)
        for name, record in self.declared.records.items():
            self.add()
            self.add()
            self.body(name, record, 0)
            self.written.add(name)
        self.add()
        for name, kind in self.declared.callbacks.items():
            self.add("%s = %s" % (name, self.callback(kind)))
        self.add()
        for name in ROWS:
            self.row(name)
        self.add()
        self.add()
        self.add("ROWS: Dict[Any, Any] = {")
        for name, row in ROWS.items():
            self.add("    %s: %s," % (name, row))
        self.add("}")
        self.add()
        self.add("# library: {function: (type of the result, types of the arguments)}")
        self.add("FUNCTIONS: Dict[str, Dict[str, Tuple[Any, List[Any]]]] = {")
        for _, library in headers.LIBRARIES:
            self.add('    "%s": {' % library)
            for function in sorted(self.declared.functions, key=lambda function: function.name):
                arguments = ", ".join(self.ctype(argument.type) for argument in function.parameters)
                if function.library == library:
                    self.add('        "%s": (%s, [%s]),' % (function.name, self.ctype(function.result), arguments))
            self.add("    },")
        self.add("}")
        return "\n".join(self.lines) + "\n"

    def row(self, name):
        """A tuple with the fields of a struct; a field that shares its place with one before is a property."""
        fields, others, texts = [], [], {}

        def walk(members):
            for member in members:
                texts[member.name] = member.comment
                if not member.type.nested():
                    fields.append(member.name)
                elif member.type.kind == "union":
                    first = member.type.inner[0]
                    walk([first])
                    of = [first.name] if first.name else [m.name for m in first.type.inner]
                    others.extend((other.name, of) for other in member.type.inner[1:])
                    texts.update((other.name, other.comment) for other in member.type.inner[1:])
                else:
                    walk(member.type.inner)
        walk(self.declared.records[name].inner)
        self.add()
        self.add()
        self.add("class %s(NamedTuple):" % ROWS[name])
        self.add('    """A struct %s.' % name)
        self.add()
        for field in filter(texts.get, fields + [other for other, _ in others]):
            self.lines.extend(textwrap.wrap("%s: %s" % (python_name(field), texts[field]), 116, initial_indent="    ",
                                            subsequent_indent="        ", break_long_words=False, break_on_hyphens=False))
        self.lines[-1] += '"""'
        for field in fields:
            self.add("    %s: int" % python_name(field))
        for other, of in others:
            self.add()
            self.add("    @property")
            self.add("    def %s(self) -> int:" % python_name(other))
            if len(of) == 1:
                self.add("        return self.%s" % of[0])
            else:
                # a number of 64 bits over two of 32, which are the first of their unions
                self.add('        return int.from_bytes(pack("=2I", self.error, self.sect_off), byteorder)')

    def enum(self, name, members):
        base = "IntFlag" if name.endswith("_flags") or name in MASKS else "IntEnum"
        self.add()
        self.add()
        self.add("class %s(%s):" % (enum_class(name), base))
        for short, value in zip(short_names(members), members.values()):
            self.add("    %s = %s" % (short, hex(value) if base == "IntFlag" else value))

    def body(self, name, record, depth):
        """A class, with those of structs and unions inside it before its fields."""
        pad = "    " * depth
        fields, anonymous = [], []
        self.add("%sclass %s(%s):" % (pad, name, {"struct": "Structure", "union": "Union"}[record.kind]))
        for number, (member, kind, _) in enumerate(record.inner):
            if kind.nested():
                self.body("_In%d" % number, kind.nested(), depth + 1)
                self.add()
                if not member:
                    member = "_%d" % number
                    anonymous.append(member)
                fields.append((member, "_In%d" % number + (" * %d" % kind.size if kind.kind == "array" else "")))
            else:
                fields.append((member, self.ctype(kind)))
        if anonymous:
            self.add("%s    _anonymous_ = (%s,)" % (pad, ", ".join('"%s"' % a for a in anonymous)))
        self.add("%s    _fields_ = [" % pad)
        for member, kind in fields:
            self.add('%s        ("%s", %s),' % (pad, member, kind))
        self.add("%s    ]" % pad)


def offsets(declared):
    """A C program that prints size and offsets of all structs, and the values of all enums: lines of a name and a number."""
    lines = ["#include <stdio.h>"] + ["#include <%s>" % name for name in HEADERS] + ["int main(void)", "{"]

    def members(kind, name, found):
        for member in found:
            if member.name:
                lines.append('\tprintf("%s.%s %%zu\\n", offsetof(%s %s, %s));' % (name, member.name, kind, name, member.name))
            else:
                members(kind, name, member.type.inner)
    for name, record in declared.records.items():
        lines.append('\tprintf("%s %%zu\\n", sizeof(%s %s));' % (name, record.kind, name))
        members(record.kind, name, record.inner)
    for name, values in declared.enums.items():
        lines.append('\tprintf("%s %%zu\\n", sizeof(enum %s));' % (enum_class(name), name))
        lines += ['\tprintf("%s.%s %%lld\\n", (long long)%s);' % (enum_class(name), short, value)
                  for short, value in zip(short_names(values), values)]
    return "\n".join(lines + ["\treturn 0;", "}"]) + "\n"


def folder(prefix):
    debian = "deb_system" in sysconfig.get_scheme_names()
    if debian and prefix == "/usr":
        return "/usr/lib/python3/dist-packages"
    return "%s/lib/python%d.%d/%s-packages" % ((prefix,) + sys.version_info[:2] + ("dist" if debian else "site",))


def main():
    if sys.argv[1:2] == ["--folder"]:
        print(folder(sys.argv[2]))
        return 0
    declared = headers.Headers(HEADERS)
    if sys.argv[1:] == ["--offsets"]:
        sys.stdout.write(offsets(declared))
        return 0
    text = Writer(declared).module()
    if sys.argv[1:] == ["--check"]:
        with open(OUT, encoding="utf-8") as there:
            if there.read() == text:
                return 0
        print("lib/bindings/python/cstrace/_abi.py is not what the headers say: run lib/bindings/python/generate.py")
        return 1
    with open(OUT, "w", encoding="utf-8") as out:
        out.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
