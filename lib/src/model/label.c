// SPDX-License-Identifier: MIT
/* Labels and their lists, see label.h. */
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "runtime/context.h"
#include "label.h"

/* Maximum number of labels of a process, and of a list. */
#define MAX_LABELS	65535U

static _Atomic uint32_t live;

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for a label");
}

static aclError other_context(const char *what)
{
	return vnpu_error(ACL_ERROR_RT_LABEL_CONTEXT,
		"the %s belongs to another context; call aclrtSetCurrentContext with the one it was created in",
		what);
}

void vnpu_label_put(struct vnpu_label *label)
{
	if (!vnpu_handle_put(label->handle))
		return;
	free(label);
	atomic_fetch_sub(&live, 1);
}

aclError vnpu_label_get(aclrtLabel handle, struct vnpu_label **label)
{
	struct vnpu_current current;
	aclError ret;

	if (!handle)
		return vnpu_error_null("label");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	*label = vnpu_handle_get(VNPU_HANDLE_LABEL, handle);
	if (!*label)
		return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"label = %p is not a label; pass one of aclrtCreateLabel",
			handle);
	if ((*label)->context == current.context)
		return ACL_SUCCESS;
	vnpu_label_put(*label);
	return other_context("label");
}

void vnpu_label_list_put(struct vnpu_label_list *list)
{
	if (!vnpu_handle_put(list->handle))
		return;
	for (uint32_t i = 0; i < list->count; i++)
		vnpu_label_put(list->labels[i]);
	free(list);
}

aclError vnpu_label_list_get(aclrtLabelList handle,
			     struct vnpu_label_list **list)
{
	struct vnpu_current current;
	aclError ret;

	if (!handle)
		return vnpu_error_null("labelList");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	*list = vnpu_handle_get(VNPU_HANDLE_LABEL_LIST, handle);
	if (!*list)
		return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"labelList = %p is not a list of labels; pass one of aclrtCreateLabelList",
			handle);
	if ((*list)->context == current.context)
		return ACL_SUCCESS;
	vnpu_label_list_put(*list);
	return other_context("list of labels");
}

aclError aclrtCreateLabel(aclrtLabel *label)
{
	VNPU_CALL();
	struct vnpu_current current;
	struct vnpu_label *new;
	aclError ret;

	vnpu_gate_pass();
	if (!label)
		return vnpu_error_null("label");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	if (atomic_fetch_add(&live, 1) >= MAX_LABELS) {
		atomic_fetch_sub(&live, 1);
		return vnpu_error(ACL_ERROR_RT_OVER_LIMIT,
			"the process has %u labels already; destroy some",
			MAX_LABELS);
	}
	new = calloc(1, sizeof(*new));
	if (new) {
		new->context = current.context;
		new->handle = vnpu_handle_add(VNPU_HANDLE_LABEL, new);
	}
	if (!new || !new->handle) {
		free(new);
		atomic_fetch_sub(&live, 1);
		return no_memory();
	}
	*label = vnpu_u64_to_ptr(new->handle);
	return ACL_SUCCESS;
}

/* If two threads destroy a label, the second one gets an error. */
aclError aclrtDestroyLabel(aclrtLabel label)
{
	VNPU_CALL();
	struct vnpu_label *found;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_label_get(label, &found);
	if (ret)
		return ret;
	if (vnpu_handle_remove(VNPU_HANDLE_LABEL, label))
		vnpu_label_put(found);
	else
		ret = vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"label = %p was destroyed during the call", label);
	vnpu_label_put(found);
	return ret;
}

/*
 * Get references to the labels of a list; after a failure, the list has the
 * references so far.
 */
static aclError fill(struct vnpu_label_list *list, const aclrtLabel *from,
		     size_t count)
{
	aclError ret = ACL_SUCCESS;

	while (!ret && list->count < count) {
		ret = vnpu_label_get(from[list->count],
				     &list->labels[list->count]);
		if (!ret)
			list->count++;
	}
	return ret;
}

static void list_free(struct vnpu_label_list *list)
{
	for (uint32_t i = 0; list && i < list->count; i++)
		vnpu_label_put(list->labels[i]);
	free(list);
}

aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num,
			      aclrtLabelList *labelList)
{
	VNPU_CALL();
	struct vnpu_label_list *list;
	struct vnpu_current current;
	aclError ret;

	vnpu_gate_pass();
	if (!labels)
		return vnpu_error_null("labels");
	if (!labelList)
		return vnpu_error_null("labelList");
	if (!num || num > MAX_LABELS)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"num = %zu: a list has 1 to %u labels", num, MAX_LABELS);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	list = calloc(1, sizeof(*list) + num * sizeof(list->labels[0]));
	if (!list)
		return no_memory();
	list->context = current.context;
	ret = fill(list, labels, num);
	if (!ret) {
		list->handle = vnpu_handle_add(VNPU_HANDLE_LABEL_LIST, list);
		if (!list->handle)
			ret = no_memory();
	}
	if (ret)
		list_free(list);
	else
		*labelList = vnpu_u64_to_ptr(list->handle);
	return ret;
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList)
{
	VNPU_CALL();
	struct vnpu_label_list *found;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_label_list_get(labelList, &found);
	if (ret)
		return ret;
	if (vnpu_handle_remove(VNPU_HANDLE_LABEL_LIST, labelList))
		vnpu_label_list_put(found);
	else
		ret = vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"labelList = %p was destroyed during the call",
			labelList);
	vnpu_label_list_put(found);
	return ret;
}
