/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * snapshot.h - Arm snapshots: a folder of INI files that describe cores, trace sources, memory dumps and trace buffers
 * (the reference decoder design, "The Arm snapshot format"). The library opens no files; the caller provides an open
 * function. The memory used is bounded by limits, whatever a snapshot contains.
 */
#ifndef CSTRACE_FILES_SNAPSHOT_H
#define CSTRACE_FILES_SNAPSHOT_H

#include <cstrace/config.h>
#include <cstrace/image.h>
#include <cstrace/types.h>

CST_BEGIN

/* Location of an error in a snapshot. The text is static, the file name is valid during the call. */
struct cst_snap_note {
	const char *file;	/* as named in the snapshot */
	unsigned int line;	/* 1-based; 0: the file as a whole */
	int error;		/* negative enum cst_error */
	const char *text;	/* static text: the fault, and the expected value */
	/* Packages: section and item of the error, and an item that contradicts it or is an alternative; else NULL or "". */
	const char *section, *item, *other;
};

/* Limits; 0 takes the default. */
struct cst_snap_limits {
	size_t text;		/* bytes of one INI file (1 MiB) */
	size_t memory;		/* bytes of everything kept (64 MiB) */
	size_t files;		/* device files (4096) */
	size_t dumps;		/* memory dumps of all devices (16384) */
};

struct cst_snap_io {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	void *ctx;
	/*
	 * Returns the contents of a file, named as in the snapshot (relative to its folder): 0, or negative if it is
	 * not available. The bytes must stay valid and unchanged: of INI files until cst_snapshot_read() returns, of
	 * memory dumps for the life of the image. The function decides whether a name may leave the folder.
	 */
	int (*open)(void *ctx, const char *name, const uint8_t **data, size_t *len);
	/* Receives every error and everything that is skipped; NULL: none. */
	void (*note)(void *ctx, const struct cst_snap_note *note);
	struct cst_snap_limits limits;
};

/* A register of a device. */
struct cst_snap_reg {
	const char *name;
	uint64_t value;
	uint32_t id;
	uint8_t has_id;
	uint8_t bits;		/* 32 if the file does not state it */
};

/* A memory dump of a core or memory space. */
struct cst_snap_dump {
	const char *file;
	uint64_t address;
	uint64_t offset;	/* offset in the file */
	uint64_t length;	/* 0: to the end of the file */
	unsigned int line;	/* line of its section, for messages */
	uint8_t space;		/* mask of enum cst_memspace */
};

enum cst_snap_class {
	CST_SNAP_OTHER,
	CST_SNAP_CORE,
	CST_SNAP_SOURCE,
	CST_SNAP_MEMORY,
};

struct cst_snap_device {
	const char *file;	/* INI file it was read from */
	const char *name;
	const char *type;	/* "" when absent */
	const char *location;	/* "" when absent */
	uint8_t class_;		/* enum cst_snap_class */
	struct cst_snap_reg *regs;
	struct cst_snap_dump *dumps;
	size_t n_regs, n_dumps;
};

enum cst_snap_format {
	CST_SNAP_FMT_OTHER,
	CST_SNAP_FMT_CORESIGHT,	/* 16-byte frames */
	CST_SNAP_FMT_SOURCE_DATA, /* one source, no frames */
	CST_SNAP_FMT_DSTREAM,	/* 512-byte blocks: 504 bytes as a TPIU sends them, then 8 of the probe */
};

struct cst_snap_buffer {
	const char *id;		/* section in the trace metadata */
	const char *name;
	const char *format_name;
	const char **files;	/* the buffer is their concatenation */
	size_t n_files;
	uint8_t format;		/* enum cst_snap_format */
};

/* One "left = right" of [core_trace_sources], [source_buffers] (one per buffer) or [clusters] (one per device). */
struct cst_snap_link {
	const char *from, *to;
	uint8_t stream;		/* source_buffers: N of "(stream:N)"; 0 instructions */
	uint8_t has_stream;	/* 0: all streams without a buffer of their own */
};

/* A snapshot. Lists are in the order of the files. */
struct cst_snapshot {
	const char *version, *description;
	struct cst_snap_device *devices;
	struct cst_snap_buffer *buffers; /* in the order of their sections */
	struct cst_snap_link *core_sources, *source_buffers, *clusters;
	size_t n_devices, n_buffers, n_core_sources, n_source_buffers, n_clusters;
	size_t n_skipped;	/* device files and entries left out because of errors (each was a note) */
};

/*
 * Read `index` (NULL: "snapshot.ini") and the files it names. A device that cannot be read is left
 * out and counted; an unreadable index or trace metadata is an error: -CST_ERR_IO, _SYNTAX, _VERSION,
 * _NOT_FOUND (something required is missing), _LIMIT, _NOMEM, after a note; -CST_ERR_INVAL without an open function.
 */
CST_API int cst_snapshot_read(struct cst_snapshot **ss, const struct cst_snap_io *io,
			      const char *index);
CST_API void cst_snapshot_free(struct cst_snapshot *ss);

/*
 * Receives the files of a snapshot, each as a whole, named as in the snapshot (relative to its folder). A negative
 * result ends the writing.
 */
struct cst_snap_sink {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	void *ctx;
	int (*write)(void *ctx, const char *name, const void *data, size_t len);
	/* Receives what cannot be written; NULL: none. */
	void (*note)(void *ctx, const struct cst_snap_note *note);
};

