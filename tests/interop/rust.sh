#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rust: the crates in lib/bindings/rust, with cargo and the crates that Debian packages, and without network: declarations
# are those of the headers; the crates can be packed; they pass their tests with an installed library; the edge bitmap of the
# example and the counts of a recording are those that C programs compute. CARGO names another cargo.
# CSTRACE_NIGHTLY=1: clippy, the library built of the packed sources, hostile bytes under valgrind, and the instructions of
# decoding a long recording beside those of C.
set -eu
. tests/cli/tap.sh
: "${BUILD:=build}"
cargo=${CARGO:-cargo}
crates=/usr/share/cargo/registry
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3
if "$python" -c "import pycparser" 2>/dev/null; then
	check "the declarations are those of the headers" env PYTHONDONTWRITEBYTECODE=1 "$python" lib/bindings/rust/generate --check
else
	skip "the declarations are those of the headers" "no pycparser for $python (package python3-pycparser)"
fi
version=$(awk '$2 ~ /^CST_VERSION_(MAJOR|MINOR|PATCH)$/ { printf "%s%s", dot, $3; dot = "." }' include/cstrace/version.h)
same_version() {
	[ "$(grep -hE '^version = ' lib/bindings/rust/*/Cargo.toml | sort -u)" = "version = \"$version\"" ]
}
check "the crates have the version of the library" same_version

missing=
command -v "$cargo" >/dev/null || missing="no cargo (packages cargo and rustc)"
for name in cc pkg-config; do
	ls -d "$crates/$name"-[0-9]* >/dev/null 2>&1 || missing=${missing:-"no crate $name (package librust-$name-dev)"}
done
[ -z "$missing" ] || {
	skip "the crates" "$missing"
	finish
}

# Cargo writes into folders of this test only, and finds crates in one folder only.
cp -R lib include LICENSES "$tmp"
mkdir "$tmp/crates" "$tmp/home"
cp -R "$crates"/cc-[0-9]* "$crates"/pkg-config-[0-9]* "$tmp/crates"
printf '[source.crates-io]\nreplace-with = "packages"\n[source.packages]\ndirectory = "%s"\n' "$tmp/crates" >"$tmp/home/config.toml"
export CARGO_HOME="$tmp/home" CARGO_TARGET_DIR="$tmp/target" CARGO_NET_OFFLINE=true CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0
rust=$tmp/lib/bindings/rust
unset RUSTFLAGS MAKEFLAGS MFLAGS MAKELEVEL
in_folder() { (cd "$1" && shift && "$@"); }

if "$cargo" fmt --version >/dev/null 2>&1; then
	check "rustfmt has nothing to change" in_folder "$rust" "$cargo" fmt --check
else
	skip "rustfmt has nothing to change" "no cargo fmt (package rustfmt)"
fi

# pack CRATE: packs it and unpacks it where cargo looks for crates.
pack() {
	in_folder "$rust" "$cargo" package --offline --no-verify --allow-dirty -p "$1" || return 1
	tar -xzf "$CARGO_TARGET_DIR/package/$1-$version.crate" -C "$tmp/crates" || return 1
	echo '{"files":{},"package":null}' >"$tmp/crates/$1-$version/.cargo-checksum.json"
}
check "cstrace-sys is packed" pack cstrace-sys
check "with the library's sources" test -e "$tmp/crates/cstrace-sys-$version/lib/base/error.c" -a \
	-e "$tmp/crates/cstrace-sys-$version/include/cstrace/cstrace.h" -a -e "$tmp/crates/cstrace-sys-$version/LICENSE"
check "cstrace is packed" pack cstrace

