// SPDX-License-Identifier: GPL-2.0-only
/* The command line of atc. See options.h. */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options.h"

/* The short names of the chips that devices emulate, for messages. */
#define SOC_NAMES	"310, 310P, 910B1, 910B3 or 950"

static const char help[] =
"usage: atc --model=FILE.onnx --framework=5 --output=NAME --soc_version=NAME\n"
"           [OPTION...]\n"
"       atc --mode=1 --om=FILE.om --json=FILE\n"
"       atc --mode=6 --om=FILE.om\n"
"       atc -h|--help | -v|--version\n"
"\n"
"Compile an ONNX model of opset 1 to 17 to NAME.om, for vnpu; or describe a\n"
"model.\n"
"\n"
"the model:\n"
"  --input_shape=\"NAME:N,N,...;NAME:...\"  sizes of inputs; -1 where gears differ\n"
"  --input_format=NCHW|NHWC|ND   where images have their channels (NCHW)\n"
"  --out_nodes=\"NODE:INDEX;...\"  other outputs; names of tensors work, too\n"
"  --output_type=TYPE            FP32, FP16, UINT8 or INT8 for all outputs, or\n"
"                                \"NODE:INDEX:TYPE;...\"\n"
"  --input_fp16_nodes=\"NAME;...\"  inputs that are FP16\n"
"  --insert_op_conf=FILE         preprocessing of images (AIPP)\n"
"gears, of which a program chooses one for each run:\n"
"  --dynamic_batch_size=\"N,N,...\"\n"
"  --dynamic_image_size=\"H,W;H,W;...\"\n"
"  --dynamic_dims=\"N,N;N,N;...\"  a value for each -1 of --input_shape\n"
"  --input_shape_range=\"NAME:[N,N~N];...\"  sizes that runs choose\n"
"how it is compiled:\n"
"  --fusion_switch_file=FILE     passes to leave out\n"
"  --disable_reuse_memory=0|1    1: each tensor has memory of its own\n"
"  --precision_mode=MODE         accepted: operators compute in f32\n"
"  --log=LEVEL                   info or debug: print passes and memory\n"
"  --report=FILE                 write passes and memory as JSON\n"
"others:\n"
"  --mode=0|1|3|6                0 compile; 1 compiled model to JSON; 3 only check\n"
"                                the ONNX model; 6 print a compiled model\n"
"  --framework=5                 ONNX\n"
"  --soc_version=NAME            the chip; a compiled model runs on all that\n"
"                                devices emulate: " SOC_NAMES "\n"
"\n"
"Options of CANN's atc that choose among properties of cards are accepted with a\n"
"note. exit status: 0 success; 1 any failure\n";

enum kind {
	TEXT,		/* kept as given */
	IGNORED,	/* accepted with a note */
	SILENT,		/* accepted, since its meaning is that of vnpu anyway */
	SOC,
	PRECISION,
	FRAMEWORK,
	MODE,
	FORMAT,
	REUSE,
	LOG,
};

#define TEXT_OPTION(name) { #name, TEXT, offsetof(struct options, name) }

