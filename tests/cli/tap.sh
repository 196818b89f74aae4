# SPDX-License-Identifier: BSD-3-Clause
# To be sourced by shell tests: cases with names, told in TAP.
tap_count=0
tap_failed=0

ok() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

not_ok() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	shift
	[ $# -eq 0 ] || printf '# %s\n' "$@"
}

# skip NAME WHY: counted as skipped.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $1: $2"
}

# check NAME COMMAND...: passes when the command does.
check() {
	tap_name=$1
	shift
	if "$@" >"$tmp/check.out" 2>&1; then
		ok "$tap_name"
	else
		not_ok "$tap_name" "$*"
		sed 's/^/# /' "$tmp/check.out"
	fi
}

# verdict CODE NAME: passes with the code 0; else the end of $tmp/log is shown.
verdict() {
	if [ "$1" -eq 0 ]; then
		ok "$2"
	else
		not_ok "$2"
		[ ! -s "$tmp/log" ] || tail -n 20 "$tmp/log" | sed 's/^/# /'
	fi
}

finish() {
	echo "1..$tap_count"
	exit $((tap_failed > 0))
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
