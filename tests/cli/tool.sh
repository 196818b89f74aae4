# SPDX-License-Identifier: BSD-3-Clause
# To be sourced after tap.sh: runs the program, and checks what it wrote.
tool=$PERF_CSTRACE

# run EXPECTED_CODE ARGS...: stdout and stderr are kept in $tmp.
run() {
	want=$1
	shift
	got=0
	"$tool" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || got=$?
	[ "$got" -eq "$want" ] || {
		echo "exit code $got, not $want, of: $tool $*"
		cat "$tmp/err"
		return 1
	}
}

is_empty() {
	[ ! -s "$1" ] || {
		echo "unexpected text in ${1##*/}:"
		head -n 5 "$1"
		return 1
	}
}

says() {
	grep -qF -- "$2" "$1" || {
		echo "no '$2' in ${1##*/}:"
		head -n 5 "$1"
		return 1
	}
}