static const struct {
	const char *name;
	enum kind kind;
	size_t at;
} table[] = {
	TEXT_OPTION(model), TEXT_OPTION(output), TEXT_OPTION(om),
	TEXT_OPTION(json), TEXT_OPTION(input_shape),
	TEXT_OPTION(input_shape_range), TEXT_OPTION(output_type),
	TEXT_OPTION(out_nodes), TEXT_OPTION(input_fp16_nodes),
	TEXT_OPTION(insert_op_conf), TEXT_OPTION(fusion_switch_file),
	TEXT_OPTION(dynamic_batch_size), TEXT_OPTION(dynamic_image_size),
	TEXT_OPTION(dynamic_dims), TEXT_OPTION(report),
	{ "mode", MODE, 0 }, { "framework", FRAMEWORK, 0 },
	{ "input_format", FORMAT, 0 }, { "log", LOG, 0 },
	{ "disable_reuse_memory", REUSE, 0 },
	{ "precision_mode", PRECISION, 0 },
	{ "precision_mode_v2", PRECISION, 0 },
	{ "soc_version", SOC, 0 }, { "output_format", SILENT, 0 },
	{ "core_type", IGNORED, 0 }, { "aicore_num", IGNORED, 0 },
	{ "enable_small_channel", IGNORED, 0 },
	{ "op_select_implmode", IGNORED, 0 },
	{ "optypelist_for_implmode", IGNORED, 0 },
	{ "op_precision_mode", IGNORED, 0 }, { "keep_dtype", IGNORED, 0 },
	{ "customize_dtypes", IGNORED, 0 }, { "modify_mixlist", IGNORED, 0 },
	{ "allow_hf32", IGNORED, 0 }, { "buffer_optimize", IGNORED, 0 },
	{ "auto_tune_mode", IGNORED, 0 }, { "external_weight", IGNORED, 0 },
	{ "debug_dir", IGNORED, 0 }, { "op_debug_level", IGNORED, 0 },
	{ "op_debug_config", IGNORED, 0 }, { "save_original_model", IGNORED, 0 },
	{ "atomic_clean_policy", IGNORED, 0 },
	{ "is_input_adjust_hw_layout", IGNORED, 0 },
	{ "is_output_adjust_hw_layout", IGNORED, 0 },
	{ "enable_scope_fusion_passes", IGNORED, 0 },
	{ "op_compiler_cache_mode", IGNORED, 0 },
	{ "op_compiler_cache_dir", IGNORED, 0 },
	{ "op_name_map", IGNORED, 0 }, { "op_bank_path", IGNORED, 0 },
	{ "mdl_bank_path", IGNORED, 0 }, { "display_model_info", IGNORED, 0 },
	{ "check_report", IGNORED, 0 }, { "host_env_os", IGNORED, 0 },
	{ "host_env_cpu", IGNORED, 0 }, { "virtual_type", IGNORED, 0 },
	{ "compress_weight_conf", IGNORED, 0 },
	{ "enable_compress_weight", IGNORED, 0 },
	{ "enable_single_stream", IGNORED, 0 },
	{ "deterministic", IGNORED, 0 }, { "tiling_schedule_optimize", IGNORED, 0 },
	{ "sparsity", IGNORED, 0 }, { "oo_level", IGNORED, 0 },
	{ "status_check", IGNORED, 0 }, { "ac_parallel_enable", IGNORED, 0 },
	{ "quant_dumpable", IGNORED, 0 }, { "input_hint_shape", IGNORED, 0 },
	{ "optimization_switch", IGNORED, 0 }, { "dump_mode", IGNORED, 0 },
	{ "op_precision", IGNORED, 0 }, { "precision", IGNORED, 0 },
	{ "jit_compile", IGNORED, 0 }, { "target", IGNORED, 0 },
	{ "static_model_ops_lower_limit", IGNORED, 0 },
	{ "enable_attr_compression", IGNORED, 0 }, { "device_id", IGNORED, 0 },
	{ "shape_generalized_build_mode", IGNORED, 0 },
	{ "deterministic_level", IGNORED, 0 }, { "is_weight_clip", IGNORED, 0 },
	{ "build_config", IGNORED, 0 }, { "export_compile_stat", IGNORED, 0 },
	{ "oo_constant_folding", IGNORED, 0 },
	{ "oo_dead_code_elimination", IGNORED, 0 },
};
#define OPTIONS (sizeof(table) / sizeof(*table))

#define QUANTISE \
	"atc does not change precisions: 'vnpu-model tune' chooses them by calibration data, and writes a model to compile"
#define ONE_DEVICE \
	"a model is compiled for one device: 'vnpu-model split' divides it into parts that run one after another"

