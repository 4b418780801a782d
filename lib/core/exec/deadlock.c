// SPDX-License-Identifier: MIT
/*
 * Describes blocks that wait for each other.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* Blocks that are listed by their numbers. */
#define LISTED	4

static void text_add(struct exec_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void text_add(struct exec_report *report, const char *format, ...)
{
	size_t at = strlen(report->text);
	va_list args;

	va_start(args, format);
	vsnprintf(report->text + at, sizeof(report->text) - at, format, args);
	va_end(args);
}

static const char *kind_name(const struct exec_launch *launch,
			     const struct exec_unit *unit)
{
	if (!launch->ratio)
		return "block";
	return unit->kind == EXEC_CUBE ? "cube block" : "vector block";
}

static void barrier_describe(struct exec_report *report,
			     const struct exec_launch *launch, unsigned int kind)
{
	const struct exec_barrier *barrier = &launch->barriers[kind];
	uint32_t listed = 0;
	struct list *at;

	text_add(report, "%s%u of %llu %sblocks wait in SyncAll (",
		 report->text[0] ? "; " : "", barrier->arrived,
		 (unsigned long long)launch->members[kind],
		 !launch->ratio || kind == EXEC_ALL ? "" :
		 kind == EXEC_CUBE ? "cube " : "vector ");
	list_for_each(at, &barrier->waiting) {
		if (listed == LISTED) {
			text_add(report, ", ...");
			break;
		}
		text_add(report, "%s%u", listed++ ? ", " : "",
		    exec_unit_index(exec_unit_of(at)));
	}
	text_add(report, ")");
}

static void flags_describe(struct exec_report *report,
			   const struct exec_launch *launch)
{
	uint32_t listed = 0, left = launch->waiting;
	struct list *at;

	for (unsigned int i = 0; i < EXEC_KINDS + 1; i++)
		left -= launch->barriers[i].arrived;
	list_for_each(at, &launch->flagged) {
		const struct exec_unit *unit = exec_unit_of(at);

		text_add(report, "%s", report->text[0] ? "; " : "");
		if (listed++ == LISTED) {
			text_add(report, "%u more blocks wait for flags",
				 left - LISTED);
			break;
		}
		text_add(report, "%s %u waits for flag %u, which is not set",
			 kind_name(launch, unit), exec_unit_index(unit),
			 unit->wait_id);
	}
}

/* The first block that waits, which the report is about. */
static const struct exec_unit *first_waiting(const struct exec_launch *launch)
{
	if (!list_is_empty(&launch->flagged))
		return exec_unit_of(launch->flagged.next);
	for (unsigned int i = 0; i < EXEC_KINDS + 1; i++)
		if (launch->barriers[i].arrived)
			return exec_unit_of(launch->barriers[i].waiting.next);
	return NULL;
}

const char *exec_limit_name(const struct exec_launch *launch)
{
	return launch->is_limited ? "the limit of cores allows" :
				    "the device runs";
}

void exec_deadlock_locked(struct exec *exec, struct exec_launch *launch)
{
	const struct exec_unit *unit = first_waiting(launch);
	struct exec_report *report = &launch->report;
	uint32_t groups = launch->blocks;

	exec_report_init(report, unit, EXEC_FAULT_DEADLOCK, EDEADLK);
	report->pc = (uintptr_t)unit->service_pc;
	/* The place is on the stack as well, below the callers. */
	exec_report_callers(report, unit, (uintptr_t)unit->sp);
	flags_describe(report, launch);
	for (unsigned int i = 0; i < EXEC_KINDS + 1; i++)
		if (launch->barriers[i].arrived)
			barrier_describe(report, launch, i);
	if (launch->begun < groups)
		text_add(report, "; %u have not begun, as %s %u at a time",
			 groups - launch->begun, exec_limit_name(launch),
			 launch->resident_max);
	else if (launch->live < launch->members[EXEC_ALL])
		text_add(report, "; %llu have ended",
			 (unsigned long long)launch->members[EXEC_ALL] -
			 launch->live);
	exec_launch_fail_locked(exec, launch, EDEADLK);
}
