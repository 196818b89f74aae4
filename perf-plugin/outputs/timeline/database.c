/* SPDX-License-Identifier: GPL-2.0-only */
/* database.c - the schema, a prepared statement for each table, and the errors of libsqlite3. */
#include "outputs/timeline/database.h"

#include "outputs/timeline/timeline.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

#define KEY "id integer NOT NULL PRIMARY KEY"

/* `form`: a letter for each column, n for a number, t for a text. */
static const struct table {
	const char *name, *form, *columns;
} tables[DB_TABLES] = {
	[DB_EVENTS] = { "selected_events", "nt",
		KEY ", name varchar(80)" },
	[DB_MACHINES] = { "machines", "nnt",
		KEY ", pid integer, root_dir varchar(4096)" },
	[DB_THREADS] = { "threads", "nnnnn",
		KEY ", machine_id bigint, process_id bigint, pid integer, tid integer" },
	[DB_COMMS] = { "comms", "ntnnn",
		KEY ", comm varchar(16), c_thread_id bigint, c_time bigint, exec_flag boolean" },
	[DB_COMM_THREADS] = { "comm_threads", "nnn",
		KEY ", comm_id bigint, thread_id bigint" },
	[DB_DSOS] = { "dsos", "nnttt",
		KEY ", machine_id bigint, short_name varchar(256), long_name varchar(4096),"
		" build_id varchar(64)" },
	[DB_SYMBOLS] = { "symbols", "nnnntt",
		KEY ", dso_id bigint, sym_start bigint, sym_end bigint, binding integer, name"
		" varchar(2048)" },
	[DB_BRANCH_TYPES] = { "branch_types", "nt",
		KEY ", name varchar(80)" },
	[DB_SAMPLES] = { "samples", "nnnnnnnnnnnnnnnnnnnnn",
		KEY ", evsel_id bigint, machine_id bigint, thread_id bigint, comm_id bigint,"
		" dso_id bigint, symbol_id bigint, sym_offset bigint, ip bigint, time bigint, cpu"
		" integer, to_dso_id bigint, to_symbol_id bigint, to_sym_offset bigint, to_ip"
		" bigint, branch_type integer, in_tx boolean, call_path_id bigint, insn_count"
		" bigint, cyc_count bigint, flags integer" },
	[DB_CALL_PATHS] = { "call_paths", "nnnn",
		KEY ", parent_id bigint, symbol_id bigint, ip bigint" },
	[DB_CALLS] = { "calls", "nnnnnnnnnnnnnn",
		KEY ", thread_id bigint, comm_id bigint, call_path_id bigint, call_time bigint,"
		" return_time bigint, branch_count bigint, call_id bigint, return_id bigint,"
		" parent_call_path_id bigint, flags integer, parent_id bigint, insn_count bigint,"
		" cyc_count bigint" },
	[DB_SWITCHES] = { "context_switches", "nnnnnnnnn",
		KEY ", machine_id bigint, time bigint, cpu integer, thread_out_id bigint,"
		" comm_out_id bigint, thread_in_id bigint, comm_in_id bigint, flags integer" },
};

#define IPC \
	"CASE WHEN cyc_count > 0 THEN ROUND(1.0 * insn_count / cyc_count, 2) ELSE 0.0 END AS IPC"

