/* SPDX-License-Identifier: MIT */
/*
 * Fibers on arm64.  A position is the address of
 *
 *	  0	x19 to x28, x29, x30 (return address)
 *	 96	d8 to d15
 *	160	FPCR
 */
#ifdef __aarch64__

#define FRAME	176

	.text

	.globl	exec_fiber_switch
	.hidden	exec_fiber_switch
	.type	exec_fiber_switch, %function
	.p2align 4
exec_fiber_switch:
	sub	sp, sp, #FRAME
	stp	x19, x20, [sp]
	stp	x21, x22, [sp, #16]
	stp	x23, x24, [sp, #32]
	stp	x25, x26, [sp, #48]
	stp	x27, x28, [sp, #64]
	stp	x29, x30, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mrs	x9, fpcr
	str	x9, [sp, #160]
	mov	x9, sp
	str	x9, [x0]
	mov	sp, x1
	.globl	exec_fiber_abandon
	.hidden	exec_fiber_abandon
exec_fiber_abandon:
	ldr	x9, [sp, #160]
	msr	fpcr, x9
	ldp	x19, x20, [sp]
	ldp	x21, x22, [sp, #16]
	ldp	x23, x24, [sp, #32]
	ldp	x25, x26, [sp, #48]
	ldp	x27, x28, [sp, #64]
	ldp	x29, x30, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	add	sp, sp, #FRAME
	ret
	.size	exec_fiber_switch, . - exec_fiber_switch

	/* x19 is the function, x20 its argument: see exec_fiber_init(). */
	.globl	exec_fiber_begin
	.hidden	exec_fiber_begin
	.type	exec_fiber_begin, %function
exec_fiber_begin:
	.cfi_startproc
	.cfi_undefined x30
	mov	x0, x20
	blr	x19
	brk	#0
	.cfi_endproc
	.size	exec_fiber_begin, . - exec_fiber_begin

#endif

	.section .note.GNU-stack, "", %progbits