/* Options that are not supported, and what to do instead. */
static const struct {
	const char *name;
	const char *text;
} refused[] = {
	{ "weight", "it belongs to Caffe models, which are not supported: export the model as ONNX" },
	{ "compression_optimize_conf", QUANTISE },
	{ "cal_conf", QUANTISE },
	{ "distributed_cluster_build", ONE_DEVICE },
	{ "cluster_config", ONE_DEVICE },
	{ "hccl_sub_comm_config", ONE_DEVICE },
	{ "enable_graph_parallel", ONE_DEVICE },
	{ "graph_parallel_option_path", ONE_DEVICE },
	{ "shard_model_dir", ONE_DEVICE },
	{ "model_relation_config", ONE_DEVICE },
	{ "raw_ge_options", "there are no options of the graph engine behind those of atc; give the latter" },
	{ "singleop", "single operators need no file here: call aclnn or aclop functions" },
};
#define REFUSED (sizeof(refused) / sizeof(*refused))

/* Count the letters to insert, delete, change, or swap with the next one. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int cost[64][64], i, k, last = strlen(a), width = strlen(b);

	if (last > 63 || width > 63)
		return 64;
	for (i = 0; i <= last; i++)
		cost[i][0] = i;
	for (k = 0; k <= width; k++)
		cost[0][k] = k;
	for (i = 1; i <= last; i++) {
		for (k = 1; k <= width; k++) {
			unsigned int best = cost[i - 1][k - 1] +
					    (a[i - 1] != b[k - 1]);

			if (best > cost[i - 1][k] + 1)
				best = cost[i - 1][k] + 1;
			if (best > cost[i][k - 1] + 1)
				best = cost[i][k - 1] + 1;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1] &&
			    best > cost[i - 2][k - 2] + 1)
				best = cost[i - 2][k - 2] + 1;
			cost[i][k] = best;
		}
	}
	return cost[last][width];
}

static void refuse(const char *name)
{
	unsigned int best = 0, i;

	for (i = 0; i < REFUSED; i++)
		if (!strcmp(refused[i].name, name))
			die("--%s: %s", name, refused[i].text);
	for (i = 1; i < OPTIONS; i++)
		if (distance(name, table[i].name) <
		    distance(name, table[best].name))
			best = i;
	if (distance(name, table[best].name) <= strlen(name) / 2)
		die("there is no option --%s; did you mean --%s?", name,
		    table[best].name);
	die("there is no option --%s; see atc --help", name);
}

static void take_framework(struct options *o, const char *value)
{
	if (!strcmp(value, "0"))
		die("--framework=0: Caffe models are not supported; convert the model to ONNX, for which there is --framework=5");
	if (!strcmp(value, "1"))
		die("--framework=1: MindSpore models are not supported; export the model as ONNX, for which there is --framework=5");
	if (!strcmp(value, "3"))
		die("--framework=3: TensorFlow models are not supported; convert the model by tf2onnx, and use --framework=5");
	if (strcmp(value, "5"))
		die("--framework=%s: must be 5, which is ONNX", value);
	o->framework = 5;
}

static void take_mode(struct options *o, const char *value)
{
	if (strlen(value) != 1 || !strchr("0136", *value))
		die("--mode=%s: must be 0 (compile), 1 (model to JSON), 3 (check only) or 6 (print a compiled model)",
		    value);
	o->mode = *value - '0';
}

static void take_format(struct options *o, const char *value)
{
	static const char *const formats[] = { "NCHW", "NHWC", "ND" };
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!strcasecmp(value, formats[i]))
			o->input_format = formats[i];
	if (!o->input_format)
		die("--input_format=%s: must be NCHW, NHWC or ND", value);
}

static void take_log(struct options *o, const char *value)
{
	static const char *const levels[] = { "debug", "info", "warning",
					      "error", "null" };
	unsigned int i;

	for (i = 0; i < 5 && strcasecmp(value, levels[i]); i++)
		;
	if (i == 5)
		die("--log=%s: must be debug, info, warning, error or null",
		    value);
	o->is_verbose = i < 2;
}

static void take_precision(const char *name, const char *value)
{
	if (strstr(value, "fp16") || strstr(value, "bf16") ||
	    strstr(value, "mixed"))
		note("--%s=%s: operators compute in f32, so results are more precise",
		     name, value);
}

static void take_soc(const char *value)
{
	static const char *const names[] = {
		"310", "Ascend310", "310P", "Ascend310P3", "910B1",
		"Ascend910B1", "910B3", "Ascend910B3", "950",
		"Ascend950PR_9599",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(value, names[i]))
			return;
	note("--soc_version=%s: no device emulates this chip, but " SOC_NAMES "; the model runs on these",
	     value);
}

static void take(struct options *o, unsigned int number, const char *value)
{
	const char *name = table[number].name;

	switch (table[number].kind) {
	case TEXT:
		if (!*value)
			die("--%s has an empty value", name);
		*(const char **)((char *)o + table[number].at) = value;
		break;
	case IGNORED:
		note("--%s has no effect here", name);
		break;
	case SILENT:
		break;
	case SOC:
		take_soc(value);
		break;
	case PRECISION:
		take_precision(name, value);
		break;
	case FRAMEWORK:
		take_framework(o, value);
		break;
	case MODE:
		take_mode(o, value);
		break;
	case FORMAT:
		take_format(o, value);
		break;
	case LOG:
		take_log(o, value);
		break;
	case REUSE:
		if (strcmp(value, "0") && strcmp(value, "1"))
			die("--%s=%s: must be 0 or 1", name, value);
		o->no_reuse = *value == '1';
		break;
	}
}

static void print_and_exit(const char *text)
{
	fputs(text, stdout);
	exit(fflush(stdout) ? 1 : 0);
}

/* Take an option, in one argument or two; return how many. */
static int read_option(struct options *o, int left, char **argv)
{
	const char *value = strchr(*argv, '=');
	char name[64];
	unsigned int i;

	if (!strcmp(*argv, "-h") || !strcmp(*argv, "--help"))
		print_and_exit(help);
	if (!strcmp(*argv, "-v") || !strcmp(*argv, "--version"))
		print_and_exit("atc (vnpu) " VNPU_VERSION "\n");
	if (strncmp(*argv, "--", 2) || !(*argv)[2])
		die("'%s' is no option; options begin with --, as --model=FILE",
		    *argv);
	snprintf(name, sizeof(name), "%.*s",
		 (int)(value ? value - *argv - 2 : 63), *argv + 2);
	for (i = 0; i < OPTIONS && strcmp(table[i].name, name); i++)
		;
	if (i == OPTIONS)
		refuse(name);
	if (value) {
		take(o, i, value + 1);
		return 1;
	}
	if (left < 2)
		die("--%s needs a value: --%s=VALUE", name, name);
	take(o, i, argv[1]);
	return 2;
}

static void need(const char *value, const char *name, const char *mode)
{
	if (!value)
		die("--%s is missing, which %s needs", name, mode);
}

void options_read(struct options *o, int argc, char **argv)
{
	int i;

	*o = (struct options){ .framework = -1 };
	for (i = 1; i < argc;)
		i += read_option(o, argc - i, argv + i);
	switch (o->mode) {
	case ATC_COMPILE:
		need(o->model, "model", "compiling");
		need(o->output, "output", "compiling");
		if (o->output[strlen(o->output) - 1] == '/')
			die("--output=%s is a directory; give the name of the file in it, without .om",
			    o->output);
		break;
	case ATC_CHECK:
		need(o->model, "model", "--mode=3");
		break;
	case ATC_JSON:
		need(o->om, "om", "--mode=1");
		need(o->json, "json", "--mode=1");
		return;
	case ATC_DISPLAY:
		need(o->om, "om", "--mode=6");
		return;
	}
	if (o->framework < 0)
		die("--framework is missing; it must be 5, which is ONNX");
}
