// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi health: the health of the devices, for users and for monitoring.
 */
#include <inttypes.h>

#include "collect.h"
#include "option.h"
#include "table.h"

static const char health_help[] =
"usage: vnpu-smi health [-i ID] [--nagios] [OPTION...]\n"
"\n"
"Print the health of the devices; the exit status is 5 if one is not healthy.\n"
"\n"
"  -i, --id ID      only the device with this number\n"
"  -N, --nagios     print one line, and exit as Nagios plug-ins do:\n"
"                   0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN\n"
TABLE_HELP
"  -h, --help       print this and exit\n";

struct health_request {
	struct option_number id;
	bool is_nagios;
	struct table_options table;
};

enum nagios {
	NAGIOS_OK,
	NAGIOS_WARNING,
	NAGIOS_CRITICAL,
	NAGIOS_UNKNOWN,
};

static const struct column columns[] = {
	{ "id", "NPU", -5, 0 },
	{ "health", "Health", -9, 0 },
	{ "hangs", "Hangs", 8, 0 },
	{ "resets", "Resets", 8, 0 },
};

#define COLUMN_COUNT	(sizeof(columns) / sizeof(columns[0]))

static bool is_concerned(const struct health_request *r,
			 const struct device *d)
{
	return !r->id.is_given || d->id == r->id.value;
}

static enum smi_exit show(const struct health_request *r, struct table *t,
			  const struct state *state)
{
	enum smi_exit status, health = SMI_OK;
	size_t i;

	table_start(t, "devices");
	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];

		if (!is_concerned(r, d))
			continue;
		if (d->health != VNPU_HEALTH_OK)
			health = SMI_UNHEALTHY;
		table_row(t, (const struct cell[COLUMN_COUNT]){
			cell_uint(d->id),
			cell_string(health_word(d->health)),
			cell_uint(d->hangs),
			cell_uint(d->resets),
		});
	}
	status = table_end(t);
	return status ? status : health;
}

static enum nagios nagios_of(uint32_t health)
{
	switch (health) {
	case VNPU_HEALTH_OK:
		return NAGIOS_OK;
	case VNPU_HEALTH_WARNING:
		return NAGIOS_WARNING;
	case VNPU_HEALTH_ALARM:
	case VNPU_HEALTH_CRITICAL:
		return NAGIOS_CRITICAL;
	default:
		return NAGIOS_UNKNOWN;
	}
}

/* A known failure is worse than an unknown state. */
static enum nagios worse(enum nagios a, enum nagios b)
{
	if (a == NAGIOS_UNKNOWN || b == NAGIOS_UNKNOWN) {
		enum nagios other = a == NAGIOS_UNKNOWN ? b : a;

		return other == NAGIOS_CRITICAL ? other : NAGIOS_UNKNOWN;
	}
	return a > b ? a : b;
}

static enum nagios show_nagios(const struct health_request *r,
			       const struct state *state)
{
	static const char *const words[] = {
		"OK", "WARNING", "CRITICAL", "UNKNOWN"
	};
	size_t i, count = 0, bad = 0;
	enum nagios all = NAGIOS_OK;

	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];

		if (!is_concerned(r, d))
			continue;
		count++;
		bad += d->health != VNPU_HEALTH_OK;
		all = worse(all, nagios_of(d->health));
	}
	printf("VNPU %s - %zu of %zu devices healthy |", words[all], count - bad,
	       count);
	for (i = 0; i < state->devices.count; i++) {
		const struct device *d = &state->devices.items[i];

		if (is_concerned(r, d))
			printf(" npu%" PRIu32 "_hangs=%" PRIu64 "c npu%" PRIu32
			       "_resets=%" PRIu64 "c", d->id, d->hangs, d->id,
			       d->resets);
	}
	putchar('\n');
	return all;
}

static enum smi_exit check_device(const struct health_request *r,
				  struct state *state)
{
	if (r->id.is_given && !state_find_device(state, r->id.value))
		return fail(SMI_NO_DEVICE, "device %u does not exist",
			    r->id.value);
	return state->devices.count ? SMI_OK :
		fail(SMI_NO_DEVICE, "there is no device");
}

/* With --nagios, any error is UNKNOWN. */
static int nagios(const struct health_request *r)
{
	enum nagios result = NAGIOS_UNKNOWN;
	enum smi_exit status;
	struct state state;

	status = collect(&state, 0);
	if (!status)
		status = check_device(r, &state);
	if (status)
		puts("VNPU UNKNOWN - the driver does not report the health");
	else
		result = show_nagios(r, &state);
	state_fini(&state);
	return finish_output(stdout) ? NAGIOS_UNKNOWN : result;
}

static enum smi_exit check_and_show(const struct health_request *r,
				    struct table *t)
{
	enum smi_exit status;
	struct state state;

	status = collect(&state, 0);
	if (!status)
		status = check_device(r, &state);
	if (!status)
		status = show(r, t, &state);
	state_fini(&state);
	return status;
}

enum smi_exit cmd_health(int argc, char **argv)
{
	struct health_request request = { 0 };
	const struct smi_option options[] = {
		{ 'i', "id", OPTION_NUMBER, &request.id },
		{ 'N', "nagios", OPTION_FLAG, &request.is_nagios },
		TABLE_OPTIONS(&request.table),
		{ 0 }
	};
	bool wants_help = false;
	enum smi_exit status;
	struct table table;

	status = parse_options("health", options, NULL, &wants_help, argc,
			       argv);
	if (!status && wants_help) {
		fputs(health_help, stdout);
		return finish_output(stdout);
	}
	if (!status)
		status = table_init(&table, columns, COLUMN_COUNT,
				    &request.table, false);
	if (!status && request.is_nagios &&
	    (request.table.is_json || request.table.format ||
	     request.table.fields))
		status = fail(SMI_USAGE,
			      "option '-N' cannot be combined with an output format");
	if (status)
		return request.is_nagios ? (enum smi_exit)NAGIOS_UNKNOWN :
					   status;
	if (request.is_nagios)
		return (enum smi_exit)nagios(&request);
	return check_and_show(&request, &table);
}
