// SPDX-License-Identifier: MIT
/*
 * Reads .debug_line of DWARF 2 to 5.  All input is checked: a read beyond the end
 * of a section gives 0 and ends the search.
 */
#include <stdio.h>
#include <string.h>

#include "dwarf.h"
#include "lines.h"

#define DIRS_MAX	256
#define FILES_MAX	1024
#define FORMATS_MAX	16

enum {
	DW_LNS_copy = 1, DW_LNS_advance_pc, DW_LNS_advance_line,
	DW_LNS_set_file, DW_LNS_const_add_pc = 8, DW_LNS_fixed_advance_pc,
	DW_LNE_end_sequence = 1, DW_LNE_set_address = 2,
	DW_LNCT_path = 1, DW_LNCT_directory_index = 2,
};

/* A name in the table of files. */
struct name {
	const char *text;
	uint32_t directory;
};

struct unit {
	struct bytes strings, line_strings;
	unsigned int version;
	unsigned int offset_size;
	uint8_t min_length, line_range, opcode_base;
	int8_t line_base;
	uint8_t operands[256];
	struct name dirs[DIRS_MAX], files[FILES_MAX];
	uint32_t dir_count, file_count;
};

struct row {
	uint64_t address;
	uint64_t file;
	uint32_t line;
};

struct search {
	uint64_t pc;
	uint64_t function;	/* where its function begins */
	struct line *out;
	bool is_found;
	bool is_exact;		/* the row itself is of the program */
};

/* Find where the function at @pc begins; @pc itself if that is unknown. */
static uint64_t function_find(const uint8_t *data, size_t size, uint64_t pc)
{
	struct bytes table = dwarf_section(data, size, ".symtab");
	Elf64_Sym symbol;

	while ((size_t)(table.end - table.at) >= sizeof(symbol)) {
		memcpy(&symbol, table.at, sizeof(symbol));
		table.at += sizeof(symbol);
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    pc >= symbol.st_value &&
		    pc - symbol.st_value < symbol.st_size)
			return symbol.st_value;
	}
	return pc;
}

/* Read or skip a field of a name. */
static void field(struct bytes *bytes, const struct unit *unit, uint64_t form,
		  const char **text, uint64_t *value)
{
	switch (form) {
	case DW_FORM_string:
		*text = dwarf_string(bytes);
		break;
	case DW_FORM_strp:
		*text = dwarf_string_in(unit->strings,
				  dwarf_number(bytes, unit->offset_size));
		break;
	case DW_FORM_line_strp:
		*text = dwarf_string_in(unit->line_strings,
				  dwarf_number(bytes, unit->offset_size));
		break;
	case DW_FORM_udata:
		*value = dwarf_uleb(bytes);
		break;
	case DW_FORM_data1:
		*value = dwarf_number(bytes, 1);
		break;
	case DW_FORM_data2:
		*value = dwarf_number(bytes, 2);
		break;
	case DW_FORM_data4:
		*value = dwarf_number(bytes, 4);
		break;
	case DW_FORM_data8:
		*value = dwarf_number(bytes, 8);
		break;
	case DW_FORM_data16:
		dwarf_skip(bytes, 16);
		break;
	case DW_FORM_block:
		dwarf_skip(bytes, dwarf_uleb(bytes));
		break;
	case DW_FORM_block1:
		dwarf_skip(bytes, dwarf_number(bytes, 1));
		break;
	case DW_FORM_block2:
		dwarf_skip(bytes, dwarf_number(bytes, 2));
		break;
	case DW_FORM_block4:
		dwarf_skip(bytes, dwarf_number(bytes, 4));
		break;
	default:
		bytes->is_bad = true;
		break;
	}
}

/* A table of names of DWARF 5: its formats, then its entries. */
static uint32_t names5_read(struct bytes *bytes, const struct unit *unit,
			    struct name *names, uint32_t max)
{
	uint64_t formats[FORMATS_MAX][2], count;
	unsigned int format_count = dwarf_number(bytes, 1);

