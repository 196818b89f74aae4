#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python.sh - lib/bindings/headers.py, which reads headers for all languages. lib/bindings/python: its declarations are those of
# the headers, its types, and what it says of recordings, buffers and count files, with NumPy and without; the example; the wheel
# and where it is installed. CSTRACE_NIGHTLY=1: its speed beside a program in C.
. tests/cli/tap.sh
cc=${CC:-gcc}
here=lib/bindings/python
py=tests/interop/python.py

# Debian's own, which has the packages of scripts/install-deps, before another one that is first on the PATH.
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here CSTRACE_LIBDIR="$BUILD"
has() {
	"$python" -c "import $1" 2>/dev/null
}

layouts() {
	CC="$cc" "$python" $here/generate.py --offsets >"$tmp/layout.c" && $cc -Iinclude -o "$tmp/layout" "$tmp/layout.c" &&
		"$python" $py layout "$tmp/layout"
}
if has pycparser; then
	check "headers.py reads what it knows and refuses the rest" env CC="$cc" "$python" tests/interop/headers.py
	check "_abi.py is what the headers say" env CC="$cc" "$python" $here/generate.py --check
	check "structs and values are those of the compiler" layouts
else
	skip "declarations and layouts" "no pycparser for $python (package python3-pycparser)"
fi
if command -v mypy >/dev/null; then
	types() {
		(cd $here && mypy --cache-dir="$tmp/mypy" --python-executable="$python" -p cstrace)
	}
	check "types (mypy)" types
else
	skip "types" "no mypy (package mypy)"
fi

if has numpy; then
	check "the package, with NumPy" "$python" $py package
else
	skip "the package, with NumPy" "no NumPy (package python3-numpy)"
fi
check "the package, without NumPy" env HIDE_NUMPY=1 "$python" $py package

# shellcheck disable=SC2086 # several words
check "the example in C" $cc -std=c11 -Wall -Wextra -Werror -O2 -Iinclude -o "$tmp/edge_bitmap" tests/examples/edge_bitmap.c \
	-L"$BUILD" -lcstrace-perf -lcstrace-files -lcstrace
bitmaps() {
	LD_LIBRARY_PATH="$BUILD" "$tmp/edge_bitmap" tests/data/sample.perf.data sample.a64 "$tmp/c" tests/data/symfs &&
		"$python" $here/examples/edge_bitmap.py tests/data/sample.perf.data sample.a64 "$tmp/py" tests/data/symfs &&
		cmp "$tmp/c" "$tmp/py" && "$python" -c "import sys; sys.modules['numpy'] = None; sys.path.insert(0, '$here/examples')
import edge_bitmap; edge_bitmap.main('tests/data/sample.perf.data', 'sample.a64', '$tmp/slow', 'tests/data/symfs')" &&
		cmp "$tmp/c" "$tmp/slow" && [ "$(tr -d '\0' <"$tmp/c" | wc -c)" -gt 50 ]
}
check "the bitmap of the example is that of C" bitmaps
check "the example has at most 40 lines" test "$(wc -l <$here/examples/edge_bitmap.py)" -le 40

mk() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u PYTHONPATH make -s --no-print-directory O="$tmp/build" PYTHON="$python" "$@"
}
if has pip && has setuptools && has wheel; then
	check "make install-python" mk install-python prefix=/usr DESTDIR="$tmp/dest"
	check "the wheel has no library" sh -c "! '$python' -m zipfile -l '$tmp'/build/python/*.whl | grep -q '\.so'"
	installed=$(dirname "$(find "$tmp/dest/usr/lib" -name cstrace -type d)")
	uses() {
		env PYTHONPATH="$installed" "$python" -c "import cstrace; assert cstrace.__file__.startswith('$installed'), cstrace.__file__
with cstrace.Recording('tests/data/sample.perf.data', symfs='tests/data/symfs') as r: assert r.counts() and not r.losses"
	}
	check "the installed package is used" uses
	missing() {
		! env PYTHONPATH="$installed" CSTRACE_LIBDIR="$tmp" "$python" -c "import cstrace; cstrace.version()" 2>"$tmp/said" &&
			grep -q "ImportError: libcstrace.so.* is not found (CSTRACE_LIBDIR" "$tmp/said"
	}
	check "a library that is not there is named" missing
	check "make uninstall-python" mk uninstall-python prefix=/usr DESTDIR="$tmp/dest"
	check "nothing is left" sh -c "[ -z \"\$(find '$tmp/dest' ! -type d)\" ]"
else
	skip "the wheel" "no pip, setuptools or wheel for $python (packages python3-pip, python3-setuptools, python3-wheel)"
fi

if [ ! -d "${CSTRACE_SHARED:=../shared}/truth" ]; then
	skip "recordings whose execution is known" "no $CSTRACE_SHARED/truth"
else
	export CSTRACE_SHARED
	check "recordings whose execution is known" "$python" $py truth
	export LD_LIBRARY_PATH="$BUILD"
	[ -z "${CSTRACE_NIGHTLY:-}" ] || check "counts in at most 15 % more time than in C" "$python" $py speed "$tmp/edge_bitmap"
fi
finish
