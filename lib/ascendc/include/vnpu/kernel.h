/* SPDX-License-Identifier: MIT */
/*
 * The interface between the compiler of kernels, the library and the core.
 *
 *	vnpu-cc		compiles a source file twice.  The device pass produces
 *			an image, a shared object that exports one symbol,
 *			vnpu_image.  The host pass embeds the image in a unit
 *			and turns each launch into a call of vnpu_launch().
 *	the library	registers units and executes launches.
 *	the core	is the process that loads images and runs blocks.  It
 *			gives each block a struct vnpu_block with its services.
 *
 * Documentation/kernels.md describes the interface.  Structures begin with their
 * size or are versioned by VNPU_KERNEL_ABI.  New fields are appended.
 */
#ifndef VNPU_KERNEL_H
#define VNPU_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version: raised by each change that breaks existing images or units. */
#define VNPU_KERNEL_ABI		1

/* Kinds of cores, as bits. */
#define VNPU_CORE_VECTOR	(1U << 0)	/* AIV */
#define VNPU_CORE_CUBE		(1U << 1)	/* AIC */

/*
 * Kernel types: the cores that run a kernel.  Blocks of mixed
 * kernels run in groups of one cube core and RATIO vector cores.  vnpu-cc chooses
 * the type of kernels without a declared type.
 */
#define VNPU_KERNEL_TYPE_DEFAULT	0U	/* vector cores, or as compiled */
#define VNPU_KERNEL_TYPE_AIV_ONLY	1U
#define VNPU_KERNEL_TYPE_AIC_ONLY	2U
#define VNPU_KERNEL_TYPE_MIX_AIV_1_0	3U	/* vector cores, with SyncAll */
#define VNPU_KERNEL_TYPE_MIX_AIC_1_0	4U	/* cube cores, with SyncAll */
#define VNPU_KERNEL_TYPE_MIX_AIC_1_1	5U
#define VNPU_KERNEL_TYPE_MIX_AIC_1_2	6U

/*
 * The image
 */

/* "VNPUIMG" and a zero, in the order of bytes of x86 and arm64. */
#define VNPU_IMAGE_MAGIC	0x00474d4955504e56ULL

/* Levels of the processor that an image may need. */
#define VNPU_ISA_BASE		0U	/* all of the architecture */
#define VNPU_ISA_X86_64_V2	2U
#define VNPU_ISA_X86_64_V3	3U	/* AVX2, FMA, F16C, BMI */
#define VNPU_ISA_X86_64_V4	4U	/* AVX-512 F, BW, CD, DQ, VL */

/**
 * struct vnpu_param - the place of a parameter in the argument block
 * @offset: in bytes; a multiple of the parameter's own alignment
 * @size: in bytes
 */
struct vnpu_param {
	uint32_t offset;
	uint32_t size;
};

/**
 * struct vnpu_kernel_info - a function and its parameters
 * @name: the compiler's spelling of the function with its template arguments,
 *	the same in both passes; the key by which a stub finds its kernel
 * @call: unpack an argument block and call @entry, a kernel with these
 *	parameters, for the running block
 * @params: one for each parameter
 * @param_count: their number
 * @args_size: bytes of the argument block
 */
struct vnpu_kernel_info {
	const char *name;
	void (*call)(void (*entry)(void), const void *args);
	const struct vnpu_param *params;
	uint32_t param_count;
	uint32_t args_size;
};

/* Flags of a kernel. */
#define VNPU_KERNEL_F_ACCESS	(1U << 0)	/* calls vnpu_core_ops.access */
#define VNPU_KERNEL_F_RACE	(1U << 1)	/* the core checks it for races */

/**
 * struct vnpu_kernel - a kernel of an image
 * @symbol: its name in the symbol table, such as "add" or "_Z3addIfEvPh"
 * @entry: the function itself, only for vnpu_kernel_info.call
 * @info: its name and parameters
 * @type: one of VNPU_KERNEL_TYPE_*
 * @flags: VNPU_KERNEL_F_*
 */
