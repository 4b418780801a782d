// SPDX-License-Identifier: MIT
/*
 * Attributes of operators: values by name.
 *
 * A call that uses them makes a copy: the program may set values for the next one at
 * once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/lock.h"
#include "op.h"

/* Lists are bounded, so that a wrong number is an error and no long copy. */
#define MOST_VALUES	(1 << 20)

struct attrs {
	struct vnpu_lock lock;		/* protects the list */
	struct vnpu_attr *first;
};

static void attr_free(struct vnpu_attr *attr)
{
	if (attr->kind == VNPU_ATTR_TEXTS)
		for (uint64_t i = 0; attr->text && i < attr->count; i++)
			free(attr->text[i]);
	free(attr->i);
	free(attr->name);
	free(attr);
}

void vnpu_attrs_free(struct vnpu_attr *first)
{
	struct vnpu_attr *next;

	for (; first; first = next) {
		next = first->next;
		attr_free(first);
	}
}

static void attrs_drop(const aclopAttr *handle, struct attrs *attrs)
{
	if (!vnpu_handle_put(vnpu_ptr_to_u64(handle)))
		return;
	vnpu_attrs_free(attrs->first);
	free(attrs);
}

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for attributes");
}

static aclError not_attrs(const aclopAttr *handle)
{
	if (!handle)
		return vnpu_error_null("attr");
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"attr = %p is not from aclopCreateAttr, or was destroyed",
		(const void *)handle);
}

/* Make an attribute without a name; its values are 0. */
static struct vnpu_attr *attr_create(enum vnpu_attr_kind kind, bool is_list,
				     uint64_t count)
{
	struct vnpu_attr *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->kind = kind;
	new->is_list = is_list;
	new->count = count;
	new->i = calloc(count ? count : 1, sizeof(*new->i));
	if (!new->i) {
		free(new);
		return NULL;
	}
	return new;
}

static struct vnpu_attr *attr_copy(const struct vnpu_attr *attr)
{
	struct vnpu_attr *new = attr_create(attr->kind, attr->is_list,
					    attr->count);

	if (!new)
		return NULL;
	new->name = strdup(attr->name);
	if (!new->name)
		goto fail;
	for (uint64_t i = 0; i < attr->count; i++) {
		if (attr->kind != VNPU_ATTR_TEXTS) {
			new->i[i] = attr->i[i];
			continue;
		}
		new->text[i] = strdup(attr->text[i]);
		if (!new->text[i])
			goto fail;
	}
	return new;
fail:
	attr_free(new);
	return NULL;
}

aclError vnpu_attrs_copy(const aclopAttr *handle, struct vnpu_attr **first)
{
	struct attrs *attrs = NULL;
	struct vnpu_attr **end = first;
	aclError ret = ACL_SUCCESS;

	*first = NULL;
	if (!handle)
		return ACL_SUCCESS;
	attrs = vnpu_handle_get(VNPU_HANDLE_OP_ATTR, handle);
	if (!attrs)
		return not_attrs(handle);
	vnpu_lock(&attrs->lock);
	for (const struct vnpu_attr *attr = attrs->first; attr && !ret;
	     attr = attr->next) {
		*end = attr_copy(attr);
		if (*end)
			end = &(*end)->next;
		else
			ret = no_memory();
	}
	vnpu_unlock(&attrs->lock);
	attrs_drop(handle, attrs);
	if (ret) {
		vnpu_attrs_free(*first);
		*first = NULL;
	}
	return ret;
}

aclopAttr *aclopCreateAttr(void)
{
	VNPU_CALL();
	struct attrs *new = calloc(1, sizeof(*new));
	uint64_t handle = 0;

	if (new)
		handle = vnpu_handle_add(VNPU_HANDLE_OP_ATTR, new);
	if (!handle) {
		free(new);
		no_memory();
		return NULL;
	}
	return vnpu_u64_to_ptr(handle);
}

void aclopDestroyAttr(const aclopAttr *attr)
{
	struct attrs *attrs = vnpu_handle_remove(VNPU_HANDLE_OP_ATTR, attr);

	if (attrs)
		attrs_drop(attr, attrs);
}

static void attr_insert(struct attrs *attrs, struct vnpu_attr *new)
{
	struct vnpu_attr **at = &attrs->first, *old = NULL;

	vnpu_lock(&attrs->lock);
	while (*at && strcmp((*at)->name, new->name))
		at = &(*at)->next;
	old = *at;
	new->next = old ? old->next : NULL;
	*at = new;
	vnpu_unlock(&attrs->lock);
	if (old)
		attr_free(old);
}

/* Set an attribute to values, which become its own; it is freed on failure. */
static aclError attr_set(aclopAttr *handle, const char *name,
			 struct vnpu_attr *new)
{
	struct attrs *attrs;

	new->name = strdup(name);
	if (!new->name) {
		attr_free(new);
		return no_memory();
	}
	attrs = vnpu_handle_get(VNPU_HANDLE_OP_ATTR, handle);
	if (!attrs) {
		attr_free(new);
		return not_attrs(handle);
	}
	attr_insert(attrs, new);
	attrs_drop(handle, attrs);
	return ACL_SUCCESS;
}

/* Check the arguments of a call. */
static aclError attr_check(aclopAttr *handle, const char *name, int count,
			   const void *values)
{
	if (!handle)
		return vnpu_error_null("attr");
	if (!name)
		return vnpu_error_null("attrName");
	if (count < 0 || count > MOST_VALUES)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"%s has %d values; pass 0 to %d", name, count,
			MOST_VALUES);
	if (count && !values)
		return vnpu_error_null("values");
	return ACL_SUCCESS;
}

