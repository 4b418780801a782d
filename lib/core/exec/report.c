// SPDX-License-Identifier: MIT
/*
 * Reports of exceptions: the facts.  The host adds names and lines.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

void exec_report_init(struct exec_report *report, const struct exec_unit *unit,
		      uint32_t kind, int error)
{
	memset(report, 0, offsetof(struct exec_report, text));
	report->text[0] = '\0';
	report->kind = kind;
	report->error = error;
	report->block = exec_unit_index(unit);
	report->core = unit->block.kind;
	report->sub_index = unit->block.sub_index;
}

/* Check whether there is a call directly before @at. */
static bool is_behind_call(const struct exec_code *code, uint64_t at)
{
	const uint8_t *end = (const uint8_t *)at;

	if (at < code->text + 8 || at > code->text_end)
		return false;
#if defined(__x86_64__)
	/* call rel32; call *reg or *mem, with its ModRM and what follows. */
	if (end[-5] == 0xe8)
		return true;
	for (int length = 2; length <= 7; length++)
		if (end[-length] == 0xff && (end[1 - length] >> 3 & 7) == 2)
			return true;
	return false;
#elif defined(__aarch64__)
	uint32_t word;

	if (at & 3)
		return false;
	memcpy(&word, end - 4, sizeof(word));
	return word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000;
#endif
}

void exec_site_callers(uint64_t *callers, unsigned int max,
		       const struct exec_unit *unit, uint64_t sp)
{
	uint64_t low = (uintptr_t)unit->stack;
	uint64_t high = (low | (VNPU_STACK_SIZE - 1)) + 1 - 64;
	unsigned int count = 0;

	/* After an overflow, it points below the stack. */
	if (sp < low)
		sp = low;
	for (sp = (sp + 7) & ~7ULL; sp < high && count < max; sp += 8) {
		uint64_t word = *(const uint64_t *)sp;

		if (is_behind_call(unit->code, word))
			callers[count++] = word;
	}
	callers[count] = 0;
}

void exec_report_callers(struct exec_report *report,
			 const struct exec_unit *unit, uint64_t sp)
{
	exec_site_callers(report->callers, EXEC_CALLERS, unit, sp);
}

/* Check whether an address is in the guard below the stack. */
static bool is_overflow(const struct exec_unit *unit, uint64_t address)
{
	uint64_t stack = (uintptr_t)unit->stack;

	return address < stack && address >= stack - VNPU_STACK_SIZE;
}

/* Describe an address that is just outside of a memory of the core. */
static bool local_describe(struct exec_report *report,
			   const struct exec_unit *unit, uint64_t address)
{
	static const char *const names[VNPU_LOCAL_COUNT] = {
		[VNPU_LOCAL_UB] = "unified buffer", [VNPU_LOCAL_L1] = "L1",
		[VNPU_LOCAL_L0A] = "L0A", [VNPU_LOCAL_L0B] = "L0B",
		[VNPU_LOCAL_L0C] = "L0C", [VNPU_LOCAL_BT] = "bias table",
		[VNPU_LOCAL_FB] = "fixpipe buffer",
	};
	const uint64_t guard = 4096;

	for (unsigned int i = 0; i < VNPU_LOCAL_COUNT; i++) {
		const struct vnpu_local *local = &unit->block.local[i];
		uint64_t base = (uintptr_t)local->base;
		uint64_t end = base + local->size;

		if (!base || !names[i])
			continue;
		if (address >= end && address - end < guard)
			snprintf(report->text, sizeof(report->text),
				 "%s %llu bytes behind the %s, which has %llu bytes",
				 report->is_write ? "write" : "read",
				 (unsigned long long)(address - end), names[i],
				 (unsigned long long)local->size);
		else if (address < base && base - address <= guard)
			snprintf(report->text, sizeof(report->text),
				 "%s %llu bytes before the %s",
				 report->is_write ? "write" : "read",
				 (unsigned long long)(base - address),
				 names[i]);
		else
			continue;
		report->kind = VNPU_FAULT_BOUNDS;
		return true;
	}
	return false;
}

