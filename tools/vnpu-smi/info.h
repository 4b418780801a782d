/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi info: the views that it has.
 */
#ifndef VNPU_SMI_INFO_H
#define VNPU_SMI_INFO_H

#include "cmd.h"
#include "model.h"
#include "out.h"

/**
 * struct info_view - one way to look at the devices
 * @name: what -t selects it by, or NULL
 * @needs: COLLECT_*
 * @layout: of its text
 * @show: print @count devices; a chip is given when @is_chip
 */
struct info_view {
	const char *name;
	unsigned int needs;
	enum out_layout layout;
	void (*show)(struct out *o, const struct device *d, size_t count,
		     bool is_chip);
};

extern const struct info_view info_main_view;
extern const struct info_view info_list_view;
extern const struct info_view info_mapping_view;

/* Those that -t selects; the last one has no name. */
extern const struct info_view info_type_views[];

/* How the memory of @d is divided. */
void info_show_frag(struct out *o, const struct device *d);

/* For info_show_frag(): what is in slabs. */
void info_show_slabs(struct out *o, const struct frag *frag);

/* Who may have how much of @d. */
void info_show_quota(struct out *o, const struct device *d);

/* What there is to say of one quota. */
void info_out_quota(struct out *o, const struct quota *q);

/* What the streams of @d do. */
void info_show_streams(struct out *o, const struct device *d);

/* A list of the processes on @d, for JSON. */
void info_out_processes(struct out *o, const struct device *d);

#endif /* VNPU_SMI_INFO_H */
