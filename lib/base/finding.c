/* SPDX-License-Identifier: BSD-3-Clause */
/* finding.c - texts of the findings, and names of what a record holds. */
#include <cstrace/log.h>

static const struct {
	const char *text, *section;
	uint8_t severity;
} findings[] = {
#define FINDING(name, severity, text, section) { text, section, CST_LOG_##severity },
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

enum cst_severity cst_finding_severity(unsigned int finding)
{
	return finding < CST_FINDINGS ? findings[finding].severity : CST_LOG_WARNING;
}

const char *cst_severity_name(unsigned int severity)
{
	static const char *const names[] = { "none", "error", "warning", "info" };

	return severity < CST_LOG_SEVERITIES ? names[severity] : "unknown";
}

const char *cst_component_name(unsigned int component)
{
	static const char *const names[] = { "frame", "packet", "element", "flow", "tree", "index" };

	return component < CST_LOG_COMPONENTS ? names[component] : "unknown";
}
