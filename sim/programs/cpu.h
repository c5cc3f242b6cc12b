// CUDA programs as C++, so that a CPU says what they compute:
//
//     c++ -x c++ -std=c++14 -O1 -ffp-contract=off -include cpu.h program.cu
//
// The threads of a block are coroutines. Each runs to the next barrier or to its end, in the order of their numbers;
// blocks run one after the other. Arithmetic is that of IEEE 754, also where a GPU's is approximate.

#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <ucontext.h>

// Qualifiers. Shared memory has the storage of a thread of the CPU, and all coroutines run in one.

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ thread_local
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)

// Vectors.

#define CPU_VECTORS(scalar, name, bytes)                                                                         \
    struct __align__(2 * bytes) name##2 { scalar x, y; };                                                        \
    struct name##3 { scalar x, y, z; };                                                                          \
    struct __align__(4 * bytes > 16 ? 16 : 4 * bytes) name##4 { scalar x, y, z, w; };                            \
    inline name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }                                         \
    inline name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; }                            \
    inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

CPU_VECTORS(signed char, char, 1)
CPU_VECTORS(unsigned char, uchar, 1)
CPU_VECTORS(short, short, 2)
CPU_VECTORS(unsigned short, ushort, 2)
CPU_VECTORS(int, int, 4)
CPU_VECTORS(unsigned int, uint, 4)
CPU_VECTORS(float, float, 4)
CPU_VECTORS(long long, longlong, 8)
CPU_VECTORS(unsigned long long, ulonglong, 8)
CPU_VECTORS(double, double, 8)

struct dim3 {
    unsigned int x, y, z;
    dim3(unsigned int x, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
};

static uint3 threadIdx, blockIdx;
static dim3 blockDim(1), gridDim(1);
static const int warpSize = 32;

// Numbers.

namespace cpu {

// To the nearest number of a type; what is none becomes 0.
template <class To, class From> To converted(From number)
{
    const From least = (From)(std::is_signed<To>::value ? (To)1 << (8 * sizeof(To) - 1) : 0);
    const From end = ldexp((From)1, 8 * sizeof(To) - std::is_signed<To>::value);
    if (std::isnan(number))
        return 0;
    if (number < least)
        return std::is_signed<To>::value ? (To)1 << (8 * sizeof(To) - 1) : 0;
    return number >= end ? (To)~((To)std::is_signed<To>::value << (8 * sizeof(To) - 1)) : (To)number;
}

template <class To, class From> To bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

} // namespace cpu

template <class A, class B> typename std::common_type<A, B>::type min(A a, B b)
{
    typename std::common_type<A, B>::type left = a, right = b;
    return right < left || left != left ? right : left;
}

template <class A, class B> typename std::common_type<A, B>::type max(A a, B b)
{
    typename std::common_type<A, B>::type left = a, right = b;
    return left < right || left != left ? right : left;
}

// Fast functions, by the powers and logarithms of two that a GPU has. The C library declares some of these names itself.
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) (sinf(x) / cosf(x))
#define __expf(x) exp2f((x) * 1.44269502f)
#define __exp10f(x) exp2f((x) * 3.32192802f)
#define __logf(x) (log2f(x) * 0.693147182f)
#define __log2f(x) log2f(x)
#define __log10f(x) (log2f(x) * 0.301029996f)
#define __powf(x, y) exp2f((y) * log2f(x))

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __frsqrt_rn(float x) { return (float)(1.0 / sqrt((double)x)); }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
inline float __saturatef(float x) { return x > 0.0f ? x < 1.0f ? x : 1.0f : 0.0f; }

inline int __mul24(int x, int y) { return (int)((unsigned int)(x << 8 >> 8) * (unsigned int)(y << 8 >> 8)); }
inline unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffff) * (y & 0xffffff); }
inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
inline unsigned int __umulhi(unsigned int x, unsigned int y) { return (unsigned int)((unsigned long long)x * y >> 32); }

