#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What compare prints of a text or another trace that is not the same: names of cores, lines that are none, fields, ends, files.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample="-i tests/data/sample.perf.data --symfs tests/data/symfs"
text=$tmp/text
# shellcheck disable=SC2086
"$tool" dump $sample --format=tarmac --no-disassembly -o "$text" 2>/dev/null
count=$(grep -c " I[TS] " "$text")
check "the sample's text" test "$count" -gt 1000

# compares CODE [OPTIONS]: the sample with $tmp/other
compares() {
	code=$1
	shift
	# shellcheck disable=SC2086
	run "$code" compare $sample --tarmac "$tmp/other" "$@"
}
# sums EQUAL CHANGED ONLY-TRACE ONLY-OTHER DIFFERENCES
sums() {
	says "$tmp/out" "CPU 0, $tmp/other cpu0: $1 instructions equal, $2 differ in a field, $3 only in the trace, $4 only in the other; $5 differences"
}

sed 's/ cpu0 / cpu8 /; 500,$s/ cpu8 / cpu9 /' "$text" >"$tmp/other"
no_core() {
	compares 5 && says "$tmp/err" "CPU 0 of the trace is not compared: $tmp/other has no core, or more than one, whose name ends with" &&
		says "$tmp/err" "$tmp/other: no instruction was compared: either this or the trace has none that is known" &&
		says "$tmp/err" "are the programs where --symfs says?" &&
		says "$tmp/out" "core 'cpu8' are not compared" && says "$tmp/out" "core 'cpu9' are not compared" && [ "$(wc -l <"$tmp/out")" -eq 2 ]
}
check "no core of the CPU's number" no_core
sed "s/ cpu0 / a.cpu0 /; $((count - 500)),\$s/ a.cpu0 / b.cpu0 /" "$text" >"$tmp/other"
check "two cores of the CPU's number" compares 5
check "... is said" says "$tmp/err" "CPU 0 of the trace is not compared"
one_of_two() {
	compares 0 --core 0=a.cpu0 && says "$tmp/out" "CPU 0, $tmp/other a.cpu0: $(grep -c " a.cpu0 I" "$tmp/other") instructions equal, 0 differ" &&
		says "$tmp/out" "core 'b.cpu0' are not compared: the trace has no stream of it"
}
check "... --core" one_of_two

sed '300s/.*/1 clk cpu0 IT (xx) 00400144/; 400s/ O EL0t_ns/ Q EL0t_ns/' "$text" >"$tmp/other"
not_understood() {
	compares 4 && sums $((count - 2)) 0 2 0 2 &&
		says "$tmp/err" "$tmp/other: 2 lines are not understood; the first is line 300, column 16: expected a number"
}
check "lines that are not understood" not_understood
sed '300{p;s/.*/1 clk cpu0 IT (xx) 00400144/}' "$text" >"$tmp/other"
understood() { compares 3 && sums "$count" 0 0 0 0 && says "$tmp/err" "1 lines are not understood; the first is line 301, column 16"; }
check "such a line and no difference" understood

sed '300s/EL0t_ns/EL0t_s/; 310s/EL0t/EL1h/; 320s/ IT / IS /; 330s/ [0-9a-f]\{8\} O EL0t_ns/ 00000000 O EL1h_s/' "$text" >"$tmp/other"
fields() {
	compares 4 && sums $((count - 4)) 4 0 0 4 && says "$tmp/out" "difference 1: security state" &&
		says "$tmp/out" "trace: buffer 0, trace offset 0x21; $tmp/other: line 300" && says "$tmp/out" "difference 2: exception level" &&
		says "$tmp/out" "difference 3: executed or failed" && says "$tmp/out" "difference 4: opcode, exception level, security state" &&
		says "$tmp/out" " EL0 s  (line 300)" && says "$tmp/out" "EL1 ns  (line 310)" && says "$tmp/out" " failed EL0 ns  (line 320)"
}
check "fields" fields
some_fields() { compares 4 --ignore security,el && sums $((count - 2)) 2 0 0 2 && says "$tmp/out" "difference 2: opcode"; }
check "--ignore some" some_fields
check "--ignore all" compares 0 --ignore opcode,result,el,security
few() { compares 4 --shown 1 && says "$tmp/out" "difference 1:" && ! grep "difference 2:" "$tmp/out" && sums $((count - 4)) 4 0 0 4; }
check "--shown" few
none_shown() { compares 4 --shown 0 && ! grep "difference 1:\|packets around" "$tmp/out" && sums $((count - 4)) 4 0 0 4; }
check "--shown 0: neither differences nor packets" none_shown

