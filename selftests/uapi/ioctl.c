// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rules of the ABI, tested for every ioctl from one table: sizes, flags,
 * reserved fields, and the memory of the struct.
 *
 * ioctl_list.h is generated from the header at build time, so an ioctl that is
 * missing here fails the first test.
 */
#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#include "ioctl_list.h"
#include "ioctl_table.h"

/* State that a refused call must not change. */
struct holdings {
	__u64 used;
	__u64 objects;
	__u32 bindings;
};

static struct holdings held(struct __test_metadata *_metadata,
			    FIXTURE_DATA(abi) * self)
{
	struct vnpu_device_query d;
	struct vnpu_mem_query m;

	ASSERT_EQ(0, device_query(&self->c, 0, &d));
	ASSERT_EQ(0, mem_query(&self->c, self->id, &m));
	return (struct holdings){ d.out_client_used, d.out_client_objects,
				  m.out_bindings };
}

/* Put the struct at @at, followed by @tail bytes of zeros. */
static void prepare(struct __test_metadata *_metadata,
		    FIXTURE_DATA(abi) * self,
		    const FIXTURE_VARIANT(abi) * v, void *at, __u32 tail)
{
	memset(at, 0, v->size + tail);
	*(__u32 *)at = v->size + tail;
	v->prepare(_metadata, self, at);
}

/* The call must fail with @error, and write and change nothing. */
static void refused(struct __test_metadata *_metadata, FIXTURE_DATA(abi) * self,
		    const FIXTURE_VARIANT(abi) * v, void *arg, size_t length,
		    int error)
{
	struct holdings before = held(_metadata, self), after;
	void *copy = malloc(length);

	ASSERT_TRUE(copy);
	memcpy(copy, arg, length);
	EXPECT_EQ(-error, call(self->c.fd, v->nr, arg));
	EXPECT_EQ(0, memcmp(copy, arg, length));
	free(copy);

	after = held(_metadata, self);
	EXPECT_EQ(before.used, after.used);
	EXPECT_EQ(before.objects, after.objects);
	EXPECT_EQ(before.bindings, after.bindings);
}

TEST_F(abi, is_in_the_header)
{
	unsigned int i, found = 0;

	for (i = 0; i < ARRAY_SIZE(ioctl_list); i++) {
		if (strcmp(ioctl_list[i].name, variant->name))
			continue;
		EXPECT_EQ(variant->nr, ioctl_list[i].nr);
		found++;
	}
	EXPECT_EQ(1, found);
	EXPECT_EQ(variant->nr, _IO(VNPU_IOCTL_TYPE, _IOC_NR(variant->nr)));
}

TEST_F(abi, size_too_small)
{
	__u32 size;

	for (size = 0; size < variant->mandatory; size++) {
		prepare(_metadata, self, variant, self->host, 0);
		*(__u32 *)self->host = size;
		refused(_metadata, self, variant, self->host, PAGE, EINVAL);
	}
}

TEST_F(abi, size_from_mandatory_on)
{
	__u32 size;

	for (size = variant->mandatory; size <= variant->size; size++) {
		/*
		 * Members that the caller's struct lacks are not read from the
		 * bytes after it.
		 */
		memset(self->host, 0xff, PAGE);
		prepare(_metadata, self, variant, self->host, 0);
		*(__u32 *)self->host = size;
		memset(self->host + size, 0xff, variant->size - size);
		EXPECT_EQ(0, call(self->c.fd, variant->nr, self->host))
			TH_LOG("size %u", size);
		EXPECT_EQ(size, *(__u32 *)self->host);
		EXPECT_TRUE(is_all(self->host + size, 0xff, PAGE - size))
			TH_LOG("written behind size %u", size);
	}
}

TEST_F(abi, longer_with_zeros)
{
	static const __u32 tails[] = { 1, 4, 8, 64, 1000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		prepare(_metadata, self, variant, self->host, tails[i]);
		EXPECT_EQ(0, call(self->c.fd, variant->nr, self->host));
		EXPECT_TRUE(is_all(self->host + variant->size, 0, tails[i]));
	}
	prepare(_metadata, self, variant, self->host, PAGE - variant->size);
	EXPECT_EQ(0, call(self->c.fd, variant->nr, self->host));
}

