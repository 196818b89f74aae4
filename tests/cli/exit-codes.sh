#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The contract of the command line: exit codes 0, 1, 3, 5 and 129, data on stdout and messages on stderr, "-"
# for standard input and output, help in every place where it is looked for, `perf cstrace` and its man page.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample=tests/data/sample.perf.data
symfs=tests/data/symfs

head -c 9000 $sample >"$tmp/cut"
head -c 200 $sample >"$tmp/broken"

# ---- 0, 1, 3: each command on a whole, a cut and a useless recording ----------------------------

for c in "inject -o $tmp/injected --itrace=i1000il16" "script --itrace=b -F ip,addr" "dump --elements" \
	"dump --format=none" "profile --format=autofdo -o $tmp/counts" "timeline -o $tmp/counts" "info"; do
	name=${c%% *}
	decoded() {
		run 0 $c -i $sample --symfs $symfs && says "$tmp/err" "cstrace: 17,648 bytes, 119,840 instructions, 25,997 \
branches, losses: none" || return 1
		case $c in
		*" -o "*) is_empty "$tmp/out" && cat "$tmp/injected" "$tmp/counts" 2>/dev/null | grep -q . ;;
		*) [ -s "$tmp/out" ] && ! grep -q '^cstrace' "$tmp/out" ;;
		esac
	}
	losses() {
		run 3 $c -i "$tmp/cut" --symfs $symfs && says "$tmp/err" "$tmp/cut: is cut at 0x2328" &&
			grep -q 'loss\|lost' "$tmp/err"
	}
	error() {
		rm -f "$tmp/injected" "$tmp/counts"
		run 1 $c -i "$tmp/broken" --symfs $symfs && is_empty "$tmp/out" &&
			says "$tmp/err" "$tmp/broken: is cut at 0xc8" && [ ! -e "$tmp/injected" ] && [ ! -e "$tmp/counts" ]
	}
	check "$name: 0, decoded: $c" decoded
	check "$name: 3, with losses" losses
	check "$name: 1, not at all" error
done
missing_program() {
	run 5 script -i $sample --symfs "$tmp" --itrace=b && is_empty "$tmp/out" && says "$tmp/err" sample.a64 &&
		says "$tmp/err" --symfs
}
check "script: 5, program file not found" missing_program
# An empty profile is not written: which binary was asked for, which ones ran, what was lost.
nothing() {
	rm -f "$tmp/counts"
	run 5 profile -i $sample --format="$1" -o "$tmp/counts" --symfs "$2" $3 && is_empty "$tmp/out" && [ ! -e "$tmp/counts" ] &&
		says "$tmp/err" "nothing to profile" || return 1
	shift 3
	for text; do
		says "$tmp/err" "$text" || return 1
	done
}
for f in autofdo llvm bolt callgrind folded top; do
	check "profile: 5, $f of a binary that did not run" nothing $f $symfs "--binary gcc" "--binary asks for gcc" \
		"119840 instructions  /opt/cstrace-sample/sample.a64" "losses: none"
	check "profile: 5, $f of a binary that is missing" nothing $f "$tmp" "--binary sample.a64" "--binary asks for sample.a64" \
		"/opt/cstrace-sample/sample.a64: file not found" "no instruction could be decoded"
done
check "script: 5, the same loss with --itrace=" run 5 script -i $sample --symfs "$tmp" --itrace=i1000i

# Nothing was decoded, or nothing fits: a code of its own, whatever --max-loss accepts.
mkdir "$tmp/bare"
for c in "inject -o $tmp/injected --itrace=b" "script --itrace=b" "profile -o $tmp/counts" "profile --format=cstrace -o $tmp/counts" \
	"timeline -o $tmp/counts" "report -o $tmp/pages" info "dump --format=tarmac"; do
	check "${c%% *}: 5, no program: $c" run 5 $c -i $sample --symfs "$tmp/bare" --max-loss=100%
	check "${c%% *}: 5, no thread fits: $c" run 5 $c -i $sample --symfs $symfs --tid 1 --max-loss=100%