static void access_describe(struct exec_report *report,
			    const struct exec_unit *unit,
			    const struct exec_signal *signal)
{
	const char *what = signal->is_write ? "write to" : "read of";

	report->kind = EXEC_FAULT_ACCESS;
	report->error = EFAULT;
	report->is_write = signal->is_write;
	if (!signal->is_address) {
		snprintf(report->text, sizeof(report->text),
			 "access with a pointer that is not an address");
		return;
	}
	report->address = signal->address;
	if (is_overflow(unit, signal->address)) {
		report->kind = EXEC_FAULT_STACK;
		report->error = EIO;
		snprintf(report->text, sizeof(report->text),
			 "the stack of the block overflowed, it has %lu KiB",
			 VNPU_STACK_SIZE >> 10);
	} else if (local_describe(report, unit, signal->address)) {
		report->error = EIO;
	} else if (signal->address < 65536) {
		snprintf(report->text, sizeof(report->text),
			 "%s a null pointer", what);
	} else if (signal->number == SIGBUS) {
		report->error = EIO;
		snprintf(report->text, sizeof(report->text),
			 "%s memory with an error, or of a device that is gone",
			 what);
	} else if (signal->code == SEGV_ACCERR) {
		report->error = EACCES;
		snprintf(report->text, sizeof(report->text),
			 "%s memory that does not allow it", what);
	} else {
		snprintf(report->text, sizeof(report->text),
			 "%s memory that is not allocated", what);
	}
}

/* System calls that functions of the C library make for a kernel. */
static const char *syscall_name(int number)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{ 0, "read" }, { 1, "write" }, { 2, "open" }, { 3, "close" },
		{ 9, "mmap" }, { 11, "munmap" }, { 12, "brk" },
		{ 14, "rt_sigprocmask" }, { 35, "nanosleep" },
		{ 39, "getpid" }, { 60, "exit" }, { 202, "futex" },
		{ 228, "clock_gettime" }, { 230, "clock_nanosleep" },
		{ 231, "exit_group" }, { 234, "tgkill" }, { 257, "openat" },
		{ 318, "getrandom" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].number == number)
			return names[i].name;
	return "?";
}

void exec_report_signal(struct exec_worker *worker)
{
	const struct exec_unit *unit = worker->unit;
	const struct exec_signal *signal = &worker->signal;
	struct exec_report *report = &worker->report;

	exec_report_init(report, unit, EXEC_FAULT_INSTRUCTION, EIO);
	report->pc = signal->pc;
	switch (signal->number) {
	case SIGSEGV:
	case SIGBUS:
		access_describe(report, unit, signal);
		break;
	case SIGFPE:
		snprintf(report->text, sizeof(report->text), "%s",
			 signal->code == FPE_INTDIV ?
			 "division by 0, or its result is out of range" :
			 "arithmetic exception");
		break;
	case SIGILL:
		snprintf(report->text, sizeof(report->text),
			 "invalid instruction, as of __builtin_trap()");
		break;
	case SIGTRAP:
		snprintf(report->text, sizeof(report->text), "trap");
		break;
	case SIGABRT:
		snprintf(report->text, sizeof(report->text), "abort");
		break;
	case SIGSYS:
		report->kind = EXEC_FAULT_SYSCALL;
		snprintf(report->text, sizeof(report->text),
			 "system call %d (%s), but kernels cannot make any",
			 signal->syscall, syscall_name(signal->syscall));
		break;
	default:
		report->kind = EXEC_FAULT_STOPPED;
		report->error = ECANCELED;
		snprintf(report->text, sizeof(report->text),
			 "stopped while it ran");
		break;
	}
	exec_report_callers(report, unit, signal->sp);
}