struct vnpu_kernel {
	const char *symbol;
	void (*entry)(void);
	const struct vnpu_kernel_info *info;
	uint32_t type;
	uint32_t flags;
};

/**
 * struct vnpu_image - the symbol vnpu_image of an image
 * @magic: VNPU_IMAGE_MAGIC
 * @size: of this structure
 * @abi: VNPU_KERNEL_ABI of the compiler
 * @arch: the chip that it was compiled for, as __NPU_ARCH__ has it: 2201
 * @cores: the cores that it was compiled for, VNPU_CORE_*
 * @isa: the level of the processor that it needs, VNPU_ISA_*
 * @state_size: bytes of vnpu_block.state
 * @kernels: the first of its kernels
 * @kernels_end: behind the last one
 * @source: path of the source file, as on the compiler's command line
 * @cube: another image, with the kernels of this source for cube cores
 * @cube_end: behind it; @cube if no kernel runs on such cores
 */
struct vnpu_image {
	uint64_t magic;
	uint32_t size;
	uint32_t abi;
	uint32_t arch;
	uint32_t cores;
	uint32_t isa;
	uint32_t state_size;
	const struct vnpu_kernel *kernels;
	const struct vnpu_kernel *kernels_end;
	const char *source;
	const void *cube;
	const void *cube_end;
};

/*
 * Running a block
 */

/*
 * A block runs on a stack of its own: VNPU_STACK_SIZE bytes, aligned to their
 * size.  The highest word is the address of its struct vnpu_block.  Code finds its
 * block from the stack pointer, on any thread and in signal handlers.
 */
#define VNPU_STACK_SIZE		(1UL << 18)

/* The memories of a core. */
#define VNPU_LOCAL_UB		0U	/* unified buffer */
#define VNPU_LOCAL_L1		1U
#define VNPU_LOCAL_L0A		2U
#define VNPU_LOCAL_L0B		3U
#define VNPU_LOCAL_L0C		4U
#define VNPU_LOCAL_BT		5U	/* biases */
#define VNPU_LOCAL_FB		6U	/* scales of Fixpipe */
#define VNPU_LOCAL_COUNT	8U

/**
 * struct vnpu_local - one memory of a core
 * @base: aligned to a page; NULL if the core lacks this memory
 * @size: in bytes
 */
struct vnpu_local {
	void *base;
	uint64_t size;
};

/* Reasons of a fault. */
#define VNPU_FAULT_TRAP		1U	/* trap(), or a call that gives up */
#define VNPU_FAULT_ASSERT	2U	/* assert() and its relatives */
#define VNPU_FAULT_ALIGN	3U	/* an address or length that is not whole */
#define VNPU_FAULT_BOUNDS	4U	/* beyond a tensor or a local memory */
#define VNPU_FAULT_ARGUMENT	5U	/* a parameter out of range */
#define VNPU_FAULT_QUEUE	6U	/* a queue that is misused */
#define VNPU_FAULT_EVENT	7U	/* a flag that is misused */
#define VNPU_FAULT_MEMORY	8U	/* local memory exhausted */
#define VNPU_FAULT_RACE		9U	/* pipes or blocks that do not wait */
#define VNPU_FAULT_UNWRITTEN	10U	/* memory read before it is written */

/**
 * struct vnpu_fault - an error in a block
 * @size: of this structure
 * @kind: one of VNPU_FAULT_*
 * @text: a sentence without an end, as "DataCopy: 20 bytes are no whole block"
 * @file: source file of an assertion, or NULL
 * @line: line of @file
 * @flags: 0
 * @pc: an address in the kernel, for the debug information
 * @address: the device address concerned, or NULL
 * @length: bytes at @address
 */
struct vnpu_fault {
	uint32_t size;
	uint32_t kind;
	const char *text;
	const char *file;
	uint32_t line;
	uint32_t flags;
	const void *pc;
	const void *address;
	uint64_t length;
};

struct vnpu_block;