	for (unsigned int i = 0; i < format_count; i++) {
		if (i == FORMATS_MAX) {
			bytes->is_bad = true;
			return 0;
		}
		formats[i][0] = dwarf_uleb(bytes);
		formats[i][1] = dwarf_uleb(bytes);
	}
	count = dwarf_uleb(bytes);
	if (!format_count)
		return 0;
	for (uint64_t n = 0; n < count && !bytes->is_bad; n++) {
		struct name name = { "", 0 };

		for (unsigned int i = 0; i < format_count; i++) {
			const char *text = "";
			uint64_t value = 0;

			field(bytes, unit, formats[i][1], &text, &value);
			if (formats[i][0] == DW_LNCT_path)
				name.text = text;
			else if (formats[i][0] == DW_LNCT_directory_index)
				name.directory = value;
		}
		if (n < max)
			names[n] = name;
	}
	return count < max ? count : max;
}

/* Tables of names before DWARF 5, in which 0 is the directory of the unit. */
static void names2_read(struct bytes *bytes, struct unit *unit)
{
	const char *text;

	unit->dirs[0].text = "";
	unit->dir_count = 1;
	while (*(text = dwarf_string(bytes)))
		if (unit->dir_count < DIRS_MAX)
			unit->dirs[unit->dir_count++].text = text;
	unit->files[0] = (struct name){ "", 0 };
	unit->file_count = 1;
	while (*(text = dwarf_string(bytes))) {
		uint64_t directory = dwarf_uleb(bytes);

		dwarf_uleb(bytes);
		dwarf_uleb(bytes);
		if (unit->file_count < FILES_MAX)
			unit->files[unit->file_count++] =
				(struct name){ text, directory };
	}
}

/* Read the header of a unit; returns the bytes of its program. */
static struct bytes unit_read(struct bytes *section, struct unit *unit)
{
	uint64_t length = dwarf_number(section, 4), header_length;
	struct bytes bytes, program;

	unit->offset_size = 4;
	if (length == 0xffffffff) {
		unit->offset_size = 8;
		length = dwarf_number(section, 8);
	}
	bytes = *section;
	dwarf_skip(section, length);
	bytes.end = section->at;
	unit->version = dwarf_number(&bytes, 2);
	if (unit->version < 2 || unit->version > 5)
		bytes.is_bad = true;
	if (unit->version >= 5)
		dwarf_number(&bytes, 2);	/* sizes of addresses, of segments */
	header_length = dwarf_number(&bytes, unit->offset_size);
	program = bytes;
	dwarf_skip(&program, header_length);
	unit->min_length = dwarf_number(&bytes, 1);
	if (unit->version >= 4)
		dwarf_number(&bytes, 1);	/* operations of an instruction */
	dwarf_number(&bytes, 1);
	unit->line_base = dwarf_number(&bytes, 1);
	unit->line_range = dwarf_number(&bytes, 1);
	unit->opcode_base = dwarf_number(&bytes, 1);
	for (unsigned int i = 1; i < unit->opcode_base; i++)
		unit->operands[i] = dwarf_number(&bytes, 1);
	if (unit->version >= 5) {
		unit->dir_count = names5_read(&bytes, unit, unit->dirs,
					      DIRS_MAX);
		unit->file_count = names5_read(&bytes, unit, unit->files,
					       FILES_MAX);
	} else {
		names2_read(&bytes, unit);
	}
	program.is_bad |= bytes.is_bad || !unit->line_range ||
		!unit->opcode_base;
	return program;
}

static void path_make(const struct unit *unit, uint64_t file, char *path)
{
	const struct name *name = file < unit->file_count ?
		&unit->files[file] : NULL;
	const char *dir = name && name->directory < unit->dir_count ?
		unit->dirs[name->directory].text : "";

	if (!name)
		path[0] = '\0';
	else if (name->text[0] == '/' || !dir[0])
		snprintf(path, LINE_FILE_MAX, "%s", name->text);
	else
		snprintf(path, LINE_FILE_MAX, "%s/%s", dir, name->text);
}

/* Check whether code is of Ascend C or of the system, not of the program. */
static bool is_foreign(const char *path)
{
	return strstr(path, "/cann/include/") ||
		!strncmp(path, "/usr/include/", 13) ||
		!strncmp(path, "/usr/lib/", 9);
}

/* Look at a row, which covers the addresses up to the next one, @end. */
static void row_look(struct search *search, const struct unit *unit,
		     const struct row *row, uint64_t end)
{
	char path[LINE_FILE_MAX];

	if (row->address > search->pc || row->address < search->function ||
	    end == row->address || !row->line)
		return;
	search->is_found |= search->pc < end;
	path_make(unit, row->file, path);
	if (!path[0] || is_foreign(path))
		return;
	search->is_exact |= search->pc < end;
	memcpy(search->out->file, path, sizeof(path));
	search->out->number = row->line;
}

