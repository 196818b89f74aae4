#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Values of options that a command refuses, with the whole text on stderr, the largest values that it takes, outputs that
# cannot be made, what commands say at their end, and the search of live for the drop-in.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample="-i tests/data/sample.perf.data --symfs tests/data/symfs"

# reports CODE ARGS...: exit code, nothing on stdout, and the text of $tmp/want on stderr
reports() {
	run "$@" && is_empty "$tmp/out" && diff "$tmp/want" "$tmp/err"
}
# usage TEXT COMMAND ARGS...: wrong usage with this line
usage() {
	printf '%s\n' "cstrace $2: $1" "Try 'perf-cstrace $2 --help'." >"$tmp/want"
	shift
	reports 129 "$@"
}
# value TEXT OPTION VALUE COMMAND ARGS...: wrong usage with this line about the value of an option
value() {
	printf '%s\n' "$1" "cstrace $4: --$2: '$3' was not understood" "Try 'perf-cstrace $4 --help'." >"$tmp/want"
	command=$4 option=$2 value=$3
	shift 4
	reports 129 "$command" "$@" "--$option" "$value"
}
# repeat N WORD...: the words N times
repeat() {
	n=$1
	shift
	while [ "$n" -gt 0 ]; do
		printf '%s ' "$@"
		n=$((n - 1))
	done
}

# ---- trace without a recording ----
most() {
	option=$1 n=$2 word=$3
	value "cstrace: --$option: at most $n" "$option" "$word" dump $(repeat "$n" "--$option" "$word") &&
		run 129 dump $(repeat "$n" "--$option" "$word") --jobs 0 && ! grep "at most" "$tmp/err"
}
check "--trace: at most 64" most trace 64 x
check "--elf: at most 64" most elf 64 x
check "--trace-source: at most 64" most trace-source 64 1=cortex-a53
check "--reg: at most 256" most reg 256 TRCIDR1=1

# ---- letters of options ----
# Most options have no letter; their table has 0 in its place, and no other character stands for them.
no_such_letters() {
	for command in inject script dump profile report merge timeline info convert compare verify index check live; do
		for code in 001 002 003 177; do
			run 129 $command "-$(printf "\\$code")" && grep -q "unknown option '-" "$tmp/err" || return 1
		done
	done
}
check "characters that are no letters of options" no_such_letters

