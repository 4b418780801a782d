/* SPDX-License-Identifier: MIT */
/*
 * Dumps: descriptions of operators as files, and the folder of a dump.
 *
 * acl_rt_dump.h has the calls that begin and end a dump of tensors.
 *
 * A description is a JSON object:
 *
 *	{"op": "aclnnAdd",
 *	 "inputs": [{"name": "self", "type": "FLOAT", "format": "ND",
 *		     "shape": [2, 3], "strides": [3, 1], "offset": 0,
 *		     "storage": [2, 3]}, ...],
 *	 "outputs": [...],
 *	 "attributes": {"alpha": 1}}
 *
 * op		the operator of aclnn, or the type of a single operator
 * inputs	the tensors that it reads, without those that are NULL; tensors of a
 *		list have the same name one after the other
 * outputs	those that it writes, which it may read as well
 * name		that of the argument
 * type, format	of aclDataType and aclFormat, without ACL_ and ACL_FORMAT_; a value
 *		without a name as a number
 * strides, offset	in elements
 * storage	sizes of the storage
 * attributes	the other arguments by name: numbers, strings and lists; null for
 *		NULL, and strings for numbers that are infinite or NaN
 *
 * CANN does not document a format.
 */
#ifndef ACL_ACL_DUMP_H
#define ACL_ACL_DUMP_H

#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The type of aclopStartDumpArgs(). */
#define ACL_OP_DUMP_OP_AICORE_ARGS	0x00000001U

/* Kinds of dumps: of operators that fail, of tensors, of operators that overflow. */
typedef enum acldumpType {
	AIC_ERR_BRIEF_DUMP	= 1,
	AIC_ERR_NORM_DUMP	= 2,
	AIC_ERR_DETAIL_DUMP	= 3,
	DATA_DUMP		= 4,
	OVERFLOW_DUMP		= 5
} acldumpType;

/**
 * aclopStartDumpArgs() - begin to write descriptions of operators
 * @dumpType: ACL_OP_DUMP_OP_AICORE_ARGS
 * @path: a folder, which is created if it does not exist; a relative one is below
 *	the working directory
 *
 * Each operator of aclnn or aclop that a thread of the process prepares until
 * aclopStopDumpArgs() is described in a file PATH/NAME.SHAPE.json, unless this file
 * exists.  There is one file for all calls of an operator with inputs and outputs of
 * the same types, formats, sizes and strides; the attributes are those of the first
 * call.  The operators of offline models are not described.
 *
 * An operator of aclnn is prepared by aclnnXGetWorkspaceSize(), and a single operator
 * by the call that runs or checks it.  Another call of this function replaces the
 * folder.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another type, or a path that is NULL, cannot be
 * created, or not be written to; ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclopStartDumpArgs(uint32_t dumpType,
						const char *path);

/**
 * aclopStopDumpArgs() - write no more descriptions of operators
 * @dumpType: ACL_OP_DUMP_OP_AICORE_ARGS
 *
 * Without aclopStartDumpArgs(), do nothing.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another type; ACL_ERROR_WRITE_FILE if a file
 * could not be written.  The operators themselves have succeeded.  Descriptions end in
 * any case but the first.
 */
ACL_FUNC_VISIBILITY aclError aclopStopDumpArgs(uint32_t dumpType);

/**
 * acldumpGetPath() - get the folder of a dump
 * @dumpType: the kind
 *
 * Returns dump_path of the dump that aclInit() or aclmdlSetDump() configured, without
 * symbolic links, for DATA_DUMP and OVERFLOW_DUMP.  Returns NULL without a dump, and
 * for other kinds: no files are written about operators that fail.  The string is valid
 * until aclmdlSetDump(), aclmdlFinalizeDump() or aclFinalize().
 */
ACL_FUNC_VISIBILITY const char *acldumpGetPath(acldumpType dumpType);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_DUMP_H */
