#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build.sh - the build: what it is made with is a dependency; parts that are left out, and what perf-cstrace says where a
# file needs them; what is on by default against mistakes.
. tests/cli/tap.sh
cc=${CC:-gcc}
mk() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u WERROR make --no-print-directory CC="$cc" "$@"
}

# ---- flags ----
mkdir "$tmp/tree"
cp -R include scripts Makefile "$tmp/tree"
mkdir "$tmp/tree/lib" && cp lib/base/error.c lib/decoder/version.c "$tmp/tree/lib"
compiled() {
	mk -C "$tmp/tree" O=build build/libcstrace.a "$@" >"$tmp/out" 2>&1
	grep -c ' CC ' "$tmp/out" || :
}
is() {
	[ "$2" = "$3" ] && ok "$1" || not_ok "$1" "$2 instead of $3" "$(cat "$tmp/out")"
}
is "everything is compiled" "$(compiled)" 2
is "nothing twice" "$(compiled)" 0
is "other CFLAGS: everything again" "$(compiled CFLAGS=-O1)" 2
is "the same CFLAGS: nothing" "$(compiled CFLAGS=-O1)" 0
is "CPPFLAGS count" "$(compiled CFLAGS=-O1 CPPFLAGS=-DSOMETHING)" 2
is "another compiler" "$(compiled CFLAGS=-O1 CPPFLAGS=-DSOMETHING CC="env $cc")" 2
check "CPPFLAGS reach the compiler" sh -c "! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C '$tmp/tree' O=b2 CC='$cc' \
	CPPFLAGS='-include /no/such/header.h' b2/libcstrace.a 2>/dev/null"

# A warning stops the build of those who ask for it, and of make check; objects are the same.
mkdir "$tmp/warns"
cp -R "$tmp/tree/." "$tmp/warns" && rm -rf "$tmp/warns/build" "$tmp/warns/b2"
sed -i '$a int cst_unused_thing(void);\nint cst_unused_thing(void) { int unused; return 0; }' "$tmp/warns/lib/error.c"
warns() {
	mk -C "$tmp/warns" build/libcstrace.a "$@" >"$tmp/out" 2>&1
	rc=$?
	grep -q "unused.*\[-W.*unused-variable\]" "$tmp/out" || { cat "$tmp/out"; return 9; }
	return $rc
}
for how in "" WERROR=0 WERROR=1; do
	warns $how
	case $how:$? in :0 | WERROR=0:0 | WERROR=1:2) ok "a warning, ${how:-without WERROR}" ;; *) not_ok "a warning, ${how:-without WERROR}" "$(cat "$tmp/out")" ;; esac
	rm -f "$tmp/warns/build/libcstrace.a" "$tmp/warns/build/obj/lib/error.o"
done
is "other WERROR: nothing again" "$(compiled CFLAGS=-O1 CPPFLAGS=-DSOMETHING CC="env $cc" WERROR=1)" 0
werror_of() {
	printf 'include Makefile\nshow: ; @echo $(WERROR)\n' >"$tmp/tree/show.mk"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u WERROR make -s -C "$tmp/tree" -f show.mk MAKECMDGOALS="$1" show 2>/dev/null
}
is "make check turns WERROR on" "$(werror_of check)$(werror_of nightly)" 11
is "make lib does not" "$(werror_of lib)" 0

# ---- the same bytes in other folders ----
same() {
	for place in "$tmp/here" "$tmp/another/place of it"; do
		mkdir -p "$place" && cp -R "$tmp/tree/include" "$tmp/tree/scripts" "$tmp/tree/lib" "$tmp/tree/Makefile" "$place" || return
	done
	mk -C "$tmp/here" build/libcstrace.a CFLAGS='-O1 -g' "$@" && (umask 077; TZ=Asia/Tokyo LC_ALL=tr_TR.UTF-8 mk -C "$tmp/another/place of it" \
		O=elsewhere elsewhere/libcstrace.a CFLAGS='-O1 -g' "$@") && cmp "$tmp/here/build/libcstrace.a" "$tmp/another/place of it/elsewhere/libcstrace.a"
}
check "two builds are equal" same
differ() {
	! same MAP= >/dev/null
}
check "that is what MAP is for" differ

