/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: attributes of operators. */
#ifndef SELFTESTS_LIB_FAIL_NTH_OP_H
#define SELFTESTS_LIB_FAIL_NTH_OP_H

#include "fail_nth_calls.h"

static aclError make_attr(struct world *w)
{
	w->attr = aclopCreateAttr();
	return made(w->attr);
}

CALL(destroy_attr, {
	aclopDestroyAttr(w->attr);
	w->attr = NULL;
	return ACL_SUCCESS;
})

CALL(set_texts, {
	const char *texts[] = { "a", "b" };

	return aclopSetAttrListString(w->attr, "x", 2, texts);
})

CALL(set_lists, {
	const int64_t *lists[] = { (const int64_t[]){ 1, 2 }, NULL };
	const int counts[] = { 2, 0 };

	return aclopSetAttrListListInt(w->attr, "x", 2, counts, lists);
})

#define OP_ROWS(ROW)							\
	ROW(aclopSetModelDir, NULL, ("."))				\
	ROW(aclopLoad, NULL, ("IMOD", 4))				\
	ROW(aclopSetMaxOpQueueNum, NULL, (1))				\
	ROW(aclopSetAttrBool, make_attr, (w->attr, "x", 1))		\
	ROW(aclopSetAttrInt, make_attr, (w->attr, "x", 1))		\
	ROW(aclopSetAttrFloat, make_attr, (w->attr, "x", 1))		\
	ROW(aclopSetAttrString, make_attr, (w->attr, "x", "y"))		\
	ROW(aclopSetAttrDataType, make_attr, (w->attr, "x", ACL_INT8))	\
	ROW(aclopSetAttrListBool, make_attr, (w->attr, "x", 0, NULL))	\
	ROW(aclopSetAttrListInt, make_attr, (w->attr, "x", 0, NULL))	\
	ROW(aclopSetAttrListFloat, make_attr, (w->attr, "x", 0, NULL))	\
	ROW(aclopSetAttrListDataType, make_attr, (w->attr, "x", 0, NULL))

OP_ROWS(ROW_CALL)

static const struct sweep op_calls[] = {
	OP_ROWS(ROW_ENTRY)
	{ "aclopCreateAttr", NULL, make_attr, false, 0 },
	{ "aclopDestroyAttr", make_attr, call_destroy_attr, false, 0 },
	{ "aclopSetAttrListString", make_attr, call_set_texts, false, 0 },
	{ "aclopSetAttrListListInt", make_attr, call_set_lists, false, 0 },
	{ 0 }
};

#endif
