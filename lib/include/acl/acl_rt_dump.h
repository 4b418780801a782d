/* SPDX-License-Identifier: MIT */
/*
 * Dumps: the inputs and outputs of operators, as files.
 *
 * A configuration is a JSON object with the member "dump", in the file of
 * aclmdlSetDump() or aclInit():
 *
 *	{"dump": {"dump_path": "out", "dump_mode": "all",
 *		  "dump_list": [{"model_name": "net", "layer": ["conv1"]}]}}
 *
 * dump_path		a folder that exists
 * dump_list		the models: objects with the name of a model or of its file
 *			(model_name) and the names of operators (layer); without
 *			the one, all models, and without the other, all operators
 * dump_mode		"input", "output" (the default) or "all"
 * dump_data		"tensor" (the default): a .npy file for each tensor; "stats":
 *			a .csv file for each operator, with a line for each tensor
 * dump_stats		a list of columns of such files: "Max", "Min", "Avg", "Nan",
 *			"Negative Inf", "Positive Inf", "L2norm"; all by default
 * dump_step		runs of a model, counted from 0, such as "0|3-5|10"; all by
 *			default
 * dump_op_switch	"on": also single operators; "off" is the default
 * dump_level		"op", "kernel" or "all", which are the same here
 * dump_scene		"normal" is the default; the others, such as
 *			"lite_exception", have no effect, and the dump none
 * dump_debug		"off"
 *
 * The names of files are those of CANN, with other characters than letters,
 * digits, "_" and "-" replaced by "_" in names of models and operators:
 *
 *	dump_path/DATE/DEVICE/MODEL/ID/RUN/TYPE.NAME.TASK.STREAM.TIME.output.0.npy
 *	dump_path/DATE/DEVICE/NAME.NAME.TASK.STREAM.TIME.output.0.npy
 *
 * TASK is the number of the operator in the run, or of the call in the dump.  CANN
 * writes its own format, which its tools convert to .npy; here the files have that
 * format at once, with the elements of bf16 as f32, and those of i4 as i8.  A dimension
 * that repeats elements, with a stride of 0, has a size of 1 in a .npy file, so that a
 * small tensor that is broadcast makes a small file; statistics are those of all
 * elements.
 *
 * The calling thread waits for the stream before and after an operator that is
 * dumped, in asynchronous calls as well.  Those calls therefore return the errors
 * of operators, and ACL_ERROR_WRITE_FILE for a file that cannot be written; the
 * operators behind it are not submitted.  Nothing is dumped in a capture.
 */
#ifndef ACL_ACL_RT_DUMP_H
#define ACL_ACL_RT_DUMP_H

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclmdlInitDump() - begin a dump
 *
 * Errors: ACL_ERROR_DUMP_ALREADY_RUN if this call or the configuration of aclInit()
 * began one before.
 */
ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);

/**
 * aclmdlSetDump() - configure a dump
 * @dumpCfgPath: a JSON file
 *
 * Models that are loaded after this call are dumped, until aclmdlFinalizeDump().
 * Models that are loaded already keep the configuration that they were loaded
 * with.
 *
 * Errors: ACL_ERROR_DUMP_NOT_RUN without aclmdlInitDump(), ACL_ERROR_INVALID_FILE
 * for a file that cannot be read, ACL_ERROR_PARSE_FILE for one that is not a JSON
 * object, ACL_ERROR_INVALID_DUMP_CONFIG for values that are not valid, or if the
 * file configures no dump, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char *dumpCfgPath);

/**
 * aclmdlFinalizeDump() - end a dump
 *
 * Models that are loaded are not dumped any more.
 *
 * Errors: ACL_ERROR_DUMP_NOT_RUN without aclmdlInitDump().
 */
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_DUMP_H */
