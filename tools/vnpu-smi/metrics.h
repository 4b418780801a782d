/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the state of the devices in Prometheus' text format.
 */
#ifndef VNPU_SMI_METRICS_H
#define VNPU_SMI_METRICS_H

#include <stdio.h>

#include "cmd.h"
#include "model.h"

#define METRICS_TYPE	"text/plain; version=0.0.4; charset=utf-8"

/* Write the metrics of a state with its processes. */
void metrics_write(FILE *f, const struct state *state);

/*
 * Answer HTTP requests on the socket @fd, which is closed at the end, until a
 * signal; @serve creates a page for the caller to free, and returns 0 or
 * another exit status.
 */
enum smi_exit http_serve(int fd, enum smi_exit (*serve)(char **page,
							size_t *length));

#endif /* VNPU_SMI_METRICS_H */
