// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info watch: a line for each device, repeatedly.
 *
 * Letters and columns are those of npu-smi.  Fractions of seconds, an end,
 * timestamps, CSV and JSON are additions.
 */
#include <string.h>
#include <time.h>

#include <linux/vnpu_netlink.h>

#include "collect.h"
#include "info.h"
#include "option.h"
#include "table.h"
#include "text.h"

#define NS_PER_S	UINT64_C(1000000000)
#define ALL_LETTERS	"ptaicmbnu"
#define DELAY_MIN	(NS_PER_S / 100)

static const char watch_help[] =
"usage: vnpu-smi info watch [-i ID [-c CHIP]] [-d SECONDS] [-n COUNT]\n"
"                           [-s LETTERS] [-T] [OPTION...]\n"
"\n"
"Print a line for each device, repeatedly.\n"
"\n"
"  -i, --id ID      only the device with this number\n"
"  -c, --chip CHIP  only this chip of it; every device has only chip 0\n"
"  -d, --delay S    seconds between two lines, at least 0.01; 1 by default\n"
"  -n, --count N    end after N lines for each device\n"
"  -s, --show LETTERS  columns: p power, t temperature, a AI core, i AI CPU,\n"
"                   c control CPU, m memory, b memory bandwidth, n NPU,\n"
"                   u AI cube; all by default\n"
"  -T, --timestamp  begin each line with the time\n"
TABLE_HELP
"  -h, --help       print this and exit\n"
"\n"
"JSON is one object per line.\n";

struct watch_request {
	struct option_number id;
	struct option_number chip;
	struct option_seconds delay;
	struct option_number count;
	const char *letters;
	bool has_time;
	struct table_options table;
};

static const struct column columns[] = {
	{ "time", NULL, -18, 0 },
	{ "id", "NpuID(Idx)", -11, 0 },
	{ "chip_id", "ChipId(Idx)", -11, 0 },
	{ "power_watts", "Pwr(W)", -11, 0 },
	{ "temperature_celsius", "Temp(C)", -11, 0 },
	{ "aicore_usage_percent", "AI Core(%)", -11, 0 },
	{ "aicpu_usage_percent", "AI Cpu(%)", -11, 0 },
	{ "ctrlcpu_usage_percent", "Ctrl Cpu(%)", -11, 0 },
	{ "memory_usage_percent", "Memory(%)", -11, 0 },
	{ "memory_bandwidth_percent", "Memory BW(%)", -12, 0 },
	{ "npu_utilization_percent", "NPU Util(%)", -11, 0 },
	{ "aicube_usage_percent", "AI Cube(%)", -11, 0 },
};

#define COLUMN_COUNT	(sizeof(columns) / sizeof(columns[0]))

/* The first column with a letter, in the order of ALL_LETTERS. */
#define FIRST_LETTER	3

static void show_device(struct table *t, const struct device *d,
			const char *time)
{
	unsigned int copy = d->engines[VNPU_ENGINE_CLASS_COPY].percent;
	unsigned int vector = device_aicore_percent(d);

	table_row(t, (const struct cell[COLUMN_COUNT]){
		cell_string(time),
		cell_uint(d->id),
		cell_uint(INFO_CHIP_ID),
		cell_none(),
		cell_none(),
		cell_uint(vector),
		cell_none(),
		cell_none(),
		cell_uint(info_percent(d->mem_used, d->mem_total)),
		cell_none(),
		cell_uint(vector > copy ? vector : copy),
		cell_none(),
	});
}

static enum smi_exit show_all(const struct watch_request *r, struct table *t,
			      struct state *state)
{
	char time[TIME_TEXT];
	size_t i;

	table_time(t, time);
	for (i = 0; i < state->devices.count; i++)
		if (!r->id.is_given ||
		    state->devices.items[i].id == r->id.value)
			show_device(t, &state->devices.items[i], time);
	return ferror(t->f) ? finish_output(t->f) : SMI_OK;
}

