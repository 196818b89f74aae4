#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What every command promises at its edges: exit codes, where text goes, help, errors that name the file.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample=tests/data/sample.perf.data

help_goes_to_stdout() {
	run 0 "$@" --help && says "$tmp/out" Usage && is_empty "$tmp/err" && ! grep -nE '^.{101}| $' "$tmp/out"
}

usage_error() {
	run 129 "$@" && is_empty "$tmp/out" && [ -s "$tmp/err" ]
}

check "no command" usage_error
check "unknown command" usage_error frobnicate
check "--version" run 0 --version
check "--help" help_goes_to_stdout
for c in $("$tool" --list-cmds); do
	[ "$c" != help ] || continue
	check "$c --help" help_goes_to_stdout "$c"
	check "$c: unknown option" usage_error "$c" --no-such-option
	check "$c: option without its value" usage_error "$c" -i

	[ "$c" != live ] && [ "$c" != check ] || continue	# its files are perf's; it has none
	[ "$c" != record ] || continue	# it makes them
	named=-i
	[ "$c" != merge ] || named=--
	absent() {
		run 1 "$c" "$@" $named "$tmp/absent" && is_empty "$tmp/out" && says "$tmp/err" "$tmp/absent"
	}
	foreign() {
		head -c 4096 "$tool" >"$tmp/foreign"
		run 1 "$c" "$@" $named "$tmp/foreign" && is_empty "$tmp/out" && says "$tmp/err" "$tmp/foreign"
	}
	empty() {
		: >"$tmp/empty"
		run 1 "$c" "$@" $named "$tmp/empty" && is_empty "$tmp/out" && says "$tmp/err" "$tmp/empty"
	}
	case $c in
	inject) set -- -o "$tmp/result" --itrace=b ;;
	profile) set -- -o "$tmp/result" --format=autofdo ;;
	merge | timeline | report) set -- -o "$tmp/result" ;;
	script) set -- --itrace=b ;;
	convert) set -- --to=package -o "$tmp/result" ;;
	dump) set -- --elements ;;
	compare) set -- --with tests/data/sample.perf.data ;;
	*) set -- ;;
	esac
	check "$c: absent file" absent "$@"
	check "$c: a file of another kind" foreign "$@"
	check "$c: empty file" empty "$@"
	check "$c: an error leaves no output file" test ! -e "$tmp/result"
done

full_disk() {
	[ -c /dev/full ] || return 0
	"$tool" script -i $sample --symfs tests/data/symfs --itrace=b >/dev/full 2>"$tmp/err" && {
		echo "exit 0 although nothing could be written"
		return 1
	}
	says "$tmp/err" "o space left"
}

closed_pipe() {
	{
		"$tool" script -i $sample --symfs tests/data/symfs --itrace=b 2>"$tmp/err"
		echo $? >"$tmp/code"
	} | head -n 1 >/dev/null
	code=$(cat "$tmp/code")
	# 141 is death by SIGPIPE, as any filter dies.
	[ "$code" -ne 139 ] && [ "$code" -ne 134 ]
}

no_folder_for_output() {
	run 1 inject -i $sample --symfs tests/data/symfs --itrace=b -o "$tmp/no/such/folder/out" &&
		says "$tmp/err" "$tmp/no/such/folder"
}

same_from_stdin() {
	"$tool" script -i $sample --symfs tests/data/symfs --itrace=b -F pid,tid,cpu,ip,addr >"$tmp/a" 2>/dev/null
	"$tool" script -i - --symfs tests/data/symfs --itrace=b -F pid,tid,cpu,ip,addr <$sample >"$tmp/b" 2>"$tmp/err" || {
		cat "$tmp/err"
		return 1
	}
	[ -s "$tmp/a" ] && cmp "$tmp/a" "$tmp/b"
}

if [ -e $sample ]; then
	check "standard output full" full_disk
	check "reader of standard output goes away" closed_pipe
	check "output folder does not exist" no_folder_for_output
	check "the same from standard input" same_from_stdin
fi
finish