# With an installed library, which needs no C compiler.
check "make install-lib" make -s --no-print-directory O="$BUILD" install-lib prefix="$tmp/usr"
export PKG_CONFIG_PATH="$tmp/usr/lib/pkgconfig" LD_LIBRARY_PATH="$tmp/usr/lib"
check "layouts and constants are those of C" in_folder "$rust" "$cargo" test -q -p cstrace-sys --features system
check "the tests pass" in_folder "$rust" "$cargo" test -q -p cstrace --features system
programs=$CARGO_TARGET_DIR/debug/examples
uses_installed() { ldd "$programs/edge_bitmap" | grep -q "libcstrace.so.* => $tmp/usr/lib/"; }
check "programs are linked with it" uses_installed

check "the example has at most 40 lines" test "$(wc -l <lib/bindings/rust/cstrace/examples/edge_bitmap.rs)" -le 40
check "its bitmap is that of the edges that C counts" python3 tests/interop/rust_bitmap.py "$programs/edge_bitmap" "$tmp"

# counts_of PROGRAM FOLDER: what it counts in the trace of extract-aux.py, without the time.
counts_of() { xargs "$1" counts <"$2/args" | grep -v seconds; }
same_counts() {
	mkdir -p "$tmp/$1" && python3 tests/interop/extract-aux.py "$2" "$3" "$tmp/$1" || return 1
	counts_of "$BUILD/tests/interop/cst_decode" "$tmp/$1" >"$tmp/c" && counts_of "$programs/cst_decode" "$tmp/$1" >"$tmp/rust" &&
		[ "$(wc -l <"$tmp/c")" -eq 5 ] && diff "$tmp/c" "$tmp/rust"
}
check "ranges, instructions and edges of a recording are those of C" same_counts sample tests/data/sample.perf.data tests/data/symfs
[ "${CSTRACE_NIGHTLY:-0}" = 1 ] || finish

if "$cargo" clippy --version >/dev/null 2>&1; then
	check "clippy has nothing to say" in_folder "$rust" "$cargo" clippy -q --features system --all-targets -- -D warnings
else
	skip "clippy has nothing to say" "no cargo clippy (package rust-clippy)"
fi
check "the documentation has no broken links" in_folder "$rust" env RUSTDOCFLAGS="-D warnings" "$cargo" doc -q --no-deps --features system
unset PKG_CONFIG_PATH LD_LIBRARY_PATH

# The packed crates, with the library built of the sources in them.
export CARGO_TARGET_DIR="$tmp/packed"
check "the packed crate passes its tests" in_folder "$tmp/crates/cstrace-$version" env CSTRACE_ROUNDS=3000 "$cargo" test -q
programs=$CARGO_TARGET_DIR/debug/examples
hostile() { ls -t "$CARGO_TARGET_DIR"/debug/deps/hostile-* | grep -v '\.d$' | head -n 1; }
if command -v valgrind >/dev/null; then
	check "hostile bytes under valgrind" env CSTRACE_ROUNDS=20 valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite "$(hostile)" --skip forgotten
else
	skip "hostile bytes under valgrind" "no valgrind"
fi
shared=${CSTRACE_SHARED:-../shared}/truth
instructions() {
	xargs valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" counts <"$tmp/26/args" 2>&1 | sed -n 's/.*Collected : //p'
}
as_fast() {
	same_counts 26 "$shared/26-gcc-cc1/perf.data" "$shared/symfs" || return 1
	in_folder "$tmp/crates/cstrace-$version" "$cargo" build -q --release --examples || return 1
	c=$(instructions "$BUILD/tests/interop/cst_decode")
	r=$(instructions "$CARGO_TARGET_DIR/release/examples/cst_decode")
	echo "C $c, Rust $r"
	[ "$r" -gt 0 ] && [ $((r * 100)) -le $((c * 115)) ]
}
if [ -d "$shared/26-gcc-cc1" ] && command -v valgrind >/dev/null; then
	check "a long recording is counted with at most 15 % more instructions than in C" as_fast
else
	skip "a long recording is counted with at most 15 % more instructions than in C" "no valgrind, or no $shared/26-gcc-cc1"
fi
finish
