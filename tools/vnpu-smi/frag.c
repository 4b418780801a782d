// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi frag: check whether an allocation would fit now and after
 * compaction, and draw the memory that is in its way.
 */
#include <getopt.h>
#include <stdlib.h>

#include "answer.h"
#include "collect.h"
#include "frag_svg.h"
#include "out.h"
#include "session.h"

static const char frag_help[] =
"usage: vnpu-smi frag --fit SIZE [--contiguous] [--page SIZE] [-i ID] [FORM]\n"
"       vnpu-smi frag --svg FILE [-i ID]\n"
"\n"
"Report whether an allocation would fit on each device, now and after compaction,\n"
"or draw the layout of its memory, or both.  It neither allocates nor migrates\n"
"memory.\n"
"\n"
"  -f, --fit SIZE   bytes; a suffix K, M, G or T means KiB, MiB, GiB or TiB\n"
"  -C, --contiguous in one contiguous range\n"
"  -p, --page SIZE  in pages of 4K, 2M or 1G; 4K by default\n"
"  -s, --svg FILE   write an SVG image of the memory\n"
"  -i, --id ID      only the device with this number\n"
OUT_HELP
"  -h, --help       print this and exit\n";

/* The request on the command line. */
struct frag_request {
	uint64_t length;
	uint64_t page_size;
	bool is_contiguous;
	const char *svg;
	struct table_options form;
	bool has_id;
	uint32_t id;
};

/* A device, and its result. */
struct fit {
	const struct frag_request *request;
	uint32_t device;
	uint64_t cost;
	uint64_t largest;
	uint64_t largest_compacted;
	uint64_t moved;
	bool fits;
	bool fits_compacted;
};

static const struct option frag_options[] = {
	{ "fit",	required_argument,	NULL, 'f' },
	{ "contiguous",	no_argument,		NULL, 'C' },
	{ "page",	required_argument,	NULL, 'p' },
	{ "svg",	required_argument,	NULL, 's' },
	{ "id",		required_argument,	NULL, 'i' },
	TABLE_LONG_OPTIONS,
	{ "help",	no_argument,		NULL, 'h' },
	{ 0 }
};

static const struct nla_policy fit_policy[VNPU_A_FIT_MAX + 1] = {
	[VNPU_A_FIT_COST] = { .type = NLA_U64 },
	[VNPU_A_FIT_FITS] = { .type = NLA_U32 },
	[VNPU_A_FIT_FITS_COMPACTED] = { .type = NLA_U32 },
	[VNPU_A_FIT_LARGEST] = { .type = NLA_U64 },
	[VNPU_A_FIT_LARGEST_COMPACTED] = { .type = NLA_U64 },
	[VNPU_A_FIT_MOVED] = { .type = NLA_U64 },
};

static enum smi_exit take_size(uint64_t *size, char option, const char *text)
{
	if (*size)
		return fail(SMI_USAGE, "option '-%c' is given twice", option);
	if (!parse_size(text, size) || !*size || *size > INT64_MAX)
		return fail(SMI_USAGE,
			    "'%s' is not a size, which option '-%c' needs",
			    text, option);
	return SMI_OK;
}

static enum smi_exit take_file(const char **file, const char *text)
{
	if (*file)
		return fail(SMI_USAGE, "option '-s' is given twice");
	*file = text;
	return SMI_OK;
}

static enum smi_exit check_request(struct frag_request *r)
{
	if (!r->length && !r->svg)
		return fail(SMI_USAGE,
			    "option '--fit' is needed, or '--svg'; see 'vnpu-smi frag --help'");
	if (!r->length && (r->is_contiguous || r->page_size ||
			   r->form.is_json || r->form.format || r->form.fields))
		return fail(SMI_USAGE,
			    "options '-C', '-p', '-j', '--format' and '--fields' go with '--fit'");
	if (!r->page_size)
		r->page_size = UINT64_C(1) << VNPU_PAGE_SHIFT_4K;
	if (r->page_size != UINT64_C(1) << VNPU_PAGE_SHIFT_4K &&
	    r->page_size != UINT64_C(1) << VNPU_PAGE_SHIFT_2M &&
	    r->page_size != UINT64_C(1) << VNPU_PAGE_SHIFT_1G)
		return fail(SMI_USAGE, "the page size must be 4K, 2M or 1G");
	return SMI_OK;
}

/* *@wants_help is set if only the help is requested. */
static enum smi_exit parse_request(struct frag_request *r, bool *wants_help,
				   int argc, char **argv)
{
	enum smi_exit status = SMI_OK;
	int c;

	opterr = 0;
	while (!status) {
		c = getopt_long(argc, argv, "+:f:Cp:s:i:jh", frag_options, NULL);
		if (c == -1)
			break;
		switch (c) {
		case 'f':
			status = take_size(&r->length, 'f', optarg);
			break;
		case 'C':
			r->is_contiguous = true;
			break;
		case 'p':
			status = take_size(&r->page_size, 'p', optarg);
			break;
		case 's':
			status = take_file(&r->svg, optarg);
			break;
		case 'i':
			status = take_number(&r->has_id, &r->id, 'i', optarg);
			break;
		case 'j':
		case TABLE_OPTION_FORMAT:
		case TABLE_OPTION_FIELDS:
			status = table_take_option(&r->form, c, optarg);
			break;
		case 'h':
			*wants_help = true;
			return SMI_OK;
		default:
			status = fail_option("frag", c, argv);
		}
	}
	if (!status && optind < argc)
		status = fail(SMI_USAGE, "unexpected argument '%s'",
			      argv[optind]);
	return status ? status : check_request(r);
}

