/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_c_api_cust_fact.h - customary names of the functions of a factory (ocsd_c_api_custom.h). The
 * client has them.
 */
#ifndef CSTRACE_OPENCSD_C_API_OCSD_C_API_CUST_FACT_H
#define CSTRACE_OPENCSD_C_API_OCSD_C_API_CUST_FACT_H

#include <opencsd/c_api/ocsd_c_api_custom.h>
#include <opencsd/c_api/ocsd_c_api_types.h>

ocsd_err_t CreateCustomDecoder(const int create_flags, const void *decoder_cfg,
			       ocsd_extern_dcd_inst_t *p_decoder_inst);
ocsd_err_t DestroyCustomDecoder(const void *decoder_handle);
ocsd_err_t GetCSIDFromConfig(const void *decoder_cfg, unsigned char *p_csid);
ocsd_err_t PacketToString(const void *trc_pkt, char *buffer, const int buflen);

#endif