/* Scopes of a barrier. */
#define VNPU_SCOPE_KIND		0U	/* all blocks on cores of this kind */
#define VNPU_SCOPE_ALL		1U	/* all blocks of the launch */

/* Modes of a flag. */
#define VNPU_FLAG_ALL		0U	/* all cores of the kind */
#define VNPU_FLAG_GROUP		1U	/* the vector cores of a group */
#define VNPU_FLAG_CROSS		2U	/* the cube core and the vector cores */
#define VNPU_FLAG_COUNT		16U	/* ids are below */
#define VNPU_FLAG_MAX		15U	/* the most a counter holds */

/* Kinds of accesses. */
#define VNPU_GM_READ	(1U << 0)
#define VNPU_GM_WRITE	(1U << 1)
#define VNPU_GM_ATOMIC	(1U << 2)
#define VNPU_GM_SCALAR	(1U << 3)	/* through the data cache */
#define VNPU_GM_ACQUIRE	(1U << 4)	/* a flag was found as expected */
#define VNPU_GM_RELEASE	(1U << 5)	/* a flag is about to be set */

/**
 * struct vnpu_core_ops - the services of a core
 *
 * Kernels call them on the stack of the block that is the first argument.  A
 * service may switch to another block.  Only @access may be NULL.
 *
 * @size: of this structure
 * @abi: VNPU_KERNEL_ABI of the core
 * @yield: run other blocks; called by loops that wait for device memory
 * @barrier: return when all blocks of a scope, VNPU_SCOPE_*, have called it
 * @flag_set: set flag @id in mode VNPU_FLAG_*, after the effects of @pipe are
 *	visible.  Each block has a counter per id.  ALL: when all cores of the
 *	kind have called it once more, the counters of all of them rise by one;
 *	GROUP: likewise, in the group; CROSS: a cube core raises the counters of
 *	its vector cores, the last one of these the counter of the cube core
 * @flag_wait: wait until the block's own counter @id is positive; lower it
 * @print: text for the program's standard output, which appears when the host
 *	synchronises with the stream
 * @fault: end the launch with an exception; does not return
 * @finding: report a mistake that does not end the launch
 * @ticks: the system counter: 50 in a microsecond
 * @access: note an access to device memory, VNPU_GM_*, before it happens.
 *	Kernels with VNPU_KERNEL_F_ACCESS call it for exactly the bytes that
 *	an instruction reads or writes.  ACQUIRE and RELEASE describe a flag
 *	in device memory, which is no access to data: the block knows all that
 *	happened before the last RELEASE of @address.  May be NULL
 */
struct vnpu_core_ops {
	uint32_t size;
	uint32_t abi;
	void (*yield)(struct vnpu_block *block);
	void (*barrier)(struct vnpu_block *block, uint32_t scope);
	void (*flag_set)(struct vnpu_block *block, uint32_t mode, uint32_t pipe,
			 uint32_t id);
	void (*flag_wait)(struct vnpu_block *block, uint32_t pipe, uint32_t id);
	void (*print)(struct vnpu_block *block, const char *text, size_t length);
	void (*fault)(struct vnpu_block *block, const struct vnpu_fault *fault);
	void (*finding)(struct vnpu_block *block,
			const struct vnpu_fault *fault);
	uint64_t (*ticks)(struct vnpu_block *block);
	void (*access)(struct vnpu_block *block, const void *address,
		       uint64_t length, uint32_t flags);
};

/**
 * struct vnpu_block - a block of a launch
 *
 * The core fills it in before the block runs.  Only @state changes while the
 * block runs.
 *
 * @size: of this structure
 * @abi: VNPU_KERNEL_ABI of the core
 * @ops: the services
 * @core: private to the core
 * @state: zeroed, aligned to 64 bytes, vnpu_image.state_size of them
 * @local: the memories, by VNPU_LOCAL_*
 * @index: of the block in the launch; in a mixed kernel of the group
 * @count: blocks of the launch; in a mixed kernel groups
 * @kind: the kind of core that runs it, VNPU_CORE_*
 * @sub_index: of a vector core in its group
 * @sub_count: vector cores of a group; 1 without groups
 * @ratio: vector cores for each cube core; 0 without groups
 * @core_id: the physical core
 * @dynamic_bytes: bytes of unified buffer that the launch requested
 * @workspace: device memory reserved for the system, or NULL
 * @workspace_size: its bytes
 */
