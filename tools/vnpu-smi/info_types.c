// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info -l, -m and -t: npu-smi's lists, with its labels.
 *
 * A vnpu device is an NPU with one chip, and all its memory is HBM.  A value of
 * zero is 0; a value that does not exist is NA.
 */
#include <inttypes.h>

#include <linux/vnpu_netlink.h>

#include "collect.h"
#include "info.h"
#include "text.h"

static void show_list(struct out *o, const struct device *d, size_t count,
		      bool is_chip)
{
	(void)is_chip;
	out_object(o, NULL);
	out_uint(o, "total_count", "Total Count", count);
	out_text(o, "\n");
	out_list(o, "devices");
	for (; count; d++, count--) {
		out_object(o, NULL);
		out_uint(o, "id", "NPU ID", d->id);
		out_string(o, "name", "Product Name", info_string(d->name));
		out_string(o, "serial_number", "Serial Number",
			   info_string(d->uuid));
		out_uint(o, "chip_count", "Chip Count", INFO_CHIP_COUNT);
		out_text(o, "\n");
		out_object_end(o);
	}
	out_list_end(o);
	out_object_end(o);
}

static const struct csv_list list_csv[] = {
	{ "devices", "", "id,name,serial_number,chip_count" },
	{ NULL, "", "total_count" },
	{ 0 }
};

const struct info_view info_list_view = {
	.layout = OUT_LINES,
	.csv = list_csv,
	.show = show_list,
};

static void show_mapping_row(struct out *o, const struct device *d)
{
	out_object(o, NULL);
	out_uint(o, "id", "NPU ID", d->id);
	out_uint(o, "chip_id", "Chip ID", INFO_CHIP_ID);
	out_uint(o, "chip_logic_id", "Chip Logic ID", d->id);
	out_uint(o, "chip_phy_id", "Chip Phy-ID", d->id);
	out_string(o, "chip_name", "Chip Name", info_string(d->name));
	out_object_end(o);
}

static void show_mapping(struct out *o, const struct device *d, size_t count,
			 bool is_chip)
{
	(void)is_chip;
	out_object(o, NULL);
	out_list(o, "devices");
	if (!o->is_data) {
		static const struct device none;

		o->is_header = true;
		show_mapping_row(o, &none);
		o->is_header = false;
	}
	for (; count; d++, count--)
		show_mapping_row(o, d);
	out_list_end(o);
	out_object_end(o);
}

static const struct csv_list mapping_csv[] = {
	{ "devices", "", "id,chip_id,chip_logic_id,chip_phy_id,chip_name" },
	{ 0 }
};

const struct info_view info_mapping_view = {
	.layout = OUT_COLUMNS,
	.csv = mapping_csv,
	.show = show_mapping,
};

static void show_memory(struct out *o, const struct device *d)
{
	out_bytes(o, "ddr_capacity_bytes", "DDR Capacity(MB)", 0);
	out_none(o, "ddr_clock_mhz", "DDR Clock Speed(MHz)");
	out_bytes(o, "hbm_capacity_bytes", "HBM Capacity(MB)", d->mem_total);
	out_none(o, "hbm_clock_mhz", "HBM Clock Speed(MHz)");
	out_none(o, "hbm_temperature_celsius", "HBM Temperature(C)");
	out_none(o, "hbm_manufacturer_id", "HBM Manufacturer ID");
}

