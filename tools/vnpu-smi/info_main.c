// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info: the main table.
 *
 * Scripts parse npu-smi's table by its columns, so this one has exactly the
 * same width, words and order (those of npu-smi for the 910B family).  Only the
 * contents differ: it lists all processes instead of the first eight, and only
 * those that hold memory.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include <linux/vnpu_netlink.h>

#include "collect.h"
#include "info.h"
#include "text.h"
#include "version.h"

#define RULE(left, middle, right)	"+" left "+" middle "+" right "+\n"
#define DASHES_15	"---------------"
#define DASHES_27	"---------------------------"
#define DASHES_53	"-----------------------------------------------------"
#define DOUBLE_15	"==============="
#define DOUBLE_27	"==========================="
#define DOUBLE_53	"====================================================="

static const char top_rule[] =
	"+" DASHES_27 "-" DASHES_15 "-" DASHES_53 "+\n";
static const char thin_rule[] = RULE(DASHES_27, DASHES_15, DASHES_53);
static const char thick_rule[] = RULE(DOUBLE_27, DOUBLE_15, DOUBLE_53);

/* A virtual device has no sensor, and the format has no room for a word. */
#define POWER_WATTS		0.0
#define TEMPERATURE_CELSIUS	0
#define DDR_MIB			0

static const char *or_na(const char *s)
{
	return *s ? s : "NA";
}

/* Print a cell of the table; its text must not shift the columns. */
static void print_cell(FILE *f, const char *text, size_t width)
{
	char cell[TEXT_MAX];
	size_t i;

	for (i = 0; text[i] && i < sizeof(cell) - 1; i++)
		cell[i] = text[i] == '|' ? '?' : text[i];
	cell[i] = '\0';
	text_print(f, cell, width);
}

static void print_bus_id(FILE *f, const char *bus_id)
{
	char upper[VNPU_DEVICE_BUS_ID_LEN] = "";
	size_t i;

	for (i = 0; bus_id[i]; i++)
		upper[i] = (char)toupper((unsigned char)bus_id[i]);
	print_cell(f, or_na(upper), 13);
}

static void print_device(FILE *f, const struct device *d)
{
	fprintf(f, "| %-5" PRIu32 " ", d->id);
	print_cell(f, or_na(d->name), 20);
	fprintf(f, "| %-13s | %-11.1f %-17d %-6" PRIu64 "/ %-13" PRIu64 " |\n",
		health_word(d->health), POWER_WATTS, TEMPERATURE_CELSIUS,
		d->huge_used / HUGE_PAGE_SIZE, d->mem_total / HUGE_PAGE_SIZE);

	fprintf(f, "| %-26d| ", 0);
	print_bus_id(f, d->bus_id);
	fprintf(f, " | %-11d %-5d/ %-10d %-6" PRIu64 "/ %-13" PRIu64 " |\n",
		(int)device_aicore_percent(d), DDR_MIB, DDR_MIB, bytes_to_mib(d->mem_used),
		bytes_to_mib(d->mem_total));
	fputs(thick_rule, f);
}

static void print_processes(FILE *f, const struct device *d)
{
	size_t i;

	for (i = 0; i < d->process_count; i++) {
		const struct process *p = &d->processes[i];

		fprintf(f, "| %-7" PRIu32 " %-18d| %-13" PRIu32 " | ", d->id, 0,
			p->pid);
		print_cell(f, p->name, 24);
		fprintf(f, " | %-24" PRIu64 " |\n", bytes_to_mib(p->mem_used));
	}
	if (!d->process_count)
		fprintf(f, "| No running processes found in NPU %-7" PRIu32
			"%54s |\n", d->id, "");
	fputs(thick_rule, f);
}

