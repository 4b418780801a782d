/* SPDX-License-Identifier: MIT */
/*
 * Tiling data: a structure that host code fills in and a kernel reads, defined by
 * macros.  A field NAME is a member, with set_NAME() and get_NAME().
 */
#ifndef REGISTER_TILINGDATA_BASE_H
#define REGISTER_TILINGDATA_BASE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BEGIN_TILING_DATA_DEF(name) \
	class name { \
	public:
#define TILING_DATA_FIELD_DEF(type, field) \
		type field = {}; \
		void set_##field(type value) \
		{ \
			field = value; \
		} \
		type get_##field() const \
		{ \
			return field; \
		}
#define TILING_DATA_FIELD_DEF_ARR(type, count, field) \
		type field[count] = {}; \
		void set_##field(const type *values) \
		{ \
			memcpy(field, values, sizeof(field)); \
		} \
		type *get_##field() \
		{ \
			return field; \
		}
/* A structure that BEGIN_TILING_DATA_DEF() has defined. */
#define TILING_DATA_FIELD_DEF_STRUCT(type, field) \
		type field; \
		type &get_##field() \
		{ \
			return field; \
		}
#define END_TILING_DATA_DEF \
		size_t GetDataSize() const \
		{ \
			return sizeof(*this); \
		} \
		/* Nothing is written where it does not fit. */ \
		void SaveToBuffer(void *to, size_t size) const \
		{ \
			if (size >= sizeof(*this)) \
				memcpy(to, this, sizeof(*this)); \
		} \
	};
/* The framework of operators finds the structure by this; a launch does not. */
#define REGISTER_TILING_DATA_CLASS(op, name)

#endif /* REGISTER_TILINGDATA_BASE_H */