static void show_usages(struct out *o, const struct device *d)
{
	unsigned int copy = d->engines[VNPU_ENGINE_CLASS_COPY].percent;
	unsigned int vector = d->engines[VNPU_ENGINE_CLASS_VECTOR].percent;
	unsigned int core = device_aicore_percent(d);

	out_bytes(o, "ddr_capacity_bytes", "DDR Capacity(MB)", 0);
	out_uint(o, "ddr_usage_percent", "DDR Usage Rate(%)", 0);
	out_uint(o, "ddr_hugepages_total_pages", "DDR Hugepages Total(page)",
		 0);
	out_uint(o, "ddr_hugepages_usage_percent",
		 "DDR Hugepages Usage Rate(%)", 0);
	out_bytes(o, "hbm_capacity_bytes", "HBM Capacity(MB)", d->mem_total);
	out_uint(o, "hbm_usage_percent", "HBM Usage Rate(%)",
		 info_percent(d->mem_used, d->mem_total));
	out_uint(o, "aicore_usage_percent", "Aicore Usage Rate(%)", core);
	out_uint(o, "aivector_usage_percent", "Aivector Usage Rate(%)", vector);
	out_none(o, "aicpu_usage_percent", "Aicpu Usage Rate(%)");
	out_none(o, "ctrlcpu_usage_percent", "Ctrlcpu Usage Rate(%)");
	out_none(o, "ddr_bandwidth_usage_percent",
		 "DDR Bandwidth Usage Rate(%)");
	out_none(o, "hbm_bandwidth_usage_percent",
		 "HBM Bandwidth Usage Rate(%)");
	out_uint(o, "npu_utilization_percent", "NPU Utilization(%)",
		 core > copy ? core : copy);
	out_none(o, "aicube_usage_percent", "Aicube Usage Rate(%)");
	out_uint(o, "copy_usage_percent", "Copy Engine Usage Rate(%)", copy);
}

static void show_proc_mem(struct out *o, const struct device *d)
{
	size_t i;

	if (o->is_data) {
		info_out_processes(o, d);
		return;
	}
	for (i = 0; i < d->process_count; i++) {
		const struct process *p = &d->processes[i];

		fprintf(o->f, "\tProcess id:%-7u Process name:", p->pid);
		text_print(o->f, p->name, 17);
		fprintf(o->f, " Process memory(MB):%" PRIu64 "\n",
			bytes_to_mib(p->mem_used));
	}
	if (!d->process_count)
		fputs("\tNo process in device.\n", o->f);
}

/*
 * For a card, npu-smi prints the numbers of the card and of the chip around the
 * facts; for a chip that was selected by its number, only the facts.
 */
void info_show_facts(const struct info_view *view, struct out *o,
		     const struct device *d, size_t count, bool is_chip,
		     const struct state *state)
{
	bool has_chip = !view->is_of_card;

	out_object(o, NULL);
	out_list(o, "devices");
	for (; count; d++, count--) {
		out_object(o, NULL);
		out_uint(o, "id", is_chip ? NULL : "NPU ID", d->id);
		if (has_chip)
			out_uint(o, "chip_count", is_chip ? NULL : "Chip Count",
				 INFO_CHIP_COUNT);
		if (has_chip && !is_chip)
			out_text(o, "\n");
		/* In data, values come before lists. */
		if (has_chip && o->is_data)
			out_uint(o, "chip_id", NULL, INFO_CHIP_ID);
		view->facts(o, d);
		if (has_chip && !o->is_data)
			out_uint(o, "chip_id", is_chip ? NULL : "Chip ID",
				 INFO_CHIP_ID);
		if (!is_chip)
			out_text(o, "\n");
		out_object_end(o);
	}
	if (view->host && state)
		view->host(o, state);
	out_list_end(o);
	out_object_end(o);
}

/* The columns of a type for a device, and for its only chip. */
#define CARD_CSV(keys)							\
	(const struct csv_list[]){					\
		{ "devices", "", "id," keys },				\
		{ 0 }							\
	}
#define CHIP_CSV(keys)	CARD_CSV("chip_count,chip_id," keys)

static const struct csv_list proc_mem_csv[] = {
	{ "devices.processes", "processes.", "pid,name,memory_bytes" },
	{ "devices", "", "id,chip_count,chip_id" },
	{ 0 }
};