inline int __float2int_rz(float x) { return cpu::converted<int>(truncf(x)); }
inline int __float2int_rn(float x) { return cpu::converted<int>(rintf(x)); }
inline int __float2int_rd(float x) { return cpu::converted<int>(floorf(x)); }
inline int __float2int_ru(float x) { return cpu::converted<int>(ceilf(x)); }
inline unsigned int __float2uint_rz(float x) { return cpu::converted<unsigned int>(truncf(x)); }
inline unsigned int __float2uint_rn(float x) { return cpu::converted<unsigned int>(rintf(x)); }
inline unsigned int __float2uint_rd(float x) { return cpu::converted<unsigned int>(floorf(x)); }
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned int x) { return (float)x; }
inline int __double2int_rz(double x) { return cpu::converted<int>(trunc(x)); }
inline float __double2float_rn(double x) { return (float)x; }
inline int __float_as_int(float x) { return cpu::bits<int>(x); }
inline unsigned int __float_as_uint(float x) { return cpu::bits<unsigned int>(x); }
inline float __int_as_float(int x) { return cpu::bits<float>(x); }
inline float __uint_as_float(unsigned int x) { return cpu::bits<float>(x); }

template <class T> T __ldg(const T *from) { return *from; }
inline void __threadfence() {}
inline void __threadfence_block() {}

// Atomics: no other thread runs before the next barrier.

#define CPU_ATOMIC(name, result)                                                                                 \
    template <class T, class U> T name(T *at, U given)                                                           \
    {                                                                                                            \
        T old = *at, by = (T)given;                                                                              \
        *at = result;                                                                                            \
        return old;                                                                                              \
    }

CPU_ATOMIC(atomicAdd, old + by)
CPU_ATOMIC(atomicSub, old - by)
CPU_ATOMIC(atomicMin, by < old ? by : old)
CPU_ATOMIC(atomicMax, old < by ? by : old)
CPU_ATOMIC(atomicExch, by)
CPU_ATOMIC(atomicAnd, old & by)
CPU_ATOMIC(atomicOr, old | by)
CPU_ATOMIC(atomicXor, old ^ by)
CPU_ATOMIC(atomicInc, old >= by ? 0 : old + 1)
CPU_ATOMIC(atomicDec, old == 0 || old > by ? by : old - 1)

template <class T, class U, class V> T atomicCAS(T *at, U wanted, V value)
{
    T old = *at;
    if (old == (T)wanted)
        *at = (T)value;
    return old;
}

// Votes and shuffles. A thread is a warp of its own here, as if the others were not active.

inline unsigned int cpu_lane() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) & 31; }
inline unsigned int __ballot(int holds) { return (holds != 0) << cpu_lane(); }
inline int __any(int holds) { return holds != 0; }
inline int __all(int holds) { return holds != 0; }
template <class T> T __shfl(T value, int) { return value; }
inline int __popc(unsigned int bits) { return __builtin_popcount(bits); }
inline int __clz(unsigned int bits) { return bits ? __builtin_clz(bits) : 32; }
inline int __ffs(unsigned int bits) { return __builtin_ffs((int)bits); }

// Textures, read by points and up to their edges.

enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum { cudaTextureType1D = 1, cudaTextureType2D = 2 };

template <class T, int dimensions = 1, int mode = cudaReadModeElementType> struct texture {
    static_assert(mode == cudaReadModeElementType, "texels are read as they are");
    const T *texels;
    long width, height;
    bool normalized;
};

namespace cpu {

template <class T, int mode> T texel(const texture<T, 2, mode> &from, float x, float y)
{
    if (from.normalized)
        x *= from.width, y *= from.height;
    long column = min(max((long)floorf(x), 0L), from.width - 1);
    long row = min(max((long)floorf(y), 0L), from.height - 1);
    return from.texels[row * from.width + column];
}

} // namespace cpu

template <class T, int mode> T tex1Dfetch(const texture<T, 1, mode> &from, int place)
{
    return place >= 0 && place < from.width ? from.texels[place] : T();
}

template <class T, int mode> T tex1D(const texture<T, 1, mode> &from, float x)
{
    texture<T, 2, mode> row = {from.texels, from.width, 1, from.normalized};
    return cpu::texel(row, x, 0.0f);
}

template <class T, int mode> T tex2D(const texture<T, 2, mode> &from, float x, float y)
{
    return cpu::texel(from, x, y);
}

// Thread blocks.