# ---- script ----
# Branches between two ranges go to the lines together; with names of files they are looked up one by one.
branch_flags() {
	run 0 script $sample --itrace=b -F ip,addr,flags,dso && sed 's/ ([^)]*)//g' "$tmp/out" >"$tmp/want" &&
		run 0 script $sample --itrace=b -F ip,addr,flags && cmp "$tmp/want" "$tmp/out" &&
		[ "$(awk '{ print $1 }' "$tmp/out" | sort -u | wc -l)" -ge 5 ]
}
check "flags of branches do not depend on other fields" branch_flags
errors_between() {
	python3 - tests/data/sample.perf.data "$tmp/damaged" <<'END' || return 1
import sys
data = bytearray(open(sys.argv[1], "rb").read())
for at in range(len(data) // 2, len(data) // 2 + 3000, 97):
    data[at] ^= 0x5a
open(sys.argv[2], "wb").write(data)
END
	damaged="-i $tmp/damaged --symfs tests/data/symfs"
	run 3 script $damaged --itrace=be -F ip,addr,dso && sed 's/ ([^)]*)//g' "$tmp/out" >"$tmp/want" &&
		run 3 script $damaged --itrace=be -F ip,addr && cmp "$tmp/want" "$tmp/out" && says "$tmp/out" "instruction trace error"
}
check "errors between branches do not depend on other fields" errors_between

# ---- compare ----
for core in 2 =x x=y 2x=y -1=x 1048577=x; do
	check "compare --core $core" value \
		"cstrace compare: --core: found '$core', expected CPU=NAME, as 2=cluster0.cpu2" core "$core" compare
done
last_core() {
	printf '%s\n' "cstrace compare: --core: found 'bad', expected CPU=NAME, as 2=cluster0.cpu2" >"$tmp/want"
	run 129 compare --core 1=a,1048576=b,bad,3=c && sed 1q "$tmp/err" | diff "$tmp/want" -
}
check "compare --core: the pair that is wrong, behind the largest CPU" last_core
check "compare --ignore: the field that is wrong" value \
	"cstrace compare: --ignore: found 'foo', expected opcode, result, el or security" ignore el,foo,result compare
check "compare --ignore: the beginning of a name" value \
	"cstrace compare: --ignore: found 'secu', expected opcode, result, el or security" ignore secu compare
check "compare with nothing" usage "one of --tarmac and --with says what to compare with" compare $sample
check "compare with an empty name" usage "one of --tarmac and --with says what to compare with" compare $sample --tarmac ""
check "compare with two" usage "one of --tarmac and --with says what to compare with" compare $sample \
	--tarmac tests/data/make-sample.sh --with x
no_with() {
	run 1 compare $sample --tarmac /dev/null --with-symfs tests/data/symfs
	says "$tmp/err" "cstrace compare: warning: --with-symfs has no effect: there is no second trace (--with)"
}
check "compare --with-symfs without --with" no_with
no_tarmac() {
	run 0 compare $sample --with tests/data/sample.perf.data --core 0=x &&
		says "$tmp/err" "cstrace compare: warning: --core has no effect: cores of two traces are compared by their CPUs" &&
		! grep with-symfs "$tmp/err" && run 0 compare $sample --with tests/data/sample.perf.data && ! grep warning "$tmp/err"
}
check "compare --core without --tarmac" no_tarmac

# ---- convert ----
for pid in x 2147483648 -1; do
	check "convert --pid $pid" value "cstrace convert: --pid: '$pid' is no process number" pid $pid convert
done
check "convert --pid of --trace" usage "--pid is for recordings: of --trace everything is kept" convert --to=snapshot \
	--trace x --core-type cortex-a53 -o "$tmp/no" --pid 2147483647

# ---- dump ----
no_text() {
	run 0 dump $sample --format=none --no-disassembly &&
		says "$tmp/err" "cstrace dump: warning: --no-disassembly has no effect: only --format=tarmac shows the text of instructions" &&
		run 0 dump $sample --format=tarmac --no-disassembly && ! grep warning "$tmp/err"
}
check "dump --no-disassembly" no_text
for option in --frames --raw --packets --elements --log "--from offset=1" "--to offset=1"; do
	for format in tarmac tarmac-es; do
		check "dump --format=$format $option" usage "--format=$format shows executed instructions: --frames, --raw, --packets,\
 --elements, --log, --source, --from and --to are for listings" dump $sample --format=$format $option
	done
done

# Without --format=none the section of the buffer is listed, and nothing in it.
no_such_id() {
	run 5 dump $sample --id 0x55 "$@" && says "$tmp/err" "cstrace dump: --id: there is no trace of ID 0x55" &&
		! grep -v "^# buffer\|record\":\"section\|^Using\| 0$" "$tmp/out"
}
for format in text json opencsd none tarmac; do
	check "dump --format=$format --id of which there is no trace" no_such_id --format=$format
done
check "dump --frames --id of which there is no trace" no_such_id --frames
same_counts() {
	run 0 dump $sample --format=none && mv "$tmp/out" "$tmp/want" && run 0 dump $sample --format=none --id 0x10 &&
		diff "$tmp/want" "$tmp/out" && run 0 dump $sample --format=none --id 0x10 --jobs 2 && diff "$tmp/want" "$tmp/out"
}
check "dump --format=none --id of the only trace" same_counts
number_is_decimal() {
	run 0 dump $sample --id 16 --frames && mv "$tmp/out" "$tmp/want" && run 0 dump $sample --id 016 --frames && cmp "$tmp/want" "$tmp/out"
}
check "numbers with zeros in front are decimal" number_is_decimal

# ---- index ----
cp tests/data/sample.perf.data "$tmp/in"
for id in 128 x; do
	check "index --id $id" value "cstrace index: trace IDs are 0 to 0x7f" id $id index
done
largest_id() {
	run 1 index -i "$tmp/in" --id 127 && says "$tmp/err" "no source has trace ID 0x7f" && ! [ -e "$tmp/in.cstidx" ]
}
check "index --id 127" largest_id
check "index --granularity 2147483648" usage "--granularity: at most 2147483647" index --granularity 2147483648
check "index --granularity 2147483647" run 0 index -i "$tmp/in" --granularity 2147483647 -o "$tmp/coarse"
check "index of standard input without a name" usage "with -i - the index needs a name: -o FILE" index -i -
from_stdin() {
	"$tool" index -i - -o "$tmp/piped" <"$tmp/in" 2>"$tmp/err" && [ -s "$tmp/piped" ]
}
check "index of standard input with a name" from_stdin

# ---- inject, script ----
for level in 0 23 x 1x 4294967297 1m; do
	check "inject -z$level" usage "--compression-level: found '$level', expected a level from 1 to 22" inject $sample -z$level
done
letters="l adds to samples of instructions or branches, g to those of instructions: use them with i or b"
check "inject --itrace=l" usage "--itrace=l: $letters" inject $sample --itrace=l -o "$tmp/no"
check "inject --itrace=bg" usage "--itrace=bg: $letters" inject $sample --itrace=bg -o "$tmp/no"
check "inject --tiles of branches" usage "--tiles: needs branch stacks, --itrace=il" inject $sample --itrace=bl --tiles -o "$tmp/no"
check "inject --tiles without l" usage "--tiles: needs branch stacks, --itrace=il" inject $sample --itrace=i --tiles -o "$tmp/no"
check "inject --itrace=Z" usage "--itrace=Z: no samples are asked for: use i, b, x, w, I, L or G" inject $sample --itrace=Z -o "$tmp/no"
unused() {
	run 0 "$@" && sed 1q "$tmp/err" >"$tmp/first" &&
		echo "cstrace $1: --itrace letters without a meaning for CoreSight: po" | diff - "$tmp/first"
}
check "inject --itrace=ipo" unused inject $sample --itrace=ipo -o "$tmp/yes"
check "script --itrace=bpo" unused script $sample --itrace=bpo -F ip
check "nothing was written" test ! -e "$tmp/no"

# ---- profile ----
check "profile --max-stack 0" usage "--max-stack: the least is 1" profile $sample --format=callgrind --max-stack 0
check "profile --max-stack 65536" usage "--max-stack: the most is 65535" profile $sample --format=callgrind --max-stack 65536
check "profile --max-stack 65535" run 0 profile $sample --format=callgrind --max-stack 65535 -o "$tmp/stacks"
bases() {
	run 0 profile $sample && mv "$tmp/out" "$tmp/default" && run 0 profile $sample --address=offset &&
		cmp "$tmp/default" "$tmp/out" &&
		usage "--address: found 'off', expected offset or vaddr; did you mean 'offset'?" profile $sample --address=off
}
check "profile --address" bases
counted() {
	run 0 profile $sample --format=cstrace -o "$tmp/counts" && usage \
		"$tmp/counts is a count file, which has no trace: --elf is for trace" profile -i "$tmp/counts" --elf x
}
check "profile of a count file with --elf" counted

# ---- outputs that cannot be made, and count files that cannot be read: nothing is left ----
unwritable() {
	echo "cstrace profile: $tmp/no/x: cannot open it for writing: No such file or directory; choose another place with -o" \
		>"$tmp/want"
	reports 1 profile "$@" -o "$tmp/no/x"
}
run 0 profile $sample --format=cstrace -o "$tmp/counts"
check "profile of a count file into no folder" unwritable -i "$tmp/counts" --format=top
check "a copy of a count file into no folder" unwritable -i "$tmp/counts" --format=cstrace
check "counts of a recording into no folder" unwritable $sample --format=cstrace
check "a profile of a recording into no folder" unwritable $sample --format=top
mkdir "$tmp/empty"
cut_counts() {
	command=$1
	shift
	head -c 600 "$tmp/counts" >"$tmp/cut" && echo "cstrace $command: $tmp/cut: offset 600: the file ends inside a block; its copy or\
 its making was interrupted: copy it again, or make it again" >"$tmp/want" && reports 1 "$command" -i "$tmp/cut" \
		-o "$tmp/empty/out" "$@" && [ -z "$(ls -A "$tmp/empty")" ]
}
check "report of a cut count file" cut_counts report
check "profile of a cut count file" cut_counts profile --format=top

# ---- unknown values ----
# listed TEXT OPTION COMMAND VALUE...: each of the values is refused with this line
listed() {
	text=$1 option_of=$2 command_of=$3
	shift 3
	for wrong; do
		value "$text" "$option_of" "$wrong" "$command_of" || return 1
	done
}
check "dump --format" listed "cstrace dump: formats are text, opencsd, json, none, tarmac and tarmac-es" format dump \
	x "" xyzw 12
for option in from to; do
	check "dump --$option" listed "cstrace dump: a place is time=TICKS, offset=N, event, event=MASK or context=N" $option dump \
		offset time context event=x offset= offset=x offse=1 offset2=1 "" =1
done
check "dump --id" listed "cstrace dump: trace IDs are 0 to 0x7f" id dump 128 x -1
check "verify --format" listed "cstrace verify: formats are text and json" format verify x xt
for number in 0 1025 x -1; do
	check "--jobs $number" value "cstrace: --jobs: found '$number', expected a number of threads from 1 to 1024" \
		jobs $number info
done
for command in convert dump info inject profile report script; do
	jobs_of_all() {
		(export CSTRACE_JOBS=many && usage "CSTRACE_JOBS: found 'many', expected a number of threads from 1 to 1024" $command \
			$sample)
	}
	check "CSTRACE_JOBS=many $command" jobs_of_all
done
for command in compare convert dump info inject profile report script timeline verify; do
	check "$command --core-type without --trace" usage "--trace-format, --core-type, --trace-source and --reg are for --trace: what\
 -i names says itself what its trace is" $command $sample --core-type cortex-a53
done
check "dump -s --core-type" usage "--trace-format, --core-type, --trace-source and --reg are for --trace: what -s names says itself\
 what its trace is" dump -s x --core-type cortex-a53
for wrong in x 0=cortex-a53 0x70=cortex-a53 =cortex-a53; do
	check "--trace-source $wrong" value "cstrace: --trace-source: found '$wrong', expected ID=NAME with a trace ID from 1 to 0x6f" \
		trace-source $wrong dump
done
for wrong in x TRCIDR1= TRCIDR1=x 1:TRCIDR1 TRCIDR1=0x10000000000000000; do
	check "--reg $wrong" value "cstrace: --reg: found '$wrong', expected NAME=VALUE or ID:NAME=VALUE with numbers of at most 64\
 bits" reg $wrong dump
done
no_command() {
	echo "cstrace: 'nonsense' is not a command. See 'perf-cstrace --help'." >"$tmp/want"
	reports 129 nonsense && reports 129 help nonsense && reports 129 nonsense --help
}
check "an unknown command" no_command

# ---- what commands say at their end ----
# ends COMMAND TEXT ARGS...: stderr has this line, and the command succeeds
ends() {
	run 0 "$1" $3 && printf '%s\n' "cstrace $1: $2" >"$tmp/want" && grep "^cstrace $1: " "$tmp/err" | diff "$tmp/want" -
}
check "profile of one binary" ends profile "/opt/cstrace-sample/sample.a64: 83 ranges, 88 edges, 119840 instructions,\
 25997 branches (25997 inside the binary)" "$sample -o $tmp/profile"
check "profile of all binaries" ends profile "119840 instructions, binaries: 1, calling contexts: 135" \
	"$sample --format=top -o $tmp/top"
check "profile into a count file" ends profile "1 binaries, 84 ranges, 88 edges, 135 calling contexts, 119,840 instructions in\
 them" "$sample --format=cstrace -o $tmp/summed"
cp tests/data/sample-trbe.perf.data "$tmp/two"
check "an index of a buffer" ends index "$tmp/one.x: 1 buffer, 17648 bytes of trace" "-i $tmp/in -o $tmp/one.x"
check "an index of two" ends index "$tmp/two.x: 2 buffers, 59348 bytes of trace" "-i $tmp/two -o $tmp/two.x"
check "dump --from a place that no stream comes to" ends dump "--from: no stream comes to this place; nothing is listed" \
	"$sample --from offset=99999999 --no-index"
no_index() {
	echo "cstrace dump: $tmp/none: no such index; 'perf-cstrace index' makes one" >"$tmp/want"
	reports 1 dump $sample --from offset=1 --index "$tmp/none" || return 1
	echo "cstrace index: $tmp/two.cstidx: there is no such index; without --show one is made" >"$tmp/want"
	reports 1 index -i "$tmp/two" --show
}
check "an index that is not there" no_index
# Every command that decodes says how much that was.
summary() {
	run 0 $1 $sample $2 && echo "cstrace: 17,648 bytes, 119,840 instructions, 25,997 branches, losses: none" >"$tmp/want" &&
		grep "^cstrace: " "$tmp/err" | diff "$tmp/want" -
}
for words in "timeline -o $tmp/sum1" "inject --itrace=b -o $tmp/sum2" "script --itrace=b" "profile" "profile --format=top" \
	"profile --format=cstrace -o $tmp/sum3" "report -o $tmp/sum4" "dump --format=tarmac" "dump --format=none" \
	"compare --with tests/data/sample.perf.data" verify info; do
	check "summary: ${words%%-o *}" summary "${words%% *}" "${words#"${words%% *}"}"
done
cut_off() {
	run 0 timeline $sample --depth 1 -o "$tmp/timeline" && size=$(wc -c <"$tmp/timeline") &&
		echo "cstrace timeline: 1 calls of 1 threads, $size bytes; 6310 calls were left out" >"$tmp/want" &&
		grep "^cstrace timeline" "$tmp/err" | diff "$tmp/want" -
}
check "timeline --depth" cut_off

# ---- what commands need ----
check "merge of nothing" usage "nothing to add: name count files, or a list of them with --input-files" merge
check "merge of standard input twice" usage "standard input (-) can be read once, and is named twice" merge - -
check "timeline without an output" usage "-o FILE is missing: where to write (- for stdout)" timeline $sample
check "report without an output" usage "-o DIR is needed: the folder to write" report $sample
check "dump --index without --from" usage "--index and --no-index are for --from" dump $sample --index x
check "dump --no-index without --from" usage "--index and --no-index are for --from" dump $sample --no-index
check "dump --source of a recording" usage "--source is for snapshots (-s) and --trace" dump $sample --source x
check "dump -i -s" usage "-i and -s exclude each other" dump $sample -s x
check "dump --log" usage "--log: levels are error, warning and info" dump $sample --log=x
check "index -i -s" usage "-i and -s exclude each other" index -i "$tmp/in" -s x
check "index --sparse --full" usage "--sparse and --full exclude each other" index -i "$tmp/in" --sparse --full

# ---- files in a list ----
commas() {
	run 1 info $sample --no-decode --jitdump ",,$tmp/none" &&
		says "$tmp/err" "cstrace info: --jitdump $tmp/none: No such file or directory"
}
check "a list with empty names" commas

# ---- help ----
help_is_usage() {
	run 0 --help && mv "$tmp/out" "$tmp/help" && run 0 help && cmp "$tmp/help" "$tmp/out" && run 0 help help &&
		cmp "$tmp/help" "$tmp/out" && run 0 help --all && cmp "$tmp/help" "$tmp/out"
}
check "help without a command" help_is_usage

# ---- live: a copy of the program, whose drop-in is a file in one of the three places ----
mkdir -p "$tmp/x/bin"
cp "$tool" "$tmp/x/bin/perf-cstrace"
none_there() {
	echo "cstrace: libopencsd_c_api.so.1 was not found beside this program or in ../lib/cstrace; it is built by 'make'" >"$tmp/want"
	(tool=$tmp/x/bin/perf-cstrace && reports 1 live --where && reports 1 live -- report)
}
check "live without the drop-in" none_there
found_in() {
	mkdir -p "$tmp/x/$1" && : >"$tmp/x/$1/libopencsd_c_api.so.1" && "$tmp/x/bin/perf-cstrace" live --where >"$tmp/out" &&
		echo "$tmp/x/$2" | diff - "$tmp/out"
}
check "live: the drop-in in lib64" found_in lib64/cstrace bin/../lib64/cstrace
check "live: the drop-in in lib comes before" found_in lib/cstrace bin/../lib/cstrace
check "live: the drop-in beside the program comes before" found_in bin/opencsd bin/opencsd
no_perf_command() {
	printf '%s\n' "cstrace live: a command of perf is missing" "Try 'perf-cstrace live --help'." >"$tmp/want"
	(tool=$tmp/x/bin/perf-cstrace && reports 129 live)
}
check "live without a command of perf" no_perf_command
cat >"$tmp/perf" <<'PERF'
#!/bin/sh
printf '%s|' "$LD_LIBRARY_PATH" "$@"
exit 42
PERF
chmod +x "$tmp/perf"
runs_perf() {
	(unset LD_LIBRARY_PATH && "$tmp/x/bin/perf-cstrace" live --perf "$tmp/perf" -- a "b c" --where) >"$tmp/out"
	[ $? -eq 42 ] && [ "$(cat "$tmp/out")" = "$tmp/x/bin/opencsd|a|b c|--where|" ] || return 1
	LD_LIBRARY_PATH=/one:/two "$tmp/x/bin/perf-cstrace" live --perf "$tmp/perf" -- a >"$tmp/out"
	[ "$(cat "$tmp/out")" = "$tmp/x/bin/opencsd:/one:/two|a|" ] || return 1
	LD_LIBRARY_PATH= "$tmp/x/bin/perf-cstrace" live --perf "$tmp/perf" -- a >"$tmp/out"
	[ "$(cat "$tmp/out")" = "$tmp/x/bin/opencsd|a|" ] || return 1
	mkdir "$tmp/path" && cp "$tmp/perf" "$tmp/path" && PATH=$tmp/path:$PATH "$tmp/x/bin/perf-cstrace" live -- a >"$tmp/out"
	[ $? -eq 42 ]
}
check "live runs perf with the drop-in's folder first" runs_perf
# The first word that is no option of live begins the command of perf.
options_of_perf() {
	"$tmp/x/bin/perf-cstrace" live --perf "$tmp/perf" a -i x --where -- --help >"$tmp/out"
	[ $? -eq 42 ] && grep -qF "|a|-i|x|--where|--|--help|" "$tmp/out"
}
check "live without --: options behind the command are perf's" options_of_perf
no_perf() {
	echo "cstrace: cannot run $tmp/none: No such file or directory; --perf names another one" >"$tmp/want"
	(tool=$tmp/x/bin/perf-cstrace && reports 1 live --perf "$tmp/none" -- report)
}
check "live with a perf that is not there" no_perf
finish
