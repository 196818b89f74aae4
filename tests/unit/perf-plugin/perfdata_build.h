/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PERFDATA_BUILD_H
#define TESTS_PERFDATA_BUILD_H

/* Puts perf.data files together in memory, in either byte order, from the format's description. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pdb {
	uint8_t *p;
	size_t len;
	size_t cap;
	bool swap;	/* write everything in the byte order this host does not have */
};

struct pdb_attr {
	uint64_t sample_type;
	uint64_t config;
	uint32_t type;
	uint32_t size;		/* attr.size, and its bytes in the file */
	bool sample_id_all;
	bool monotonic;		/* times are of CLOCK_MONOTONIC */
	uint64_t more_flags;	/* further bits of attr's flags, in a file of this host's byte order */
	uint64_t ids[4];
	unsigned int nr_ids;
};

struct pdb_feature {
	unsigned int bit;
	const struct pdb *body;
};

/* Values of a sample_id trailer. */
struct pdb_sid {
	uint32_t pid, tid;
	uint64_t time, id;
	uint32_t cpu;
};

void pdb_free(struct pdb *b);
void pdb_bytes(struct pdb *b, const void *data, size_t len);
void pdb_zero(struct pdb *b, size_t len);
void pdb_u16(struct pdb *b, uint16_t v);
void pdb_u32(struct pdb *b, uint32_t v);
void pdb_u64(struct pdb *b, uint64_t v);
/* With its terminator, padded to 8 bytes. */
void pdb_str8(struct pdb *b, const char *s);
/* As in feature sections: length, then the bytes. */
void pdb_feat_str(struct pdb *b, const char *s);

/* Header, attrs and the features around @data. @entry: bytes per attr entry, 0 for size + 16. */
void pdb_file(struct pdb *b, const struct pdb_attr *attrs, unsigned int nr, size_t entry,
	      const struct pdb *data, const struct pdb_feature *feat, unsigned int nr_feat);
void pdb_attr_body(struct pdb *b, const struct pdb_attr *a);
void pdb_pipe_header(struct pdb *b);

/* Records: begin gives what end needs; end pads to 8 and stores the size. */
size_t pdb_begin(struct pdb *b, uint32_t type, uint16_t misc);
void pdb_end(struct pdb *b, size_t at);
void pdb_sid_put(struct pdb *b, uint64_t sample_type, const struct pdb_sid *s);

void pdb_comm(struct pdb *b, uint32_t pid, uint32_t tid, const char *comm, uint64_t st,
	      const struct pdb_sid *s);
void pdb_mmap2(struct pdb *b, uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff,
	       const char *name, uint64_t st, const struct pdb_sid *s);
/* pdb_mmap2() is with PROT_READ | PROT_EXEC. */
void pdb_mmap2_prot(struct pdb *b, uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff, uint32_t prot,
		    const char *name, uint64_t st, const struct pdb_sid *s);
void pdb_aux(struct pdb *b, uint64_t offset, uint64_t size, uint64_t flags, uint64_t st,
	     const struct pdb_sid *s);
void pdb_auxtrace(struct pdb *b, uint64_t offset, const void *data, size_t len, uint32_t cpu,
		  uint32_t tid);
void pdb_attr_record(struct pdb *b, const struct pdb_attr *a);

/*
 * Compress @raw as one zstd stream cut into records of at most @piece source bytes each;
 * @type2 uses COMPRESSED2.
 */
void pdb_compressed(struct pdb *b, const struct pdb *raw, size_t piece, bool type2);

#endif /* TESTS_PERFDATA_BUILD_H */
