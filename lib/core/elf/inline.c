// SPDX-License-Identifier: MIT
/*
 * Which calls were inlined at an address: the entries DW_TAG_inlined_subroutine of
 * .debug_info, DWARF 2 to 5, as g++ and clang++ write them.
 */
#include <string.h>

#include "dwarf.h"

#define ABBREVS_MAX	1024

enum {
	DW_TAG_compile_unit = 0x11, DW_TAG_inlined_subroutine = 0x1d,
	DW_AT_stmt_list = 0x10, DW_AT_low_pc = 0x11, DW_AT_high_pc = 0x12,
	DW_AT_ranges = 0x55, DW_AT_call_file = 0x58, DW_AT_call_line = 0x59,
	DW_AT_addr_base = 0x73, DW_AT_rnglists_base = 0x74,
	DW_UT_compile = 1,
	DW_RLE_end_of_list = 0, DW_RLE_base_addressx, DW_RLE_startx_endx,
	DW_RLE_startx_length, DW_RLE_offset_pair, DW_RLE_base_address,
	DW_RLE_start_end, DW_RLE_start_length,
};

/* A unit of .debug_info, and where its parts are. */
struct info {
	struct bytes addresses, ranges, lists;
	unsigned int version;
	unsigned int offset_size;
	uint64_t low, address_base, lists_base, lines;
	/* Declarations of entries by their codes, behind the code. */
	struct bytes abbrevs[ABBREVS_MAX];
};

/* The attributes of an entry that count here. */
struct entry {
	uint64_t low, high, ranges;
	bool has_low, has_high, has_ranges;
	bool is_length;		/* @high is relative to @low */
	bool is_index;		/* @ranges is an index of a table */
	uint64_t call_file, call_line;
};

static uint64_t address_at(const struct info *info, uint64_t index)
{
	struct bytes table = info->addresses;

	dwarf_skip(&table, info->address_base);
	if (index > UINT32_MAX)
		return 0;
	dwarf_skip(&table, index * 8);
	return dwarf_number(&table, 8);
}

/* Read the value of an attribute; 0 if its kind is only skipped. */
static uint64_t value_read(struct bytes *at, const struct info *info,
			   uint64_t form, int64_t constant)
{
	switch (form) {
	case DW_FORM_flag_present:
		return 1;
	case DW_FORM_implicit_const:
		return constant;
	case DW_FORM_data1: case DW_FORM_flag: case DW_FORM_ref1:
	case DW_FORM_strx1:
		return dwarf_number(at, 1);
	case DW_FORM_data2: case DW_FORM_ref2: case DW_FORM_strx2:
		return dwarf_number(at, 2);
	case DW_FORM_strx3:
		return dwarf_number(at, 3);
	case DW_FORM_data4: case DW_FORM_ref4: case DW_FORM_strx4:
		return dwarf_number(at, 4);
	case DW_FORM_addr: case DW_FORM_data8: case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
		return dwarf_number(at, 8);
	case DW_FORM_strp: case DW_FORM_line_strp: case DW_FORM_sec_offset:
	case DW_FORM_ref_addr:
		return dwarf_number(at, info->offset_size);
	case DW_FORM_sdata:
		return dwarf_sleb(at);
	case DW_FORM_udata: case DW_FORM_ref_udata: case DW_FORM_strx:
	case DW_FORM_loclistx: case DW_FORM_rnglistx:
		return dwarf_uleb(at);
	case DW_FORM_addrx:
		return address_at(info, dwarf_uleb(at));
	case DW_FORM_addrx1:
		return address_at(info, dwarf_number(at, 1));
	case DW_FORM_addrx2:
		return address_at(info, dwarf_number(at, 2));
	case DW_FORM_addrx3:
		return address_at(info, dwarf_number(at, 3));
	case DW_FORM_addrx4:
		return address_at(info, dwarf_number(at, 4));
	case DW_FORM_string:
		dwarf_string(at);
		return 0;
	case DW_FORM_data16:
		dwarf_skip(at, 16);
		return 0;
	case DW_FORM_block1:
		dwarf_skip(at, dwarf_number(at, 1));
		return 0;
	case DW_FORM_block2:
		dwarf_skip(at, dwarf_number(at, 2));
		return 0;
	case DW_FORM_block4:
		dwarf_skip(at, dwarf_number(at, 4));
		return 0;
	case DW_FORM_block: case DW_FORM_exprloc:
		dwarf_skip(at, dwarf_uleb(at));
		return 0;
	default:
		at->is_bad = true;
		return 0;
	}
}

