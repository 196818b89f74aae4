# SPDX-License-Identifier: BSD-3-Clause
"""lib/bindings/headers.py: what it reads of a small header, and that it refuses what it does not know."""
import os
import sys
import tempfile

sys.path.insert(0, "lib/bindings")
import headers  # noqa: E402
from headers import Member, Type  # noqa: E402

HEAD = """#define CST_API __attribute__((visibility("default")))
#include <stdint.h>
"""
KNOWN = HEAD + r"""
#define CST_TEXT "a\n"
#define CST_MACRO(x) (x)
#define CST_EMPTY
enum cst_kind { CST_A = 1u << 4, CST_B, CST_C = CST_A | 2 };
#define CST_BOTH (CST_C + 0x10u)
struct cst_hidden;
typedef int (*cst_fn)(void *data, const char *text);
typedef void cst_passed(void);
/* Not of a member. */
struct cst_one {
	uint8_t a, b;	/* of both,
			 * in two lines */
	/* of the union */
	__extension__ union {
		const struct cst_hidden *p;
		const char *const *texts;
	};
	/* before */
	struct {
		uint16_t x;
	} pair[CST_B];
	uint32_t plain;
	cst_passed *call;
};
static inline int cst_inline(int a) { return a + 1; }
CST_API enum cst_kind cst_f(const uint64_t in[2], uint64_t out[], cst_fn fn,
			    const uint8_t rows[][4]);
"""
PARSER = ""     # its own words, which differ between versions
REFUSED = (
    ("int cst_f(void);", "a function without CST_API"),
    ("CST_API int cst_f(int a, ...);", "a parameter without a type"),
    ("CST_API int cst_f();", "FuncDecl"),
    ("CST_API int cst_f(volatile int *p);", "TypeDecl"),
    ("CST_API int cst_f(int *restrict p);", "PtrDecl"),
    ("typedef void cst_fn(void); struct cst_s { cst_fn f; };", "a function or a bit field"),
    ("struct cst_s { int a : 3; };", "a function or a bit field"),
    ("struct cst_s { struct cst_t { int a; } t; };", "Struct"),
    ("struct cst_s { struct { int a; } *t; };", "PtrDecl"),
    ("struct cst_s { struct { int a; } t[2][2]; };", "ArrayDecl"),
    ("struct cst_s { int a[]; };", "ArrayDecl"),
    ("struct cst_s { enum { CST_A } a; };", "Enum"),
    ("struct cst_s { int a; } __attribute__((packed));", PARSER),
    ("struct cst_s { uintptr_t a; };", PARSER),
    ("enum { CST_A };", "Enum"),
    ("enum cst_e { CST_A = -1 };", "the value of this"),
    ("enum cst_e { CST_A = sizeof(int) };", "the value of this"),
    ("typedef uint32_t cst_number;", "TypeDecl"),
    ("extern int cst_variable;", "TypeDecl"),
    ("int cst_f(void) { return 1; }", "FuncDef"),
    ("#pragma pack(1)", "Pragma"),
    ("#define CST_SIZE sizeof(int)", "the value of this"),
    ("#define CST_WORD extern", PARSER),
)


def read(text):
    with open(os.path.join(headers.INCLUDE, "cstrace/files/small.h"), "w", encoding="utf-8") as small:
        small.write(text + "\n")
    return headers.Headers(["cstrace/files/small.h"])


def same(got, wanted):
    if got != wanted:
        raise AssertionError("found %r, expected %r" % (got, wanted))


def known():
    found = read(KNOWN)
    same(found.enums, {"cst_kind": {"CST_A": 16, "CST_B": 17, "CST_C": 18}})
    same(found.constants, {"CST_TEXT": "a\n", "CST_BOTH": 34})
    same(list(found.opaque), ["cst_hidden"])
    void, char = Type("plain", "void"), Type("plain", "char", True)
    data, text = Member("data", Type("pointer", of=void)), Member("text", Type("pointer", of=char))
    function = Type("callback", of=Type("plain", "int"), inner=[data, text])
    passed = Type("function", of=void, inner=[])
    same(found.callbacks, {"cst_fn": function, "cst_passed": passed})
    hidden = Type("pointer", of=Type("struct", "cst_hidden", True, inner=[]))
    texts = Type("pointer", of=Type("pointer", const=True, of=char))
    both, number = Type("plain", "uint8_t"), Type("plain", "uint64_t")
    union = Type("union", inner=[Member("p", hidden), Member("texts", texts)])
    pair = Type("struct", inner=[Member("x", Type("plain", "uint16_t"))])
    same(found.records, {"cst_one": Type("struct", "cst_one", inner=[
        Member("a", both, "of both, in two lines"), Member("b", both, "of both, in two lines"),
        Member("", union, "of the union"), Member("pair", Type("array", of=pair, size=17)),
        Member("plain", Type("plain", "uint32_t")),
        Member("call", passed._replace(kind="callback", name="cst_passed"))])})
    same(found.functions, [headers.Function("cstrace-files", "cst_f", Type("enum", "cst_kind"), [
        Member("in", Type("pointer", of=number._replace(const=True))), Member("out", Type("pointer", of=number)),
        Member("fn", function._replace(name="cst_fn")),
        Member("rows", Type("pointer", of=Type("array", const=True, of=both._replace(const=True), size=4)))])])


def refused():
    for text, wanted in REFUSED:
        try:
            read(HEAD + text)
        except Exception as error:  # pylint: disable=broad-except
            # the parser has an exception of its own
            where = text.split()[1] if text.startswith("#define") else "small.h"
            if wanted not in str(error) or where not in str(error):
                raise
        else:
            raise AssertionError("not refused: %s" % text)


with tempfile.TemporaryDirectory() as folder:
    headers.INCLUDE = folder
    os.makedirs(os.path.join(folder, "cstrace/files"))
    known()
    refused()
