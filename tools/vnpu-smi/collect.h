/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: fill the model from the driver's answers.
 */
#ifndef VNPU_SMI_COLLECT_H
#define VNPU_SMI_COLLECT_H

#include "cmd.h"
#include "model.h"
#include "session.h"

/* Parts of the model besides the devices themselves. */
#define COLLECT_MEMORY		(1U << 0)	/* page classes */
#define COLLECT_PROCESSES	(1U << 1)
#define COLLECT_FRAG		(1U << 2)	/* layout of memory */
#define COLLECT_QUOTA		(1U << 3)	/* limits and their use */
#define COLLECT_USAGE		(1U << 4)	/* load of engines */
#define COLLECT_STREAMS		(1U << 5)
#define COLLECT_ENGINES		(1U << 6)	/* each engine and AI core */

/*
 * Query the driver, once for each part in @what.  The answers of one part are
 * consistent; another part may be slightly newer.  The caller always passes
 * @state to state_fini().
 */
enum smi_exit collect(struct state *state, unsigned int what);

/* For collect(): get the memory of each client on all devices. */
enum smi_exit collect_holdings(struct session *s, struct holding_list *list);

/* For collect(): get the parts COLLECT_FRAG and COLLECT_QUOTA. */
enum smi_exit collect_frag(struct session *s, struct state *state);
enum smi_exit collect_quota(struct session *s, struct state *state);

/* Parse the driver's message about a quota. */
enum smi_exit take_quota(struct nlmsghdr *msg, uint32_t *device,
			 struct quota *quota);

/*
 * For collect(): get the part COLLECT_USAGE.  @devices has been run once, and
 * is run again after a delay.
 */
enum smi_exit collect_usage(struct session *s, const struct dump *devices,
			    struct state *state);

/* Compute the load of engines between two states, for devices in both. */
void state_set_usage(struct state *state, struct state *before);

/* For collect(): get the parts COLLECT_STREAMS and COLLECT_ENGINES. */
enum smi_exit collect_streams(struct session *s, struct state *state);
enum smi_exit collect_engines(struct session *s, struct state *state);

/* For collect_frag(), after each device has its struct frag: get the slabs. */
enum smi_exit collect_slabs(struct session *s, struct state *state);

#endif /* VNPU_SMI_COLLECT_H */