/* Lines are synchronous with the clock, however long each takes. */
static void sleep_until_next(struct timespec *next, uint64_t delay)
{
	uint64_t ns = (uint64_t)next->tv_nsec + delay % NS_PER_S;

	next->tv_sec += (time_t)(delay / NS_PER_S + ns / NS_PER_S);
	next->tv_nsec = (long)(ns % NS_PER_S);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static enum smi_exit check_device(const struct watch_request *r,
				  struct state *state)
{
	if (r->id.is_given && !state_find_device(state, r->id.value))
		return fail(SMI_NO_DEVICE, "device %u does not exist",
			    r->id.value);
	return SMI_OK;
}

static enum smi_exit watch(const struct watch_request *r, struct table *t)
{
	uint64_t delay = r->delay.is_given ? r->delay.ns : NS_PER_S;
	struct state before, state;
	enum smi_exit status;
	struct timespec next;
	uint32_t looks = 0;

	/*
	 * The first line is for a short time before it, the others for the
	 * delay.
	 */
	status = collect(&state, COLLECT_USAGE);
	if (!status)
		status = check_device(r, &state);
	if (!status)
		table_start(t, "looks");
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (!status) {
		status = check_device(r, &state);
		if (!status)
			status = show_all(r, t, &state);
		if (status || ++looks == (r->count.is_given ? r->count.value : 0))
			break;
		sleep_until_next(&next, delay);
		before = state;
		status = collect(&state, 0);
		state_set_usage(&state, &before);
		state_fini(&before);
	}
	state_fini(&state);
	return status ? status : table_end(t);
}

static bool is_shown(const struct watch_request *r, size_t column)
{
	if (!column)
		return r->has_time;
	if (column < FIRST_LETTER || !r->letters)
		return true;
	return strchr(r->letters, ALL_LETTERS[column - FIRST_LETTER]);
}

/* The letters select columns of text, like --fields. */
static void choose_columns(const struct watch_request *r, struct table *t)
{
	size_t i;

	if (r->table.fields || t->format != TABLE_TEXT)
		return;
	t->shown_count = 0;
	for (i = 0; i < COLUMN_COUNT; i++)
		if (is_shown(r, i))
			t->shown[t->shown_count++] = i;
}

static enum smi_exit check_request(const struct watch_request *r)
{
	if (r->letters && (!*r->letters ||
			   r->letters[strspn(r->letters, ALL_LETTERS)]))
		return fail(SMI_USAGE, "'%s' has letters other than " ALL_LETTERS,
			    r->letters);
	if (r->letters && (r->table.fields || r->table.format ||
			   r->table.is_json))
		return fail(SMI_USAGE, "option '-s' is for text without '--fields'");
	if (r->delay.is_given && r->delay.ns < DELAY_MIN)
		return fail(SMI_USAGE, "the delay must be at least 0.01 seconds");
	if (r->count.is_given && !r->count.value)
		return fail(SMI_USAGE, "count 0 is invalid; use at least 1");
	if (r->chip.is_given && !r->id.is_given)
		return fail(SMI_USAGE, "option '-c' needs '-i'");
	if (r->chip.is_given && r->chip.value != INFO_CHIP_ID)
		return fail(SMI_NO_DEVICE, "device %u has no chip %u",
			    r->id.value, r->chip.value);
	return SMI_OK;
}

enum smi_exit info_watch(int argc, char **argv)
{
	struct watch_request request = { 0 };
	const struct smi_option options[] = {
		{ 'i', "id", OPTION_NUMBER, &request.id },
		{ 'c', "chip", OPTION_NUMBER, &request.chip },
		{ 'd', "delay", OPTION_SECONDS, &request.delay },
		{ 'n', "count", OPTION_NUMBER, &request.count },
		{ 's', "show", OPTION_STRING, &request.letters },
		{ 'T', "timestamp", OPTION_FLAG, &request.has_time },
		TABLE_OPTIONS(&request.table),
		{ 0 }
	};
	bool wants_help = false;
	enum smi_exit status;
	struct table table;

	status = parse_options("info watch", options, NULL, &wants_help, argc,
			       argv);
	if (!status && wants_help) {
		fputs(watch_help, stdout);
		return finish_output(stdout);
	}
	if (!status)
		status = check_request(&request);
	if (!status)
		status = table_init(&table, columns, COLUMN_COUNT,
				    &request.table, true);
	if (status)
		return status;
	choose_columns(&request, &table);
	return watch(&request, &table);
}
