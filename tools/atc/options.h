/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of atc.
 */
#ifndef VNPU_ATC_OPTIONS_H
#define VNPU_ATC_OPTIONS_H

#include <stdbool.h>

/**
 * enum atc_mode - values of --mode
 * @ATC_COMPILE: an ONNX model becomes an .om file
 * @ATC_JSON: the description of a model is written as JSON
 * @ATC_CHECK: the ONNX model is compiled, and nothing is written
 * @ATC_DISPLAY: the description of an .om file is printed
 */
enum atc_mode {
	ATC_COMPILE = 0,
	ATC_JSON = 1,
	ATC_CHECK = 3,
	ATC_DISPLAY = 6,
};

/**
 * struct options - the command line; texts are NULL if an option is not given
 * @mode: --mode
 * @framework: --framework, or -1
 * @model: --model
 * @output: --output
 * @om: --om
 * @json: --json
 * @input_shape: --input_shape
 * @input_shape_range: --input_shape_range
 * @input_format: --input_format, in upper case
 * @output_type: --output_type
 * @out_nodes: --out_nodes
 * @input_fp16_nodes: --input_fp16_nodes
 * @insert_op_conf: --insert_op_conf
 * @fusion_switch_file: --fusion_switch_file
 * @dynamic_batch_size: --dynamic_batch_size
 * @dynamic_image_size: --dynamic_image_size
 * @dynamic_dims: --dynamic_dims
 * @report: --report
 * @no_reuse: --disable_reuse_memory
 * @is_verbose: --log is info or debug
 */
struct options {
	enum atc_mode mode;
	int framework;
	const char *model;
	const char *output;
	const char *om;
	const char *json;
	const char *input_shape;
	const char *input_shape_range;
	const char *input_format;
	const char *output_type;
	const char *out_nodes;
	const char *input_fp16_nodes;
	const char *insert_op_conf;
	const char *fusion_switch_file;
	const char *dynamic_batch_size;
	const char *dynamic_image_size;
	const char *dynamic_dims;
	const char *report;
	bool no_reuse;
	bool is_verbose;
};

/* Read the command line; print help, or end the program for an error. */
void options_read(struct options *o, int argc, char **argv);

#endif
