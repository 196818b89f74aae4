#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""opencsd_layout.py print INCLUDE: what the headers of OpenCSD's C interface in the folder INCLUDE/opencsd declare, a line for each:

    size TYPE N              of a struct or union, also of an enum
    at TYPE.FIELD N          offset in bytes
    bits TYPE.FIELD N:MASK   a bit field: the byte that has its first bit, and its bits from there on, little endian
    value NAME N             of an enumerator or of a macro that is a number
    text NAME "..."          of a macro that is a string
    macro NAME                of a macro with arguments
    function NAME DECLARATION   of functions, and of types of functions

opencsd_layout.py asserts GOLDEN CHANGES: a program in C and C++ that does not compile where a line of GOLDEN, as CHANGES have it, is
not so, and that returns 1 when run where a bit field is elsewhere.

opencsd_layout.py changed GOLDEN CHANGES: these lines themselves.

CHANGES has lines "+ LINE" and "- LINE", below a line "# why" for each group of them. The headers are read as text: they consist of typedefs, #define and functions.
"""
import os
import re
import subprocess
import sys
import tempfile

HEADERS = ("c_api/opencsd_c_api.h", "c_api/ocsd_c_api_types.h", "c_api/ocsd_c_api_custom.h", "ocsd_if_types.h", "ocsd_if_version.h",
           "trc_gen_elem_types.h", "trc_pkt_types.h", "etmv3/trc_pkt_types_etmv3.h", "etmv4/trc_pkt_types_etmv4.h",
           "ptm/trc_pkt_types_ptm.h", "stm/trc_pkt_types_stm.h", "ete/trc_pkt_types_ete.h", "itm/trc_pkt_types_itm.h")
MAIN = "#include <opencsd/c_api/opencsd_c_api.h>\n"
# Neither numbers nor texts.
MACROS_LEFT_OUT = re.compile(r"_H(_INCLUDED)?_?$|_STR$|^OCSD_C_API$|^PRI|^__|^OCSD_VER_|^C_API_INVALID|^OCSD_NO_")


def text_of(path):
    with open(path, encoding="utf-8") as header:
        text = header.read()
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")


def braces(text, at):
    """The place behind the brace that closes the one at `at`."""
    depth = 0
    while True:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if not depth:
            return at


def members(body, path):
    """Paths of the fields of a struct or union, with True for bit fields."""
    at, found = 0, []
    while True:
        start = re.compile(r"\s*(struct|union)\s*\w*\s*(?={)").match(body, at)
        if start:
            end = braces(body, start.end())
            name, at = re.compile(r"\s*(\w*)\s*;").match(body, end).group(1), body.index(";", end) + 1
            inner = path + [name] if name else path
            if name:
                found.append((".".join(inner), False))
            found += members(body[start.end() + 1:end - 1], inner)
            continue
        field = re.compile(r"\s*([^;{}]+);").match(body, at)
        if not field:
            return found
        at = field.end()
        name = re.search(r"(\w+)\s*(:\s*\d+)?\s*$", field.group(1))
        found.append((".".join(path + [name.group(1)]), bool(name.group(2))))


class Found:
    """What a header declares, in the order of its text."""

    def __init__(self, text):
        self.types, self.fields, self.values, self.texts, self.functions = [], [], [], [], []
        for name, value in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?!\()[ \t]+(\S.*)$", text, re.M):
            if not MACROS_LEFT_OUT.search(name) and not re.match(r"(PRI|ARM_)", value):
                (self.texts if value.startswith('"') else self.values).append(name)
        self.macros = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", text, re.M)
        code = re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)
        for kind in re.finditer(r"typedef\s+(enum|struct|union)\s*\w*\s*(?={)", code):
            end = braces(code, kind.end())
            name, body = re.compile(r"\s*(\w+)").match(code, end).group(1), code[kind.end() + 1:end - 1]
            self.types.append(name)
            if kind.group(1) == "enum":
                self.values += re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", body.strip())
            else:
                self.fields += [(name, path, bits) for path, bits in members(body, [])]
        for declaration in re.findall(r"(?:OCSD_C_API|typedef)\s+([^;{}]*\([^;{}]*\));", code):
            name = re.search(r"\(\s*\*\s*(\w+)\s*\)", declaration) or re.search(r"(\w+)\s*\(", declaration)
            plain = re.sub(r"\s*([(),*])\s*", r"\1", re.sub(r"\s+", " ", declaration.strip()))
            # names of parameters are nobody's business
            plain = re.sub(r"(?<=[\w*)])[ *](\w+)(?=[,)])", lambda m: m.group(0)[0].strip() if m.group(1) != "void" else m.group(0), plain)
            self.functions.append((name.group(1), plain))


def print_lines(include):
    lines, prints = [], []
    for header in HEADERS:
        path = os.path.join(include, "opencsd", header)
        if not os.path.exists(path):
            continue
        found = Found(text_of(path))
        prints += ['printf("size %s %%zu\\n", sizeof(%s));' % (name, name) for name in found.types]
        for name, field, bits in found.fields:
            if bits:
                prints.append("{ %s v; memset(&v, 0, sizeof(v)); v.%s = ~0; bits(\"%s.%s\", &v, sizeof(v)); }" % (name, field, name, field))
            else:
                prints.append('printf("at %s.%s %%zu\\n", offsetof(%s, %s));' % (name, field, name, field))
        prints += ['printf("value %s %%lld\\n", (long long)(%s));' % (name, name) for name in found.values]
        prints += ['printf("text %s \\"%%s\\"\\n", %s);' % (name, name) for name in found.texts]
        lines += ["function %s %s" % function for function in found.functions] + ["macro " + name for name in found.macros]
    program = MAIN + """#include <stddef.h>