# ---- what is missing is named ----
# pkg-config that finds no library of one name, and flags that lead nowhere for another one
mkdir "$tmp/config" "$tmp/fake"
real=$(command -v pkg-config || :)
cat >"$tmp/fake/pkg-config" <<EOF_PC
#!/bin/sh
[ -z "\$LACK" ] || case "\$*" in *"\$LACK"*) exit 1 ;; esac
[ -z "\$WRONG" ] || case "\$*" in --libs*"\$WRONG"*) echo -lno-such-library ;; esac
exec $real "\$@"
EOF_PC
chmod +x "$tmp/fake/pkg-config"
config() {
	env CC="$cc" PKG_CONFIG="$tmp/fake/pkg-config" LACK= WRONG= "$@" scripts/config "$tmp/config" "$tmp/config/config.mk" >"$tmp/out" 2>&1
}
says() {
	want=$1
	shift
	! config "$@" && grep -q -- "$want" "$tmp/out" || { cat "$tmp/out"; return 1; }
}
if [ -n "$real" ] && [ -e "$BUILD/libperf/include" ]; then
	mkdir "$tmp/config/libperf" && cp -R "$BUILD/libperf/include" "$tmp/config/libperf"
	check "what is there is found" config
	check "a library that is missing has a package" says "^Debian's packages: libdw-dev$" LACK=libdw
	check "what can be left out is said" says "^what can be left out: make NO_ZSTD=1 " LACK=libzstd
	check "a library that does not link is missing" says "libelf: .*no program can be built with it (cannot find -lno-such-library" WRONG=libelf
	check "a compiler that is missing" says "^  no-such-gcc: no such compiler$" CC=no-such-gcc
	if command -v aarch64-linux-gnu-gcc >/dev/null; then
		check "libraries of this machine are not those of another one" says "^Debian's packages: .*libdw-dev:arm64" CC=aarch64-linux-gnu-gcc \
			CROSS_COMPILE=aarch64-linux-gnu- PKG_CONFIG="$real" PKG_CONFIG_LIBDIR=/nonexistent
		check "nor do they link" says "libelf: .*no program can be built with it" CC=aarch64-linux-gnu-gcc CROSS_COMPILE=aarch64-linux-gnu- PKG_CONFIG="env $real"
	else
		skip "libraries for another machine" "no aarch64-linux-gnu-gcc"
	fi
fi

# ---- hardening ----
hard() {
	readelf -W -d "$1" | grep -q 'BIND_NOW\|FLAGS_1.*NOW' && readelf -W -l "$1" | grep -q GNU_RELRO
}
check "the library is bound at start" hard "$BUILD/libcstrace.so"
check "perf-cstrace is bound at start" hard "$PERF_CSTRACE"
check "perf-cstrace is position independent" sh -c "readelf -h '$PERF_CSTRACE' | grep -q 'Type: *DYN'"
check "perf-cstrace has the stack protector" sh -c "readelf -W --dyn-syms '$PERF_CSTRACE' | grep -q __stack_chk_fail"
case $($cc -dumpmachine) in
x86_64*)
	# of the objects: the C library's own that a program begins with need not have it, and then the program has not
	for f in lib/base/error.o perf-plugin/outputs/cmd/main.o; do
		check "$f: IBT, SHSTK" sh -c "readelf -n '$BUILD/obj/$f' | grep -q 'IBT, SHSTK'"
	done
	;;
esac

# ---- parts that are left out ----
parts=$BUILD/without
[ -e "$parts/libperf" ] || [ ! -e "$BUILD/libperf/include" ] || { mkdir -p "$parts/libperf" && cp -R "$BUILD/libperf/include" "$parts/libperf"; }
check "it builds without libtraceevent, lzma, zstd, sqlite and capstone" mk -s -j2 WERROR=1 O="$parts" CFLAGS=-O1 NO_LIBTRACEEVENT=1 NO_LZMA=1 NO_ZSTD=1 NO_SQLITE=1 NO_CAPSTONE=1 "$parts/perf-cstrace"
check "none of them is linked" sh -c "! readelf -d '$parts/perf-cstrace' | grep -E 'NEEDED.*(traceevent|lzma|zstd|sqlite|capstone)'"
version_says() {
	"$1" --version | tail -n +2 | sort | tr '\n' ' ' >"$tmp/version"
	grep -qx "$2" "$tmp/version"
}
check "--version says what is out" version_says "$parts/perf-cstrace" 'capstone: off libtraceevent: off lzma: off sqlite: off zstd: off '
check "the shipped sample is decoded to the same branches" sh -c "
	for p in '$PERF_CSTRACE' '$parts/perf-cstrace'; do
		\$p script -i tests/data/sample.perf.data --symfs tests/data/symfs --itrace=b -F pid,tid,cpu,ip,addr || exit 1
	done | sort | uniq -c | awk '\$1 % 2 { exit 1 }'"
if version_says "$PERF_CSTRACE" 'capstone: on libtraceevent: on lzma: on sqlite: on zstd: on '; then
	ok "--version says what is in"
	"$CST_GEN" random --case=7 --compress=1 --perf="$tmp/packed.data" --images="$tmp/images" >/dev/null 2>&1
	says() {
		"$parts/perf-cstrace" script -i "$tmp/packed.data" --itrace=b -F ip >/dev/null 2>"$tmp/err"
		[ $? != 0 ] && grep -q 'made without zstd (NO_ZSTD)' "$tmp/err"
	}
	check "compressed records: it says what it was made without" says || cat "$tmp/err"
	cannot() {
		"$parts/perf-cstrace" inject -i tests/data/sample.perf.data -z -o "$tmp/no" 2>"$tmp/err"
		[ $? = 129 ] && grep -qF -- '--compression-level: this program was made without zstd (NO_ZSTD)' "$tmp/err" && [ ! -e "$tmp/no" ]
	}
	check "inject -z: it says what it was made without" cannot || cat "$tmp/err"
	no_database() {
		"$parts/perf-cstrace" timeline -i tests/data/sample.perf.data --format=sqlite -o "$tmp/no" 2>"$tmp/err"
		[ $? = 129 ] && grep -qF -- '--format=sqlite: this program was made without sqlite (NO_SQLITE)' "$tmp/err" && [ ! -e "$tmp/no" ]
	}
	check "timeline --format=sqlite: it says what it was made without" no_database || cat "$tmp/err"
fi
finish