/* Read an entry by its declaration; that of the compile unit applies to all. */
static void entry_read(struct bytes *at, struct info *info,
		       struct bytes declaration, struct entry *entry,
		       bool is_unit)
{
	uint64_t attribute, form, value;
	int64_t constant;

	memset(entry, 0, sizeof(*entry));
	for (;;) {
		attribute = dwarf_uleb(&declaration);
		form = dwarf_uleb(&declaration);
		constant = form == DW_FORM_implicit_const ?
			dwarf_sleb(&declaration) : 0;
		if (!form || declaration.is_bad || at->is_bad)
			break;
		value = value_read(at, info, form, constant);
		switch (attribute) {
		case DW_AT_low_pc:
			entry->low = value;
			entry->has_low = true;
			break;
		case DW_AT_high_pc:
			entry->high = value;
			entry->has_high = true;
			entry->is_length = form != DW_FORM_addr;
			break;
		case DW_AT_ranges:
			entry->ranges = value;
			entry->has_ranges = true;
			entry->is_index = form == DW_FORM_rnglistx;
			break;
		case DW_AT_call_file:
			entry->call_file = value;
			break;
		case DW_AT_call_line:
			entry->call_line = value;
			break;
		case DW_AT_stmt_list:
			if (is_unit)
				info->lines = value;
			break;
		case DW_AT_addr_base:
			info->address_base = value;
			break;
		case DW_AT_rnglists_base:
			info->lists_base = value;
			break;
		}
	}
	at->is_bad |= declaration.is_bad;
}

/* Check whether @pc is in a list of ranges of DWARF 5. */
static bool is_in_list(const struct info *info, const struct entry *entry,
		       uint64_t pc)
{
	struct bytes at = info->lists;
	uint64_t base = info->low, start, end, offset = entry->ranges;
	unsigned int kind;

	if (entry->is_index) {
		struct bytes table = at;

		dwarf_skip(&table, info->lists_base);
		if (offset > UINT32_MAX)
			return false;
		dwarf_skip(&table, offset * info->offset_size);
		offset = info->lists_base +
			dwarf_number(&table, info->offset_size);
	}
	dwarf_skip(&at, offset);
	while (!at.is_bad) {
		kind = dwarf_number(&at, 1);
		start = end = 0;
		switch (kind) {
		case DW_RLE_base_addressx:
			base = address_at(info, dwarf_uleb(&at));
			continue;
		case DW_RLE_base_address:
			base = dwarf_number(&at, 8);
			continue;
		case DW_RLE_startx_endx:
			start = address_at(info, dwarf_uleb(&at));
			end = address_at(info, dwarf_uleb(&at));
			break;
		case DW_RLE_startx_length:
			start = address_at(info, dwarf_uleb(&at));
			end = start + dwarf_uleb(&at);
			break;
		case DW_RLE_offset_pair:
			start = base + dwarf_uleb(&at);
			end = base + dwarf_uleb(&at);
			break;
		case DW_RLE_start_end:
			start = dwarf_number(&at, 8);
			end = dwarf_number(&at, 8);
			break;
		case DW_RLE_start_length:
			start = dwarf_number(&at, 8);
			end = start + dwarf_uleb(&at);
			break;
		default:	/* DW_RLE_end_of_list */
			return false;
		}
		if (pc >= start && pc < end)
			return true;
	}
	return false;
}

/* Check whether @pc is in a list of ranges of DWARF 4: pairs of words. */
static bool is_in_ranges(const struct info *info, uint64_t offset, uint64_t pc)
{
	struct bytes at = info->ranges;
	uint64_t base = info->low, start, end;

	dwarf_skip(&at, offset);
	while (!at.is_bad) {
		start = dwarf_number(&at, 8);
		end = dwarf_number(&at, 8);
		if (!start && !end)
			break;
		if (start == ~0ULL)
			base = end;
		else if (pc >= base + start && pc < base + end)
			return true;
	}
	return false;
}

