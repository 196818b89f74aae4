#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tarmac.sh - what the library writes as Tarmac text is accepted by the rules of other readers (tarmac_rules.py), in both
# dialects, and the rules refuse what is wrong.
. tests/cli/tap.sh
write=$BUILD/tests/unit/test_tarmac_write

for f in specification fast-models es brackets cortex-m; do
	for d in fast-models es; do
		check "$f.tarmac as $d" sh -c "'$write' $d tests/data/tarmac/$f.tarmac >'$tmp/$f.$d'"
		check "$f.tarmac as $d follows the rules" tests/cli/tarmac_rules.py "$tmp/$f.$d"
	done
done
# The same instructions in both, but for those that one cannot say.
for f in specification fast-models; do
	for d in fast-models es; do
		tests/cli/tarmac_rules.py --insns "$tmp/$f.$d" >"$tmp/$f.$d.insns"
	done
	check "$f.tarmac: the same instructions in both dialects" cmp "$tmp/$f.fast-models.insns" "$tmp/$f.es.insns"
	check "$f.tarmac: there are some" test -s "$tmp/$f.es.insns"
done
# A line written twice is the same line.
for d in fast-models es; do
	check "$d: written again it is the same text" sh -c "'$write' $d '$tmp/fast-models.$d' | cmp - '$tmp/fast-models.$d'"
done

real=${CSTRACE_SHARED:-../shared}/corpus/snapshots/002-ack_test_scr/test_TARMAC
if [ -f "$real" ]; then
	# It writes _n where the specification has _ns, and messages of the program with blanks around them.
	grep -v -e '^ ' -e ' $' -e '^$' "$real" | sed 's/\(EL[0-3][ht]\)_n :/\1_ns :/' >"$tmp/want"
	check "a file of Fast Models is written as it was" sh -c "'$write' fast-models '$tmp/want' | cmp - '$tmp/want'"
	check "... and as es follows the rules" sh -c "'$write' es '$real' >'$tmp/real' && tests/cli/tarmac_rules.py '$tmp/real'"
else
	echo "# no $real"
fi

wrong() {
	printf '%s\n' "$1" >"$tmp/wrong"
	! tests/cli/tarmac_rules.py "$tmp/wrong" >/dev/null
}
check "the rules refuse an opcode that is none" wrong "1 clk cpu0 IT (1) 00008000 d50320xf O EL1h_ns : NOP"
check "... an instruction without mode" wrong "1 clk cpu0 IT (1) 00008000 d503201f O"
check "... a register without value" wrong "1 clk cpu0 R X0"
check "... a register of too few digits" wrong "1 clk cpu0 R X0 00000001"
check "... 15 bytes" wrong "1 clk cpu0 LD 00008000 ........ ........ ........ ......"
check "... data that are longer than their size" wrong "1 clk cpu0 MR4 00008000 112233445566"
finish
