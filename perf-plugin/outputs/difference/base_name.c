/* SPDX-License-Identifier: GPL-2.0-only */
/* base_name.c - the suffixes that gcc and clang give to parts and copies of functions. */
#include "outputs/difference/base_name.h"

#include <string.h>

/* Each may have a number behind it, with a point before it. */
static const char *const suffixes[] = {
	"cold", "part",	  "constprop",	 "isra", "ipa_cp", "lto_priv", "localalias",	/* gcc */
	"llvm", "__uniq", "specialized",	/* clang */
};

static size_t number(const char *p)
{
	size_t digits = *p == '.' ? strspn(p + 1, "0123456789") : 0;

	return digits ? digits + 1 : 0;
}

/* Length of the suffix at `p`, which is a point; 0: it is none. */
static size_t suffix(const char *p)
{
	size_t i, n;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		n = strlen(suffixes[i]);
		if (!strncmp(p + 1, suffixes[i], n) && (!p[1 + n] || p[1 + n] == '.'))
			return 1 + n + number(p + 1 + n);
	}
	return 0;
}

size_t base_name_len(const char *name)
{
	const char *point = *name ? strchr(name + 1, '.') : NULL, *p;
	size_t n;

	for (; point; point = strchr(point + 1, '.')) {
		for (p = point; *p == '.' && (n = suffix(p)); p += n)
			;
		if (!*p)
			return (size_t)(point - name);
	}
	return strlen(name);
}
