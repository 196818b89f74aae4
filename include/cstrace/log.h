/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log.h - the error log: what was found wrong in a trace, as records (reference decoder design, "error
 * logging").
 */
#ifndef CSTRACE_LOG_H
#define CSTRACE_LOG_H

#include <cstrace/types.h>

CST_BEGIN

enum cst_finding {
#define FINDING(name, severity, text, section) CST_FIND_##name,
#include <cstrace/findings.def>
#undef FINDING
	CST_FINDINGS
};

/* What a finding means, and where the architecture says so. Static texts, never NULL. */
CST_API const char *cst_finding_text(unsigned int finding);
CST_API const char *cst_finding_section(unsigned int finding);

CST_END

#endif
