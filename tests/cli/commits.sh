#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The rules for messages of commits (scripts/check-commits), each broken by a commit of a small repository.
set -u
command -v git >/dev/null || { echo "no git"; exit 77; }
cd "$(dirname "$0")/../.."
. tests/cli/tap.sh
export HOME="$tmp" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
repo=$tmp/repo
mkdir -p "$repo/scripts" "$repo/tests/data"
cp scripts/check-commits "$repo/scripts"
g() {
	git -C "$repo" "$@"
}
g init -q && g add . && g commit -q -m "scripts: the start" || exit 1
g update-ref refs/remotes/origin/main HEAD
long=$(printf '%072d' 0)

# said CODE WORDS MESSAGE...: with a commit of that message, the check ends with CODE and prints the words. The commit goes.
said() {
	code=$1 words=$2 got=0
	shift 2
	for paragraph in "$@"; do
		set -- "$@" -m "$paragraph"
		shift
	done
	g add . && g commit -q --allow-empty "$@" || return 1
	"$repo/scripts/check-commits" >"$tmp/said" 2>&1 || got=$?
	g reset -q --hard origin/main
	[ $got -eq "$code" ] && { [ -z "$words" ] || grep -qF -- "$words" "$tmp/said"; } && return 0
	echo "exit $got, no '$words' in:"
	cat "$tmp/said"
	return 1
}

sound() {
	said 0 "" "$@" && [ ! -s "$tmp/said" ]
}

# lines N FILE: a new file of N lines.
lines() {
	seq "$1" >"$repo/$2"
}

check "an area and what changes" sound "flow: count taken edges"
check "several areas, folders and files" sound "lib/flow, check-tree, version.h: count taken edges"
check "72 characters" sound "a: $(echo "$long" | cut -c4-)"
check "73 characters" said 1 "the subject has 73 characters, at most 72" "a: $(echo "$long" | cut -c3-)"
check "characters are no bytes" sound "a: $(echo "$long" | cut -c4-70)–é"
check "no area" said 1 "does not begin with an area and a colon" "Count taken edges"
check "an area of two words" said 1 "does not begin with an area and a colon" "the flow: count taken edges"
check "nothing behind the area" said 1 "does not begin with an area and a colon" "flow:"
check "a full stop" said 1 "ends with a full stop" "flow: count taken edges."
check "every rule that is broken" said 1 "characters, at most" "Count $long."
lines 20 small
check "20 lines without a body" sound "flow: count taken edges"
lines 21 large
check "21 lines without a body" said 1 "21 lines change, and the message has no body" "flow: count taken edges"
lines 21 large
check "21 lines with one" sound "flow: count taken edges" "They were counted twice."
lines 21 tests/data/written.txt
check "21 lines of a text that tests write" sound "flow: count taken edges"
mkdir -p "$repo/tests/data"
lines 1 tests/data/written.txt
check "a commit of such texts alone" said 1 "does not begin with an area" "Texts"
lines 100 old
g add . && g commit -q -m "flow: a file" -m "With a body." && g update-ref refs/remotes/origin/main HEAD
g mv old new
check "a file that moves" sound "flow: move a file"
"$repo/scripts/check-commits" nowhere >"$tmp/said" 2>&1
check "a range that is none" test $? -eq 2
g commit -q --allow-empty -m "One" && g commit -q --allow-empty -m "flow: two"
"$repo/scripts/check-commits" -n 1 >"$tmp/said" 2>&1
check "a range" test $? -eq 0
g checkout -q -b side HEAD^ && g commit -q --allow-empty -m "flow: three" && g merge -q --no-ff -m "Merge it" - || exit 1
"$repo/scripts/check-commits" -n 1 >"$tmp/said" 2>&1
check "a merge" test $? -eq 0 -a ! -s "$tmp/said"
finish