static const char views[] =
	"CREATE VIEW machines_view AS SELECT id, pid, root_dir, CASE WHEN id = 0 THEN 'unknown'"
	" WHEN pid < 0 THEN 'host' ELSE 'guest' END AS host_or_guest FROM machines;"
	"CREATE VIEW dsos_view AS SELECT d.id, d.machine_id, m.host_or_guest, d.short_name,"
	" d.long_name, d.build_id FROM dsos d LEFT JOIN machines_view m ON m.id = d.machine_id;"
	"CREATE VIEW symbols_view AS SELECT s.id, s.name, d.short_name AS dso, s.dso_id,"
	" s.sym_start, s.sym_end, CASE s.binding WHEN 0 THEN 'local' WHEN 1 THEN 'global' WHEN 2"
	" THEN 'weak' END AS binding FROM symbols s LEFT JOIN dsos d ON d.id = s.dso_id;"
	"CREATE VIEW threads_view AS SELECT t.id, t.machine_id, m.host_or_guest, t.process_id,"
	" t.pid, t.tid FROM threads t LEFT JOIN machines_view m ON m.id = t.machine_id;"
	"CREATE VIEW comm_threads_view AS SELECT ct.comm_id, c.comm AS command, ct.thread_id,"
	" t.pid, t.tid FROM comm_threads ct LEFT JOIN comms c ON c.id = ct.comm_id LEFT JOIN"
	" threads t ON t.id = ct.thread_id;"
	"CREATE VIEW call_paths_view AS SELECT c.id, printf('%x', c.ip) AS ip, c.symbol_id,"
	" s.name AS symbol, s.dso_id, s.dso AS dso_short_name, c.parent_id, printf('%x', p.ip) AS"
	" parent_ip, p.symbol_id AS parent_symbol_id, ps.name AS parent_symbol, ps.dso_id AS"
	" parent_dso_id, ps.dso AS parent_dso_short_name FROM call_paths c JOIN call_paths p ON"
	" p.id = c.parent_id LEFT JOIN symbols_view s ON s.id = c.symbol_id LEFT JOIN"
	" symbols_view ps ON ps.id = p.symbol_id;"
	"CREATE VIEW calls_view AS SELECT c.id, c.thread_id, t.pid, t.tid, n.comm AS command,"
	" c.call_path_id, printf('%x', p.ip) AS ip, p.symbol_id, s.name AS symbol, c.call_time,"
	" c.return_time, c.return_time - c.call_time AS elapsed_time, c.branch_count,"
	" c.insn_count, c.cyc_count, " IPC ", c.call_id, c.return_id, CASE c.flags WHEN 0 THEN ''"
	" WHEN 1 THEN 'no call' WHEN 2 THEN 'no return' WHEN 3 THEN 'no call/return' WHEN 6 THEN"
	" 'jump' ELSE c.flags END AS flags, c.parent_call_path_id, c.parent_id FROM calls c JOIN"
	" call_paths p ON p.id = c.call_path_id LEFT JOIN threads t ON t.id = c.thread_id LEFT"
	" JOIN comms n ON n.id = c.comm_id LEFT JOIN symbols s ON s.id = p.symbol_id;"
	"CREATE VIEW samples_view AS SELECT a.id, a.time, a.cpu, t.pid, t.tid, n.comm AS command,"
	" e.name AS event, printf('%x', a.ip) AS ip_hex, s.name AS symbol, a.sym_offset,"
	" d.short_name AS dso_short_name, printf('%x', a.to_ip) AS to_ip_hex, ts.name AS"
	" to_symbol, a.to_sym_offset, td.short_name AS to_dso_short_name, b.name AS"
	" branch_type_name, a.in_tx, a.insn_count, a.cyc_count, " IPC ", a.flags FROM samples a"
	" LEFT JOIN threads t ON t.id = a.thread_id LEFT JOIN comms n ON n.id = a.comm_id LEFT"
	" JOIN selected_events e ON e.id = a.evsel_id LEFT JOIN symbols s ON s.id = a.symbol_id"
	" LEFT JOIN dsos d ON d.id = a.dso_id LEFT JOIN symbols ts ON ts.id = a.to_symbol_id LEFT"
	" JOIN dsos td ON td.id = a.to_dso_id LEFT JOIN branch_types b ON b.id = a.branch_type;"
	"CREATE INDEX pcpid_idx ON calls (parent_call_path_id);"
	"CREATE INDEX pid_idx ON calls (parent_id);"
	"ALTER TABLE comms ADD has_calls boolean;"
	"UPDATE comms SET has_calls = 1 WHERE id IN (SELECT comm_id FROM calls);";

