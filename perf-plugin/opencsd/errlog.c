/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * errlog.c - the interface's error log. It is one for the whole process, as its functions have no
 * handle; like OpenCSD's it is for one thread at a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "custom.h"
#include "internal.h"

#define DEFAULT_FILE "ocsd_trace_log.txt"

static struct {
	ocsd_err_severity_t verbosity;
	bool output;			/* a logger was asked for */
	int flags;			/* C_API_MSGLOGOUT_FLG_* */
	FILE *file;
	FnDefLoggerPrintStrCB fn;
	void *ctx;
	const struct ocsd_tree *owner;	/* of fn */
	/* the last error */
	bool any;
	ocsd_err_t err;
	ocsd_trc_index_t index;
	uint8_t id;
	char text[256];
} lg = { .verbosity = OCSD_ERR_SEV_ERROR, .flags = C_API_MSGLOGOUT_FLG_STDOUT };

static const struct error {
	unsigned int err;		/* ocsd_err_t */
	enum client client;
	const char *name, *text;
} errors[] = {
#define ERR(n, t) { OCSD_##n, CLIENT_1_3, "OCSD_" #n, t },
#define ERR_1_3(n, t) { n##_1_3, CLIENT_1_3, "OCSD_" #n, t },
#define ERR_1_8(n, t) { OCSD_##n, CLIENT_1_8, "OCSD_" #n, t },
#include "errors.def"
#undef ERR
#undef ERR_1_3
#undef ERR_1_8
};

static void to_files(const char *s)
{
	if (lg.flags & C_API_MSGLOGOUT_FLG_STDOUT)
		fputs(s, stdout);
	if (lg.flags & C_API_MSGLOGOUT_FLG_STDERR)
		fputs(s, stderr);
	if (lg.file)
		fputs(s, lg.file);
}

static void out(const char *s)
{
	to_files(s);
	if (lg.fn)
		lg.fn(lg.ctx, s, (int)strlen(s));
}

void log_print(const struct ocsd_tree *t, const char *text)
{
	if (lg.output)
		to_files(text);
	if (t->print.str_fn)
		t->print.str_fn(t->print.str_ctx, text, (int)strlen(text));
	else if (lg.fn)
		lg.fn(lg.ctx, text, (int)strlen(text));
}

static void line(const char *component, const char *text)
{
	size_t len = strlen(text);
	const char *end = len && text[len - 1] == '\n' ? "" : "\n";
	char *all;

	if (asprintf(&all, "%s : %s%s", component, text, end) < 0)
		return;
	out(all);
	free(all);
}

void log_message(ocsd_err_severity_t sev, const char *component, const char *text)
{
	if (sev <= lg.verbosity && lg.output)
		line(component, text);
}

/* Components have the trace ID behind their name where several can be in a tree. */
static const char *component(const struct source *s, const char *kind, const char *what, char *name)
{
	if (s->tree->single && !(s->flags & OCSD_CREATE_FLG_INST_ID) && !s->custom)
		snprintf(name, LOG_NAME, "%s%s", kind, what);
	else
		snprintf(name, LOG_NAME, "%s%s_%04d", kind, what, s->id);
	return name;
}

const char *log_packets(const struct source *s, char *name)
{
	return component(s, "PKTP_", tree_protocol_name(s), name);
}

const char *log_decoder(const struct source *s, char *name)
{
	const char *what = tree_protocol_name(s);

	if (s->custom)
		return component(s, "", custom_name(s), name);
	/* of ETMv4 the decoder of instruction trace has no letter */
	return component(s, "DCD_", strcmp(what, OCSD_BUILTIN_DCD_ETMV4I) ? what : "ETMV4", name);
}

/* NULL: no error has that number. The number that ends 1.3.3's is an error to clients of 1.8. */
static const struct error *find_error(ocsd_err_t err, enum client client)
{
	const struct error *found = NULL;
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].err == (unsigned int)err && errors[i].client <= client)
			found = &errors[i];
	return found;
}

