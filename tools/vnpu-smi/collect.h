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

/*
 * Ask the driver, once for each kind of thing in @what.  The answers of one
 * kind belong together; another kind may be a moment younger.  @state is to
 * be given to state_fini() in any case.
 */
enum smi_exit collect(struct state *state, unsigned int what);

/* For collect(): the part of COLLECT_FRAG. */
enum smi_exit collect_frag(struct session *s, struct state *state);

/* For that, when each device has its struct frag: what is in slabs. */
enum smi_exit collect_slabs(struct session *s, struct state *state);

#endif /* VNPU_SMI_COLLECT_H */