static void program_run(struct bytes *bytes, struct unit *unit,
			struct search *search)
{
	struct row row = { 0, 1, 1 }, last = {};

	while (bytes->at < bytes->end && !bytes->is_bad && !search->is_found) {
		unsigned int opcode = dwarf_number(bytes, 1);
		bool is_row = false, is_end = false;
		uint64_t length;

		if (opcode >= unit->opcode_base) {
			opcode -= unit->opcode_base;
			row.address += opcode / unit->line_range *
				unit->min_length;
			row.line += unit->line_base +
				(int)(opcode % unit->line_range);
			is_row = true;
		} else if (!opcode) {
			struct bytes extended = *bytes;

			length = dwarf_uleb(&extended);
			*bytes = extended;
			dwarf_skip(bytes, length);
			opcode = dwarf_number(&extended, 1);
			if (opcode == DW_LNE_set_address)
				row.address = dwarf_number(&extended, 8);
			is_end = is_row = opcode == DW_LNE_end_sequence;
		} else if (opcode == DW_LNS_copy) {
			is_row = true;
		} else if (opcode == DW_LNS_advance_pc) {
			row.address += dwarf_uleb(bytes) * unit->min_length;
		} else if (opcode == DW_LNS_advance_line) {
			row.line += dwarf_sleb(bytes);
		} else if (opcode == DW_LNS_set_file) {
			row.file = dwarf_uleb(bytes);
		} else if (opcode == DW_LNS_const_add_pc) {
			row.address += (255 - unit->opcode_base) /
				unit->line_range * unit->min_length;
		} else if (opcode == DW_LNS_fixed_advance_pc) {
			row.address += dwarf_number(bytes, 2);
		} else {
			for (unsigned int i = unit->operands[opcode]; i; i--)
				dwarf_uleb(bytes);
		}
		if (!is_row)
			continue;
		if (last.line)
			row_look(search, unit, &last, row.address);
		last = row;
		if (!is_end)
			continue;
		/* Only the sequence with the address counts. */
		if (!search->is_found)
			search->out->file[0] = '\0';
		row = (struct row){ 0, 1, 1 };
		last = (struct row){};
	}
}

/* The strings that names of files refer to. */
static void unit_init(struct unit *unit, const uint8_t *data, size_t size)
{
	memset(unit, 0, offsetof(struct unit, dirs));
	unit->strings = dwarf_section(data, size, ".debug_str");
	unit->line_strings = dwarf_section(data, size, ".debug_line_str");
}

/* Find the innermost inlined call that is in the program, not in a header. */
static void call_find(const void *data, size_t size, uint64_t pc,
		      struct line *out)
{
	struct bytes section = dwarf_section(data, size, ".debug_line");
	struct call calls[CALLS_MAX];
	char path[LINE_FILE_MAX];
	static struct unit unit;
	unsigned int count;
	uint64_t lines;

	count = inline_find(data, size, pc, calls, &lines);
	if (!count)
		return;
	dwarf_skip(&section, lines);
	unit_init(&unit, data, size);
	if (unit_read(&section, &unit).is_bad)
		return;
	while (count--) {
		path_make(&unit, calls[count].file, path);
		if (!path[0] || is_foreign(path))
			continue;
		memcpy(out->file, path, sizeof(path));
		out->number = calls[count].line;
		break;
	}
}

void line_find(const void *data, size_t size, uint64_t pc, struct line *out)
{
	struct search search = {
		.pc = pc,
		.function = function_find(data, size, pc),
		.out = out,
	};
	struct bytes section = dwarf_section(data, size, ".debug_line");
	static struct unit unit;

	out->file[0] = '\0';
	out->number = 0;
	while (section.at < section.end && !section.is_bad &&
	       !search.is_found) {
		struct bytes program;

		unit_init(&unit, data, size);
		program = unit_read(&section, &unit);
		if (!program.is_bad)
			program_run(&program, &unit, &search);
	}
	if (!search.is_found) {
		out->file[0] = '\0';
		out->number = 0;
	} else if (!search.is_exact) {
		call_find(data, size, pc, out);
	}
}
