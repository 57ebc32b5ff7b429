#include "textflag.h"

// The compression function of SHA-256 (FIPS 180-4, section 6.2.2). The eight
// working variables are R0 to R7, as i32 values in i64 registers: taking the
// lower half and widening cost nothing once the engine has compiled them.
// R8 is the first temporary word of a round, R9 the message word, R10 the
// constants, R11 counts the rounds in sixteens, R12 is the state with the
// sixteen words of the message schedule after it, R13 the block, R14 the
// number of blocks left.

#define W(x) Get x; I32WrapI64
#define KEEP(x) I64ExtendI32U; Set x
#define ROT(x, n) Get x; I32WrapI64; I32Const $n; I32Rotr

// Big-endian word i of the block, into R9 and the schedule.
#define LOAD(i) \
	W(R13); I32Load $(4*i); KEEP(R9) \
	W(R9); I32Const $8; I32Rotl; I32Const $0x00ff00ff; I32And; \
	W(R9); I32Const $8; I32Rotr; I32Const $-0x00ff0100; I32And; \
	I32Or; KEEP(R9) \
	W(R12); W(R9); I32Store $(32+4*i)

// Word i of the schedule from those 2, 7, 15 and 16 before it, into R9.
#define SCHEDULE(i) \
	W(R12); I32Load $(32+4*((i+1)&15)); KEEP(R9) \
	ROT(R9, 7); ROT(R9, 18); I32Xor; W(R9); I32Const $3; I32ShrU; I32Xor; \
	W(R12); I32Load $(32+4*((i+14)&15)); KEEP(R9) \
	ROT(R9, 17); ROT(R9, 19); I32Xor; W(R9); I32Const $10; I32ShrU; I32Xor; \
	I32Add; \
	W(R12); I32Load $(32+4*i); I32Add; \
	W(R12); I32Load $(32+4*((i+9)&15)); I32Add; KEEP(R9) \
	W(R12); W(R9); I32Store $(32+4*i)

#define ROUND(a, b, c, d, e, f, g, h, i) \
	W(h); \
	ROT(e, 6); ROT(e, 11); I32Xor; ROT(e, 25); I32Xor; I32Add; \
	W(f); W(g); I32Xor; W(e); I32And; W(g); I32Xor; I32Add; \
	W(R10); I32Load $(4*i); I32Add; \
	W(R9); I32Add; KEEP(R8) \
	W(d); W(R8); I32Add; KEEP(d) \
	W(R8); \
	ROT(a, 2); ROT(a, 13); I32Xor; ROT(a, 22); I32Xor; I32Add; \
	W(a); W(b); I32And; W(a); W(b); I32Or; W(c); I32And; I32Or; I32Add; KEEP(h)

#define FIRST(a, b, c, d, e, f, g, h, i) LOAD(i); ROUND(a, b, c, d, e, f, g, h, i)
#define LATER(a, b, c, d, e, f, g, h, i) SCHEDULE(i); ROUND(a, b, c, d, e, f, g, h, i)
#define EIGHT(each, i) \
	each(R0, R1, R2, R3, R4, R5, R6, R7, (i+0)) \
	each(R7, R0, R1, R2, R3, R4, R5, R6, (i+1)) \
	each(R6, R7, R0, R1, R2, R3, R4, R5, (i+2)) \
	each(R5, R6, R7, R0, R1, R2, R3, R4, (i+3)) \
	each(R4, R5, R6, R7, R0, R1, R2, R3, (i+4)) \
	each(R3, R4, R5, R6, R7, R0, R1, R2, (i+5)) \
	each(R2, R3, R4, R5, R6, R7, R0, R1, (i+6)) \
	each(R1, R2, R3, R4, R5, R6, R7, R0, (i+7))

#define TAKE(x, i) W(R12); I32Load $(4*i); KEEP(x)
#define GIVE(x, i) W(R12); W(R12); I32Load $(4*i); W(x); I32Add; I32Store $(4*i)

// func blocks(s *state, k *[64]uint32, p *byte, n int)
TEXT ·blocks(SB), NOSPLIT, $0-32
	MOVD s+0(FP), R12
	MOVD p+16(FP), R13
	MOVD n+24(FP), R14

	Loop
		MOVD k+8(FP), R10
		TAKE(R0, 0)
		TAKE(R1, 1)
		TAKE(R2, 2)
		TAKE(R3, 3)
		TAKE(R4, 4)
		TAKE(R5, 5)
		TAKE(R6, 6)
		TAKE(R7, 7)
		EIGHT(FIRST, 0)
		EIGHT(FIRST, 8)
		I64Const $3
		Set R11
		Loop
			Get R10
			I64Const $64
			I64Add
			Set R10
			EIGHT(LATER, 0)
			EIGHT(LATER, 8)
			Get R11
			I64Const $1
			I64Sub
			Tee R11
			I64Const $0
			I64Ne
			BrIf $0
		End
		GIVE(R0, 0)
		GIVE(R1, 1)
		GIVE(R2, 2)
		GIVE(R3, 3)
		GIVE(R4, 4)
		GIVE(R5, 5)
		GIVE(R6, 6)
		GIVE(R7, 7)
		Get R13
		I64Const $64
		I64Add
		Set R13
		Get R14
		I64Const $1
		I64Sub
		Tee R14
		I64Const $0
		I64Ne
		BrIf $0
	End
	RET