static void print_main(FILE *f, const struct device *devices, size_t count)
{
	char driver[64];
	size_t i;

	driver_version(driver, sizeof(driver));
	fputs(top_rule, f);
	fprintf(f, "| npu-smi %-24s Version: ", VNPU_VERSION);
	print_cell(f, or_na(driver), 53);
	fputs(" |\n", f);
	fputs(thin_rule, f);
	fprintf(f, "| NPU   %-20s| %-13s | %-11s %-17s %-21s |\n", "Name",
		"Health", "Power(W)", "Temp(C)", "Hugepages-Usage(page)");
	fprintf(f, "| %-26s| %-13s | %-11s %-17s %-21s |\n", "Chip", "Bus-Id",
		"AICore(%)", "Memory-Usage(MB)", "HBM-Usage(MB)");
	fputs(thick_rule, f);
	for (i = 0; i < count; i++)
		print_device(f, &devices[i]);

	fputs(thin_rule, f);
	fprintf(f, "| NPU     %-18s| %-13s | %-24s | %-24s |\n", "Chip",
		"Process id", "Process name", "Process memory(MB)");
	fputs(thick_rule, f);
	for (i = 0; i < count; i++)
		print_processes(f, &devices[i]);
}

void info_out_processes(struct out *o, const struct device *d)
{
	size_t i;

	out_list(o, "processes");
	for (i = 0; i < d->process_count; i++) {
		out_object(o, NULL);
		out_uint(o, "pid", NULL, d->processes[i].pid);
		out_string(o, "name", NULL, d->processes[i].name);
		out_uint(o, "memory_bytes", NULL, d->processes[i].mem_used);
		out_object_end(o);
	}
	out_list_end(o);
}

static void out_device(struct out *o, const struct device *d)
{
	uint32_t i;

	out_object(o, NULL);
	out_uint(o, "id", NULL, d->id);
	out_string(o, "name", NULL, *d->name ? d->name : NULL);
	out_string(o, "uuid", NULL, *d->uuid ? d->uuid : NULL);
	out_string(o, "bus_id", NULL, *d->bus_id ? d->bus_id : NULL);
	out_string(o, "health", NULL, health_word(d->health));
	out_uint(o, "resets", NULL, d->resets);
	out_uint(o, "hangs", NULL, d->hangs);
	out_object(o, "memory");
	out_uint(o, "total_bytes", NULL, d->mem_total);
	out_uint(o, "used_bytes", NULL, d->mem_used);
	out_uint(o, "free_bytes", NULL, d->mem_free);
	out_uint(o, "largest_free_block_bytes", NULL, d->mem_largest_free);
	out_object_end(o);
	out_list(o, "engines");
	for (i = 0; i < ENGINE_CLASSES; i++) {
		out_object(o, NULL);
		out_string(o, "class", NULL, class_word(i));
		out_uint(o, "count", NULL, d->engines[i].count);
		out_uint(o, "busy_ns", NULL, d->engines[i].busy_ns);
		out_uint(o, "usage_percent", NULL, d->engines[i].percent);
		out_object_end(o);
	}
	out_list_end(o);
	info_out_processes(o, d);
	out_object_end(o);
}

/*
 * The table describes a device in two places, so text is printed separately
 * here.
 */
static void show_main(struct out *o, const struct device *d, size_t count,
		      bool is_chip)
{
	(void)is_chip;
	if (!o->is_data) {
		print_main(o->f, d, count);
		return;
	}
	out_object(o, NULL);
	out_list(o, "devices");
	for (; count; d++, count--)
		out_device(o, d);
	out_list_end(o);
	out_object_end(o);
}

static const struct csv_list main_csv[] = {
	{ "devices", "", "id,name,uuid,bus_id,health,resets,hangs,"
			 "memory.total_bytes,memory.used_bytes,"
			 "memory.free_bytes,memory.largest_free_block_bytes" },
	{ "devices.engines", "engines.", "class,count,busy_ns,usage_percent" },
	{ "devices.processes", "processes.", "pid,name,memory_bytes" },
	{ 0 }
};

const struct info_view info_main_view = {
	.csv = main_csv,
	.needs = COLLECT_MEMORY | COLLECT_PROCESSES | COLLECT_USAGE,
	.show = show_main,
};
