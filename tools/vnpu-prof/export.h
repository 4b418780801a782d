/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables that CANN's msprof makes of a profile.
 */
#ifndef VNPU_PROF_EXPORT_H
#define VNPU_PROF_EXPORT_H

#include "metrics.h"
#include "profile.h"

/**
 * export_tables() - write the tables as CSV
 * @profile: the profile
 * @dir: directory of the files
 * @stamp: end of their names
 * @metrics: adds columns to op_summary
 *
 * Return: NULL, or a message that the caller frees.
 */
char *export_tables(const struct profile *profile, const char *dir,
		    const char *stamp, enum metrics metrics);

/* Write the events of all processes as one trace for a viewer, likewise. */
char *export_trace(const struct profile *profile, const char *dir,
		   const char *stamp);

#endif /* VNPU_PROF_EXPORT_H */
