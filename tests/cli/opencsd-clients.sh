#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# opencsd-clients: programs that are written for OpenCSD's C interface, built with what `make install` puts into folders of its own:
# shared and static, in C and C++, by pkg-config and by the names that OpenCSD's libraries have. They run with the library that they
# were built with, as clients of 1.8; nothing of C++ or of an installed OpenCSD is needed.
. tests/cli/tap.sh
cc=${CC:-gcc}
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$BUILD" install prefix="$tmp/p" >"$tmp/log" 2>&1
verdict $? "make install"
includes=$tmp/p/include/cstrace-opencsd
libs=$tmp/p/lib/cstrace

# Elements by their text, packets by their fields: the client has no code, so that nothing but its headers says that it is of 1.8.
cat >"$tmp/client.c" <<'EOF'
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <string.h>

/* A name that the library has as well, for itself. */
int tree_get(void);
int tree_get(void) { return 42; }

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	char text[200];

	(void)ctx;
	ocsd_gen_elem_str(e, text, sizeof(text));
	printf("%u %x %s\n", (unsigned int)index, id, text);
	if (e->elem_type == OCSD_GEN_TRC_ELEM_INSTRUMENTATION)
		printf("value %llx at EL%d\n", (unsigned long long)e->sw_ite.value, e->sw_ite.el);
	if (e->elem_type == OCSD_GEN_TRC_ELEM_EO_TRACE)
		printf("end %d\n", e->unsync_eot_info == UNSYNC_EOT);
	return OCSD_RESP_CONT;
}

static void on_packet(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index, const void *packet,
		      const uint32_t size, const uint8_t *data)
{
	const ocsd_etmv4_i_pkt *p = (const ocsd_etmv4_i_pkt *)packet;

	(void)ctx, (void)index, (void)size, (void)data;
	if (op == OCSD_OP_DATA && p->type == ETE_PKT_I_ITE)
		printf("packet %llx EL%d version %x\n", (unsigned long long)p->ite_pkt.value, p->ite_pkt.el,
		       p->protocol_version);
}

int main(void)
{
	static const uint8_t trace[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04,
					 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x30, 0x09, 0x01, 1, 2, 3, 4, 5, 6, 7, 8 };
	ocsd_ete_cfg cfg;
	unsigned char id = 0;
	uint32_t used = 0;
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);

	memset(&cfg, 0, sizeof(cfg));
	cfg.reg_idr1 = 0xff0;
	cfg.reg_idr2 = 8;
	cfg.reg_devarch = 0x47735a13;
	cfg.reg_traceidr = 0x10;
	cfg.arch_ver = ARCH_AA64;
	cfg.core_prof = profile_CortexA;
	if (ocsd_dt_create_decoder(t, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id) ||
	    ocsd_dt_set_gen_elem_outfn(t, on_element, NULL) ||
	    ocsd_dt_attach_packet_callback(t, id, OCSD_C_API_CB_PKT_MON, (void *)on_packet, NULL))
		return 1;
	ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(trace), trace, &used);
	ocsd_dt_process_data(t, OCSD_OP_EOT, 0, 0, NULL, NULL);
	ocsd_destroy_dcd_tree(t);
	printf("%s %x %d\n", ocsd_get_version_str(), (unsigned int)ocsd_get_version(), tree_get());
	return used != sizeof(trace) || ocsd_get_version() != OCSD_VER_NUM;
}
EOF
cp "$tmp/client.c" "$tmp/client.cc"
sed -i 's/^int tree_get(void) {/extern "C" &/; s/^int tree_get(void);/extern "C" &/' "$tmp/client.cc"
sed -i 's/^extern "C" int tree_get(void) {/int tree_get(void) {/' "$tmp/client.cc"
cat >"$tmp/want" <<'EOF'
0 10 OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])
25 10 OCSD_GEN_TRC_ELEM_INSTRUMENTATION(EL1; 0x0807060504030201)
25 10 OCSD_GEN_TRC_ELEM_EO_TRACE( [end-of-trace])
end 1
packet 807060504030201 EL1 version 53
value 807060504030201 at EL1
1.8.3 10803 42
EOF
# runs PROGRAM: it prints what a client of 1.8 gets. Records of elements may stand before or behind those of packets.
runs() {
	(unset LD_LIBRARY_PATH CSTRACE_OCSD && "$1") >"$tmp/out" && sort "$tmp/want" >"$tmp/a" && sort "$tmp/out" | diff "$tmp/a" -
}
# needs PROGRAM PATTERN: what it needs at run time.
needs() {
	readelf -d "$1" | grep NEEDED | sed 's/.*\[\(.*\)\]/\1/' | sort | paste -sd ' ' >"$tmp/needs"
	grep -qxE "$2" "$tmp/needs" || { cat "$tmp/needs"; return 1; }
}
flags() {
	PKG_CONFIG_LIBDIR="$libs/pkgconfig" pkg-config "$@" libopencsd
}
warn="-Wall -Wextra -Werror"