# At an exception a model prints the instruction that it was taken at, which the trace does not have.
sed '300{p;s/.*/1 clk cpu0 IT (299) 00500000 d503201f O EL0t_ns :\n1 clk cpu0 E 00500000 00000085 CoreEvent_CURRENT_SPx_IRQ/}' "$text" >"$tmp/other"
started() { compares 0 && sums "$count" 0 0 0 0 && says "$tmp/out" "  started and not executed, because an exception was taken at them: 1"; }
check "an exception at an instruction" started
sed '300{p;s/.*/1 clk cpu0 IT (299) 00500000 d503201f O EL0t_ns :\n1 clk cpu0 E 00500004 00000085 CoreEvent_CURRENT_SPx_IRQ/}' "$text" >"$tmp/other"
behind() { compares 4 && sums "$count" 0 0 1 1 && ! grep "started" "$tmp/out"; }
check "an exception behind it" behind
sed '300{p;s/.*/1 clk cpu0 ES (0000000000500000:--------) O el0t_ns:/}' "$text" >"$tmp/other"
check "an instruction that could not be fetched" started

head -n $((count - 500)) "$text" >"$tmp/other"
kept=$(grep -c " I[TS] " "$tmp/other")
short() { compares 0 && sums "$kept" 0 0 0 0 && says "$tmp/out" "  only in the trace, behind the end of the other: $((count - kept))"; }
check "a text that ends early" short
{ cat "$text"; echo "1 clk cpu0 IT (1) 00500000 d503201f O EL0t_ns :"; } >"$tmp/other"
long() { compares 0 && sums "$count" 0 0 0 0 && says "$tmp/out" "  only in $tmp/other, behind the end: 1" && ! grep "not traced" "$tmp/out"; }
check "a text that ends late" long
sed '$s/.*/&\n1 clk cpu0 IT (1) 00500000 d503201f O EL1h_ns :/' "$text" >"$tmp/other"
levels() { compares 0 && says "$tmp/out" "  only in $tmp/other, behind the end: 1, of these 1 at exception levels that are not traced"; }
check "... at another level" levels
grep -v "^#" "$text" | sed '$s/) [0-9a-f]* /) 00500000 /' >"$tmp/other"
last() {
	compares 4 && says "$tmp/out" "CPU 0: difference 1: 1 instructions only in the trace, 1 only in the other" &&
		sums $((count - 1)) 0 1 1 1 && [ "$(grep -c "^  both " "$tmp/out")" -eq 3 ]
}
check "the last instruction is another one" last
awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) { if (i > NR - 10) sub(/\) [0-9a-f]* /, ") 00500000 ", line[i]); print line[i] } }' \
	"$tmp/other" >"$tmp/others"
mv "$tmp/others" "$tmp/other"
# The piece behind the last gap is left out, and nothing behind it is of both.
last_piece() {
	compares 4 && says "$tmp/out" "CPU 0: difference 1: 10 instructions only in the trace, 0 only in the other" && sums $((count - 10)) 0 10 0 1 &&
		says "$tmp/out" "  trace  ... 2 more" && says "$tmp/out" "  only in $tmp/other, behind the end: 10" &&
		[ "$(grep -c "^  both " "$tmp/out")" -eq 3 ]
}
check "the last ten are others" last_piece
both() {
	sed 300d "$text" >"$tmp/other"
	compares 4 && [ "$(grep -c "^  both .*trace offset" "$tmp/out")" -eq 3 ] && says "$tmp/out" "(line 300)" && says "$tmp/out" "(line 302)" &&
		[ "$(grep -c "^  both .*(line " "$tmp/out")" -eq 3 ]
}
check "what both have before and behind a difference" both

# Files.
# shellcheck disable=SC2086
{
	no_out() { run 1 compare $sample --tarmac "$text" -o "$tmp/no/out" && says "$tmp/err" "$tmp/no/out: cannot open it for writing: No such file or directory"; }
	check "an output that cannot be written" no_out
	no_text() { run 1 compare $sample --tarmac "$tmp/none" && says "$tmp/err" "$tmp/none: No such file or directory"; }
	check "no text" no_text
	empty_text() { run 1 compare $sample --tarmac /dev/null; }
	check "nothing in it" empty_text
	no_second() { run 1 compare $sample --with "$tmp/none" && says "$tmp/err" "$tmp/none: cannot open it: No such file or directory"; }
	check "no second recording" no_second
	# the programs of the second recording are not there
	cp -r tests/data/symfs "$tmp/symfs"
	find "$tmp/symfs" -type f | while read -r f; do : >"$f"; done
	no_code() {
		run 5 compare $sample --with tests/data/sample.perf.data --with-symfs "$tmp/symfs" &&
		says "$tmp/out" "  only in the trace, behind the end of the other: $count" && says "$tmp/err" "are the programs where --symfs or --with-symfs says?"
	}
	check "no code of the second recording" no_code
	whole() { run 0 compare $sample --with tests/data/sample.perf.data && says "$tmp/out" "CPU 0, tests/data/sample.perf.data : $count instructions equal, 0 differ"; }
	check "the same recording" whole
}
finish