static void describe(char *buf, size_t size, ocsd_err_t err)
{
	const struct error *e = find_error(err, level_of_process());

	if (e)
		snprintf(buf, size, "0x%04x (%s) [%s]; ", (unsigned int)err, e->name, e->text);
	else
		snprintf(buf, size, "0x%04x (unknown); ", (unsigned int)err);
}

static void remember(ocsd_err_t err)
{
	lg.any = true;
	lg.err = err;
	lg.index = OCSD_BAD_TRC_INDEX;
	lg.id = OCSD_BAD_CS_SRC_ID;
	describe(lg.text, sizeof(lg.text), err);
}

ocsd_err_t err_last(ocsd_err_t err)
{
	if (err)
		remember(err);
	return err;
}

void log_error(ocsd_err_severity_t sev, const char *component, ocsd_err_t err, uint64_t index,
	       uint8_t id, const char *msg)
{
	size_t n;

	remember(err);
	lg.index = (ocsd_trc_index_t)index;
	lg.id = id;
	n = strlen(lg.text);
	if (lg.index != OCSD_BAD_TRC_INDEX)
		n += (size_t)snprintf(lg.text + n, sizeof(lg.text) - n, "TrcIdx=%llu; ",
				      (unsigned long long)lg.index);
	if (n < sizeof(lg.text) && id != OCSD_BAD_CS_SRC_ID)
		n += (size_t)snprintf(lg.text + n, sizeof(lg.text) - n, "CS ID=%02x; ", id);
	if (n < sizeof(lg.text))
		snprintf(lg.text + n, sizeof(lg.text) - n, "%s", msg);
	log_message(sev, component, lg.text);
}

static void close_file(void)
{
	if (lg.file)
		fclose(lg.file);
	lg.file = NULL;
}

OCSD_EXPORT ocsd_err_t ocsd_def_errlog_init(const ocsd_err_severity_t verbosity, const int create_output)
{
	lg.verbosity = verbosity;
	lg.output = create_output != 0;
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_def_errlog_config_output(const int flags, const char *name)
{
	close_file();
	lg.flags = flags & C_API_MSGLOGOUT_MASK;
	if (lg.flags & C_API_MSGLOGOUT_FLG_FILE) {
		lg.file = fopen(name ? name : DEFAULT_FILE, "w");
		if (!lg.file)
			return err_last(OCSD_ERR_FILE_ERROR);
	}
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_def_errlog_set_strprint_cb(const dcd_tree_handle_t handle, void *ctx,
						       FnDefLoggerPrintStrCB fn)
{
	struct ocsd_tree *t = tree_get(handle);

	if (!t)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	t->print.str_fn = fn;
	t->print.str_ctx = ctx;
	/* errors come here as well: to the client that asked last */
	lg.fn = fn;
	lg.ctx = ctx;
	lg.owner = t;
	return OCSD_OK;
}

void log_forget(const struct ocsd_tree *t)
{
	if (lg.owner == t) {
		lg.owner = NULL;
		lg.fn = NULL;
	}
}

OCSD_EXPORT void ocsd_def_errlog_msgout(const char *msg)
{
	if (msg && lg.output)
		out(msg);
}

static void put(char *buf, int size, const char *text)
{
	if (buf && size > 0)
		snprintf(buf, (size_t)size, "%s", text);
}

OCSD_EXPORT void ocsd_err_str(const ocsd_err_t err, char *buf, const int size)
{
	char text[192];

	describe(text, sizeof(text), err);
	put(buf, size, text);
}

OCSD_EXPORT ocsd_err_t ocsd_get_last_err(ocsd_trc_index_t *index, uint8_t *id, char *message, const int size)
{
	if (index)
		*index = lg.any ? lg.index : OCSD_BAD_TRC_INDEX;
	if (id)
		*id = lg.any ? lg.id : OCSD_BAD_CS_SRC_ID;
	put(message, size, lg.any ? lg.text : "");
	return lg.any ? lg.err : OCSD_OK;
}

OCSD_EXPORT uint32_t ocsd_get_version(void)
{
	return OCSD_VER_NUM;
}

OCSD_EXPORT const char *ocsd_get_version_str(void)
{
	return OCSD_VER_STRING;
}
