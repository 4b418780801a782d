/* SPDX-License-Identifier: MIT */
/* The parts of the allocator: memory.cpp, config.cpp and pools.cpp. */
#ifndef TORCH_NPU_MEMORY_H
#define TORCH_NPU_MEMORY_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "npu.h"
#include "vnpu/pool.h"

namespace npu {

/* config.cpp: see Documentation/torch.md. */
struct Config {
	size_t max_split = SIZE_MAX;	/* requests beyond have a pool of theirs */
	double collect = 0;		/* 0: never */
	bool is_expandable = false;
};

/* The options of the environment. An invalid one is an error at each call. */
const Config &config();

/*
 * pools.cpp: memory apart, of graphs and of use_mem_pool(). It comes from the pool of
 * the device, and returns there when neither tensors nor graphs use the pool any more.
 * A freed block serves later requests of its stream.
 */
class PrivatePool {
public:
	PrivatePool(int device, int64_t number);
	~PrivatePool();
	PrivatePool(const PrivatePool &) = delete;

	/* Return memory, or NULL. */
	void *allocate(size_t size, c10::StreamId stream);

	/* Memory that other streams use, too, is not given again. */
	void free(void *address, bool is_shared);

	const int device;
	const int64_t number;

private:
	struct Piece {
		void *address;
		size_t size;
		c10::StreamId stream;
		bool is_free;
	};

	std::mutex lock;
	std::vector<Piece> pieces;
};

using PrivatePoolRef = std::shared_ptr<PrivatePool>;

PrivatePoolRef make_private_pool(int device);

/* The pool for requests of this thread and stream; none is that of the device. */
PrivatePoolRef private_pool(const c10::Stream &stream);

/* Make a pool that of a thread's requests, or none; return the one before. */
PrivatePoolRef exchange_private_pool(PrivatePoolRef pool);

/* Take the requests of streams that a model captures from a pool. */
void begin_private(void *model, PrivatePoolRef pool);
void end_private(void *model);

/*
 * memory.cpp: take memory of a device that no work uses; and return some, after all
 * work of the device, or after the end of captures.
 */
void *take_idle(int device, size_t size);
void return_idle(int device, std::vector<void *> addresses) noexcept;

/* Free the memory that waited for the end of a capture. */
void free_delayed();

/* A tensor's memory, for snapshots. */
struct Holding {
	int device;
	uintptr_t address;
	size_t size;
	c10::StreamId stream;
	int64_t pool;			/* the number of a private one, or 0 */
};

std::vector<Holding> holdings();

/* memory.cpp: functions of a program in place of the pool. */
using PlugAllocate = void *(*)(ssize_t size, int device, aclrtStream stream);
using PlugFree = void (*)(void *address, ssize_t size, int device,
			  aclrtStream stream);

struct Plug {
	PlugAllocate allocate;
	PlugFree free;
};

extern Plug plug;	/* set before the first allocation; NULL without */

} /* namespace npu */

#endif /* TORCH_NPU_MEMORY_H */
