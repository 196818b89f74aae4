/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * database.h - an SQLite file with the tables and views of perf's export-to-sqlite.py ("branches
 * calls"), which exported-sql-viewer.py reads. Columns and what they hold are perf's; row 0 of a
 * table is what is unknown.
 */
#ifndef CSTRACE_OUTPUTS_TIMELINE_DATABASE_H
#define CSTRACE_OUTPUTS_TIMELINE_DATABASE_H

#include <stdint.h>

#include "base/error.h"

struct database;

/* The tables. Columns that are texts are named; a NULL text is NULL. */
enum database_table {
	DB_EVENTS,	/* id, name: selected_events */
	DB_MACHINES,	/* id, pid, root_dir (text) */
	DB_THREADS,	/* id, machine, process, pid, tid */
	DB_COMMS,	/* id, comm (text), thread, time, exec_flag */
	DB_COMM_THREADS,	/* id, comm, thread */
	DB_DSOS,	/* id, machine, short_name, long_name, build_id (texts) */
	DB_SYMBOLS,	/* id, dso, start, end, binding (text), name (text) */
	DB_BRANCH_TYPES,	/* id, name (text) */
	/*
	 * id, event, machine, thread, comm, dso, symbol, offset, ip, time, cpu, dso, symbol, offset
	 * and ip of the target, branch type, in_tx, call path, instructions, cycles, flags
	 */
	DB_SAMPLES,
	DB_CALL_PATHS,	/* id, parent, symbol, ip */
	/*
	 * id, thread, comm, call path, call time, return time, branches, samples of call and
	 * return, call path of the parent, flags, parent, instructions, cycles
	 */
	DB_CALLS,
	/*
	 * id, machine, time, cpu, thread out, comm out, thread in, comm in, flags: context_switches
	 */
	DB_SWITCHES,
	DB_TABLES
};

/*
 * Makes the tables in an empty file, and begins the one transaction. Errors are kept for
 * database_close().
 */
struct database *database_open(const char *path);
/* Adds a row: the columns that are numbers, and those that are texts, each in their order. */
void database_row(struct database *db, enum database_table table, const int64_t *numbers,
		  const char *const *texts);
/*
 * Adds indexes and views, ends the transaction, and frees `db`. Returns 0, or ERR_IO with a message
 * about `name`.
 */
int database_close(struct database *db, const char *name, struct error *err);

#endif
