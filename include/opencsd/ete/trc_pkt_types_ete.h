/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trc_pkt_types_ete.h - registers of ETE (DDI 0487); its packets are those of
 * etmv4/trc_pkt_types_etmv4.h.
 */
#ifndef CSTRACE_OPENCSD_ETE_TRC_PKT_TYPES_ETE_H
#define CSTRACE_OPENCSD_ETE_TRC_PKT_TYPES_ETE_H

#include <opencsd/etmv4/trc_pkt_types_etmv4.h>
#include <opencsd/trc_pkt_types.h>

typedef struct _ocsd_ete_cfg {
	uint32_t reg_idr0;		/* TRCIDR0 and so on */
	uint32_t reg_idr1;
	uint32_t reg_idr2;
	uint32_t reg_idr8;
	uint32_t reg_devarch;		/* TRCDEVARCH: the version of ETE */
	uint32_t reg_configr;		/* TRCCONFIGR */
	uint32_t reg_traceidr;		/* TRCTRACEIDR */
	ocsd_arch_version_t arch_ver;
	ocsd_core_profile_t core_prof;
} ocsd_ete_cfg;

#endif