static bool is_in(const struct info *info, const struct entry *entry,
		  uint64_t pc)
{
	if (entry->has_ranges)
		return info->version >= 5 ? is_in_list(info, entry, pc) :
			is_in_ranges(info, entry->ranges, pc);
	if (!entry->has_low || !entry->has_high || pc < entry->low)
		return false;
	return entry->is_length ? pc - entry->low < entry->high :
		pc < entry->high;
}

/* Note where the declaration of each code is. */
static void abbrevs_read(struct info *info, struct bytes at)
{
	uint64_t code, attribute, form;

	while (!at.is_bad && (code = dwarf_uleb(&at))) {
		if (code < ABBREVS_MAX)
			info->abbrevs[code] = at;
		dwarf_uleb(&at);
		dwarf_number(&at, 1);
		do {
			attribute = dwarf_uleb(&at);
			form = dwarf_uleb(&at);
			if (form == DW_FORM_implicit_const)
				dwarf_sleb(&at);
		} while ((attribute || form) && !at.is_bad);
	}
}

/* Read the header of a unit; returns its entries. */
static struct bytes info_read(struct bytes *section, struct info *info,
			      struct bytes abbrevs)
{
	uint64_t length = dwarf_number(section, 4);
	unsigned int type = DW_UT_compile;
	struct bytes at;

	info->offset_size = 4;
	if (length == 0xffffffff) {
		info->offset_size = 8;
		length = dwarf_number(section, 8);
	}
	at = *section;
	dwarf_skip(section, length);
	at.end = section->at;
	info->version = dwarf_number(&at, 2);
	if (info->version >= 5) {
		type = dwarf_number(&at, 1);
		dwarf_number(&at, 1);
	}
	dwarf_skip(&abbrevs, dwarf_number(&at, info->offset_size));
	if (info->version < 5)
		dwarf_number(&at, 1);
	if (info->version < 2 || info->version > 5 || type != DW_UT_compile)
		at.is_bad = true;
	memset(info->abbrevs, 0, sizeof(info->abbrevs));
	abbrevs_read(info, abbrevs);
	return at;
}

static unsigned int unit_find(struct info *info, struct bytes at, uint64_t pc,
			      struct call *calls)
{
	unsigned int count = 0;
	struct entry entry;

	while (at.at < at.end && !at.is_bad && count < CALLS_MAX) {
		uint64_t code = dwarf_uleb(&at), tag;
		struct bytes declaration;

		/* The end of the entries that belong to another. */
		if (!code)
			continue;
		if (code >= ABBREVS_MAX || !info->abbrevs[code].at)
			break;
		declaration = info->abbrevs[code];
		tag = dwarf_uleb(&declaration);
		dwarf_number(&declaration, 1);
		entry_read(&at, info, declaration, &entry,
			   tag == DW_TAG_compile_unit);
		if (tag == DW_TAG_compile_unit)
			info->low = entry.low;
		if (tag == DW_TAG_inlined_subroutine && is_in(info, &entry, pc))
			calls[count++] = (struct call){ entry.call_file,
							entry.call_line };
	}
	return count;
}

unsigned int inline_find(const uint8_t *data, size_t size, uint64_t pc,
			 struct call *calls, uint64_t *lines)
{
	struct bytes section = dwarf_section(data, size, ".debug_info");
	struct bytes abbrevs = dwarf_section(data, size, ".debug_abbrev");
	static struct info info;
	unsigned int count = 0;

	info.addresses = dwarf_section(data, size, ".debug_addr");
	info.ranges = dwarf_section(data, size, ".debug_ranges");
	info.lists = dwarf_section(data, size, ".debug_rnglists");
	while (!count && section.at < section.end && !section.is_bad) {
		struct bytes at;

		info.low = info.address_base = info.lists_base = 0;
		info.lines = 0;
		at = info_read(&section, &info, abbrevs);
		count = unit_find(&info, at, pc, calls);
		*lines = info.lines;
	}
	return count;
}
