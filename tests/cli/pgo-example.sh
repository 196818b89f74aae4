#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cstrace-pgo-example, as installed: it names what it needs, and records with perf where that can. (interop/pgo: the gain.)
. tests/cli/tap.sh
mkdir -p "$tmp/usr/bin" "$tmp/usr/share/perf-cstrace" "$tmp/path"
cp scripts/pgo-example "$tmp/usr/bin/cstrace-pgo-example"
cp tests/examples/pgo.c "$tmp/usr/share/perf-cstrace"
example=$tmp/usr/bin/cstrace-pgo-example
build=$(realpath "$BUILD")
tool=$(realpath "$PERF_CSTRACE")
unset BUILD PERF PERF_CSTRACE

# refuses CODE TEXT ENV... ARGS...: the last line of stderr. The script finds on its PATH what a shell needs.
refuses() {
	want=$1 text=$2
	shift 2
	code=0
	env PATH="$tmp/path" "$@" >"$tmp/out" 2>"$tmp/err" || code=$?
	[ $code -eq "$want" ] && [ ! -s "$tmp/out" ] && tail -n 1 "$tmp/err" | grep -qF -- "$text" || {
		echo "exit code $code"
		cat "$tmp/err"
		return 1
	}
}
for program in sh sed dirname realpath uname mkdir mktemp rm; do
	ln -s "$(command -v $program)" "$tmp/path/$program"
done
usage() {
	refuses 129 "  -q   runs the program under qemu-user" "$example" -x && refuses 129 "  -q   runs" "$example" a b
}
check "wrong usage" usage
no_perf() {
	refuses 1 "cstrace-pgo-example: perf is missing (Debian: linux-perf), or PERF=FILE names it" "$example" -p
}
check "perf is missing" no_perf
no_qemu() {
	refuses 1 "qemu-aarch64 is missing (Debian: qemu-user); -p records with perf" "$example" -q
}
check "qemu is missing" no_qemu
printf '#!/bin/sh\nexit 9\n' >"$tmp/path/qemu-aarch64"
cp "$tmp/path/qemu-aarch64" "$tmp/path/perf"
chmod +x "$tmp/path/qemu-aarch64" "$tmp/path/perf"
no_build() {
	refuses 1 "-q needs a build tree of cstrace: BUILD=DIR names it, after make tests qemu there" "$example" -q &&
		refuses 1 "none/tests/gen/cst-gen is missing: BUILD=DIR" BUILD="$tmp/none" "$example" -q
}
check "the build tree is missing" no_build
no_tool() {
	refuses 1 "usr/bin/perf-cstrace is missing: PERF_CSTRACE=FILE names it" "$example" -p
}
check "perf-cstrace is missing" no_tool

# A perf that records as the build's model of a trace unit does.
if ! command -v qemu-aarch64 >/dev/null || ! command -v aarch64-linux-gnu-gcc-11 >/dev/null || ! command -v create_gcov >/dev/null; then
	skip "recorded with perf" "qemu-user, gcc-11-aarch64-linux-gnu or autofdo is not installed"
else
	cat >"$tmp/perf" <<END
#!/bin/sh
[ "\$1 \$2 \$3 \$4 \$6" = "record -e cs_etm//u -o --" ] && [ \$# -eq 7 ] || { echo "\$*" >&2; exit 1; }
qemu-aarch64 -L /usr/aarch64-linux-gnu -plugin "$build/tests/gen/qemu/flowlog.so,out=\$7.flow" "\$7" || exit 1
"$build/tests/gen/cst-gen" encode --flow "\$7.flow" --images "\$7.flow.images" --perf "\$5"
END
	chmod +x "$tmp/perf"
	ln -s "$tool" "$tmp/usr/bin/perf-cstrace"
	recorded() {
		PERF=$tmp/perf "$example" -p "$tmp/kept" >"$tmp/table" 2>&1
		cat "$tmp/table"
		grep -q '^gcc .*-' "$tmp/table" && [ -e "$tmp/kept/gcc-new.data" ]
	}
	check "recorded with perf" recorded
fi
finish