struct vnpu_block {
	uint32_t size;
	uint32_t abi;
	const struct vnpu_core_ops *ops;
	void *core;
	void *state;
	struct vnpu_local local[VNPU_LOCAL_COUNT];
	uint32_t index;
	uint32_t count;
	uint32_t kind;
	uint32_t sub_index;
	uint32_t sub_count;
	uint32_t ratio;
	uint32_t core_id;
	uint32_t dynamic_bytes;
	void *workspace;
	uint64_t workspace_size;
};

/*
 * The host
 */

/**
 * struct vnpu_stub - the function of the host program that stands for a kernel
 * @stub: its address, as in aclrtGetFuncBySymbol()
 * @name: address of the pointer to vnpu_kernel_info.name of the kernel
 * @symbol: its name in the symbol table
 */
struct vnpu_stub {
	const void *stub;
	const char *const *name;
	const char *symbol;
};

/**
 * struct vnpu_unit - the kernels of one source file, in a host program
 * @size: of this structure
 * @abi: VNPU_KERNEL_ABI of the compiler
 * @image: the image
 * @image_size: its bytes
 * @stubs: one for each kernel of this file
 * @stub_count: their number
 * @reserved: 0
 * @source: path of the source file
 * @library: NULL; private to the library once the unit is registered
 */
struct vnpu_unit {
	uint32_t size;
	uint32_t abi;
	const void *image;
	uint64_t image_size;
	const struct vnpu_stub *stubs;
	uint32_t stub_count;
	uint32_t reserved;
	const char *source;
	void *library;
};

/**
 * struct vnpu_launch_config - the values between <<< and >>>
 * @size: of this structure
 * @blocks: number of blocks
 * @threads: threads of a block; 1 except for SIMT
 * @reserved: 0
 * @local_bytes: bytes of unified buffer that the kernel manages itself
 * @stream: the stream, or NULL for the default one
 * @result: set by vnpu_launch(): 0, or an aclError
 * @outer: the launch that has this one among its arguments, or NULL
 */
struct vnpu_launch_config {
	uint32_t size;
	uint32_t blocks;
	uint32_t threads;
	uint32_t reserved;
	uint64_t local_bytes;
	void *stream;
	int result;
	struct vnpu_launch_config *outer;
};

/*
 * The library implements the following functions.  Constructors and destructors of
 * a host object call the first two, launches and stubs call the remaining ones.
 */

/**
 * vnpu_unit_register() - register the kernels of a source file
 * @unit: stays valid, with its image, until it is unregistered
 *
 * May be called before main().  Opens no device and cannot fail: launches report
 * the errors of a unit.
 */
void vnpu_unit_register(struct vnpu_unit *unit);

/**
 * vnpu_unit_unregister() - remove the kernels of a source file
 * @unit: a registered unit
 *
 * Called at exit and by dlclose().
 */
void vnpu_unit_unregister(struct vnpu_unit *unit);

/**
 * vnpu_launch_current() - find the innermost launch of the calling thread
 *
 * Return: the address of a pointer of the thread; the pointer is NULL outside of
 * launches.
 */
struct vnpu_launch_config **vnpu_launch_current(void);

/**
 * vnpu_launch() - launch a kernel in the current configuration
 * @unit: the unit of the kernel
 * @name: vnpu_kernel_info.name of the kernel
 * @args: the argument block; copied
 * @args_size: its bytes
 *
 * Stores the result in *vnpu_launch_current().  Without a current launch, if the
 * program calls a kernel as a function, it only reports an error.
 */
void vnpu_launch(struct vnpu_unit *unit, const char *name, const void *args,
		 size_t args_size);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_KERNEL_H */