done
# With 5 no file appears and none is replaced, whatever the command; a stream has what it got.
echo "0 clk cpu0 IT (0) 00000010 d503201f O EL0t : NOP" >"$tmp/tarmac"
not_written() {
	rm -f "$tmp/made"
	run 5 "$@" -o "$tmp/made" && [ ! -e "$tmp/made" ] && says "$tmp/err" "not" || return 1
	echo before >"$tmp/made" && run 5 "$@" -o "$tmp/made" && [ "$(cat "$tmp/made")" = before ] && run 5 "$@" -o /dev/null
}
for c in "inject --itrace=b" "script --itrace=b" "script --function-graph" "profile" "profile --format=cstrace" "profile --format=top" "timeline" \
	"timeline --format=perfetto" "dump" "dump --packets" "dump --frames" "dump --format=none" "dump --format=tarmac" "verify" \
	"verify --format=json" "compare --tarmac $tmp/tarmac" "compare --with $sample"; do
	check "$c: 5, no file is written for no thread" not_written $c -i $sample --symfs $symfs --tid 1
done
for c in "inject --itrace=b" "script --itrace=b" "dump --format=tarmac" "compare --with $sample"; do
	check "$c: 5, no file is written without a program" not_written $c -i $sample --symfs "$tmp/bare"
done
for c in "dump --id 5" "dump --packets --id 5" "dump --frames --id 5" "dump --format=tarmac --id 5"; do
	check "$c: 5, no file is written without the trace ID" not_written $c -i $sample --symfs $symfs
done
check "dump: 3, elements need the program" run 3 dump -i $sample --symfs "$tmp/bare"
# Packets and frames do not: their listings, and the messages, are the same.
no_program() {
	run 0 dump "$@" -i $sample --symfs $symfs && mv "$tmp/out" "$tmp/with" && run 0 dump "$@" -i $sample --symfs "$tmp/bare" &&
		[ -s "$tmp/out" ] && cmp "$tmp/with" "$tmp/out" && says "$tmp/err" "losses: none" && ! grep -q "missing code\|lost:" "$tmp/err" &&
		run 3 dump "$@" -i "$tmp/cut" --symfs "$tmp/bare" && says "$tmp/err" "1 cut file" && ! grep -q "without code" "$tmp/err"
}
for c in --packets --frames --raw "--packets --frames" "--packets --format=json" "--packets --from offset=9000"; do
	check "dump: 0, no program is needed: $c" no_program $c
done
check "dump: 3, counts need the program" run 3 dump --format=none -i $sample --symfs "$tmp/bare"
check "verify: 3, rules of packets need no program" run 3 verify -i $sample --symfs "$tmp/bare"
check "verify: 5, no thread fits" run 5 verify -i $sample --symfs $symfs --tid 1

# ---- --max-loss: what is no share; tests/data/recordings/max-loss-*.txt have the shares -----------

for wrong in 1 x% 101% 1.23456% -1% 5.% "" 100.0001%; do
	check "129, --max-loss=$wrong" run 129 info -i $sample --symfs $symfs --max-loss="$wrong"
done

# ---- 129: nothing is opened, nothing is printed on stdout, where help is ------------------------

misuse() {
	run 129 "$@" -i "$tmp/absent" && is_empty "$tmp/out" && says "$tmp/err" "cstrace ${1%% *}: " && says "$tmp/err" --help
}
for c in inject script dump profile timeline info; do
	check "$c: 129, an operand too many" misuse $c something
	check "$c: 129, a value for a flag" misuse $c --force=yes
	check "$c: 129, no number" misuse $c --ts-freq=fast
	check "$c: 129, an unknown letter" misuse $c -Y
