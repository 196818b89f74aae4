#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The man pages: mandoc and groff have no complaint, cstrace-recording(7) is what Kconfig-notes.md says, and the pages of scripts
# have the scripts' options.
. tests/cli/tap.sh

clean() {
	"$@" >"$tmp/complaints" 2>&1
	[ ! -s "$tmp/complaints" ] || {
		cat "$tmp/complaints"
		return 1
	}
}
groff_of() {
	groff -ww -man -Tutf8 "$1" 2>&1 >/dev/null
}
for page in perf-plugin/man/*.[1-9]; do
	if command -v mandoc >/dev/null; then
		check "mandoc: ${page##*/}" clean mandoc -Tlint -W warning "$page"
	else
		skip "mandoc: ${page##*/}" "mandoc is not installed"
	fi
	if command -v groff >/dev/null; then
		check "groff: ${page##*/}" clean groff_of "$page"
	else
		skip "groff: ${page##*/}" "groff is not installed"
	fi
done

same_notes() {
	scripts/notes-to-man >"$tmp/page" && diff perf-plugin/man/cstrace-recording.7 "$tmp/page" || {
		echo "write it anew: scripts/notes-to-man >perf-plugin/man/cstrace-recording.7"
		return 1
	}
}
check "cstrace-recording.7 is made of Kconfig-notes.md" same_notes

# Each word of the notes is on the page as it is shown, but the names of columns, of which tables with two show none.
words_of() {
	grep -oE '[A-Za-z0-9_]+' | sort -u
}
shown_notes() {
	groff -man -Tascii -P-cbou -rLL=200n perf-plugin/man/cstrace-recording.7 | tr A-Z a-z | words_of >"$tmp/shown"
	awk '/^\|---/ { head = "" } { if (head != "") print head; head = $0 } END { print head }' Kconfig-notes.md | tr A-Z a-z | words_of |
		comm -23 - "$tmp/shown" >"$tmp/absent"
	[ -s "$tmp/shown" ] && clean cat "$tmp/absent"
}
if command -v groff >/dev/null; then
	check "cstrace-recording.7 shows all words of Kconfig-notes.md" shown_notes
else
	skip "cstrace-recording.7 shows all words of Kconfig-notes.md" "groff is not installed"
fi

# options_of SCRIPT: its letters are those of its page, in the order of getopts, and its words those of its page.
options_of() {
	sed -n 's/^#   --\([a-z-]*\).*/\1/p' "scripts/$1" | sort >"$tmp/words"
	sed -n '/^\.SH OPTIONS/,/^\.SH ENV/s/^\\fB\\-\\-\([a-z\\-]*\)\(\\fR\|=\).*/\1/p' "perf-plugin/man/cstrace-$1.1" | tr -d '\\' |
		sort | diff "$tmp/words" - || return 1
	sed -n 's/^while getopts \([a-zA-Z:]*\) option.*/\1/p; s/^while getopts \([a-zA-Z:]*\)-: option.*/\1/p' "scripts/$1" | tr -d : | grep -o . | sort >"$tmp/letters"
	sed -n '/^\.SH OPTIONS/,/^\.SH ENV/p' "perf-plugin/man/cstrace-$1.1" | sed -n 's/^\(\.B \|\\fB\)\\-\([a-zA-Z]\).*/\2/p' |
		sort | diff "$tmp/letters" - && [ -s "$tmp/letters" ]
}
for script in profile-many pgo-example; do
	check "cstrace-$script.1 has the options of the script" options_of $script
done
finish