if command -v pkg-config >/dev/null; then
	check "pkg-config: the version of the interface" sh -c "[ '$(flags --modversion)' = 1.8.3 ]"
	check "pkg-config: build" sh -c "$cc $warn -o '$tmp/by-pc' '$tmp/client.c' $(flags --cflags --libs)"
	check "pkg-config: runs with the library that it was built with" runs "$tmp/by-pc"
	check "pkg-config: needs" needs "$tmp/by-pc" 'libc\.so\.6 libopencsd_c_api\.so\.1'
fi
for order in "-lopencsd_c_api -lopencsd" "-lopencsd -lopencsd_c_api"; do
	check "shared, $order" sh -c "$cc $warn -I'$includes' -o '$tmp/shared' '$tmp/client.c' -L'$libs' $order -Wl,-rpath,'$libs'"
	check "shared, $order: runs" runs "$tmp/shared"
	check "shared, $order: OpenCSD's C++ library is not named" needs "$tmp/shared" 'libc\.so\.6 libopencsd_c_api\.so\.1'
	check "static, $order" sh -c "$cc $warn -static -I'$includes' -o '$tmp/static' '$tmp/client.c' -L'$libs' $order"
	check "static, $order: runs" runs "$tmp/static"
	check "static, $order: needs nothing" needs "$tmp/static" ''
done
check "the static library, otherwise shared" sh -c "$cc $warn -I'$includes' -o '$tmp/half' '$tmp/client.c' '$libs/libopencsd_c_api.a'"
check "the static library, otherwise shared: runs" runs "$tmp/half"
check "the static library, otherwise shared: needs" needs "$tmp/half" 'libc\.so\.6'
check "beside the static libcstrace" sh -c "$cc -I'$includes' -o '$tmp/both' '$tmp/client.c' '$libs/libopencsd_c_api.a' \
	-Wl,--whole-archive '$tmp/p/lib/libcstrace.a' -Wl,--no-whole-archive"
check "beside the static libcstrace: runs" runs "$tmp/both"
for linker in lld gold; do
	command -v ld.$linker >/dev/null || continue
	check "ld.$linker" sh -c "$cc -fuse-ld=$linker -I'$includes' -o '$tmp/$linker' '$tmp/client.c' -L'$libs' -lopencsd_c_api -lopencsd \
		-Wl,-rpath,'$libs' -Wl,--gc-sections"
	check "ld.$linker: runs" runs "$tmp/$linker"
done
for cxx in g++ clang++; do
	command -v $cxx >/dev/null || continue
	check "$cxx" sh -c "$cxx -std=c++11 $warn -fvisibility=hidden -I'$includes' -o '$tmp/$cxx' '$tmp/client.cc' -L'$libs' \
		-lopencsd_c_api -lopencsd -Wl,-rpath,'$libs'"
	check "$cxx: runs" runs "$tmp/$cxx"
done
# A client of which nothing says what it was compiled for.
unmarked() {
	$cc -DOCSD_NO_CLIENT_VERSION -I"$includes" -o "$tmp/unmarked" "$tmp/client.c" "$libs/libopencsd_c_api.a" &&
		! nm "$tmp/unmarked" | grep -v ' w ' | grep cstrace_ocsd_client && CSTRACE_OCSD=1.8 "$tmp/unmarked" >"$tmp/out" &&
		sort "$tmp/out" | diff "$tmp/a" -
}
check "a client without cstrace_ocsd_client, with CSTRACE_OCSD=1.8" unmarked
finish
