# SPDX-License-Identifier: BSD-3-Clause
"""headers.py - what the public headers (include/cstrace/) declare, as data for the generators.

CC names the compiler, of which only the preprocessor is used; pycparser (package python3-pycparser)
parses its output. Macros with parameters, macros without a value and inline functions are left out.
Whatever else is not known here is an error, as are negative values: an enum is unsigned.
"""
import ast
import operator
import os
import re
import subprocess
import sys
from typing import Any, NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.normpath(os.path.join(HERE, "../../include"))
# The library that has the functions of the headers in a folder; the first that fits.
LIBRARIES = (("cstrace/files/", "cstrace-files"), ("cstrace/perf/", "cstrace-perf"),
             ("cstrace/", "cstrace"))
STANDARD = ("size_t", "int8_t", "int16_t", "int32_t", "int64_t",
            "uint8_t", "uint16_t", "uint32_t", "uint64_t")
LIMITS = {"UINT32_MAX": 2 ** 32 - 1, "UINT64_MAX": 2 ** 64 - 1}
# Macros that are words of declarations, or made of other macros: no constants.
WORDS = {"CST_API", "CST_EXTENSION", "CST_VERSION_NUMBER", "CST_VERSION_TEXT"}
OPERATORS = {"<<": operator.lshift, "|": operator.or_, "+": operator.add}


class Type(NamedTuple):
    kind: str           # plain, enum, struct, union, pointer, array, callback (pointer to function)
    name: str = ""      # C's; "" for pointers, arrays, and structs and callbacks without a name
    const: bool = False
    of: Any = None      # Type behind a pointer, in an array, or that a callback returns
    size: int = 0       # of an array
    inner: Any = ()     # [Member]: of a struct or union, or parameters of a callback

    def nested(self):
        """The struct or union without a name that this is, or is an array of; or None."""
        of = self.of if self.kind == "array" else self
        return of if of.kind in ("struct", "union") and not of.name else None


class Member(NamedTuple):
    name: str
    type: Type
    comment: str = ""   # behind the member or before it, where the headers say units and values


class Function(NamedTuple):
    library: str
    name: str
    result: Type
    parameters: Any     # [Member]


NO_PARAMETERS = [Member("", Type("plain", "void"))]
CALLABLE = ("function", "callback")