/* Check the arguments of a call, and make an attribute without values. */
static aclError attr_begin(aclopAttr *handle, const char *name,
			   enum vnpu_attr_kind kind, bool is_list, int count,
			   const void *values, struct vnpu_attr **attr)
{
	aclError ret = attr_check(handle, name, count, values);
	struct vnpu_attr *new;

	if (ret)
		return ret;
	new = attr_create(kind, is_list, count);
	if (!new)
		return no_memory();
	*attr = new;
	return ACL_SUCCESS;
}

/* Define a call for values that are integers. */
#define SET_INTS(call, type)						\
	aclError call(aclopAttr *attr, const char *attrName, type attrValue) \
	{								\
		VNPU_CALL();						\
		struct vnpu_attr *new;					\
		aclError ret = attr_begin(attr, attrName, VNPU_ATTR_INTS, \
					  false, 1, &attrValue, &new);	\
									\
		if (ret)						\
			return ret;					\
		new->i[0] = attrValue;					\
		return attr_set(attr, attrName, new);			\
	}

SET_INTS(aclopSetAttrInt, int64_t)
SET_INTS(aclopSetAttrDataType, aclDataType)

aclError aclopSetAttrBool(aclopAttr *attr, const char *attrName,
			  uint8_t attrValue)
{
	VNPU_CALL();
	struct vnpu_attr *new;
	aclError ret = attr_begin(attr, attrName, VNPU_ATTR_INTS, false, 1,
				  &attrValue, &new);

	if (ret)
		return ret;
	new->i[0] = attrValue != 0;
	return attr_set(attr, attrName, new);
}

aclError aclopSetAttrFloat(aclopAttr *attr, const char *attrName,
			   float attrValue)
{
	VNPU_CALL();
	struct vnpu_attr *new;
	aclError ret = attr_begin(attr, attrName, VNPU_ATTR_FLOATS, false, 1,
				  &attrValue, &new);

	if (ret)
		return ret;
	new->f[0] = attrValue;
	return attr_set(attr, attrName, new);
}

/* Define a call for lists of integers; @value converts element i of values. */
#define SET_INT_LIST(call, type, value)					\
	aclError call(aclopAttr *attr, const char *attrName, int numValues, \
		      const type *values)				\
	{								\
		VNPU_CALL();						\
		struct vnpu_attr *new;					\
		aclError ret = attr_begin(attr, attrName, VNPU_ATTR_INTS, \
					  true, numValues, values, &new); \
									\
		if (ret)						\
			return ret;					\
		for (int i = 0; i < numValues; i++)			\
			new->i[i] = value;				\
		return attr_set(attr, attrName, new);			\
	}

SET_INT_LIST(aclopSetAttrListBool, uint8_t, values[i] != 0)
SET_INT_LIST(aclopSetAttrListInt, int64_t, values[i])
SET_INT_LIST(aclopSetAttrListDataType, aclDataType, values[i])

aclError aclopSetAttrListFloat(aclopAttr *attr, const char *attrName,
			       int numValues, const float *values)
{
	VNPU_CALL();
	struct vnpu_attr *new;
	aclError ret = attr_begin(attr, attrName, VNPU_ATTR_FLOATS, true,
				  numValues, values, &new);

	if (ret)
		return ret;
	if (numValues)
		memcpy(new->f, values, numValues * sizeof(*values));
	return attr_set(attr, attrName, new);
}

/* Count the words of lists; -1 if a list has a wrong length or no values. */
static int64_t count_words(int lists, const int *counts,
			   const int64_t *const *values)
{
	int64_t words = lists;

	for (int i = 0; i < lists; i++) {
		if (counts[i] < 0 || (counts[i] && !values[i]))
			return -1;
		words += counts[i];
		if (words > MOST_VALUES)
			return -1;
	}
	return words;
}

aclError aclopSetAttrListListInt(aclopAttr *attr, const char *attrName,
				 int numLists, const int *numValues,
				 const int64_t *const values[])
{
	VNPU_CALL();
	struct vnpu_attr *new;
	aclError ret = attr_check(attr, attrName, numLists, values);
	int64_t words, *to;

	if (ret)
		return ret;
	if (numLists && !numValues)
		return vnpu_error_null("numValues");
	words = count_words(numLists, numValues, values);
	if (words < 0)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"%s: each of the %d lists needs 0 or more values that are not NULL, and all together at most %d",
			attrName, numLists, MOST_VALUES);
	new = attr_create(VNPU_ATTR_LISTS, true, words);
	if (!new)
		return no_memory();
	to = new->i;
	for (int i = 0; i < numLists; i++) {
		*to++ = numValues[i];
		if (numValues[i])
			memcpy(to, values[i], numValues[i] * sizeof(*to));
		to += numValues[i];
	}
	return attr_set(attr, attrName, new);
}

/* Copy texts to an attribute, which is freed on failure. */
static aclError set_texts(aclopAttr *attr, const char *name, bool is_list,
			  int count, const char *const *values)
{
	struct vnpu_attr *new;
	aclError ret = attr_begin(attr, name, VNPU_ATTR_TEXTS, is_list, count,
				  values, &new);

	if (ret)
		return ret;
	for (int i = 0; i < count; i++) {
		if (!values[i]) {
			attr_free(new);
			return vnpu_error_null("a text");
		}
		new->text[i] = strdup(values[i]);
		if (!new->text[i]) {
			attr_free(new);
			return no_memory();
		}
	}
	return attr_set(attr, name, new);
}

aclError aclopSetAttrString(aclopAttr *attr, const char *attrName,
			    const char *attrValue)
{
	VNPU_CALL();

	return set_texts(attr, attrName, false, 1, &attrValue);
}

aclError aclopSetAttrListString(aclopAttr *attr, const char *attrName,
				int numValues, const char **values)
{
	VNPU_CALL();

	return set_texts(attr, attrName, true, numValues, values);
}
