// SPDX-License-Identifier: GPL-2.0-only
/*
 * --fusion_switch_file: passes that are left out. The file is JSON,
 *
 *	{"Switch": {"GraphFusion": {"bias": "off"}, "UBFusion": {"ALL": "off"}}}
 *
 * or lines NAME=on|off, also with a colon, and with sections as in an INI file.
 * Names are those of passes here, or of CANN.
 */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "../vnpu-model/file.h"
#include "message.h"
#include "pass/pass.h"
#include "switches.h"

/* Names of groups and of CANN's passes, with passes that do the same. */
static const struct {
	const char *name;
	const char *passes;
} others[] = {
	{ "graph_fusion_switch", "constant-folding identity common-subexpressions transpose-pairs cast-pairs" },
	{ "op_fusion_switch",
	  "pad-conv conv-batch-norm bias multiply-add clamp elementwise-chains" },
	{ "pattern_fusion_switch", "layer-norm activation" },
	{ "ConstantFoldingPass", "constant-folding" },
	{ "ConvBatchnormFusionPass", "conv-batch-norm" },
	{ "BatchnormConvFusionPass", "conv-batch-norm" },
	{ "HostBNFusionPass", "conv-batch-norm" },
	{ "ConvBiasaddFusionPass", "bias" },
	{ "ConvBiasAddFusionPass", "bias" },
	{ "MatMulBiasAddFusionPass", "bias" },
	{ "MatmulBiasAddFusionPass", "bias" },
	{ "BatchMatMulV2ReshapeFusionPass", "bias" },
	{ "PadConv2dFusionPass", "pad-conv" },
	{ "PadDepthwiseConv2dFusionPass", "pad-conv" },
	{ "LayerNormONNXFusionPass", "layer-norm" },
	{ "LayerNormFusionPass", "layer-norm" },
	{ "GeluFusionPass", "activation" },
	{ "GeluONNXFusionPass", "activation" },
	{ "SwishFusionPass", "activation" },
	{ "HardSwishFusionPass", "activation" },
	{ "MulAddFusionPass", "multiply-add" },
	{ "TbeConvReluFusionPass", "clamp" },
	{ "ConvReluFusionPass", "clamp" },
	{ "MatmulReluFusionPass", "clamp" },
	{ "TbeEltwiseFusionPass", "elementwise-chains" },
	{ "TransposeTransDataFusionPass", "transpose-pairs" },
	{ "CastRemoveFusionPass", "cast-pairs" },
	{ "RemoveNodePass", "identity" },
};
#define OTHERS (sizeof(others) / sizeof(*others))

static uint64_t all_passes(void)
{
	uint64_t bits = 0;
	unsigned int i;

	for (i = 0; pass_at(i); i++)
		bits |= UINT64_C(1) << i;
	return bits;
}

/* The passes of a list with spaces between them. */
static uint64_t bits_of(const char *list)
{
	uint64_t bits = 0;
	char name[64];
	size_t n;
	int pass;

	for (; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		snprintf(name, sizeof(name), "%.*s", (int)n, list);
		pass = pass_find(name);
		if (pass >= 0)
			bits |= UINT64_C(1) << pass;
	}
	return bits;
}

static void set(uint64_t *without, const char *path, const char *name,
		const char *value)
{
	uint64_t bits = 0;
	unsigned int i;
	bool is_off = !strcasecmp(value, "off") || !strcasecmp(value, "false");

	if (!is_off && strcasecmp(value, "on") && strcasecmp(value, "true"))
		die("'%s': the value of '%s' is '%s': must be on or off", path,
		    name, value);
	if (!strcasecmp(name, "ALL"))
		bits = all_passes();
	else
		bits = bits_of(name);
	for (i = 0; !bits && i < OTHERS; i++)
		if (!strcmp(others[i].name, name))
			bits = bits_of(others[i].passes);
	if (!bits && is_off)
		note("'%s': there is no pass '%s' here, so switching it off has no effect",
		     path, name);
	if (is_off)
		*without |= bits;
	else
		*without &= ~bits;
}

