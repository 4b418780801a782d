// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi info -t: types of npu-smi that a virtual device has little data for.
 *
 * Most of it is NA, so that scripts find the labels.
 */
#include <stdio.h>
#include <string.h>

#include <linux/vnpu_netlink.h>

#include "info.h"
#include "version.h"

#define PARAMETERS	"/sys/module/vnpu/parameters/"
#define CPUS_ONLINE	"/sys/devices/system/cpu/online"

static bool is_faulty(const struct device *d)
{
	return d->health != VNPU_HEALTH_OK;
}

void info_show_board(struct out *o, const struct device *d)
{
	char version[64];

	driver_version(version, sizeof(version));
	out_string(o, "name", "Product Name", info_string(d->name));
	out_string(o, "model", "Model", info_string(d->soc));
	out_none(o, "manufacturer", "Manufacturer");
	out_string(o, "serial_number", "Serial Number", info_string(d->uuid));
	out_string(o, "software_version", "Software Version",
		   info_string(version));
	out_none(o, "firmware_version", "Firmware Version");
	out_none(o, "compatibility", "Compatibility");
	out_none(o, "board_id", "Board ID");
	out_none(o, "pcb_id", "PCB ID");
	out_none(o, "bom_id", "BOM ID");
	out_string(o, "bus_id", "PCIe Bus Info", info_string(d->bus_id));
	out_none(o, "slot_id", "Slot ID");
	out_none(o, "class_id", "Class ID");
	out_none(o, "pci_vendor_id", "PCI Vendor ID");
	out_none(o, "pci_device_id", "PCI Device ID");
	out_none(o, "subsystem_vendor_id", "Subsystem Vendor ID");
	out_none(o, "subsystem_device_id", "Subsystem Device ID");
	out_uint(o, "chip_count", "Chip Count", INFO_CHIP_COUNT);
	out_uint(o, "faulty_chip_count", "Faulty Chip Count", is_faulty(d));
}

void info_show_common(struct out *o, const struct device *d)
{
	out_uint(o, "memory_usage_percent", "Memory Usage Rate(%)", 0);
	out_uint(o, "hbm_usage_percent", "HBM Usage Rate(%)",
		 info_percent(d->mem_used, d->mem_total));
	out_uint(o, "aicore_usage_percent", "Aicore Usage Rate(%)",
		 device_aicore_percent(d));
	out_none(o, "aicore_frequency_mhz", "Aicore Freq(MHZ)");
	out_none(o, "aicore_current_frequency_mhz", "Aicore curFreq(MHZ)");
	out_uint_if(o, "aicore_count", "Aicore Count", d->has_ai_cores,
		    d->ai_cores);
	out_none(o, "temperature_celsius", "Temperature(C)");
	out_none(o, "power_watts", "NPU Real-time Power(W)");
}

/* The driver does not report which of them it is. */
static const char *fault_words(const struct device *d)
{
	return d->ecc_uncorrected ? "an engine hangs, or memory has failed" :
				    "an engine hangs";
}

/* A driver that reports one health per device has no codes. */
void info_show_health(struct out *o, const struct device *d)
{
	out_string(o, "health", "Health", health_word(d->health));
	out_none(o, "error_code", "Error Code");
	out_string(o, "error_information", "Error Information",
		   is_faulty(d) ? fault_words(d) : NULL);
}

void info_show_product(struct out *o, const struct device *d)
{
	out_string(o, "product_type", "Product Type", info_string(d->name));
}

/* Counted since the creation of the device. */
void info_show_ecc(struct out *o, const struct device *d)
{
	out_uint_if(o, "hbm_single_bit_errors", "HBM Single Bit Error Count",
		    d->has_ecc, d->ecc_corrected);
	out_uint_if(o, "hbm_double_bit_errors", "HBM Double Bit Error Count",
		    d->has_ecc, d->ecc_uncorrected);
	out_none(o, "hbm_single_bit_errors_total",
		 "HBM Single Bit Aggregate Total Err Cnt");
	out_none(o, "hbm_double_bit_errors_total",
		 "HBM Double Bit Aggregate Total Err Cnt");
	out_none(o, "hbm_single_bit_isolated_pages",
		 "HBM Single Bit Isolated Pages Count");
	out_none(o, "hbm_double_bit_isolated_pages",
		 "HBM Double Bit Isolated Pages Count");
}

void info_show_temp(struct out *o, const struct device *d)
{
	(void)d;
	out_none(o, "temperature_celsius", "NPU Temperature (C)");
}

void info_show_power(struct out *o, const struct device *d)
{
	(void)d;
	out_none(o, "power_watts", "NPU Real-time Power(W)");
}

void info_show_err_count(struct out *o, const struct device *d)
{
	out_uint(o, "hangs", "Error Count", d->hangs);
	out_none(o, "error_code", "Error Code");
	out_uint(o, "resets", "Reset Count", d->resets);
}

/* Read the first line of a small file; empty without it. */
static void read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");

	*line = '\0';
	if (!f)
		return;
	if (!fgets(line, (int)size, f))
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(f);
}

/* The value is the same for all devices. */
void info_show_op_timeout(struct out *o, const struct device *d)
{
	char text[24];
	uint32_t ms = 0;
	bool is_known;

	(void)d;
	read_line(PARAMETERS "hang_timeout_ms", text, sizeof(text));
	is_known = parse_u32(text, &ms);
	out_uint_if(o, "op_timeout_ms", "OP Timeout(ms)", is_known, ms);
}

/* Name the connection of two devices: the memory of the machine. */
static const char *link_word(uint32_t a, uint32_t b)
{
	return a == b ? "X" : "SYS";
}

static void print_topo(FILE *f, const struct device *d, size_t count,
		       const char *cpus)
{
	size_t i, j;

	fprintf(f, "\t%-8s", "");
	for (i = 0; i < count; i++)
		fprintf(f, "NPU%-5u", d[i].id);
	fputs("CPU Affinity\n", f);
	for (i = 0; i < count; i++) {
		fprintf(f, "\tNPU%-5u", d[i].id);
		for (j = 0; j < count; j++)
			fprintf(f, "%-8s", link_word(d[i].id, d[j].id));
		fprintf(f, "%s\n", *cpus ? cpus : "NA");
	}
	fputs("\nLegend:\n\n"
	      "  X    = Self\n"
	      "  SYS  = Through the memory of the machine.\n", f);
}

void info_show_topo(struct out *o, const struct device *d, size_t count,
		    bool is_chip)
{
	char cpus[256];
	size_t i, j;

	(void)is_chip;
	read_line(CPUS_ONLINE, cpus, sizeof(cpus));
	if (!o->is_data) {
		print_topo(o->f, d, count, cpus);
		return;
	}
	out_object(o, NULL);
	out_list(o, "devices");
	for (i = 0; i < count; i++) {
		out_object(o, NULL);
		out_uint(o, "id", NULL, d[i].id);
		out_string(o, "cpu_affinity", NULL, info_string(cpus));
		out_list(o, "links");
		for (j = 0; j < count; j++) {
			out_object(o, NULL);
			out_uint(o, "id", NULL, d[j].id);
			out_string(o, "type", NULL,
				   link_word(d[i].id, d[j].id));
			out_object_end(o);
		}
		out_list_end(o);
		out_object_end(o);
	}
	out_list_end(o);
	out_object_end(o);
}
