#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""generate.py [--check|--offsets|--folder PREFIX]: writes cstrace/_abi.py, the declarations of the public headers (include/cstrace/) for ctypes.

With --check nothing is written: the exit code is 1 if the file is not what the headers say. CC names the compiler, whose
preprocessor is all that is used. Sizes and offsets are in neither: ctypes finds them as the compiler does, and
tests/interop/python.py compares them with those of a C program, which --offsets writes.

--folder prints where packages are installed with a prefix: on Debian in dist-packages, those of the system for all versions.
"""
import keyword
import os
import re
import subprocess
import sys
import sysconfig
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..", "..")
OUT = os.path.join(HERE, "cstrace", "_abi.py")
# What the package covers, and the library that has the functions of the headers in the folder.
HEADERS = ("cstrace/cstrace.h", "cstrace/files/countfile.h", "cstrace/perf/recording.h")
LIBRARIES = (("cstrace/files/", "cstrace-files"), ("cstrace/perf/", "cstrace-perf"), ("cstrace/", "cstrace"))
TOKEN = re.compile(r'[A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|"(?:\\.|[^"])*"|\'(?:\\.|[^\'])*\'|\.\.\.|<<|>>|[^\sA-Za-z_0-9]')
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


def comments(path):
    """{struct: {member: text}} of the comments before or behind the members, in which the headers say units and values."""
    found, struct, before = {}, None, ""
    with open(path, encoding="utf-8") as header:
        text = re.sub(r"/\*.*?\*/", lambda c: re.sub(r"\s*\n[ \t]*(\*(?!/))?[ \t]*", " ", c.group()), header.read(), flags=re.S)
    for line in text.splitlines():
        begin = re.match(r"struct (cst_\w+) \{", line)
        if begin:
            struct, before = begin.group(1), ""
            continue
        if line.startswith("}"):
            struct = None
        if struct is None:
            continue
        alone = re.match(r"\s*/\*(.*)\*/\s*$", line)
        member = re.match(r"\s+[\w ]+?[ *](\w+(?:, \w+)*)(?:\[\w+\])?;(?:\s*/\*(.*)\*/)?\s*$", line)
        if alone:
            before = alone.group(1)
        elif member:
            for name in member.group(1).split(", "):
                found.setdefault(struct, {})[name] = " ".join((member.group(2) or before).split())
            before = ""
    return found


class Headers:
    """What the headers declare."""

    def __init__(self):
        self.enums = {}         # name: {member: value}
        self.constants = {}     # name: value
        self.structs = {}       # name: [(kind, name, type)], in the order of the headers
        self.callbacks = {}     # typedef: type
        self.functions = []     # (library, name, result, [arguments])
        self.comments = {}      # struct: {member: text}
        self.tokens, self.at, self.library = [], 0, ""
        for library, text in self.preprocessed():
            self.library = library
            self.tokens, self.at = TOKEN.findall(text), 0
            while self.at < len(self.tokens):
                self.top_level()

    def preprocessed(self):
        """(library, text) of each stretch of the project's own headers; constants are taken from the lines of #define."""
        cc = os.environ.get("CC", "cc").split()
        text = "".join("#include <%s>\n" % name for name in HEADERS)
        argv = cc + ["-E", "-dD", "-D__attribute__(x)=", "-D__extension__=", "-I" + os.path.join(TOP, "include"), "-xc", "-"]
        made = subprocess.run(argv, input=text, text=True, capture_output=True, check=True).stdout
        library, lines, defines, seen = None, [], [], set()
        for line in made.splitlines():
            marker = re.match(r'# \d+ "([^"]*)"', line)
            if marker:
                where = marker.group(1).replace(os.sep, "/")
                if "/include/cstrace/" in where and where not in seen:
                    seen.add(where)
                    self.comments.update(comments(where))
                new = next((lib for folder, lib in LIBRARIES if "/include/" + folder in where), None)
                if new != library and lines:
                    yield library, "\n".join(lines)
                    lines = []
                library = new
            elif library and line.startswith("#define "):
                defines.append(line)
            elif library and not line.startswith("#"):
                lines.append(line)
        if lines:
            yield library, "\n".join(lines)
        for line in defines:
            self.define(line)

    def define(self, line):
        """Takes the numbers and texts among the macros."""
        found = re.match(r"#define (CST_\w+) (.+)$", line)
        if not found:
            return
        name, value = found.groups()
        if re.fullmatch(r'"[^"]*"', value):
            self.constants[name] = value.encode().decode("unicode_escape")[1:-1]
        elif re.fullmatch(r"0[xX][0-9a-fA-F]+[uU]?|\d+[uU]?", value):
            self.constants[name] = int(value.rstrip("uU"), 0)
        elif re.fullmatch(r"UINT(32|64)_MAX", value):
            self.constants[name] = (1 << int(value[4:6])) - 1
        elif re.fullmatch(r"\(?(0x)?[0-9a-f]+u? << \d+\)?", value):
            base, shift = value.strip("()").replace("u", "").split(" << ")
            self.constants[name] = int(base, 0) << int(shift)

    # ---- tokens

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if wanted is not None and token != wanted:
            raise SyntaxError("found %r, expected %r near %s" % (token, wanted, " ".join(self.tokens[max(0, self.at - 12):self.at + 6])))
        self.at += 1
        return token

    def skip_braces(self):
        depth = 0
        while True:
            token = self.take()
            depth += (token == "{") - (token == "}")
            if token == "}" and not depth:
                return

    # ---- declarations

    def top_level(self):
        if self.peek() == ";":
            self.take()
        elif self.peek() == "static":
            while self.peek() != "{":
                self.take()
            self.skip_braces()
        elif self.peek() == "enum" and self.peek(2) == "{":
            self.enum()
        elif self.peek() == "struct" and self.peek(2) == "{":
            self.take()
            name = self.take()
            self.structs[name] = self.members()
            self.take(";")
        elif self.peek() == "struct" and self.peek(2) == ";":
            self.at += 3
        elif self.peek() == "typedef":
            self.take()
            kind = self.base()
            name, kind = self.declarator(kind)
            self.callbacks[name] = kind
            self.take(";")
        else:
            kind = self.base()
            name, kind = self.declarator(kind)
            if kind[0] == "function":
                self.functions.append((self.library, name, kind[1], kind[2]))
            self.take(";")

    def enum(self):
        self.take()
        name = self.take()
        self.take("{")
        members, value = {}, -1
        while self.peek() != "}":
            member, value = self.take(), value + 1
            if self.peek() == "=":
                self.take()
                words = []
                while self.peek() not in (",", "}"):
                    words.append(re.sub(r"(?<=\d)[uUlL]+$", "", self.take()))
                value = eval(" ".join(words), {}, members)  # pylint: disable=eval-used
            members[member] = value
            if self.peek() == ",":
                self.take()
        self.take("}")
        self.take(";")
        self.enums[name] = members

    def base(self):
        """A type without what belongs to the name: ("plain", C name), ("struct", name) or ("enum", name), and if it is const."""
        const, words = False, []
        while True:
            token = self.peek()
            if token == "const":
                const = True
            elif token in ("struct", "enum"):
                self.take()
                words = [token, self.peek()]
            elif token in PLAIN or token in self.callbacks:
                words.append(token)
            else:
                break
            self.take()
        if not words:
            raise SyntaxError("no type near %s" % " ".join(self.tokens[max(0, self.at - 12):self.at + 6]))
        if words[0] in ("struct", "enum"):
            return (words[0], words[1], const)
        return ("plain", " ".join(words), const)

    def declarator(self, kind):
        """(name, type) of what follows a base type."""
        while self.peek() in ("*", "const"):
            if self.take() == "*":
                kind = ("pointer", kind)
        if self.peek() == "(" and self.peek(1) == "*":
            self.at += 2
            name = self.take()
            self.take(")")
            return name, ("callback", kind, self.arguments())
        name = self.take() if re.match(r"[A-Za-z_]", self.peek()) else ""
        if self.peek() == "(":
            return name, ("function", kind, self.arguments())
        while self.peek() == "[":
            self.take()
            size = []
            while self.peek() != "]":
                size.append(self.take())
            self.take("]")
            kind = ("array", kind, " ".join(size))
        return name, kind

    def arguments(self):
        self.take("(")
        found = []
        while self.peek() != ")":
            _, kind = self.declarator(self.base())
            # an array is a pointer here
            found.append(("pointer", kind[1]) if kind[0] == "array" else kind)
            if self.peek() == ",":
                self.take()
        self.take(")")
        return [] if found == [("plain", "void", False)] else found

    def members(self):
        self.take("{")
        found = []
        while self.peek() != "}":
            if self.peek() in ("struct", "union") and self.peek(1) == "{":
                kind = self.take()
                inner = self.members()
                name = self.take() if self.peek() != ";" and self.peek() != "[" else ""
                inner = (kind, inner)
                while self.peek() == "[":
                    self.take()
                    inner = ("array", inner, self.take())
                    self.take("]")
                found.append((name, inner))
            else:
                base = self.base()
                while True:
                    found.append(self.declarator(base))
                    if self.peek() != ",":
                        break
                    self.take()
            self.take(";")
        self.take("}")
        return found


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

    def __init__(self, headers):
        self.headers = headers
        self.lines = []
        self.written = set()    # structs

    def add(self, text=""):
        self.lines.append(text)

    def ctype(self, kind, argument=False):
        if kind[0] == "pointer":
            return self.pointer(kind[1], argument)
        if kind[0] == "callback":
            return "CFUNCTYPE(%s)" % ", ".join([self.ctype(kind[1])] + [self.ctype(arg) for arg in kind[2]])
        if kind[0] == "array":
            return "%s * %d" % (self.ctype(kind[1]), self.size(kind[2]))
        if kind[0] == "enum":
            return "c_int" if min(self.headers.enums[kind[1]].values()) < 0 else "c_uint"
        if kind[0] == "struct":
            return kind[1]
        return PLAIN.get(kind[1], kind[1])

    def pointer(self, to, argument):
        """Memory, and objects whose inside the headers do not show, are addresses; texts of the library are bytes."""
        if to[0] == "plain" and to[1] == "char" and to[2]:
            return "c_char_p"
        if to[0] == "plain" and to[1] in ("void", "char", "uint8_t") or to[0] == "struct" and to[1] not in self.written:
            return "c_void_p"
        if to[0] == "struct" and argument:
            return "POINTER(%s)" % to[1]
        return "POINTER(%s)" % self.ctype(to)

    def size(self, text):
        names = {name: value for members in self.headers.enums.values() for name, value in members.items()}
        names.update((name, value) for name, value in self.headers.constants.items() if isinstance(value, int))
        return eval(re.sub(r"\b(\d+)[uU]\b", r"\1", text), {}, names)  # pylint: disable=eval-used

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
        for name in sorted(self.headers.constants):
            value = self.headers.constants[name]
            self.add("%s = %s" % (name, '"%s"' % value.encode("unicode_escape").decode() if isinstance(value, str) else
                                  hex(value) if value > 0xffff else value))
        version = ["%d" % self.headers.constants["CST_VERSION_" + part] for part in ("MAJOR", "MINOR", "PATCH")]
        self.add('VERSION = "%s"' % ".".join(version))
        for name, members in self.headers.enums.items():
            self.enum(name, members)
        for name, members in self.headers.structs.items():
            self.struct(name, members)
        self.add()
        for name, kind in self.headers.callbacks.items():
            self.add("%s = %s" % (name, self.ctype(kind)))
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
        for _, library in LIBRARIES:
            self.add('    "%s": {' % library)
            for owner, name, result, arguments in sorted(self.headers.functions):
                if owner == library:
                    self.add('        "%s": (%s, [%s]),' % (name, self.ctype(result), ", ".join(self.ctype(a, True) for a in arguments)))
            self.add("    },")
        self.add("}")
        return "\n".join(self.lines) + "\n"

    def row(self, name):
        """A tuple with the fields of a struct; a field that shares its place with one before is a property."""
        fields, others = [], []

        def walk(members):
            for member, kind in members:
                if kind[0] == "union" and isinstance(kind[1], list):
                    first = kind[1][0]
                    walk(kind[1][:1])
                    of = [m for m, _ in first[1][1]] if not first[0] else [first[0]]
                    others.extend((other, of) for other, _ in kind[1][1:])
                elif kind[0] == "struct" and isinstance(kind[1], list):
                    walk(kind[1])
                else:
                    fields.append(member)
        walk(self.headers.structs[name])
        self.add()
        self.add()
        self.add("class %s(NamedTuple):" % ROWS[name])
        texts = self.headers.comments.get(name, {})
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

    def struct(self, name, members):
        self.add()
        self.add()
        self.body(name, "Structure", members, 0)
        self.written.add(name)

    def body(self, name, base, members, depth):
        """A class, with those of structs and unions inside it before its fields."""
        pad = "    " * depth
        fields, anonymous = [], []
        self.add("%sclass %s(%s):" % (pad, name, base))
        for number, (member, kind) in enumerate(members):
            count = ""
            if kind[0] == "array" and kind[1][0] in ("struct", "union") and isinstance(kind[1][1], list):
                kind, count = kind[1], " * %d" % self.size(kind[2])
            if kind[0] in ("struct", "union") and isinstance(kind[1], list):
                inner = "_In%d" % number
                self.body(inner, kind[0].capitalize().replace("Struct", "Structure"), kind[1], depth + 1)
                self.add()
                member = member or "_%d" % number
                if member == "_%d" % number:
                    anonymous.append(member)
                fields.append((member, inner + count))
            else:
                fields.append((member, self.ctype(kind)))
        if anonymous:
            self.add("%s    _anonymous_ = (%s,)" % (pad, ", ".join('"%s"' % a for a in anonymous)))
        self.add("%s    _fields_ = [" % pad)
        for member, kind in fields:
            self.add('%s        ("%s", %s),' % (pad, member, kind))
        self.add("%s    ]" % pad)


def offsets(headers):
    """A C program that prints size and offsets of all structs, and the values of all enums: lines of a name and a number."""
    lines = ["#include <stdio.h>"] + ["#include <%s>" % name for name in HEADERS] + ["int main(void)", "{"]

    def members(struct, found):
        for member, kind in found:
            if kind[0] in ("struct", "union") and isinstance(kind[1], list) and not member:
                members(struct, kind[1])
            elif member:
                lines.append('\tprintf("%s.%s %%zu\\n", offsetof(struct %s, %s));' % (struct, member, struct, member))
    for name, found in headers.structs.items():
        lines.append('\tprintf("%s %%zu\\n", sizeof(struct %s));' % (name, name))
        members(name, found)
    for name, values in headers.enums.items():
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
    headers = Headers()
    if sys.argv[1:] == ["--offsets"]:
        sys.stdout.write(offsets(headers))
        return 0
    text = Writer(headers).module()
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
