// SPDX-License-Identifier: MIT
/*
 * Sizes of data types.
 */
#include "acl/acl_base_rt.h"

size_t aclDataTypeSize(aclDataType dataType)
{
	switch (dataType) {
	case ACL_BOOL:
	case ACL_INT8:
	case ACL_UINT8:
	case ACL_HIFLOAT8:
	case ACL_FLOAT8_E5M2:
	case ACL_FLOAT8_E4M3FN:
	case ACL_FLOAT8_E8M0:
		return 1;
	/* Smaller than a byte: a single element takes a whole byte. */
	case ACL_INT4:
	case ACL_UINT1:
	case ACL_FLOAT6_E3M2:
	case ACL_FLOAT6_E2M3:
	case ACL_FLOAT4_E2M1:
	case ACL_FLOAT4_E1M2:
		return 1;
	case ACL_FLOAT16:
	case ACL_BF16:
	case ACL_INT16:
	case ACL_UINT16:
		return 2;
	case ACL_FLOAT:
	case ACL_INT32:
	case ACL_UINT32:
	case ACL_COMPLEX32:
		return 4;
	case ACL_DOUBLE:
	case ACL_INT64:
	case ACL_UINT64:
	case ACL_COMPLEX64:
		return 8;
	case ACL_COMPLEX128:
		return 16;
	/* These have no fixed size, or no size at all. */
	case ACL_STRING:
	case ACL_DT_UNDEFINED:
		return 0;
	}
	return 0;
}
