#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tarmac.sh - what the library writes as Tarmac text is accepted by the rules of other readers (tarmac_rules.py), in both
# dialects, and the rules refuse what is wrong.
. tests/cli/tap.sh
write=$BUILD/tests/unit/lib/files/tarmac/test_write

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

# Flows of the model: scenarios, whose instructions are those of the truth files, random programs, and a flow file.
for s in exec threads kernel guest two-cpus one-sink; do
	mkdir "$tmp/symfs"
	check "cst-gen scenario $s" "$CST_GEN" scenario $s --case=4 --perf "$tmp/$s.data" --truth "$tmp/$s.truth" --symfs "$tmp/symfs" \
		--tarmac "$tmp/$s.tarmac"
	rm -r "$tmp/symfs"
	check "$s: the instructions are those that were executed" tests/cli/tarmac_truth.py "$tmp/$s.truth" "$tmp/$s.tarmac"
	check "$s: the file follows the rules" tests/cli/tarmac_rules.py "$tmp/$s.tarmac"
done
# numbered FILE: its instructions, of one CPU, have the numbers from 1 on
numbered() {
	awk 'match($0, / I[TS] \([0-9]+\) /) { n++; if (substr($0, RSTART + 5, RLENGTH - 7) + 0 != n) { print; exit 1 } } END { exit !n }' "$1"
}
dumped() {
	"$PERF_CSTRACE" dump -i tests/data/sample.perf.data --symfs tests/data/symfs --format=tarmac >"$tmp/dumped" 2>"$tmp/err" &&
		grep -q " IT " "$tmp/dumped" && ! grep "cannot be read" "$tmp/dumped" && numbered "$tmp/dumped"
}
check "dump --format=tarmac: all code was read" dumped
for n in 3 17 40; do
	check "cst-gen random --case=$n" "$CST_GEN" random --case=$n --tarmac "$tmp/$n.tarmac"
	mkdir "$tmp/code"
	check "... and in a recording" "$CST_GEN" random --case=$n --perf "$tmp/$n.data" --images "$tmp/code" --tarmac "$tmp/$n.perf.tarmac"
	rm -r "$tmp/code"
	check "... the same instructions" cmp "$tmp/$n.tarmac" "$tmp/$n.perf.tarmac"
	check "... the file follows the rules" tests/cli/tarmac_rules.py "$tmp/$n.tarmac"
done
check "a flow file" python3 - "$tmp/p" <<'END'
import struct, sys
INSN, EXC, OFF, ON, MAP = 1, 2, 4, 5, 6
def record(kind, isa=2, size=4, klass=0, flags=0, el=0, cpu=0, num=0, pc=0, to=0, aux=0):
    return struct.pack("<8BIIQQQ", kind, isa, size, klass, flags, el, 1, cpu, 100, num, pc, to, aux)
with open(sys.argv[1] + ".flow", "wb") as f:
    f.write(b"CSTFLOW1" + record(MAP, num=0, pc=0x400000, to=0x1000) + record(ON) +
            record(INSN, pc=0x400000, to=0x400004) +
            record(INSN, klass=1, flags=2, pc=0x400004, to=0x400008) +
            record(INSN, isa=1, size=2, flags=2, pc=0x400008, to=0x40000a, aux=50) +
            record(INSN, isa=1, klass=1, flags=1, pc=0x40000a, to=0x500000, aux=60) +
            record(INSN, pc=0x500000, to=0x500004, aux=61) +
            record(EXC, num=14, pc=0x500004) + record(OFF))
with open(sys.argv[1] + ".code", "wb") as f:
    f.write(bytes.fromhex("1f2003d5" "40000054" "00bf" "00f0b9f8"))
with open(sys.argv[1] + ".images", "w") as f:
    f.write("0\t%s.code\t/bin/p\n" % sys.argv[1])
END
cat >"$tmp/want" <<'END'
1 clk cpu0 IT (1) 00400000 d503201f O EL0t_ns : <unknown>
2 clk cpu0 IS (2) 00400004 54000040 O EL0t_ns : <unknown>
50 clk cpu0 IT (3) 00400008 bf00 T usr_ns : <unknown>
60 clk cpu0 IT (4) 0040000a f000f8b9 T usr_ns : <unknown>
61 clk cpu0 IT (5) 00500000 00000000 O EL0t_ns : <unknown>
61 clk cpu0 E 00500004 00000089 CoreEvent_LOWER_64_IRQ
END
check "cst-gen encode" "$CST_GEN" encode --flow "$tmp/p.flow" --images "$tmp/p.images" --tarmac "$tmp/p.tarmac"
check "... opcodes of the image, times of the flow" cmp "$tmp/want" "$tmp/p.tarmac"
fails() {
	! "$@"
}
check "a file that cannot be written is an error" fails "$CST_GEN" random --case=3 --tarmac "$tmp/no/such/folder"

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
