#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# opencsd-client: a client of the C interface (ocsd_client.c) prints the same with the drop-in as with the
# installed libopencsd 1.3.3. Where 1.3.3 is known to be wrong, what it prints with the drop-in is what
# perf-cstrace prints, whose listings are compared with those of OpenCSD 1.8 elsewhere (tests/golden).
set -u
client=${BUILD:-build}/tests/interop/ocsd_client
drop_in=$(cd "${BUILD:-build}" && pwd)/opencsd
tool=${PERF_CSTRACE:-build/perf-cstrace}
corpus=${CSTRACE_SHARED:-../shared}/corpus/snapshots
[ -x "$client" ] || { echo "no libopencsd to compare with"; exit 77; }
. tests/cli/tap.sh

# 1.3.3 calls 32-bit addresses with context IS0 that are IS1.
theirs() {
	"$client" "$@" 2>"$tmp/err" | sed '/L_32IS1/s/32 bit, IS0/32 bit, IS1/' >"$tmp/theirs"
}

# The memory spaces show the level of the client, but not when it lists packets, or has no memory.
ours() {
	export CSTRACE_OCSD=1.3
	case "$1 ${2:-}" in
	*/event_test* | */init-short-addr*) ;;
	*elements) unset CSTRACE_OCSD ;;
	esac
	LD_LIBRARY_PATH=$drop_in "$client" "$@" >"$tmp/ours" 2>"$tmp/err" || echo "exit $?" >>"$tmp/ours"
}

# Of a frame that holds pieces of several sources 1.3.3 prints one piece, then its packets, then the next one:
# frames and packets are compared apart.
same() {
	for side in theirs ours; do
		grep '^Frame Data' "$tmp/$side" >"$tmp/$side.frames"
		grep -v '^Frame Data' "$tmp/$side" >"$tmp/$side.rest"
	done
	diff "$tmp/theirs.frames" "$tmp/ours.frames" >"$tmp/diff" && diff "$tmp/theirs.rest" "$tmp/ours.rest" >"$tmp/diff"
}

# What every function answers. 1.3.3: names of errors 33, 34 and 42 are those of their neighbours, and it crashes at
# the end.
theirs none calls
ours none calls
# A cycle count of software trace has no text here: there is none in STM trace.
sed -i -e '/^error \(33\|34\|42\|43\):/d' -e '/SWTRACE/s/ \[CC=7\]; )/)/' "$tmp/theirs" "$tmp/ours"
sed -i -e '/ELEM_EVENT()$/d' -e '/ELEM_EVENT( \[CC=7\]; )$/d' "$tmp/theirs" "$tmp/ours"
if head -n "$(wc -l <"$tmp/theirs")" "$tmp/ours" | cmp -s - "$tmp/theirs" && ! grep -q '^exit' "$tmp/ours"; then
	ok "calls: $(wc -l <"$tmp/ours") answers"
else
	not_ok "calls"
	diff "$tmp/theirs" "$tmp/ours" | sed 's/^/# /' | head -n 20
fi

if [ ! -d "$corpus" ]; then
	ok "corpus # SKIP no recorded snapshots at $corpus"
	finish
fi

# Records that are left out on both sides before they are compared, by snapshot, and why.
without() {
	case "$1 $2" in
	juno*elements | juno*monitor) echo 'ELEM_ADDR_NACC(' ;; # 1.3.3 goes on with the return stack after missing code
	# 1.3.3 walks to an exception from an address that is not known (K10.5.5: nothing says that this ran)
	ete_ip*elements) echo 'range=0x1aa948:\[0x1b37f4\]' ;;
	*) echo 'nothing of this kind' ;;
	esac
}

# Why 1.3.3 is no measure for a snapshot; "elements" also stands for the monitor.
why() {
	case $1 in
	event_test | init-short-addr) [ "$2" = packets ] || echo "1.3.3 wants a memory accessor; there is no memory" ;;
	maxspec78_commopt0) echo "1.3.3 loses the commits in cycle count packets" ;;
	ete-ite-instr) echo "1.3.3 does not know instrumentation packets" ;;
	pauth_lr) [ "$2" = packets ] || echo "1.3.3 does not know PAuth_LR" ;;
	esac
}

# 1.3.3 gives no ETE packets to callbacks, so these are compared by its printer only.
for snap in "$corpus"/*; do
	name=$(basename "$snap")
	grep -qiE '^type=(ETE|ETM4)' "$snap"/*.ini || continue
	# A probe's blocks, which a client has to take apart before the interface sees them.
	[ "$name" != a55-test-tpiu ] || continue
	for mode in elements printers packets monitor; do
		kind=packets
		case $mode in elements | monitor) kind=elements ;; esac
		case $mode in
		packets | monitor) ! grep -qiE '^type=ETE' "$snap"/*.ini || continue ;;
		esac
		theirs "$snap" $mode
		ours "$snap" $mode
		# Fewer places of missing code may be told than by 1.3.3, but no other ones.
		for side in theirs ours; do
			grep 'ELEM_ADDR_NACC(' "$tmp/$side" | sort >"$tmp/$side.nacc"
		done
		if [ "$(why "$name" $kind)" = "" ] && [ -n "$(comm -13 "$tmp/theirs.nacc" "$tmp/ours.nacc")" ]; then
			not_ok "$name: $mode: missing code where 1.3.3 has it"
		fi
		sed -i "/$(without "$name" $mode)/d" "$tmp/theirs" "$tmp/ours"
		if same; then
			ok "$name: $mode: $(wc -l <"$tmp/ours") lines"
			continue
		fi
		reason=$(why "$name" $kind)
		if [ -z "$reason" ]; then
			not_ok "$name: $mode"
			sed 's/^/# /' "$tmp/diff" | cut -c1-180 | head -n 10
			continue
		fi
		# The independent word: the listing that is compared with OpenCSD 1.8's.
		"$tool" dump -s "$snap" --source all --$kind --format=opencsd 2>/dev/null |
			sed -n 's/^\(Idx:[0-9]*\); ID:[0-9a-f]*; *\(\[[^]]*\]; *\)\{0,1\}/\1; /p' |
			sed -e 's/; *	/; /' -e 's/; Memspace \[[^]]*\]//' -e 's/; Decoder Sync point TINFO//' \
				-e 's/[[:space:]]*$//' -e '/ELEM_INSTRUMENTATION/d' | sort >"$tmp/listing"
		grep -E '^Idx:[0-9]*; ID:[0-9a-f]*;[[:space:]]*'"$([ $kind = packets ] && echo I_ || echo OCSD_)" "$tmp/ours" |
			sed -e 's/; ID:[0-9a-f]*;[[:space:]]*/; /' -e 's/[[:space:]]*$//' | sort >"$tmp/records"
		if cmp -s "$tmp/listing" "$tmp/records"; then
			ok "$name: $mode: as perf-cstrace lists it ($reason)"
		else
			not_ok "$name: $mode: neither 1.3.3 nor the listing"
			diff "$tmp/listing" "$tmp/records" | sed 's/^/# /' | cut -c1-180 | head -n 10
		fi
	done
