#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# struct-sizes.sh - programs that were compiled with smaller or larger structs than the library has: a library is built
# in which every struct that may grow has grown; a program of these headers runs with it, and a program of its headers
# with this library (cstrace.h, "Sizes of structs").
. tests/cli/tap.sh
cc=${CC:-gcc}
GROWS="cst_config cst_etmv4_regs cst_etmv3_regs cst_stm_regs cst_itm_regs cst_packet cst_stats cst_frame_stats cst_protocol_ops
	cst_unwrapped cst_emit_opts cst_image_key cst_index_opts cst_index_query cst_event cst_state_limits cst_state_counts cst_snap_limits
	cst_snap_io cst_snap_sink cst_tarmac_opts cst_tarmac_record"

mkdir "$tmp/tree"
cp -R include lib scripts Makefile "$tmp/tree"
grow() {
	for s in $GROWS; do
		f=$(grep -l "^struct $s {" "$tmp/tree"/include/cstrace/*.h "$tmp/tree"/include/cstrace/files/*.h) || return 1
		awk -v s="struct $s {" '$0 == s { inside = 1 } inside && /^};/ { print "	uint64_t grown[4];"; inside = 0; n++ }
			{ print } END { exit n != 1 }' "$f" >"$tmp/header" || return 1
		cp "$tmp/header" "$f"
	done
	# what the statistics of frames take, the deframer has in reserve
	sed -i 's/reserved\[8\];/reserved[4];/' "$tmp/tree/include/cstrace/frame.h"
}
check "the structs grow" grow
check "the library with grown structs builds" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory -C "$tmp/tree" \
	O=build CC="$cc" CFLAGS=-O1 lib
check "the program compiles" $cc -std=c11 -Wall -Wextra -Werror -Iinclude -o "$tmp/program" tests/cli/struct_sizes.c -L"$BUILD" -lcstrace-files -lcstrace
check "the program compiles with grown structs" $cc -std=c11 -Wall -Wextra -Werror -I"$tmp/tree/include" -o "$tmp/newer" \
	tests/cli/struct_sizes.c -L"$BUILD" -lcstrace-files -lcstrace
with() {
	LD_LIBRARY_PATH=$1 "$tmp/${4:-program}" $3 >"$tmp/$2"
}
check "it runs with the library of its headers" with "$BUILD" same
check "it has something to compare" test "$(wc -l <"$tmp/same")" -gt 30
check "it runs with the library whose structs have grown" with "$tmp/tree/build" grown
check "with the same result" cmp "$tmp/same" "$tmp/grown"
check "it runs with sizes of 0, which are those of the first release" with "$tmp/tree/build" zero 0
check "with the same result again" cmp "$tmp/same" "$tmp/zero"
check "a program with grown structs runs with the library of before" with "$BUILD" older "" newer
check "with the same result once more" cmp "$tmp/same" "$tmp/older"
# Programs with a protocol of their own, and without.
for e in decode protocol; do
	check "$e.c compiles" $cc -std=c11 -Iinclude -o "$tmp/$e" "tests/examples/$e.c" -L"$BUILD" -lcstrace
	check "$e.c has the same result with grown structs" sh -c "LD_LIBRARY_PATH='$tmp/tree/build' '$tmp/$e' | cmp - tests/examples/$e.out"
done
check "a wrong size would be noticed" sh -c "LD_LIBRARY_PATH='$tmp/tree/build' '$tmp/program' wrong; [ \$? = 2 ]"
finish