static const struct csv_list topo_csv[] = {
	{ "devices.links", "links.", "id,type" },
	{ "devices", "", "id,cpu_affinity" },
	{ 0 }
};

const struct info_view info_type_views[] = {
	{ .name = "board", .is_of_card = true, .facts = info_show_board,
	  .csv = CARD_CSV("name,model,manufacturer,serial_number,"
			  "software_version,firmware_version,compatibility,"
			  "board_id,pcb_id,bom_id,bus_id,slot_id,class_id,"
			  "pci_vendor_id,pci_device_id,subsystem_vendor_id,"
			  "subsystem_device_id,chip_count,faulty_chip_count") },
	{ .name = "common", .needs = COLLECT_USAGE, .facts = info_show_common,
	  .csv = CHIP_CSV("memory_usage_percent,hbm_usage_percent,"
			  "aicore_usage_percent,aicore_frequency_mhz,"
			  "aicore_current_frequency_mhz,aicore_count,"
			  "temperature_celsius,power_watts") },
	{ .name = "memory", .facts = show_memory,
	  .csv = CHIP_CSV("ddr_capacity_bytes,ddr_clock_mhz,"
			  "hbm_capacity_bytes,hbm_clock_mhz,"
			  "hbm_temperature_celsius,hbm_manufacturer_id") },
	{ .name = "usages", .needs = COLLECT_USAGE, .facts = show_usages,
	  .csv = CHIP_CSV("ddr_capacity_bytes,ddr_usage_percent,"
			  "ddr_hugepages_total_pages,"
			  "ddr_hugepages_usage_percent,hbm_capacity_bytes,"
			  "hbm_usage_percent,aicore_usage_percent,"
			  "aivector_usage_percent,aicpu_usage_percent,"
			  "ctrlcpu_usage_percent,ddr_bandwidth_usage_percent,"
			  "hbm_bandwidth_usage_percent,"
			  "npu_utilization_percent,aicube_usage_percent,"
			  "copy_usage_percent") },
	{ .name = "health", .facts = info_show_health,
	  .csv = CHIP_CSV("health,error_code,error_information") },
	{ .name = "product", .is_of_card = true, .facts = info_show_product,
	  .csv = CARD_CSV("product_type") },
	{ .name = "ecc", .layout = OUT_WIDE_LINES, .facts = info_show_ecc,
	  .csv = CHIP_CSV("hbm_single_bit_errors,hbm_double_bit_errors,"
			  "hbm_single_bit_errors_total,"
			  "hbm_double_bit_errors_total,"
			  "hbm_single_bit_isolated_pages,"
			  "hbm_double_bit_isolated_pages") },
	{ .name = "temp", .facts = info_show_temp,
	  .csv = CHIP_CSV("temperature_celsius") },
	{ .name = "power", .facts = info_show_power,
	  .csv = CHIP_CSV("power_watts") },
	{ .name = "proc-mem", .needs = COLLECT_PROCESSES,
	  .facts = show_proc_mem, .csv = proc_mem_csv },
	{ .name = "topo", .show = info_show_topo, .csv = topo_csv },
	{ .name = "err-count", .facts = info_show_err_count,
	  .csv = CHIP_CSV("hangs,error_code,resets") },
	{ .name = "op-timeout", .facts = info_show_op_timeout,
	  .csv = CHIP_CSV("op_timeout_ms") },
	{ .name = "frag", .needs = COLLECT_FRAG, .facts = info_show_frag,
	  .csv = info_frag_csv },
	{ .name = "quota", .needs = COLLECT_QUOTA, .facts = info_show_quota,
	  .host = info_show_host_quota, .csv = info_quota_csv },
	{ .name = "stream", .needs = COLLECT_STREAMS,
	  .facts = info_show_streams, .csv = info_stream_csv },
	{ .name = "engine", .needs = COLLECT_ENGINES,
	  .facts = info_show_engines, .csv = info_engine_csv },
	{ 0 }
};