#include <stdio.h>
#include <string.h>
static void bits(const char *name, const void *p, size_t size)
{
	const unsigned char *b = (const unsigned char *)p;
	unsigned long long mask = 0;
	size_t at = 0, i;
	while (at < size && !b[at])
		at++;
	for (i = 0; i < 8 && at + i < size; i++)
		mask |= (unsigned long long)b[at + i] << 8 * i;
	printf("bits %s %zu:0x%llx\\n", name, at, mask);
}
int main(void)
{
""" + "".join("\t%s\n" % line for line in prints) + "\treturn 0;\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="utf-8") as out:
            out.write(program)
        subprocess.run([os.environ.get("CC", "cc").split()[-1], "-w", "-I" + include, "-o", binary, source], check=True)
        lines += subprocess.run([binary], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout.splitlines()
    print("\n".join(sorted(set(lines))))


def changed(golden, changes):
    with open(golden, encoding="utf-8") as table:
        lines = [line.rstrip("\n") for line in table if not line.startswith("#")]
    why = ""
    with open(changes, encoding="utf-8") as table:
        for line in table:
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                why = line[1:].strip()
                continue
            sign, rest = line[:2], line[2:]
            if sign not in ("+ ", "- ") or not why:
                sys.exit("%s: no reason: %s" % (changes, line))
            if (rest in lines) == (sign == "+ "):
                sys.exit("%s: %s: %s" % (changes, "is there" if sign == "+ " else "is not there", line))
            if sign == "+ ":
                lines.append(rest)
            else:
                lines.remove(rest)
    return sorted(lines)


def asserts(golden, changes):
    checks, body = [], []
    for line in changed(golden, changes):
        kind, name, value = (line + "  ").split(" ", 2)
        value = value.strip()
        if kind == "size":
            checks.append("sizeof(%s) == %s" % (name, value))
        elif kind == "at":
            checks.append("offsetof(%s) == %s" % (name.replace(".", ", ", 1), value))
        elif kind == "value":
            checks.append("(long long)(%s) == %s" % (name, value))
        elif kind == "text":
            body.append("bad |= strcmp(%s, %s) != 0;" % (name, value))
        elif kind == "bits":
            kind, field = name.split(".", 1)
            at, mask = value.split(":")
            body.append("{ %s v; memset(&v, 0, sizeof(v)); v.%s = ones; bad |= differs(&v, %s, %s); }" % (kind, field, at, mask))
    print(MAIN + """#include <stddef.h>
#include <string.h>
#ifdef __cplusplus
#define _Static_assert static_assert
#endif""")
    for check in checks:
        print('_Static_assert(%s, "%s");' % (check, check))
    print("""static int differs(const void *p, size_t at, unsigned long long mask)
{
	unsigned long long v = 0;
	size_t i;
	for (i = 0; i < 8 && mask >> 8 * i; i++)
		v |= (unsigned long long)((const unsigned char *)p)[at + i] << 8 * i;
	return v != mask;
}
int main(void)
{
	unsigned int ones = ~0u;
	int bad = 0;""")
    print("\n".join("\t" + line for line in body))
    print("\treturn bad;\n}")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "print":
        print_lines(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "asserts":
        asserts(*sys.argv[2:])
    elif len(sys.argv) == 4 and sys.argv[1] == "changed":
        print("\n".join(changed(*sys.argv[2:])))
    else:
        sys.exit(__doc__)


main()