namespace cpu {

[[noreturn]] inline void fail(const char *what, const char *name)
{
    fprintf(stderr, "%s: %s\n", name, what);
    exit(1);
}

// A thread of the block that runs.
struct Thread {
    ucontext_t context;
    char *stack;
    uint3 index;
    bool is_done;
};

static const unsigned int MOST_THREADS = 1024;
static const size_t STACK_BYTES = 64 << 10;
static Thread threads[MOST_THREADS];
static Thread *current;
static ucontext_t scheduler;
static void (*body)(void *);
static void *body_data;

inline void enter()
{
    body(body_data);
    current->is_done = true;
}

inline void run_block()
{
    unsigned int count = 0;
    for (unsigned int z = 0; z < blockDim.z; z++)
        for (unsigned int y = 0; y < blockDim.y; y++)
            for (unsigned int x = 0; x < blockDim.x; x++) {
                Thread &thread = threads[count++];
                if (!thread.stack)
                    thread.stack = (char *)malloc(STACK_BYTES);
                getcontext(&thread.context);
                thread.context.uc_stack.ss_sp = thread.stack;
                thread.context.uc_stack.ss_size = STACK_BYTES;
                thread.context.uc_link = &scheduler;
                makecontext(&thread.context, enter, 0);
                thread.index = {x, y, z};
                thread.is_done = false;
            }
    for (bool runs = true; runs;) {
        runs = false;
        for (current = threads; current < threads + count; current++)
            if (!current->is_done) {
                runs = true;
                threadIdx = current->index;
                swapcontext(&scheduler, &current->context);
            }
    }
}

} // namespace cpu

inline void __syncthreads() { swapcontext(&cpu::current->context, &cpu::scheduler); }

// What starts a program.

namespace cpu {

// A place in a buffer, as a pointer to anything.
struct Place {
    unsigned char *at;
    template <class T> operator T *() const { return (T *)at; }
};

// A structure that is passed by value.
struct Bytes {
    unsigned char bytes[4096];
    Bytes(std::initializer_list<int> from)
    {
        size_t count = 0;
        for (int byte : from)
            bytes[count++] = (unsigned char)byte;
    }
    template <class T> operator T() const
    {
        T to;
        memcpy(&to, bytes, sizeof to);
        return to;
    }
};

// The bytes of a file, which `write` writes back.
struct Buffer {
    const char *name;
    size_t size;
    unsigned char *bytes;

    explicit Buffer(const char *name) : name(name)
    {
        FILE *file = fopen(name, "rb");
        if (!file || fseek(file, 0, SEEK_END) != 0)
            fail("cannot be read", name);
        size = (size_t)ftell(file);
        rewind(file);
        bytes = (unsigned char *)aligned_alloc(256, (size + 511) / 256 * 256);
        if (!bytes || fread(bytes, 1, size, file) != size)
            fail("cannot be read", name);
        fclose(file);
    }

    Place at(size_t offset) const { return {bytes + offset}; }

    void write() const
    {
        FILE *file = fopen(name, "wb");
        if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
            fail("cannot be written", name);
    }
};

// Sets a variable to the bytes of a file.
template <class T> void set(T &variable, const char *name)
{
    Buffer from(name);
    if (from.size > sizeof variable)
        fail("has more bytes than the variable", name);
    memcpy((void *)&variable, from.bytes, from.size);
}

template <class T, int dimensions, int mode>
void bind(texture<T, dimensions, mode> &to, const Buffer &from, long width, long height, bool normalized)
{
    to = {(const T *)from.bytes, width, height, normalized};
}

// Runs the blocks from the first to the one before the end.
template <class... Parameters, class... Given>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, unsigned long first, unsigned long end, Given... given)
{
    static_assert(sizeof...(Parameters) == sizeof...(Given), "an argument for each parameter");
    auto thread = [&] { kernel((Parameters)given...); };
    body = [](void *data) { (*(decltype(thread) *)data)(); };
    body_data = &thread;
    gridDim = grid;
    blockDim = block;
    for (unsigned long number = first; number < end; number++) {
        blockIdx.x = (unsigned int)(number % grid.x);
        blockIdx.y = (unsigned int)(number / grid.x % grid.y);
        blockIdx.z = (unsigned int)(number / grid.x / grid.y);
        run_block();
    }
}

} // namespace cpu
