#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cmake: a project in C and C++ finds what `make install` and `make install-lib` have put into a folder, which need not be the
# prefix that it was built for, and builds with the targets of the shared and of the static libraries.
. tests/cli/tap.sh
command -v cmake >/dev/null || { echo "no cmake"; exit 77; }
mk() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$BUILD" "$@"
}
major=$(awk '$2 == "CST_VERSION_MAJOR" { print $3 }' include/cstrace/version.h)
minor=$(awk '$2 == "CST_VERSION_MINOR" { print $3 }' include/cstrace/version.h)

mkdir "$tmp/project"
cat >"$tmp/project/CMakeLists.txt" <<'EOF_CMAKE'
cmake_minimum_required(VERSION 3.10)
project(use C CXX)
find_package(cstrace ${ASKED} REQUIRED COMPONENTS ${PARTS})
foreach(target cstrace files cstrace_static files_static perf)
	if(TARGET cstrace::${target})
		add_executable(c-${target} use.c)
		add_executable(cxx-${target} use.cc)
		target_link_libraries(c-${target} cstrace::${target})
		target_link_libraries(cxx-${target} cstrace::${target})
	endif()
endforeach()
foreach(target files files_static)
	target_compile_definitions(c-${target} PRIVATE FILES)
	target_compile_definitions(cxx-${target} PRIVATE FILES)
endforeach()
if(TARGET cstrace::perf)
	add_executable(recording recording.c)
	target_link_libraries(recording cstrace::perf)
endif()
message(STATUS "cstrace ${cstrace_VERSION}")
EOF_CMAKE
cat >"$tmp/project/use.c" <<'EOF_C'
#include <cstrace/cstrace.h>
#ifdef FILES
#include <cstrace/files/files.h>
#endif
int main(void)
{
	struct cst_tree *tree = 0;
	int bad = cst_tree_new(&tree, CST_TREE_RAW, 0) || cst_version() != CST_VERSION_NUMBER;
#ifdef FILES
	struct cst_doc *doc = 0;

	bad = bad || cst_doc_new(&doc, 0);
	cst_doc_free(doc);
#endif
	cst_tree_free(tree);
	return bad;
}
EOF_C
cp "$tmp/project/use.c" "$tmp/project/use.cc"
cp tests/examples/recording.c "$tmp/project"

# project ROOT ASKED PARTS: configures the project with what is installed in ROOT.
project() {
	rm -rf "$tmp/out"
	cmake -S "$tmp/project" -B "$tmp/out" -DCMAKE_PREFIX_PATH="$1" -DASKED="$2" -DPARTS="$3"
}
refuses() { ! project "$@" >"$tmp/log" 2>&1; }
builds() { cmake --build "$tmp/out" -j 2; }
runs() { "$tmp/out/c-$1" && "$tmp/out/cxx-$1"; }
linked() { ldd "$tmp/out/c-$1" | grep -q "libcstrace.so.$major => $2"; }
# What libcstrace-perf needs is beside it, in a folder that the loader does not know.
counts() { LD_LIBRARY_PATH="$root/$lib" "$tmp/out/recording" tests/data/sample.perf.data tests/data/symfs | grep -q 'instructions'; }

# Installed for /usr and a folder of the machine's libraries, as Debian has it, and found elsewhere.
lib=lib/$(${CC:-gcc} -print-multiarch 2>/dev/null || :)
root=$tmp/moved
check "make install" mk install prefix=/usr libdir="/usr/$lib" DESTDIR="$tmp/dest"
mv "$tmp/dest/usr" "$root"
check "the installed files do not name the folder" sh -c "! grep -r '$tmp' '$root/$lib/cmake'"
check "found" project "$root" "$major.$minor" "files;perf"
check "builds" builds
for target in cstrace files cstrace_static files_static perf; do
	check "$target runs" runs $target
done
check "cstrace::cstrace is the shared library" linked cstrace "$root/"
check "cstrace::cstrace_static is not" sh -c "! ldd '$tmp/out/c-cstrace_static' | grep libcstrace"
check "cstrace::perf decodes a recording" counts
check "found without a version" project "$root" "" ""
check "found in a range of versions" project "$root" "$major.$minor...$((major + 1))" ""
check "a later version is not found" refuses "$root" "$major.$((minor + 1))" ""
check "another first number is not found" refuses "$root" "$((major + 1))" ""
check "a range that ends before it is not found" refuses "$root" "$major.0...<$major.$minor" ""
check "an unknown component is not found" refuses "$root" "" "other"
check "cmake says so" grep -q "no libcstrace-other" "$tmp/log"

# The library alone, without shared libraries.
check "make install-lib" mk install-lib prefix="$tmp/alone"
rm "$tmp/alone/lib"/*.so*
check "the static library is found" project "$tmp/alone" "$major.$minor" "files"
check "builds with it" builds
check "cstrace runs" runs cstrace
check "files runs" runs files
check "recordings are not found" refuses "$tmp/alone" "" "perf"
check "uninstall" mk uninstall-lib prefix="$tmp/alone"
check "nothing is left" sh -c "[ -z \"\$(find '$tmp/alone' ! -type d)\" ]"
finish