done
for c in inject script; do
	check "$c: 129, --itrace=?" misuse $c '--itrace=?'
	check "$c: 129, --itrace=i10x" misuse $c --itrace=i10x
	check "$c: 129, branch stack too deep" misuse $c --itrace=i1000il99999
done
check "inject: 129, nothing to write" misuse inject --itrace=o
check "script: 129, unknown field" misuse script -F ip,colour
check "script: 129, branch stacks that were not asked for" misuse script --itrace=b -F ip,brstack
check "script: 129, code of branch stacks that were not asked for" misuse script --itrace=b -F ip,brstackinsn
check "script: 129, calls of instructions" misuse script --itrace=i -F callindent
check "script: 129, a view of instructions that there is not" misuse script --insn-trace=xed
check "script: 129, two views" misuse script --insn-trace --call-trace
check "script: 129, a view and other letters" misuse script --call-trace --itrace=b
named() {
	run "$1" $2 -i $sample && is_empty "$tmp/out" && says "$tmp/err" "$3"
}
check "info: 129, an unknown kind of context ID" named 129 "info --contextid=pid" "expected auto, tid, tid-asid, asid or none"
check "info: 1, --kallsyms is not there" named 1 "info --kallsyms $tmp/absent" "$tmp/absent: No such file"
check "profile: 129, unknown format" misuse profile --format=gprof
check "profile: 129, unknown address base" misuse profile --address=pc
for f in llvm bolt; do
	check "profile: 129, --address with $f" misuse profile --format=$f --address=offset
done
check "dump: 129, unknown format" misuse dump --format=xml
check "dump: 129, trace ID out of range" misuse dump --id 0x80
check "dump: 129, --source without -s" misuse dump --source ETB_0
check "dump: 129, -i and -s" misuse dump -s "$tmp"

# ---- standard input and output ------------------------------------------------------------------

same_from_stdin() {
	"$tool" "$@" --symfs $symfs -i $sample >"$tmp/a" 2>/dev/null || return 1
	"$tool" "$@" --symfs $symfs -i - <$sample >"$tmp/b" 2>/dev/null || return 1
	cat $sample | "$tool" "$@" --symfs $symfs -i - >"$tmp/c" 2>/dev/null || return 1
	[ -s "$tmp/a" ] && cmp "$tmp/a" "$tmp/b" && cmp "$tmp/a" "$tmp/c"
}
check "script reads -" same_from_stdin script --itrace=b
check "dump reads -" same_from_stdin dump --elements --packets
check "profile reads -, writes -" same_from_stdin profile -o -
check "timeline reads -, writes -" same_from_stdin timeline -o -
check "inject reads -, writes -" same_from_stdin inject -o - --itrace=i1000il16
info_from_stdin() {
	"$tool" info -i - --symfs $symfs <$sample >"$tmp/b" 2>/dev/null && says "$tmp/b" "File: standard input"
}
check "info reads -" info_from_stdin

dash_is_stdout() {
	"$tool" "$@" --symfs $symfs -i $sample -o "$tmp/file" 2>/dev/null &&
		"$tool" "$@" --symfs $symfs -i $sample -o - >"$tmp/stdout" 2>/dev/null &&
		"$tool" "$@" --symfs $symfs -i $sample >"$tmp/default" 2>/dev/null &&
		cmp "$tmp/file" "$tmp/stdout" && cmp "$tmp/file" "$tmp/default"
}
check "script -o FILE, -o - and neither" dash_is_stdout script --itrace=b
check "dump -o FILE, -o - and neither" dash_is_stdout dump
check "profile -o FILE, -o - and neither" dash_is_stdout profile

no_stdout() {
	for c in "script --itrace=b" dump profile "timeline -o -" info "inject --itrace=b"; do
		code=0
		"$tool" $c --symfs $symfs -i $sample >&- 2>"$tmp/err" || code=$?
		[ $code -eq 1 ] && [ -s "$tmp/err" ] || {
			echo "exit code $code of $c without standard output"
			cat "$tmp/err"
			return 1
		}
	done
}
check "closed standard output is an error" no_stdout