done

# ETMv3, PTM and STM (but not that of juno_r1_1, whose frames are cut so that 1.3.3 gives up): the records of each source, its packets apart from its elements. 1.3.3 has no statistics
# for them, and cuts what is not synchronised where its input was cut.
by_source() {
	grep 'ID:' "$1" | grep -v 'NOTSYNC' |
		awk '{ match($0, /ID:[0-9a-f]+/); print substr($0, RSTART, RLENGTH) (/OCSD_GEN/ ? "e" : "p") " " $0 }' |
		sort -s -k1,1 | alike "$2"
}

# Records that are made alike on both sides, by snapshot, and why.
alike() {
	case $1 in
	# ranges that ETMv3 may still cancel are told by 1.3.3 with the place of a later packet
	# 1.3.3 does not follow IT blocks of PTM and ETMv3 trace (ARM DDI 0406C A8.8.54): of T32 instructions that are
	# no direct branches, nothing else can be conditional
	TC2) sed -e '/OCSD_GEN/s/Idx:[0-9]*/Idx/' -e '/range=0xc000ce9e/s/ <cond>//' \
		-e '/ID:1[012];.*(ISA=T32) [EN] \(---\|iBR\)/s/ <cond>//' ;;
	# the master is that of the VERSION packet before: 0, also in 1.8
	stm_only) sed '/Freq)/s/Ma:0x[0-9a-f]*/Ma/' ;;
	# an alignment synchronisation is 21 nibbles of F and a 0: 1.3.3 takes an F too many
	stm-issue-27) sed '/ASYNC/s/Idx:[01];/Idx;/' ;;
	esac
}

OCSD_CLIENT_ALL=1
export OCSD_CLIENT_ALL
for name in TC2 stm_only stm-issue-27; do
	for mode in elements printers packets monitor; do
		theirs "$corpus/$name" $mode
		ours "$corpus/$name" $mode
		by_source "$tmp/theirs" $name >"$tmp/theirs.by"
		by_source "$tmp/ours" $name >"$tmp/ours.by"
		if [ -s "$tmp/ours.by" ] && diff "$tmp/theirs.by" "$tmp/ours.by" >"$tmp/diff"; then
			ok "$name: $mode: $(wc -l <"$tmp/ours") lines"
		else
			not_ok "$name: $mode"
			sed 's/^/# /' "$tmp/diff" | cut -c1-180 | head -n 10
		fi
	done
done

# 1.3.3 has no ITM: what a client of 1.8 is told is what perf-cstrace lists.
for name in itm_only_csformat itm_only_raw; do
	for kind in elements packets; do
		OCSD_CLIENT_ITM=1 OCSD_CLIENT_ALL=1 LD_LIBRARY_PATH=$drop_in "$client" "$corpus/$name" $kind 2>/dev/null |
			sed -n 's/^Idx:\([0-9]*\); ID:[0-9a-f]*; */\1 /p' | grep -v NOTSYNC | sed 's/[[:space:]]*$//' >"$tmp/ours"
		"$tool" dump -s "$corpus/$name" --$kind --format=opencsd 2>/dev/null | grep -v NOTSYNC |
			sed -n 's/^Idx:\([0-9]*\); ID:[0-9a-f]*;[[:space:]]*\(\[[^]]*\];[[:space:]]*\)\{0,1\}/\1 /p' |
			sed 's/[[:space:]]*$//' >"$tmp/theirs"
		if [ -s "$tmp/ours" ] && diff "$tmp/theirs" "$tmp/ours" >"$tmp/diff"; then
			ok "$name: $kind: $(wc -l <"$tmp/ours") lines"
		else
			not_ok "$name: $kind"
			sed 's/^/# /' "$tmp/diff" | cut -c1-180 | head -n 10
		fi
	done
done

# Answers of WAIT change nothing.
for snap in "$corpus/juno_r1_1" "$corpus/src_addr" "$corpus/TC2" "$corpus/stm_only"; do
	[ -d "$snap" ] || continue
	ours "$snap" elements
	cp "$tmp/ours" "$tmp/theirs"
	ours "$snap" elements 30
	if same; then ok "$(basename "$snap"): with WAIT"; else not_ok "$(basename "$snap"): with WAIT"; fi
done
finish