/* The viewer has a chart of them only if there are some. */
static const char switches_view[] =
	"CREATE VIEW context_switches_view AS SELECT w.id, w.machine_id, w.time, w.cpu, o.pid AS"
	" pid_out, o.tid AS tid_out, co.comm AS comm_out, i.pid AS pid_in, i.tid AS tid_in,"
	" ci.comm AS comm_in, CASE w.flags WHEN 0 THEN 'in' WHEN 1 THEN 'out' WHEN 3 THEN 'out"
	" preempt' ELSE w.flags END AS flags FROM context_switches w JOIN threads o ON o.id ="
	" w.thread_out_id JOIN threads i ON i.id = w.thread_in_id JOIN comms co ON co.id ="
	" w.comm_out_id JOIN comms ci ON ci.id = w.comm_in_id;";

struct database {
	sqlite3 *is;
	sqlite3_stmt *insert[DB_TABLES];
	uint64_t rows[DB_TABLES];
	char *problem;	/* the first error; nothing is written after it */
};

bool timeline_database_available(void)
{
	return true;
}

static void note_error(struct database *db)
{
	if (!db->problem)
		db->problem =
			mem_text(db->is ? sqlite3_errmsg(db->is) : sqlite3_errstr(SQLITE_NOMEM));
}

static void run(struct database *db, const char *sql)
{
	if (!db->problem && sqlite3_exec(db->is, sql, NULL, NULL, NULL) != SQLITE_OK)
		note_error(db);
}

static void make_table(struct database *db, enum database_table i)
{
	const struct table *t = &tables[i];
	char sql[1024];
	const char *f;
	size_t n;

	snprintf(sql, sizeof(sql), "CREATE TABLE %s (%s)", t->name, t->columns);
	run(db, sql);
	n = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES (", t->name);
	for (f = t->form; *f; f++)
		n += (size_t)snprintf(sql + n, sizeof(sql) - n, f[1] ? "?," : "?)");
	if (!db->problem && sqlite3_prepare_v2(db->is, sql, -1, &db->insert[i], NULL) != SQLITE_OK)
		note_error(db);
}

struct database *database_open(const char *path)
{
	struct database *db = mem_zeroed(1, sizeof(*db));
	unsigned int i;

	if (sqlite3_open_v2(path, &db->is, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		note_error(db);
	/* the file has no name until it is complete: there is nothing to go back to */
	run(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
	for (i = 0; i < DB_TABLES; i++)
		make_table(db, (enum database_table)i);
	return db;
}

void database_row(struct database *db, enum database_table table, const int64_t *numbers,
		  const char *const *texts)
{
	sqlite3_stmt *s = db->insert[table];
	const char *form = tables[table].form;
	int i, rc = SQLITE_OK;

	if (db->problem)
		return;
	for (i = 0; form[i] && rc == SQLITE_OK; i++)
		rc = form[i] == 'n' ? sqlite3_bind_int64(s, i + 1, *numbers++) :
				      sqlite3_bind_text(s, i + 1, *texts++, -1, SQLITE_TRANSIENT);
	if (rc != SQLITE_OK || sqlite3_step(s) != SQLITE_DONE)
		note_error(db);
	sqlite3_reset(s);
	db->rows[table]++;
}

int database_close(struct database *db, const char *name, struct error *err)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; i < DB_TABLES; i++)
		sqlite3_finalize(db->insert[i]);
	run(db, views);
	run(db, db->rows[DB_SWITCHES] ? switches_view : "DROP TABLE context_switches");
	run(db, "COMMIT");
	if (sqlite3_close(db->is) != SQLITE_OK)
		note_error(db);
	if (db->problem)
		rc = error_set(
			err, ERR_IO,
			"%s: the database cannot be written: %s; choose another place with -o",
			name, db->problem);
	free(db->problem);
	free(db);
	return rc;
}

#else /* nothing else is called */

bool timeline_database_available(void)
{
	return false;
}
#endif