static void set_entry(uint64_t *without, const char *path, const char *name,
		      struct json_object *value)
{
	set(without, path, name, value ? json_object_get_string(value) : "null");
}

/*
 * Apply the entries of an object: "ALL" first, so that others overrule it.
 * @all: the passes that it stands for
 */
static void take_group(uint64_t *without, const char *path,
		       struct json_object *group, const char *all)
{
	struct json_object *value;

	if (json_object_object_get_ex(group, "ALL", &value))
		set_entry(without, path, all, value);
	json_object_object_foreach(group, name, entry)
		if (strcmp(name, "ALL"))
			set_entry(without, path, name, entry);
}

/* Find a group of the object Switch; NULL if it is not there. */
static struct json_object *find_group(const char *path,
				      struct json_object *switches,
				      const char *name)
{
	struct json_object *group;

	if (!json_object_object_get_ex(switches, name, &group))
		return NULL;
	if (!json_object_is_type(group, json_type_object))
		die("'%s': '%s' must be an object, as {\"ALL\": \"off\"}", path,
		    name);
	return group;
}

/* Parse a text that is one object, and nothing behind it. */
static struct json_object *parse_object(const char *path, const char *text,
					size_t size)
{
	struct json_tokener *tokener = json_tokener_new();
	enum json_tokener_error err;
	struct json_object *root;
	size_t end;

	if (!tokener)
		die("out of memory");
	root = json_tokener_parse_ex(tokener, text, size);
	err = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (err == json_tokener_continue)
		die("'%s' is not valid JSON: its end is missing", path);
	if (!root)
		die("'%s' is not valid JSON: %s", path,
		    json_tokener_error_desc(err));
	end += strspn(text + end, " \t\r\n");
	if (end < size)
		die("'%s' is not valid JSON: '%.20s' follows its end", path,
		    text + end);
	return root;
}

static uint64_t read_json(const char *path, const char *text, size_t size)
{
	struct json_object *root = parse_object(path, text, size);
	struct json_object *switches, *group;
	uint64_t without = 0, graph = 0;

	if (!json_object_object_get_ex(root, "Switch", &switches) ||
	    !json_object_is_type(switches, json_type_object))
		die("'%s' has no object 'Switch', as {\"Switch\": {\"GraphFusion\": {\"ALL\": \"off\"}}}",
		    path);
	/*
	 * UBFusion is for results that stay in a buffer: those between steps.
	 */
	group = find_group(path, switches, "UBFusion");
	if (group)
		take_group(&without, path, group, PASS_CHAINS);
	group = find_group(path, switches, "GraphFusion");
	if (group)
		take_group(&graph, path, group, "ALL");
	json_object_put(root);
	return without | graph;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t\r");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return text;
}

static uint64_t read_lines(const char *path, char *text)
{
	unsigned int number = 0;
	uint64_t without = 0;
	char *line, *value;

	while ((line = strsep(&text, "\n"))) {
		number++;
		line = trim(line);
		if (!*line || *line == '#' || *line == ';' || *line == '[')
			continue;
		value = line + strcspn(line, "=:");
		if (!*value)
			die("'%s', line %u: '%.60s' is neither JSON nor NAME=on|off",
			    path, number, line);
		*value++ = '\0';
		set(&without, path, trim(line), trim(value));
	}
	return without;
}

uint64_t switches_read(const char *path)
{
	struct file f;
	uint64_t without;
	char *text;

	die_if(file_read(&f, path));
	text = f.data;
	if (strlen(text) != f.size)
		die("'%s' is no text: it has a byte 0", path);
	if (text[strspn(text, " \t\r\n")] == '{')
		without = read_json(path, text, f.size);
	else
		without = read_lines(path, text);
	file_free(&f);
	return without;
}
