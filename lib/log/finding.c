/* SPDX-License-Identifier: BSD-3-Clause */
/* finding.c - texts of the findings. */
#include <cstrace/log.h>

static const struct {
	const char *text, *section;
} findings[] = {
#define FINDING(name, severity, text, section) { text, section },
#include <cstrace/findings.def>
#undef FINDING
};

const char *cst_finding_text(unsigned int finding)
{
	return finding < CST_FINDINGS ? findings[finding].text : "unknown finding";
}

const char *cst_finding_section(unsigned int finding)
{
	return finding < CST_FINDINGS ? findings[finding].section : "";
}
