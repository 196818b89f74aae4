#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# library.sh - the library alone: `make lib` and `make install-lib` with a compiler and binutils on the PATH, and nothing
# of what perf-plugin needs; programs in C and C++ that are built with its pkg-config file.
. tests/cli/tap.sh
cc=${CC:-gcc}

# What a shell script and make have everywhere, a compiler and binutils. Not pkg-config, python, flex, bison, xz.
mkdir "$tmp/bin"
for tool in sh make awk sed grep sort comm cmp cat cut tr head tail env mkdir rm mv ln ls cp find mktemp dirname basename \
	install printf expr uname ccache gcc cc clang as ld ar nm objdump ranlib readelf \
	$(echo "$cc" | tr ' ' '\n' | grep -v '^-' | sed 's|.*/||'); do
	for folder in $(echo "$PATH" | tr : ' '); do
		[ ! -x "$folder/$tool" ] || [ -e "$tmp/bin/$tool" ] || ln -s "$folder/$tool" "$tmp/bin/$tool"
	done
done
alone() {
	env -i PATH="$tmp/bin" HOME="${HOME:-/}" TMPDIR="$tmp" make -s --no-print-directory O="$tmp/build" CC="$cc" CFLAGS=-O1 \
		LDFLAGS=-Wl,-O1 WERROR=1 "$@"
}
check "no pkg-config on the PATH" sh -c "! PATH='$tmp/bin' command -v pkg-config"
check "make lib" alone lib
check "a file of the library by its name" alone "$tmp/build/libcstrace.a"
check "a file of the other library by its name" alone "$tmp/build/libcstrace-files.a"
check "a test of the library (with cmocka)" alone "$tmp/build/tests/unit/lib/base/test_error"
check "it passes" "$tmp/build/tests/unit/lib/base/test_error"
check "a test with calls of its own, and LDFLAGS" alone "$tmp/build/tests/unit/lib/decoder/test_alloc"
check "it passes, too" "$tmp/build/tests/unit/lib/decoder/test_alloc"
check "no configuration was made" test ! -e "$tmp/build/config.mk"
check "make install-lib" alone install-lib prefix=/opt/cst DESTDIR="$tmp/dest"
check "nothing but the library is installed" sh -c "! find '$tmp/dest' -type f | grep -vE 'include/cstrace/|lib/libcstrace|cstrace(-files)?.pc|lib/cmake/cstrace/'"

cat >"$tmp/use.c" <<'EOF_C'
#include <cstrace/cstrace.h>
#include <stdio.h>
#if CST_VERSION_NUMBER < CST_VERSION_MAKE(0, 1, 0)
#error version
#endif
int main(void)
{
	struct cst_tree *tree = NULL;

	if (cst_tree_new(&tree, CST_TREE_RAW, 0))
		return 1;
	cst_tree_free(tree);
	puts(CST_VERSION_TEXT);
	return cst_version() != CST_VERSION_NUMBER;
}
EOF_C
cp "$tmp/use.c" "$tmp/use.cc"
cat >"$tmp/files.c" <<'EOF_C'
#include <cstrace/files/files.h>
#include <stdio.h>
int main(void)
{
	struct cst_doc *doc = NULL;

	if (cst_doc_new(&doc, 0) || cst_doc_set(doc, "a", "b", "c") || !cst_doc_section(doc, "a"))
		return 1;
	cst_doc_free(doc);
	puts(CST_VERSION_TEXT);
	return 0;
}
EOF_C

# The flags of the pkg-config file; its paths are those of the machine that it will be installed on.
pc="$tmp/dest/opt/cst/lib/pkgconfig/cstrace.pc"
if command -v pkg-config >/dev/null; then
	flags() {
		PKG_CONFIG_LIBDIR="$(dirname "$pc")" PKG_CONFIG_SYSROOT_DIR="$tmp/dest" pkg-config "$@" "${lib:-cstrace}"
	}
else
	flags() {
		cat "$(dirname "$pc")/${lib:-cstrace}.pc" "$pc" | sed -n "s|^Cflags: ||p; s|^Libs: ||p" | sed "s|\${includedir}|$tmp/dest/opt/cst/include|; s|\${libdir}|$tmp/dest/opt/cst/lib|"
	}
fi
version=$(sed -n 's/^Version: //p' "$pc")
says_version() {
	[ -n "$version" ] && [ "$(LD_LIBRARY_PATH="$tmp/dest/opt/cst/lib" "$1")" = "$version" ]
}
check "C program with the pkg-config file" $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$tmp/use-c" "$tmp/use.c" $(flags --cflags --libs)
check "it runs with the version of the pkg-config file" says_version "$tmp/use-c"
check "C program that reads files" $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$tmp/files" "$tmp/files.c" \
	$(lib=cstrace-files && flags --cflags --libs)
check "it runs, too" says_version "$tmp/files"
for cxx in g++ clang++; do
	command -v $cxx >/dev/null || continue
	check "C++ program ($cxx)" $cxx -std=c++11 -Wall -Wextra -Wpedantic -Werror -o "$tmp/use-$cxx" "$tmp/use.cc" $(flags --cflags --libs)
	check "it runs ($cxx)" says_version "$tmp/use-$cxx"
done
check "program with the static library" $cc -std=c11 -o "$tmp/use-a" "$tmp/use.c" $(flags --cflags) "$tmp/dest/opt/cst/lib/libcstrace.a"
check "it runs (static)" says_version "$tmp/use-a"
check "perf-cstrace has the same version" sh -c "'$PERF_CSTRACE' --version | grep -qx 'cstrace version $version'"
check "make uninstall-lib" alone uninstall-lib prefix=/opt/cst DESTDIR="$tmp/dest"
check "nothing is left" sh -c "[ -z \"\$(find '$tmp/dest' ! -type d)\" ]"
finish