TEST_F(abi, longer_with_unknown_fields)
{
	__u32 tail = PAGE - variant->size;
	__u32 at;

	for (at = 0; at < tail; at = at * 2 + 1) {
		prepare(_metadata, self, variant, self->host, tail);
		self->host[variant->size + at] = 0x80;
		refused(_metadata, self, variant, self->host, PAGE, E2BIG);
	}
	prepare(_metadata, self, variant, self->host, tail);
	self->host[PAGE - 1] = 1;
	refused(_metadata, self, variant, self->host, PAGE, E2BIG);
}

TEST_F(abi, more_than_a_page)
{
	static const __u32 sizes[] = { PAGE + 1, 2 * PAGE, 1U << 31,
				       UINT32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(self->host, 0, 2 * PAGE);
		prepare(_metadata, self, variant, self->host, 0);
		*(__u32 *)self->host = sizes[i];
		refused(_metadata, self, variant, self->host, PAGE, E2BIG);
	}
}

TEST_F(abi, unknown_flags)
{
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		if (variant->flags & (1U << bit))
			continue;
		prepare(_metadata, self, variant, self->host, 0);
		((__u32 *)self->host)[1] = 1U << bit;
		refused(_metadata, self, variant, self->host, variant->size,
			EOPNOTSUPP);

		/* The same beside a known flag. */
		((__u32 *)self->host)[1] |= variant->flags & -variant->flags;
		refused(_metadata, self, variant, self->host, variant->size,
			EOPNOTSUPP);
	}
}

TEST_F(abi, reserved_fields)
{
	const struct span *r;
	unsigned int bit;

	for (r = variant->reserved; r->len; r++) {
		for (bit = 0; bit < r->len * 8; bit++) {
			prepare(_metadata, self, variant, self->host, 0);
			self->host[r->at + bit / 8] = 1 << (bit % 8);
			refused(_metadata, self, variant, self->host,
				variant->size, EOPNOTSUPP);
		}
	}
}

TEST_F(abi, outputs_are_not_read)
{
	const struct span *o;
	__u8 inputs[512];
	__u8 is_out[512] = {};
	__u32 i;

	prepare(_metadata, self, variant, self->host, 0);
	for (o = variant->out; o < variant->out + ARRAY_SIZE(variant->out) &&
	     o->len; o++) {
		memset(self->host + o->at, 0xff, o->len);
		memset(is_out + o->at, 1, o->len);
	}
	memcpy(inputs, self->host, variant->size);
	EXPECT_EQ(0, call(self->c.fd, variant->nr, self->host));
	for (i = 0; i < variant->size; i++) {
		if (is_out[i])
			continue;
		EXPECT_EQ(inputs[i], self->host[i])
			TH_LOG("input changed at %u", i);
	}
}

TEST_F(abi, at_the_end_of_a_mapping)
{
	__u8 *end = self->host + 2 * PAGE;
	__u8 *at;

	at = end - variant->size;
	prepare(_metadata, self, variant, at, 0);
	EXPECT_EQ(0, call(self->c.fd, variant->nr, at));

	/* No byte after a shorter struct of the caller is accessed. */
	prepare(_metadata, self, variant, self->host, 0);
	*(__u32 *)self->host = variant->mandatory;
	at = end - variant->mandatory;
	memcpy(at, self->host, variant->mandatory);
	EXPECT_EQ(0, call(self->c.fd, variant->nr, at));

	/* At an odd address, and across two pages. */
	at = self->host + PAGE - variant->size / 2 - 1;
	prepare(_metadata, self, variant, at, 0);
	EXPECT_EQ(0, call(self->c.fd, variant->nr, at));
}

TEST_F(abi, across_the_end_of_a_mapping)
{
	__u8 *end = self->host + 2 * PAGE;
	struct holdings before, after;
	__u32 inside;

	for (inside = 0; inside < variant->size; inside++) {
		prepare(_metadata, self, variant, self->host, 0);
		memcpy(end - inside, self->host, inside);
		before = held(_metadata, self);
		EXPECT_EQ(-EFAULT,
			  call(self->c.fd, variant->nr, end - inside))
			TH_LOG("%u bytes inside", inside);
		after = held(_metadata, self);
		EXPECT_EQ(before.objects, after.objects);
		EXPECT_EQ(before.bindings, after.bindings);
	}
}

