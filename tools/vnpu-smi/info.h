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
 * @is_of_card: what it says is of the device and not of its chip
 * @csv: what it has rows of
 * @facts: what it says of a device, or NULL, then
 * @show: print @count devices; a chip is given when @is_chip
 */
struct info_view {
	const char *name;
	unsigned int needs;
	enum out_layout layout;
	bool is_of_card;
	const struct csv_list *csv;
	void (*facts)(struct out *o, const struct device *d);
	void (*show)(struct out *o, const struct device *d, size_t count,
		     bool is_chip);
};

/* Of every device. */
#define INFO_CHIP_COUNT	1
#define INFO_CHIP_ID	0

extern const struct info_view info_main_view;
extern const struct info_view info_list_view;
extern const struct info_view info_mapping_view;

/* Those that -t selects; the last one has no name. */
extern const struct info_view info_type_views[];

/* Print by @view->facts. */
void info_show_facts(const struct info_view *view, struct out *o,
		     const struct device *d, size_t count, bool is_chip);

/* Rows of quotas, of streams, and of what a device's memory consists of. */
extern const struct csv_list info_quota_csv[];
extern const struct csv_list info_stream_csv[];
extern const struct csv_list info_frag_csv[];

/* What there is of npu-smi's other types. */
void info_show_board(struct out *o, const struct device *d);
void info_show_common(struct out *o, const struct device *d);
void info_show_health(struct out *o, const struct device *d);
void info_show_product(struct out *o, const struct device *d);
void info_show_ecc(struct out *o, const struct device *d);
void info_show_temp(struct out *o, const struct device *d);
void info_show_power(struct out *o, const struct device *d);
void info_show_err_count(struct out *o, const struct device *d);
void info_show_op_timeout(struct out *o, const struct device *d);
void info_show_topo(struct out *o, const struct device *d, size_t count,
		    bool is_chip);

/* info watch, with itself as argv[0]. */
enum smi_exit info_watch(int argc, char **argv);

/* A string that may not have been told. */
static inline const char *info_string(const char *s)
{
	return *s ? s : NULL;
}

static inline unsigned int info_percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned int)(part * 100 / whole) : 0;
}

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

/* A list of the processes on @d, for data. */
void info_out_processes(struct out *o, const struct device *d);

#endif /* VNPU_SMI_INFO_H */
