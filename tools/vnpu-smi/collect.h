/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: fill the model from the driver's answers.
 */
#ifndef VNPU_SMI_COLLECT_H
#define VNPU_SMI_COLLECT_H

#include "cmd.h"
#include "model.h"
#include "session.h"

/* Besides the devices themselves. */
#define COLLECT_MEMORY		(1U << 0)	/* page classes */
#define COLLECT_PROCESSES	(1U << 1)
#define COLLECT_FRAG		(1U << 2)	/* how memory is divided */
#define COLLECT_QUOTA		(1U << 3)	/* who may have how much */
#define COLLECT_USAGE		(1U << 4)	/* how busy engines are */
#define COLLECT_STREAMS		(1U << 5)

/*
 * Ask the driver, once for each kind of thing in @what.  The answers of one
 * kind belong together; another kind may be a moment younger.  @state is to
 * be given to state_fini() in any case.
 */
enum smi_exit collect(struct state *state, unsigned int what);

/* For collect(): what each client holds, of all devices. */
enum smi_exit collect_holdings(struct session *s, struct holding_list *list);

/* For collect(): the parts of COLLECT_FRAG and COLLECT_QUOTA. */
enum smi_exit collect_frag(struct session *s, struct state *state);
enum smi_exit collect_quota(struct session *s, struct state *state);

/* Understand the driver's message about a quota. */
enum smi_exit take_quota(struct nlmsghdr *msg, uint32_t *device,
			 struct quota *quota);

/*
 * For collect(): the part of COLLECT_USAGE.  @devices has been run once, and is
 * run again a moment later.
 */
enum smi_exit collect_usage(struct session *s, const struct dump *devices,
			    struct state *state);

/* How busy engines were between two states: of those in both. */
void state_set_usage(struct state *state, struct state *before);

/* For collect(): the part of COLLECT_STREAMS. */
enum smi_exit collect_streams(struct session *s, struct state *state);

/* For collect_frag(), when each device has its struct frag: what is in slabs. */
enum smi_exit collect_slabs(struct session *s, struct state *state);

#endif /* VNPU_SMI_COLLECT_H */
