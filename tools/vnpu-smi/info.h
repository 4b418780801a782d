/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi info: its views.
 */
#ifndef VNPU_SMI_INFO_H
#define VNPU_SMI_INFO_H

#include "cmd.h"
#include "model.h"
#include "out.h"

/**
 * struct info_view - a view of the devices
 * @name: its name for -t, or NULL
 * @needs: COLLECT_*
 * @layout: layout of its text
 * @is_of_card: it describes the device and not its chip
 * @csv: its rows
 * @facts: prints the facts of a device, or NULL; otherwise
 * @show: prints @count devices; a chip is given when @is_chip
 * @host: with @facts, prints an entry of the host after those of all devices; or
 *	NULL
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
	void (*host)(struct out *o, const struct state *state);
};

/* Of every device. */
#define INFO_CHIP_COUNT	1
#define INFO_CHIP_ID	0

extern const struct info_view info_main_view;
extern const struct info_view info_list_view;
extern const struct info_view info_mapping_view;

/* The views of -t; the last one has no name. */
extern const struct info_view info_type_views[];

/*
 * Print a view that has @view->facts: @count devices and, unless @state is NULL,
 * the host.
 */
void info_show_facts(const struct info_view *view, struct out *o,
		     const struct device *d, size_t count, bool is_chip,
		     const struct state *state);

/* Rows of quotas, of streams, and of the layout of memory. */
extern const struct csv_list info_quota_csv[];
extern const struct csv_list info_engine_csv[];
extern const struct csv_list info_stream_csv[];
extern const struct csv_list info_frag_csv[];

/* The available parts of npu-smi's other types. */
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

/* Get a string that the driver may not have reported. */
static inline const char *info_string(const char *s)
{
	return *s ? s : NULL;
}

static inline unsigned int info_percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned int)(part * 100 / whole) : 0;
}

/* Print the layout of the memory of @d. */
void info_show_frag(struct out *o, const struct device *d);

/* For info_show_frag(): print the slabs. */
void info_show_slabs(struct out *o, const struct frag *frag);

/* Print the quotas of @d. */
void info_show_quota(struct out *o, const struct device *d);

/* Print the quotas of the host, if there are any, as an entry without an id. */
void info_show_host_quota(struct out *o, const struct state *state);

/* Print one quota. */
void info_out_quota(struct out *o, const struct quota *q);

/* Print the streams of @d. */
void info_show_engines(struct out *o, const struct device *d);
void info_show_streams(struct out *o, const struct device *d);

/* Print the list of processes on @d, for data. */
void info_out_processes(struct out *o, const struct device *d);

#endif /* VNPU_SMI_INFO_H */
