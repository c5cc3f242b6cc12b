// What the programs use of CUDA, for clang without CUDA's headers and libraries:
//
//     clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_35 -S -O3 -nocudainc -nocudalib -ffp-contract=off \
//         -include clang.h program.cu
//
// Textures are left out: clang has no function of its own that fetches from one.

#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define CLANG_FUNCTION static inline __attribute__((device, always_inline))

// Vectors.

#define CLANG_VECTORS(scalar, name, bytes)                                                                       \
    struct __align__(2 * bytes) name##2 { scalar x, y; };                                                        \
    struct name##3 { scalar x, y, z; };                                                                          \
    struct __align__(4 * bytes > 16 ? 16 : 4 * bytes) name##4 { scalar x, y, z, w; };                            \
    CLANG_FUNCTION name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }                                 \
    CLANG_FUNCTION name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

CLANG_VECTORS(unsigned char, uchar, 1)
CLANG_VECTORS(unsigned short, ushort, 2)
CLANG_VECTORS(int, int, 4)
CLANG_VECTORS(unsigned int, uint, 4)
CLANG_VECTORS(float, float, 4)
CLANG_VECTORS(double, double, 8)

// Places.

#define CLANG_PLACE(name, word)                                                                                  \
    struct name##_t {                                                                                            \
        __declspec(property(get = get_x)) unsigned int x;                                                        \
        __declspec(property(get = get_y)) unsigned int y;                                                        \
        __declspec(property(get = get_z)) unsigned int z;                                                        \
        CLANG_METHOD unsigned int get_x() { return __nvvm_read_ptx_sreg_##word##_x(); }                          \
        CLANG_METHOD unsigned int get_y() { return __nvvm_read_ptx_sreg_##word##_y(); }                          \
        CLANG_METHOD unsigned int get_z() { return __nvvm_read_ptx_sreg_##word##_z(); }                          \
    };                                                                                                           \
    extern const __device__ __attribute__((weak)) name##_t name;
#define CLANG_METHOD static inline __attribute__((device, always_inline))

CLANG_PLACE(threadIdx, tid)
CLANG_PLACE(blockIdx, ctaid)
CLANG_PLACE(blockDim, ntid)
CLANG_PLACE(gridDim, nctaid)
#define warpSize 32
#define __syncthreads() __nvvm_bar_sync(0)

// Numbers.

#define __fmaf_rn(x, y, z) __nvvm_fma_rn_f(x, y, z)
#define __fma_rn(x, y, z) __nvvm_fma_rn_d(x, y, z)
#define __fdividef(x, y) __nvvm_div_approx_f(x, y)
#define __fdiv_rn(x, y) __nvvm_div_rn_f(x, y)
#define __frcp_rn(x) __nvvm_rcp_rn_f(x)
#define __fsqrt_rn(x) __nvvm_sqrt_rn_f(x)
#define rsqrtf(x) __nvvm_rsqrt_approx_f(x)
#define __sinf(x) __nvvm_sin_approx_f(x)
#define __cosf(x) __nvvm_cos_approx_f(x)
#define __expf(x) __nvvm_ex2_approx_f((x) * 1.44269502f)
#define __logf(x) (__nvvm_lg2_approx_f(x) * 0.693147182f)
#define __log2f(x) __nvvm_lg2_approx_f(x)
#define __saturatef(x) __nvvm_saturate_f(x)
#define fabsf(x) __builtin_fabsf(x)
#define abs(x) __builtin_abs(x)
#define __float2int_rd(x) __nvvm_f2i_rm(x)
#define __float2int_rn(x) __nvvm_f2i_rn(x)
#define __uint2float_rn(x) __nvvm_ui2f_rn(x)
#define __float_as_uint(x) __builtin_bit_cast(unsigned int, (float)(x))

#define CLANG_LEAST(type)                                                                                        \
    CLANG_FUNCTION type min(type a, type b) { return a < b ? a : b; }                                            \
    CLANG_FUNCTION type max(type a, type b) { return a > b ? a : b; }
CLANG_LEAST(int)
CLANG_LEAST(unsigned int)
CLANG_FUNCTION unsigned int min(unsigned int a, int b) { return min(a, (unsigned int)b); }
CLANG_FUNCTION unsigned int min(int a, unsigned int b) { return min((unsigned int)a, b); }
CLANG_FUNCTION float min(float a, float b) { return __builtin_fminf(a, b); }
CLANG_FUNCTION float max(float a, float b) { return __builtin_fmaxf(a, b); }

// Atomics.

CLANG_FUNCTION int atomicAdd(int *at, int by) { return __nvvm_atom_add_gen_i(at, by); }
CLANG_FUNCTION unsigned int atomicAdd(unsigned int *at, unsigned int by) { return __nvvm_atom_add_gen_i((int *)at, by); }
CLANG_FUNCTION float atomicAdd(float *at, float by) { return __nvvm_atom_add_gen_f(at, by); }
CLANG_FUNCTION int atomicMin(int *at, int by) { return __nvvm_atom_min_gen_i(at, by); }
CLANG_FUNCTION unsigned int atomicMin(unsigned int *at, unsigned int by) { return __nvvm_atom_min_gen_ui(at, by); }
CLANG_FUNCTION int atomicMax(int *at, int by) { return __nvvm_atom_max_gen_i(at, by); }
CLANG_FUNCTION unsigned int atomicMax(unsigned int *at, unsigned int by) { return __nvvm_atom_max_gen_ui(at, by); }
CLANG_FUNCTION unsigned int atomicExch(unsigned int *at, unsigned int by) { return __nvvm_atom_xchg_gen_i((int *)at, by); }
CLANG_FUNCTION int atomicCAS(int *at, int old, int by) { return __nvvm_atom_cas_gen_i(at, old, by); }
CLANG_FUNCTION unsigned int atomicCAS(unsigned int *at, unsigned int old, unsigned int by)
{
    return __nvvm_atom_cas_gen_i((int *)at, old, by);
}
