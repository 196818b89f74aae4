# SPDX-License-Identifier: BSD-3-Clause
# To be sourced: checks of a recording with known truth. Before, $tool is perf-cstrace, $symfs the folder of the programs, $want the
# exit code of profile; $set is the folder of the recording and its truth. Sources tap.sh.
. tests/cli/tap.sh
of_one="autofdo llvm bolt-16 bolt-21 propeller"
of_all="callgrind folded top pprof"

profile() {
	code=0
	"$tool" profile "$@" 2>"$tmp/err" || code=$?
	[ $code -eq $want ] || { echo "exit code $code, expected $want: profile $*"; cat "$tmp/err"; return 1; }
}

# A binary without branches has nothing for propeller.
nothing() {
	[ "$format" = propeller ] && [ $code -eq 5 ] && grep -q 'has nothing of what was executed: .*, 0 branches' "$tmp/err"
}

# The count file is the same with any number of threads, and of itself.
counted() {
	profile -i "$set/perf.data" --symfs "$symfs" --format=cstrace -o "$tmp/counts" &&
		profile -i "$set/perf.data" --symfs "$symfs" --format=cstrace -j 3 -o "$tmp/threads" &&
		cmp "$tmp/counts" "$tmp/threads" && profile -i "$tmp/counts" --format=cstrace -o "$tmp/again" &&
		cmp "$tmp/counts" "$tmp/again"
}

# agrees FILE FORMAT OPTIONS...: the format of the recording is that of the count file; bolt-N is bolt for that reader.
agrees() {
	file=$tmp/formats/$1 format=$2
	shift 2
	case $format in
	bolt-*)
		set -- --reader="$format" "$@"
		format=bolt
		;;
	esac
	rm -f "$tmp/direct"
	profile -i "$set/perf.data" --symfs "$symfs" --format="$format" "$@" -o "$tmp/direct" >"$tmp/wrong" || nothing ||
		{ cat "$tmp/wrong"; return 1; }
	profile -i "$tmp/counts" --symfs "$symfs" --format="$format" "$@" -o "$file" >"$tmp/wrong" || nothing ||
		{ cat "$tmp/wrong"; return 1; }
	[ -e "$tmp/direct" ] || [ -e "$file" ] || return 0
	cmp "$tmp/direct" "$file" || { echo "$format differs $*"; return 1; }
}

# Binaries are chosen by build-id, or by name.
formats_agree() {
	rm -rf "$tmp/formats" "$tmp/lcov"
	mkdir "$tmp/formats"
	python3 -c 'import sys
sys.path.insert(0, "tests/cli")
import count_file
for (kind, number), binary in count_file.read(open(sys.argv[1], "rb").read())["binaries"].items():
    print("build-id:" + number.hex() if kind == 0 else binary[2].decode())' "$tmp/counts" >"$tmp/binaries" || return 1
	[ -s "$tmp/binaries" ] || return 1
	while read -r name; do
		for format in $of_one; do
			agrees "$format.$(echo "$name" | tr / -)" "$format" --binary "$name" || return 1
		done
	done <"$tmp/binaries"
	for format in $of_all; do
		agrees "$format" "$format" || return 1
	done
	# without DWARF of any binary there is no tracefile
	if "$tool" profile -i "$tmp/counts" --symfs "$symfs" --format=lcov -o "$tmp/lcov" 2>"$tmp/err" || [ -e "$tmp/lcov" ]; then
		agrees lcov lcov
	fi
}

# Prints what the truth has, besides.
executed() {
	python3 tests/interop/count-truth.py "$set" "$symfs" "$tmp/counts" "$tmp/formats" >"$tmp/said" || { cat "$tmp/said"; return 1; }
}

# check_set NAME
check_set() {
	: >"$tmp/said"
	check "$1: count file" counted
	check "$1: formats of the count file" formats_agree
	check "$1: what was executed" executed
	sed 's/^/# /' "$tmp/said"
}
