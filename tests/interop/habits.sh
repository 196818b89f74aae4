#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# habits: each option that perf's script, report and inject list is taken by our command, or what does its work is said.
set -eu
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
# habits.def has the options of perf 6.1
case $(perf --version 2>/dev/null) in
"perf version 6.1" | "perf version 6.1."*) ;;
*) echo "no perf 6.1"; exit 77 ;;
esac
. tests/cli/tap.sh

# options COMMAND: "--name" and "-x" of what perf's own help lists
options() {
	perf "$1" -h 2>&1 | sed -nE 's/^ {4}(-[a-zA-Z]), (--[a-zA-Z-]+).*/\1\n\2/p; s/^ {8}(--[a-zA-Z-]+).*/\1/p'
}
# A guest's machine has options of its own.
answered() {
	rm -f "$tmp/bare"
	options "$1" >"$tmp/options"
	[ "$(wc -l <"$tmp/options")" -gt 15 ] || { echo "perf lists no options"; return 1; }
	while read -r o; do
		case $o in --guest*) continue ;; esac
		"$tool" "$1" "$o" -i /nonexistent >/dev/null 2>"$tmp/err" || true
		if grep -E "unknown option '[^']*'($|; did)" "$tmp/err"; then
			echo "perf $1 $o" >>"$tmp/bare"
		fi
	done <"$tmp/options"
	[ ! -e "$tmp/bare" ]
}
for command in script report inject; do
	check "$command: options of perf" answered $command
done
finish
