// SPDX-License-Identifier: MIT
/*
 * Sentences about exceptions: which kernel, which block, and where in its source.
 */
#include <stdio.h>
#include <string.h>

#include "core.h"
#include "elf/lines.h"

_Static_assert(CORE_FAULT_ACCESS == EXEC_FAULT_ACCESS &&
	       CORE_FAULT_DEADLOCK == EXEC_FAULT_DEADLOCK &&
	       CORE_FAULT_SYSCALL == EXEC_FAULT_SYSCALL &&
	       CORE_FAULT_INSTRUCTION == EXEC_FAULT_INSTRUCTION &&
	       CORE_FAULT_STOPPED == EXEC_FAULT_STOPPED &&
	       CORE_FAULT_FUNCTION == EXEC_FAULT_FUNCTION &&
	       CORE_FAULT_STACK == EXEC_FAULT_STACK, "kinds of exceptions");

/*
 * The line of the kernel that an instruction belongs to: its own, or that of the
 * nearest caller in code of the program.  @callers ends with 0.
 */
static void line_of(const struct kernel *kernel, uint64_t at,
		    const uint64_t *callers, struct line *line)
{
	const void *data;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint64_t pc;
	size_t size;

	pthread_mutex_lock(&lock);
	line->file[0] = '\0';
	line->number = 0;
	pc = images_pc(kernel, at, &data, &size);
	if (pc)
		line_find(data, size, pc, line);
	/* Return addresses are behind the call. */
	for (; !line->file[0] && *callers; callers++) {
		pc = images_pc(kernel, *callers - 1, &data, &size);
		if (pc)
			line_find(data, size, pc, line);
	}
	pthread_mutex_unlock(&lock);
}

/* The kind of core, which the number of a block of a mixed kernel does not show. */
static const char *core_of(const struct kernel *kernel,
			   const struct exec_report *report)
{
	const struct vnpu_kernel *code = kernel->exec.code[EXEC_VECTOR].kernel;

	if (!code || (code->type != VNPU_KERNEL_TYPE_MIX_AIC_1_1 &&
		      code->type != VNPU_KERNEL_TYPE_MIX_AIC_1_2))
		return "";
	return report->core == VNPU_CORE_CUBE ? " on a cube core" :
		" on a vector core";
}

void message_make(struct core_exception *exception, char *text, size_t size,
		  const struct kernel *kernel, const struct exec_report *report)
{
	char address[32] = "", where[LINE_FILE_MAX + 16] = "";
	char where_other[LINE_FILE_MAX + 48] = "";
	struct line line, other;
	const void *data;
	size_t bytes;

	if (report->file[0]) {
		snprintf(line.file, sizeof(line.file), "%s", report->file);
		line.number = report->line;
	} else {
		line_of(kernel, report->pc, report->callers, &line);
	}
	if (line.file[0])
		snprintf(where, sizeof(where), " (%s:%u)", line.file,
			 line.number);
	line_of(kernel, report->other.pc, report->other.callers, &other);
	if (other.file[0])
		snprintf(where_other, sizeof(where_other),
			 ", the other access is at %s:%u", other.file,
			 other.number);
	if (report->address || report->kind == CORE_FAULT_ACCESS)
		snprintf(address, sizeof(address), ", address 0x%llx",
			 (unsigned long long)report->address);
	snprintf(text, size, "%s %s, block %u%s%s: %s%s%s",
		 kernel->image ? "kernel" : "operator", kernel->name,
		 report->block, address, core_of(kernel, report), report->text,
		 where, where_other);

	exception->kind = report->kind;
	exception->block = report->block;
	exception->core = report->core;
	exception->sub_index = report->sub_index;
	exception->is_write = report->is_write;
	exception->line = line.number;
	exception->address = report->address;
	exception->pc = images_pc(kernel, report->pc, &data, &bytes);
}
