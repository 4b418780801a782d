/* SPDX-License-Identifier: MIT */
/*
 * Reading of debug information.  All input is checked: a read beyond the end of
 * a section returns 0, and marks the section as bad.
 */
#ifndef VNPU_CORE_DWARF_H
#define VNPU_CORE_DWARF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct bytes - the unread rest of a section
 * @at: the next byte
 * @end: behind the last one
 * @is_bad: a read was beyond the end, or a value is unknown
 */
struct bytes {
	const uint8_t *at;
	const uint8_t *end;
	bool is_bad;
};

enum {
	DW_FORM_addr = 1, DW_FORM_block2 = 3, DW_FORM_block4 = 4,
	DW_FORM_data2 = 5, DW_FORM_data4 = 6, DW_FORM_data8 = 7,
	DW_FORM_string = 8, DW_FORM_block = 9, DW_FORM_block1 = 10,
	DW_FORM_data1 = 11, DW_FORM_flag = 12, DW_FORM_sdata = 13,
	DW_FORM_strp = 14, DW_FORM_udata = 15, DW_FORM_ref_addr = 16,
	DW_FORM_ref1 = 17, DW_FORM_ref2 = 18, DW_FORM_ref4 = 19,
	DW_FORM_ref8 = 20, DW_FORM_ref_udata = 21, DW_FORM_sec_offset = 23,
	DW_FORM_exprloc = 24, DW_FORM_flag_present = 25, DW_FORM_strx = 26,
	DW_FORM_addrx = 27, DW_FORM_data16 = 30, DW_FORM_line_strp = 31,
	DW_FORM_ref_sig8 = 32, DW_FORM_implicit_const = 33,
	DW_FORM_loclistx = 34, DW_FORM_rnglistx = 35, DW_FORM_strx1 = 37,
	DW_FORM_strx2 = 38, DW_FORM_strx3 = 39, DW_FORM_strx4 = 40,
	DW_FORM_addrx1 = 41, DW_FORM_addrx2 = 42, DW_FORM_addrx3 = 43,
	DW_FORM_addrx4 = 44,
};

uint64_t dwarf_number(struct bytes *bytes, unsigned int size);
uint64_t dwarf_uleb(struct bytes *bytes);
int64_t dwarf_sleb(struct bytes *bytes);
void dwarf_skip(struct bytes *bytes, uint64_t count);
const char *dwarf_string(struct bytes *bytes);
const char *dwarf_string_in(struct bytes section, uint64_t offset);

/* A section of a file; empty if there is none, or it is compressed. */
struct bytes dwarf_section(const uint8_t *data, size_t size, const char *name);

/* The most calls that are inlined into each other. */
#define CALLS_MAX	32

/**
 * struct call - the place of a call that was inlined
 * @file: in the table of the unit's lines
 * @line: of the call
 */
struct call {
	uint64_t file;
	uint32_t line;
};

/*
 * Find the inlined calls that the code at @pc belongs to, the outermost first.
 * Returns their number, and the position of the unit's lines in .debug_line.
 */
unsigned int inline_find(const uint8_t *data, size_t size, uint64_t pc,
			 struct call *calls, uint64_t *lines);

#endif /* VNPU_CORE_DWARF_H */
