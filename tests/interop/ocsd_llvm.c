/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_llvm - what llvm-profgen takes of a trace through OpenCSD's C interface (llvm_client.h), as text:
 *
 *     ocsd_llvm SEED etm|etm-8.1|itm|both [native]
 *
 * With `native`, what the library decodes of the same trace. Exit 3: the interface refuses a decoder.
 */
#include "llvm_client.h"

static const char *const kinds[LC_KINDS] = { "etm", "itm", "both" };
static const char *const items[] = { "range", "data", "missing" };

int main(int argc, char **argv)
{
	struct lc_out out = { 0 };
	unsigned int kind = 0;
	dcd_tree_handle_t t;
	struct lc_case c;
	bool native, v81, ok = true;
	size_t i;

	if (argc < 3)
		lc_fail("usage: ocsd_llvm SEED etm|etm-8.1|itm|both [native]");
	native = argc > 3 && !strcmp(argv[3], "native");
	v81 = !strcmp(argv[2], "etm-8.1");
	while (!v81 && strcmp(argv[2], kinds[kind]))
		lc_check(++kind < LC_KINDS, "no such kind of trace");
	lc_make(strtoull(argv[1], NULL, 0), v81, &c);
	if (native) {
		lc_native(&c, kind, &out);
	} else {
		t = lc_tree(&c, kind, &out);
		if (t == C_API_INVALID_TREE_HANDLE) {
			lc_free(&c);
			return 3;
		}
		ok = lc_decode(t, c.trace[kind].p, c.trace[kind].len);
		ocsd_destroy_dcd_tree(t);
	}
	for (i = 0; i < out.n; i++)
		printf("%s %llx %llx\n", items[out.v[i].kind], (unsigned long long)out.v[i].a,
		       (unsigned long long)out.v[i].b);
	free(out.v);
	lc_free(&c);
	return !ok;
}
