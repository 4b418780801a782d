/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables that CANN's msprof makes of a profile.
 */
#ifndef VNPU_PROF_EXPORT_H
#define VNPU_PROF_EXPORT_H

#include "profile.h"

/**
 * export_tables() - write op_summary, op_statistic and task_time as CSV
 * @profile: the profile
 * @dir: directory of the files
 * @stamp: end of their names
 *
 * Return: NULL, or a message that the caller frees.
 */
char *export_tables(const struct profile *profile, const char *dir,
		    const char *stamp);

/* Write the events of all processes as one trace for a viewer, likewise. */
char *export_trace(const struct profile *profile, const char *dir,
		   const char *stamp);

#endif /* VNPU_PROF_EXPORT_H */
