#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Added lines are not wider than 100 columns (scripts/check-format): changes of a small repository.
set -u
command -v git >/dev/null || { echo "no git"; exit 77; }
cd "$(dirname "$0")/../.."
. tests/cli/tap.sh
export HOME="$tmp" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
repo=$tmp/repo
mkdir -p "$repo/scripts" "$repo/lib/base" "$repo/tests/unit/lib" "$repo/perf-plugin"
cp scripts/check-format "$repo/scripts"
g() {
	git -C "$repo" "$@"
}
wide=$(printf '%0101d' 0)

# The file has a wide line from the beginning.
printf '%s\n' one "$wide" three four >"$repo/lib/base/old.c"
g init -q && g add . && g commit -q -m "lib: the start" || exit 1

# says CODE TEXT [RANGE]: the check ends with CODE and prints TEXT, nothing else.
says() {
	got=0
	"$repo/scripts/check-format" ${3:+"$3"} >"$tmp/said" 2>&1 || got=$?
	[ $got -eq "$1" ] && [ "$(cat "$tmp/said")" = "$2" ] && return 0
	echo "exit $got:"
	cat "$tmp/said"
	return 1
}

# line FILE TEXT: appended.
line() {
	printf '%s\n' "$2" >>"$repo/$1"
}

commit() {
	g add . && g commit -q -m "lib: a change"
}

check "one commit, no change" says 0 ""
line lib/base/old.c "$(printf '%0100d' 0)"
check "100 columns in a file that has a wider line" says 0 ""
line lib/base/old.c "$wide"
check "101 columns, not committed" says 1 "lib/base/old.c:6: 101 columns, at most 100"
commit
check "101 columns, the last commit" says 1 "lib/base/old.c:6: 101 columns, at most 100"
line lib/base/old.c "$(printf '\t\t\t\t\t\t\t\t\t\t\t\t1234')"
check "twelve tabs and 4 characters" says 0 "" HEAD
line lib/base/old.c "$(printf '\t\t\t\t\t\t\t\t\t\t\t\t12345')"
check "twelve tabs and 5 characters" says 1 "lib/base/old.c:8: 101 columns, at most 100" HEAD
sed -i '$d' "$repo/lib/base/old.c"
line lib/base/old.c "$(printf 'a\t%092d' 0)"
check "a tab ends at the next multiple of 8" says 0 "" HEAD
line lib/base/old.c "$(printf '%099d' 0)é"
check "characters are no bytes" says 0 "" HEAD
commit
sed -i '2s/$/0/' "$repo/lib/base/old.c"
check "a line that grows" says 1 "lib/base/old.c:2: 102 columns, at most 100"
sed -i 2d "$repo/lib/base/old.c"
check "a line that goes" says 0 "" HEAD
g checkout -q lib
g update-ref refs/remotes/origin/main HEAD
line perf-plugin/new.h "$wide"
line tests/unit/lib/test_new.c "$wide"
line lib/base/new.def "$wide"
commit
line lib/base/new.def short
commit
check "what origin/main does not have, in each folder" says 1 "lib/base/new.def:1: 101 columns, at most 100
perf-plugin/new.h:1: 101 columns, at most 100
tests/unit/lib/test_new.c:1: 101 columns, at most 100"
check "a range" says 0 "" HEAD^..HEAD
g update-ref refs/remotes/origin/main HEAD
line README.md "$wide"
line lib/base/notes.txt "$wide"
line scripts/tool.c "$wide"
commit
check "other files and folders" says 0 ""
g mv lib/base/old.c lib/moved.c && commit
check "a file that moves" says 0 ""
line lib/moved.c "++ b/x"
line lib/moved.c "$wide"
check "text that looks like the head of a file" says 1 "lib/moved.c:11: 101 columns, at most 100"
"$repo/scripts/check-format" nowhere >"$tmp/said" 2>&1
check "a range that is none" test $? -eq 2
finish