TEST_F(abi, at_an_invalid_address)
{
	static const __u64 nowhere[] = {
		0, 1, 0x7fffffffffffULL, 0xdead000000000000ULL,
		0xffff888000000000ULL, 0xffffffff81000000ULL, ~0ULL - 7,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nowhere); i++) {
		EXPECT_EQ(-EFAULT, call(self->c.fd, variant->nr,
					ptr(nowhere[i])));
	}
}

/*
 * Only outputs are written. If they cannot be written, nothing is left behind.
 */
TEST_F(abi, read_only_struct)
{
	struct vnpu_device_query before, after;

	prepare(_metadata, self, variant, self->host, 0);
	ASSERT_EQ(0, device_query(&self->c, 0, &before));
	ASSERT_EQ(0, mprotect(self->host, PAGE, PROT_READ));
	if (!variant->out[0].len) {
		EXPECT_EQ(0, call(self->c.fd, variant->nr, self->host));
		return;
	}
	EXPECT_EQ(-EFAULT, call(self->c.fd, variant->nr, self->host));
	ASSERT_EQ(0, device_query(&self->c, 0, &after));
	EXPECT_EQ(before.out_client_objects, after.out_client_objects);
	EXPECT_EQ(before.out_client_used, after.out_client_used);
}

/*
 * The struct is in device memory with host access, even in memory that the call
 * affects.
 */
TEST_F(abi, struct_in_device_memory)
{
	struct vnpu_va_unbind u = { .size = sizeof(u) };
	__u64 va = self->c.base + MIB(2);

	ASSERT_EQ(0, mprotect(ptr(self->c.base), MIB(4),
			      PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  2 * PAGE, va));
	prepare(_metadata, self, variant, ptr(va + PAGE - 8), 0);
	EXPECT_EQ(0, call(self->c.fd, variant->nr, ptr(va + PAGE - 8)));

	/* The call has freed it when its outputs are to be written. */
	u.va = va;
	memcpy(ptr(va), &u, sizeof(u));
	EXPECT_EQ(-EFAULT, call(self->c.fd, VNPU_IOCTL_VA_UNBIND, ptr(va)));
	EXPECT_EQ(SIGSEGV, touch_read(va));
}

TEST(table_is_complete)
{
	struct __fixture_variant_metadata *v;
	const FIXTURE_VARIANT(abi) * data;
	unsigned int i, found;

	ASSERT_LT(0, ARRAY_SIZE(ioctl_list));
	for (i = 0; i < ARRAY_SIZE(ioctl_list); i++) {
		found = 0;
		for (v = _abi_fixture_object.variant; v; v = v->next) {
			data = v->data;
			found += !strcmp(data->name, ioctl_list[i].name);
		}
		EXPECT_EQ(1, found)
			TH_LOG("%s is not tested", ioctl_list[i].name);
	}
}

TEST(unknown_numbers)
{
	__u8 page[PAGE] = {};
	unsigned int nr, i;
	struct client c;
	bool known;

	ASSERT_EQ(0, client_open(&c));
	*(__u32 *)page = 8;
	for (nr = 0; nr < 256; nr++) {
		known = false;
		for (i = 0; i < ARRAY_SIZE(ioctl_list); i++)
			known |= _IOC_NR(ioctl_list[i].nr) == nr;
		if (!known) {
			EXPECT_EQ(-ENOTTY, call(c.fd, _IO(VNPU_IOCTL_TYPE, nr),
						page))
				TH_LOG("number %#x", nr);
		}

		/* Another type, direction or size is another number. */
		EXPECT_EQ(-ENOTTY, call(c.fd, _IO(VNPU_IOCTL_TYPE - 1, nr),
					page));
		EXPECT_EQ(-ENOTTY, call(c.fd, _IO(VNPU_IOCTL_TYPE + 1, nr),
					page));
		EXPECT_EQ(-ENOTTY, call(c.fd, _IOWR(VNPU_IOCTL_TYPE, nr, __u64),
					page));
		EXPECT_EQ(-ENOTTY, call(c.fd,
					_IOC(_IOC_NONE, VNPU_IOCTL_TYPE, nr, 8),
					page));
	}
	client_close(&c);
}

TEST_HARNESS_MAIN