static int put_fit(struct nl_msg *msg, const void *arg)
{
	const struct fit *fit = arg;

	if (nla_put_u32(msg, VNPU_A_FIT_DEV_ID, fit->device) ||
	    nla_put_u64(msg, VNPU_A_FIT_LENGTH, fit->request->length) ||
	    nla_put_u64(msg, VNPU_A_FIT_PAGE_SIZE, fit->request->page_size) ||
	    (fit->request->is_contiguous &&
	     nla_put_flag(msg, VNPU_A_FIT_CONTIGUOUS)))
		return -NLE_MSGSIZE;
	return 0;
}

static enum smi_exit take_fit(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_FIT_MAX + 1];
	struct fit *fit = arg;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_FIT_MAX, fit_policy) ||
	    !HAS_ALL(tb, VNPU_A_FIT_COST, VNPU_A_FIT_FITS,
		     VNPU_A_FIT_FITS_COMPACTED, VNPU_A_FIT_LARGEST,
		     VNPU_A_FIT_LARGEST_COMPACTED, VNPU_A_FIT_MOVED))
		return fail_answer("the fitting test");
	fit->cost = nla_get_u64(tb[VNPU_A_FIT_COST]);
	fit->fits = nla_get_u32(tb[VNPU_A_FIT_FITS]);
	fit->fits_compacted = nla_get_u32(tb[VNPU_A_FIT_FITS_COMPACTED]);
	fit->largest = nla_get_u64(tb[VNPU_A_FIT_LARGEST]);
	fit->largest_compacted = nla_get_u64(tb[VNPU_A_FIT_LARGEST_COMPACTED]);
	fit->moved = nla_get_u64(tb[VNPU_A_FIT_MOVED]);
	return SMI_OK;
}

static void show_fit(struct out *o, const struct fit *fit)
{
	out_object(o, NULL);
	out_uint(o, "id", "NPU ID", fit->device);
	out_uint(o, "cost_bytes", "Cost(byte)", fit->cost);
	out_bool(o, "fits", "Fits", fit->fits);
	out_bool(o, "fits_after_compaction", "Fits After Compaction",
		 fit->fits_compacted);
	out_uint(o, "moved_bytes", "To Be Moved For It(byte)", fit->moved);
	out_bytes(o, "largest_bytes", "Largest That Fits(MB)", fit->largest);
	out_bytes(o, "largest_after_compaction_bytes",
		  "Largest After Compaction(MB)", fit->largest_compacted);
	out_text(o, "\n");
	out_object_end(o);
}

static enum smi_exit ask_all(struct fit *fits, size_t count)
{
	enum smi_exit status;
	struct session s;

	status = session_open(&s);
	if (status)
		return status;
	for (; !status && count; fits++, count--) {
		const struct question question = {
			.command = VNPU_CMD_FIT_GET,
			.put = put_fit,
			.record = take_fit,
			.arg = fits,
		};

		status = session_ask(&s, &question);
	}
	session_close(&s);
	return status;
}

static const struct csv_list fit_csv[] = {
	{ "devices", "", "id,cost_bytes,fits,fits_after_compaction,moved_bytes,"
			 "largest_bytes,largest_after_compaction_bytes" },
	{ NULL, "", "length_bytes,page_size_bytes,contiguous" },
	{ 0 }
};

static void show_all(struct out *o, const struct frag_request *r,
		     const struct fit *fits, size_t count)
{
	out_object(o, NULL);
	out_uint(o, "length_bytes", NULL, r->length);
	out_uint(o, "page_size_bytes", NULL, r->page_size);
	out_bool(o, "contiguous", NULL, r->is_contiguous);
	out_list(o, "devices");
	for (; count; fits++, count--)
		show_fit(o, fits);
	out_list_end(o);
	out_object_end(o);
}

static enum smi_exit ask_and_show(struct out *o, const struct frag_request *r,
				  const struct device_list *devices)
{
	struct fit *fits = calloc(devices->count + 1, sizeof(*fits));
	enum smi_exit status;
	size_t count = 0, i;

	if (!fits)
		return fail_memory();
	for (i = 0; i < devices->count; i++) {
		uint32_t id = devices->items[i].id;

		if (!r->has_id || id == r->id)
			fits[count++] = (struct fit){
				.request = r,
				.device = id,
			};
	}
	status = ask_all(fits, count);
	if (!status)
		show_all(o, r, fits, count);
	free(fits);
	return status;
}

enum smi_exit cmd_frag(int argc, char **argv)
{
	struct frag_request request = { 0 };
	const struct device *only = NULL;
	bool wants_help = false;
	enum smi_exit status;
	struct state state;
	struct out out;

	status = parse_request(&request, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(frag_help, stdout);
		return finish_output(stdout);
	}
	status = out_init(&out, &request.form, OUT_LINES, fit_csv);
	if (status)
		return out_fini(&out, status);
	status = collect(&state, request.svg ? COLLECT_FRAG : 0);
	if (!status && request.has_id) {
		only = state_find_device(&state, request.id);
		if (!only)
			status = fail(SMI_NO_DEVICE, "device %u does not exist",
				      request.id);
	}
	if (!status && request.svg)
		status = frag_svg_write(request.svg, &state.devices, only);
	if (!status && request.length)
		status = ask_and_show(&out, &request, &state.devices);
	state_fini(&state);
	return out_fini(&out, status);
}
