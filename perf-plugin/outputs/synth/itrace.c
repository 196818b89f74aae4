/* SPDX-License-Identifier: GPL-2.0-only */
/* itrace.c - parses --itrace, as perf does. */
#include "outputs/synth/itrace.h"

#include <stdio.h>
#include <string.h>

/*
 * Letters for events that CoreSight program trace lacks. They are accepted so that the same
 * letters can be used for every trace.
 */
static const char no_meaning[] = "pofmMta";

void itrace_default(struct itrace_opts *o, bool listing)
{
	memset(o, 0, sizeof(*o));
	o->branches = true;
	o->errors = true;
	o->calls = listing;
	o->instructions = !listing;
	o->unit = listing ? ITRACE_INSNS : ITRACE_NS;
	o->period = listing ? 1 : ITRACE_DEFAULT_PERIOD;
}

static void skip_space(const char **p)
{
	while (**p == ' ' || **p == ',')
		(*p)++;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns false without a digit, or beyond 64 bits. */
static bool take_number(const char **p, uint64_t *value)
{
	uint64_t v = 0;

	if (!is_digit(**p))
		return false;
	for (; is_digit(**p); (*p)++)
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(**p - '0'), &v))
			return false;
	*value = v;
	return true;
}

/* Parses the period of `i` with its unit: i, t, ns, us or ms. */
static bool take_period(const char **p, struct itrace_opts *o)
{
	uint64_t scale = 1;

	skip_space(p);
	if (!is_digit(**p))
		return true;
	if (!take_number(p, &o->period))
		return false;
	skip_space(p);
	switch (**p) {
	case '\0':
		return true;
	case 'i':
		o->unit = ITRACE_INSNS;
		(*p)++;
		return true;
	case 't':
		o->unit = ITRACE_TICKS;
		(*p)++;
		return true;
	case 'm':
		scale = 1000000;
		break;
	case 'u':
		scale = 1000;
		break;
	case 'n':
		break;
	default:
		return false;
	}
	if ((*p)[1] != 's') {
		(*p)++;
		return false;
	}
	*p += 2;
	o->unit = ITRACE_NS;
	return !__builtin_mul_overflow(o->period, scale, &o->period);
}

static bool take_depth(const char **p, unsigned int *depth, unsigned int preset)
{
	uint64_t v;

	*depth = preset;
	skip_space(p);
	if (!is_digit(**p))
		return true;
	if (!take_number(p, &v) || !v || v > ITRACE_MAX_DEPTH)
		return false;
	*depth = (unsigned int)v;
	return true;
}

/* Parses the +x and -x flags after e and d; `minus` gets a bit per letter a..z with '-'. */
static bool take_flags(const char **p, uint32_t *minus)
{
	char sign;

	*minus = 0;
	while (**p == '+' || **p == '-') {
		sign = *(*p)++;
		if (**p < 'a' || **p > 'z')
			return false;
		if (sign == '-')
			*minus |= 1u << (**p - 'a');
		else
			*minus &= ~(1u << (**p - 'a'));
		(*p)++;
	}
	return true;
}

static void note_unused(struct itrace_opts *o, char letter)
{
	size_t n = strlen(o->unused);

	if (!strchr(o->unused, letter) && n + 1 < sizeof(o->unused))
		o->unused[n] = letter;
}

static bool take_letter(const char **p, struct itrace_opts *o)
{
	uint32_t minus;
	char c = *(*p)++;

	switch (c) {
	case ' ':
	case ',':
		return true;
	case 'i':
		o->instructions = true;
		return take_period(p, o);
	case 'y':
		/* as i for cycles events; perf has one period for both */
		note_unused(o, c);
		return take_period(p, o);
	case 'b':
		o->branches = true;
		return true;
	case 'c':
		o->branches = o->calls = true;
		return true;
	case 'r':
		o->branches = o->returns = true;
		return true;
	case 'e':
		o->errors = true;
		if (!take_flags(p, &minus))
			return false;
		o->no_overflow_errors = minus & 1u << ('o' - 'a');
		o->no_lost_errors = minus & 1u << ('l' - 'a');
		return true;
	case 'd':
		note_unused(o, c);
		return take_flags(p, &minus);
	case 'g':
		return take_depth(p, &o->chain, ITRACE_DEFAULT_CHAIN);
	case 'l':
		return take_depth(p, &o->stack, ITRACE_DEFAULT_STACK);
	case 'G':
		return take_depth(p, &o->add_chain, ITRACE_DEFAULT_CHAIN);
	case 'L':
		return take_depth(p, &o->add_stack, ITRACE_DEFAULT_STACK);
	case 'x':
		o->events[EVENT_TRANSACTION] = true;
		return true;
	case 'w':
		o->events[EVENT_PTWRITE] = true;
		return true;
	case 'I':
		o->events[EVENT_EVT] = true;
		return true;
	case 's':
		return take_number(p, &o->skip);
	case 'A':
		o->approximate_ipc = true;
		return true;
	case 'Z':
		o->timeless = true;
		return true;
	case 'T':
		o->kernel_time = true;
		return true;
	}
	if (!strchr(no_meaning, c))
		return false;
	note_unused(o, c);
	return true;
}

bool itrace_events(const struct itrace_opts *o)
{
	return o->events[EVENT_TRANSACTION] || o->events[EVENT_PTWRITE] || o->events[EVENT_EVT];
}

/* A quicker decoding with fewer details would be another result under the same name. */
static bool refuse_quick(const char *text, char *msg, size_t len)
{
	snprintf(msg, len, "--itrace=%s: q is not here: decoding is always complete; "
		 "'perf-cstrace profile --no-calls' is what takes least time, "
		 "'perf-cstrace dump --packets' needs no code", text);
	return false;
}

bool itrace_parse(struct itrace_opts *o, const char *text, char *msg, size_t len)
{
	const char *p = text, *start;

	memset(o, 0, sizeof(*o));
	o->unit = ITRACE_NS;
	o->period = ITRACE_DEFAULT_PERIOD;
	while (*p) {
		start = p;
		if (take_letter(&p, o))
			continue;
		if (*start == 'q')
			return refuse_quick(text, msg, len);
		snprintf(msg, len, "--itrace=%s: '%c' at position %zu is not understood; known are "
			 "i[PERIOD[i|t|ns|us|ms]] b c r x w I e[-o][-l] g[N] l[N] G[N] L[N] sN Z T "
			 "(N of g, l, G and L: 1 to %u)",
			 text, *start, (size_t)(start - text) + 1, ITRACE_MAX_DEPTH);
		return false;
	}
	/* period 0: as often as possible */
	if (!o->period) {
		o->period = 1;
		o->unit = ITRACE_INSNS;
	}
	return true;
}