full_disk() {
	for c in "script --itrace=b" dump profile "timeline -o -" info "inject --itrace=b"; do
		code=0
		"$tool" $c --symfs $symfs -i $sample >/dev/full 2>"$tmp/err" || code=$?
		[ $code -eq 1 ] && says "$tmp/err" "No space left" || {
			echo "exit code $code of $c on a full disk"
			return 1
		}
	done
}
packs=
! "$tool" --version | grep -q '^zstd: on' || packs=-z
# Decoding ends with the output: stderr has neither the sums of the whole recording nor losses of its rest.
full_ends() {
	for c in "script --itrace=b $sample" "script --itrace=i1i $sample" "inject --itrace=i1i $sample" "inject --itrace=i1i $packs $sample" "dump --elements $sample" \
		"dump --packets $sample" "dump --elements --format=opencsd $sample" "dump --elements $tmp/snapshot"; do
		input=${c##* }
		"$tool" ${c% *} --symfs $symfs -i $input >/dev/full 2>"$tmp/err" && return 1
		says "$tmp/err" "No space left" || return 1
		[ $(wc -l <"$tmp/err") -eq 1 ] || {
			echo "$c:"
			cat "$tmp/err"
			return 1
		}
	done
}
if [ -c /dev/full ]; then
	check "full standard output is an error" full_disk
	"$tool" convert --to snapshot -i $sample --symfs $symfs -o "$tmp/snapshot" 2>"$tmp/err" || cat "$tmp/err"
	check "full standard output ends decoding" full_ends
fi

# ---- help ---------------------------------------------------------------------------------------

helps() {
	run 0 "$@" && is_empty "$tmp/err" && says "$tmp/out" Usage:
}
check "--help" helps --help
check "-h" helps -h
check "help" helps help
for c in $("$tool" --list-cmds); do
	[ $c != help ] || continue
	check "$c --help" helps $c --help
	check "$c -h" helps $c -h
	check "help $c" helps help $c
	for o in $("$tool" $c --list-opts); do
		check "$c --help tells of $o" grep -q -- "$o\\b" "$tmp/out"
	done
done
check "help of an unknown command" run 129 help frobnicate

# ---- as a command of perf -----------------------------------------------------------------------

if command -v perf >/dev/null && [ "${tool##*/}" = perf-cstrace ]; then
	PATH=$(cd "$(dirname "$tool")" && pwd):$PATH
	export PATH
	as_perf_command() {
		"$tool" script -i $sample --symfs $symfs --itrace=b >"$tmp/a" 2>/dev/null
		perf cstrace script -i $sample --symfs $symfs --itrace=b >"$tmp/b" 2>/dev/null || return 1
		[ -s "$tmp/a" ] && cmp "$tmp/a" "$tmp/b"
	}
	perf_code() {
		code=0
		perf cstrace "$@" >/dev/null 2>&1 || code=$?
		[ $code -eq $want ] || {
			echo "exit code $code, not $want"
			return 1
		}
	}
	check "perf cstrace script" as_perf_command
	want=3
	check "perf cstrace hands on 3" perf_code info -i "$tmp/cut" --symfs $symfs
	want=129
	check "perf cstrace hands on 129" perf_code script --nonsense
	if command -v man >/dev/null && [ -s perf-plugin/man/perf-cstrace.1 ]; then
		mkdir -p "$tmp/man/man1"
		cp perf-plugin/man/perf-cstrace.1 "$tmp/man/man1"
		man_page() {
			MANPATH=$tmp/man MANPAGER=cat PAGER=cat MANWIDTH=100 perf help cstrace >"$tmp/page" 2>"$tmp/err" || {
				cat "$tmp/err"
				return 1
			}
			says "$tmp/page" "decode Arm CoreSight trace" && says "$tmp/page" "EXIT STATUS"
		}
		check "perf help cstrace shows the man page" man_page
	fi
fi
finish
