/* SPDX-License-Identifier: MIT */
/* Options of loads and runs of models, which programs set one by one. */
#ifndef VNPU_LIB_OFFLINE_CONFIG_H
#define VNPU_LIB_OFFLINE_CONFIG_H

#include "acl/acl_mdl.h"

/* Options of a run. */
struct vnpu_run_config {
	int32_t timeout;	/* of the wait, in milliseconds, or -1 */
	void *work;		/* memory for this run, or NULL */
	size_t work_size;
};

/* Read the options of a run; without a handle, set the defaults. */
aclError vnpu_run_config_get(const aclmdlExecConfigHandle *handle,
			     struct vnpu_run_config *config);

#endif /* VNPU_LIB_OFFLINE_CONFIG_H */