class Headers:
    """The declarations of headers and of those that they include, in their order."""

    def __init__(self, names):
        self.enums = {}         # name: {member: value}
        self.constants = {}     # name of a macro: number or text
        self.records = {}       # name: Type of a struct or union, with its members
        self.opaque = {}        # name: Type of a struct whose members no header shows
        self.callbacks = {}     # name of a typedef: Type
        self.functions = []     # [Function]: exported ones; others are errors
        self.values = dict(LIMITS)
        self.texts = {}         # path: lines
        try:
            from pycparser import c_parser  # pylint: disable=import-outside-toplevel
        except ImportError:
            sys.exit("%s: no pycparser (package python3-pycparser)" % sys.argv[0])
        text = "".join("typedef int %s;\n" % name for name in STANDARD) + preprocessed(names)
        for node in c_parser.CParser().parse(text).ext[len(STANDARD):]:
            self.declaration(node)
        self.opaque = {name: self.opaque[name] for name in self.opaque if name not in self.records}

    def declaration(self, node):
        of = getattr(node, "type", node)
        kind = type(of).__name__
        if kind == "FuncDef" and "inline" in node.decl.funcspec:
            return
        if kind == "Enum" and of.name and of.values:
            self.enum(of)
        elif kind in ("Struct", "Union") and of.name:
            (self.records if of.decls else self.opaque)[of.name] = self.record(of)
        elif kind == "FuncDecl" and node.storage == ["extern"]:
            path = os.path.relpath(node.coord.file, INCLUDE)
            library = next(library for folder, library in LIBRARIES if path.startswith(folder))
            found = self.type(of)
            self.functions.append(Function(library, node.name, found.of, found.inner))
        elif "typedef" in getattr(node, "storage", ()) and self.type(of).kind in CALLABLE:
            self.callbacks[node.name] = self.type(of)
        elif getattr(node, "init", None):
            self.constants[node.name] = self.values[node.name] = self.value(node.init)
        else:
            unknown(node, "a function without CST_API" if kind == "FuncDecl" else kind)

    def enum(self, node):
        members, value = {}, -1
        for item in node.values.enumerators:
            value = self.value(item.value) if item.value else value + 1
            members[item.name] = self.values[item.name] = value
        self.enums[node.name] = members

    def value(self, node):
        """The number or text of a constant expression."""
        kind = type(node).__name__
        if kind == "Constant" and node.type == "string":
            return ast.literal_eval(node.value)
        if kind == "Constant" and "int" in node.type:
            return int(node.value.rstrip("uUlL"), 0)
        if kind == "ID" and node.name in self.values:
            return self.values[node.name]
        if kind == "BinaryOp" and node.op in OPERATORS:
            return OPERATORS[node.op](self.value(node.left), self.value(node.right))
        return unknown(node, "the value of this")

    def type(self, node):
        kind = type(node).__name__
        if kind == "TypeDecl" and node.quals in ([], ["const"]):
            return self.type(node.type)._replace(const=bool(node.quals))
        if kind == "IdentifierType":
            name = " ".join(node.names)
            found = self.callbacks.get(name, Type("plain"))
            return found._replace(name=name)
        if kind in ("Struct", "Union") and bool(node.name) != bool(node.decls):
            return self.record(node)
        if kind == "Enum" and not node.values:
            return Type("enum", node.name)
        if kind == "FuncDecl" and node.args:
            found = [self.parameter(param) for param in node.args.params]
            if found == NO_PARAMETERS:
                found = []
            return Type("function", of=self.type(node.type), inner=found)
        of = self.type(node.type) if kind in ("PtrDecl", "ArrayDecl") else None
        if kind == "PtrDecl" and of.kind == "function":
            return of._replace(kind="callback")
        if kind == "PtrDecl" and node.quals in ([], ["const"]) and not of.nested():
            return Type("pointer", const=bool(node.quals), of=of)
        if kind == "ArrayDecl" and node.dim and not (of.kind == "array" and of.nested()):
            return Type("array", const=of.const, of=of, size=self.value(node.dim))
        return unknown(node, kind)

    def record(self, node):
        members = [self.member(decl, self.type(decl.type), self.comment(decl.coord))
                   for decl in node.decls or ()]
        return Type(type(node).__name__.lower(), node.name or "", inner=members)

    def parameter(self, node):
        if type(node).__name__ not in ("Decl", "Typename"):
            unknown(node, "a parameter without a type")
        if type(node.type).__name__ == "ArrayDecl":     # a pointer here
            return self.member(node, Type("pointer", of=self.type(node.type.type)))
        return self.member(node, self.type(node.type))

    def member(self, node, kind, comment=""):
        if kind.kind == "function" or getattr(node, "bitsize", None):
            unknown(node, "a function or a bit field")
        return Member(node.name or "", kind, comment)

    def comment(self, coord):
        if coord.file not in self.texts:
            with open(coord.file, encoding="utf-8") as header:
                self.texts[coord.file] = header.read().splitlines(True)
        before, behind = ("".join(lines) for lines in (self.texts[coord.file][:coord.line - 1],
                                                       self.texts[coord.file][coord.line - 1:]))
        found = (re.match(r"[^\n]*;[ \t]*/\*(.*?)\*/", behind, re.S) or
                 re.search(r"(?m:^)[ \t]*/\*((?:(?!\*/).)*)\*/\s*\Z", before, re.S))
        return " ".join(re.sub(r"\n[ \t]*\*?", " ", found.group(1)).split()) if found else ""


def unknown(node, what):
    raise SyntaxError("%s: headers.py does not know %s" % (node.coord, what))


def preprocessed(names):
    """
    The lines of the project's own headers, then their macros as variables. An exported function is
    `extern`, which pycparser shows; it refuses all other attributes.
    """
    argv = os.environ.get("CC", "cc").split()
    argv += ["-std=c11", "-E", "-dD", "-D__extension__=", "-I" + INCLUDE, "-xc", "-"]
    text = "".join("#include <%s>\n" % name for name in names)
    made = subprocess.run(argv, input=text, text=True, stdout=subprocess.PIPE, check=True).stdout
    own, lines, macros = False, [], []
    for line in made.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        macro = re.match(r"#define (\w+) (.*\S)", line)
        if marker:
            own = marker.group(1).startswith(os.path.join(INCLUDE, "cstrace"))
        if own and macro and macro.group(1) not in WORDS:
            # errors name the macro as their file
            macros.append('# 1 "%s"\nint %s = %s;' % (macro.group(1), *macro.groups()))
        if own:
            lines.append("" if line.startswith(("#define", "#undef")) else line)
    text = "\n".join(lines + macros)
    return text.replace('__attribute__((visibility("default")))', "extern")