/*
 * Writes the INI files of a snapshot: `index` (NULL: "snapshot.ini"), the device files under the names of the devices,
 * and `metadata` (NULL: "trace.ini") if there are buffers. Reading them gives the same snapshot. The caller writes
 * memory dumps and trace buffers. -CST_ERR_INVAL, after a note: the format cannot express something (a comma in a name
 * in a list, a comment character, two devices in one file); -CST_ERR_IO, _NOMEM.
 */
CST_API int cst_snapshot_write(const struct cst_snapshot *ss, const struct cst_snap_sink *sink,
			       const char *index, const char *metadata);

/* Device by name; NULL when there is none. */
CST_API const struct cst_snap_device *cst_snapshot_device(const struct cst_snapshot *ss, const char *name);
/* Returns the core that a trace source traces, NULL if the snapshot does not name it. */
CST_API const struct cst_snap_device *cst_snapshot_core(const struct cst_snapshot *ss,
							const struct cst_snap_device *source);
/*
 * True if a stream of `source` is in `buffer`. Stream 0 is that of the instructions, 1 that of the data of an ETMv4.
 * With a single buffer and no [source_buffers] every source is in it.
 */
CST_API int cst_snapshot_feeds_stream(const struct cst_snapshot *ss, const struct cst_snap_device *source,
				      unsigned int stream, const struct cst_snap_buffer *buffer);
/* As cst_snapshot_feeds_stream() for stream 0. */
CST_API int cst_snapshot_feeds(const struct cst_snapshot *ss, const struct cst_snap_device *source,
			       const struct cst_snap_buffer *buffer);
/* Register by name, without case; 1 and *value, or 0. */
CST_API int cst_snap_reg(const struct cst_snap_device *dev, const char *name, uint64_t *value);

/* Assumptions that cst_snap_config() made about missing registers. */
enum cst_snap_assumed {
	CST_SNAP_NO_IDR1 = 1,	/* TRCIDR1 absent: ETMv4.0 assumed */
	CST_SNAP_NO_DEVARCH = 2, /* TRCDEVARCH absent: ETE 1.0 assumed */
	CST_SNAP_NO_IDR8 = 4,	/* TRCIDR8 absent: no speculation assumed */
	CST_SNAP_NO_CCER = 8,	/* ETMCCER absent: none of the features in it assumed */
};

/*
 * Returns the registers of an ETMv4 or ETE source in *regs. *ete: 1 for an ETE; *assumed (may be NULL): mask of enum
 * cst_snap_assumed. -CST_ERR_PROTOCOL: the device is another kind of source; -CST_ERR_NOT_FOUND: TRCCONFIGR,
 * TRCTRACEIDR, TRCIDR0 or TRCIDR2 is absent, and *missing (may be NULL) is its name.
 */
CST_API int cst_snap_etmv4(const struct cst_snap_device *source, struct cst_etmv4_regs *regs,
			   int *ete, unsigned int *assumed, const char **missing);
/*
 * Makes the decoder configuration for a stream of a trace source (ETMv3, PTM, ETMv4, ETE, STM, ITM, by the `type` of
 * the device). Stream 0 has the instructions or the software's trace, 1 the data of an ETMv4. `core` (may be NULL)
 * gives the profile. *assumed and *missing (either may be NULL) are as for cst_snap_etmv4(). -CST_ERR_PROTOCOL: another
 * kind of source, or it has no such stream; -CST_ERR_NOT_FOUND: a required register is absent; else the result of
 * cst_config_etmv4() and its siblings, with `cfg` filled as far as possible, so that packets can be listed.
 */
CST_API int cst_snap_config(const struct cst_snap_device *source,
			    const struct cst_snap_device *core, unsigned int stream,
			    struct cst_config *cfg, unsigned int *assumed, const char **missing);
/* Returns the profile for the type of a core ("Cortex-M33", "ARMv7-R"); A if the type does not show it, or for NULL. */
CST_EXPERIMENTAL
CST_API enum cst_profile cst_snap_profile(const struct cst_snap_device *core);

/* Code memory: an address space per core and memory space. */
struct cst_snap_memory;

/*
 * Maps the dumps of a snapshot. A core sees its own dumps and, at other addresses, those of memory spaces and of other
 * cores, since snapshots often contain shared memory only once. Where dumps overlap, the first one is used. A dump that
 * is not available is noted and counted in *missing (may be NULL). The snapshot must outlive the memory. _free releases
 * copied bytes, so the image must be freed first. -CST_ERR_LIMIT: too many dumps; -CST_ERR_NOMEM.
 */
CST_API int cst_snap_memory_new(struct cst_snap_memory **mem, const struct cst_snapshot *ss,
				struct cst_image *img, const struct cst_snap_io *io,
				size_t *missing);
CST_API void cst_snap_memory_free(struct cst_snap_memory *mem);
/*
 * Returns the address space from which `core` (a device of the snapshot; NULL: a source without a
 * core) fetches code in one memory space (one bit, of cst_memspace_of()), created at the first
 * call; NULL without memory.
 */
CST_EXPERIMENTAL
CST_API struct cst_space *cst_snap_memory_space(struct cst_snap_memory *mem,
						const struct cst_snap_device *core,
						enum cst_memspace space);
/*
 * Returns the address spaces of `core` as a table for cst_decoder_set_images(). It is created at the first call and
 * valid as long as `mem`; NULL without memory.
 */
CST_API const struct cst_images *cst_snap_memory_images(struct cst_snap_memory *mem,
							const struct cst_snap_device *core);

CST_END

#endif
