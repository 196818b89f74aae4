/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "session_build.h"

const struct pdb_attr sb_attr = { .type = 8, .size = 128, .sample_type = SB_ST, .sample_id_all = true,
				  .ids = { 50 }, .nr_ids = 1 };

const uint32_t sb_loop[2] = { 0xd503201f, 0x17ffffff };

struct pdb_sid sb_sid(uint64_t time)
{
	struct pdb_sid s = { .pid = SB_PID, .tid = SB_TID, .time = time, .id = 50, .cpu = 2 };

	return s;
}

void sb_trace_at(struct pdb *b, uint32_t tid, uint64_t addr, unsigned int el)
{
	static const uint8_t start[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04, 0x85 };
	uint8_t target[8] = { (addr >> 2) & 0x7f, (addr >> 9) & 0x7f };
	uint8_t info = (tid ? 0xb0 : 0x30) | el;	/* context ID follows, non-secure, AArch64 */
	unsigned int i;

	for (i = 2; i < 8; i++)
		target[i] = (uint8_t)(addr >> (8 * i));
	pdb_bytes(b, start, sizeof(start));
	pdb_bytes(b, target, sizeof(target));
	pdb_bytes(b, &info, 1);
	if (tid)
		pdb_u32(b, tid);
	for (i = 0; i < SB_ATOMS; i++)
		pdb_bytes(b, "\xf7", 1);
}

void sb_trace(struct pdb *b, uint32_t tid)
{
	sb_trace_at(b, tid, SB_BASE, 0);
}

void sb_frames(struct pdb *out, const struct pdb *raw, uint8_t id)
{
	uint8_t frame[16];
	size_t at = 0;
	unsigned int i;

	while (at < raw->len) {
		memset(frame, 0, sizeof(frame));
		frame[0] = id << 1 | 1;
		for (i = 1; i < 15; i++) {
			if (at == raw->len) {
				if (i & 1)
					i++;	/* stays the ID's: one zero byte more */
				if (i < 15)
					frame[i] = 0x01;	/* ID 0: padding */
				break;
			}
			frame[i] = raw->p[at];
			if (!(i & 1)) {
				frame[i] &= 0xfe;
				frame[15] |= (raw->p[at] & 1) << (i / 2);
			}
			at++;
		}
		pdb_bytes(out, frame, sizeof(frame));
	}
}

void sb_aux_info_of(struct pdb *b, unsigned int version, uint64_t configr, uint64_t traceid, unsigned int cpus)
{
	const uint64_t unit[] = { 0x4040404040404040ull, 2, 7, configr, traceid, 0x28000ea1, 0x4100f423, 0x488, 0, 0xcc };
	size_t at = pdb_begin(b, 70, 0), i, k;

	pdb_u32(b, 3);
	pdb_u32(b, 0);
	pdb_u64(b, version);
	pdb_u64(b, 8ull << 32 | cpus);
	pdb_u64(b, 0);
	for (i = 0; i < cpus; i++)
		for (k = 0; k < sizeof(unit) / sizeof(unit[0]); k++)
			pdb_u64(b, unit[k] + (k == 1 || k == 4 ? i : 0));
	pdb_end(b, at);
}

void sb_aux_info(struct pdb *b, unsigned int version, uint64_t configr, uint64_t traceid)
{
	sb_aux_info_of(b, version, configr, traceid, 1);
}

void sb_fork(struct pdb *b, uint32_t pid, uint32_t ppid, uint32_t tid, uint64_t time)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(b, 7, 0);

	pdb_u32(b, pid);
	pdb_u32(b, ppid);
	pdb_u32(b, tid);
	pdb_u32(b, ppid);
	pdb_u64(b, time);
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

void sb_side_band(struct pdb *b, const char *file)
{
	struct pdb_sid s = sb_sid(1000);

	sb_aux_info(b, 1, SB_CONFIGR, 0x14);
	pdb_comm(b, SB_PID, SB_PID, "loop", SB_ST, &s);
	sb_fork(b, SB_PID, SB_PID, SB_TID, 1000);
	pdb_mmap2(b, SB_PID, SB_BASE, 0x1000, 0, file, SB_ST, &s);
}

void sb_aux(struct pdb *b, uint64_t offset, uint64_t size, uint64_t flags, uint64_t time)
{
	struct pdb_sid s = sb_sid(time);

	pdb_aux(b, offset, size, flags, SB_ST, &s);
}

void sb_stretch(struct pdb *b, const struct pdb *trace, uint64_t offset, uint64_t flags)
{
	sb_aux(b, offset, trace->len, flags, SB_TIME);
	pdb_auxtrace(b, offset, trace->p, trace->len, 2, (uint32_t)-1);
}

void sb_kernel_map(struct pdb *b, uint64_t time, uint64_t addr, uint64_t size, uint64_t pgoff, const char *path)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(b, 1, 1);

	pdb_u32(b, (uint32_t)-1);
	pdb_u32(b, 0);
	pdb_u64(b, addr);
	pdb_u64(b, size);
	pdb_u64(b, pgoff);
	pdb_str8(b, path);
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

void sb_text_poke(struct pdb *b, uint64_t time, uint64_t addr, uint32_t before, uint32_t after)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(b, 20, 1);

	pdb_u64(b, addr);
	pdb_u16(b, 4);
	pdb_u16(b, 4);
	pdb_u32(b, before);
	pdb_u32(b, after);
	pdb_zero(b, 4);
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}
