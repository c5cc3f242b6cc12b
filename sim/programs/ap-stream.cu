// A sum over a mapped file, by plain pointers and by pointers that translate in software: what a translation costs, by the
// arithmetic between two accesses.
//
// A thread that translates has 32 registers at most, so that an SM holds 64 warps; ptxas spills eight words of its misses.
// A warp has a part of the file. It walks through it in steps, and does so again for each round.

#include "apointer.cuh"

// What a value is used for: so many products and sums, one after the other.
template <int math> __device__ __forceinline__ float used(float sum, float value)
{
    if (math == 0)
        return sum + value;
#pragma unroll
    for (int k = 0; k < math; k++)
        sum = __fmaf_rn(sum, 0.5f, value);
    return sum;
}

template <int math> __device__ __forceinline__ void plain(const float *file, float *sums, int part, int steps, int stride,
                                                          int rounds)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const float *from = file + (thread >> 5) * part + (thread & 31);
    float sum = 0.0f;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll 1
        for (int step = 0; step < steps; step++) {
            sum = used<math>(sum, *from);
            from += stride;
        }
        from -= steps * stride;
    }
    sums[thread] = sum;
}

template <int math> __device__ __forceinline__ void translated(ap_map &map, float *sums, int part, int steps, int stride,
                                                               int rounds)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    apointer<float> from = apointer<float>::at(4 * (ap_word)((thread >> 5) * part + (thread & 31)));
    float sum = 0.0f;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll 1
        for (int step = 0; step < steps; step++) {
            sum = used<math>(sum, from.load(map));
            from += stride;
        }
        from += -(steps * stride);
    }
    sums[thread] = sum;
}

#define STREAM(math)                                                                                             \
    extern "C" __global__ void plain_##math(const float *file, float *sums, int part, int steps, int stride,     \
                                            int rounds)                                                          \
    {                                                                                                            \
        plain<math>(file, sums, part, steps, stride, rounds);                                                    \
    }                                                                                                            \
    extern "C" __global__ void __launch_bounds__(256, 8)                                                         \
        apointer_##math(const unsigned char *file, float *sums, int part, int steps, int stride, int rounds,     \
                        unsigned char *frames, ap_word *table, unsigned int *locks, unsigned int *taken,         \
                        unsigned int buckets)                                                                    \
    {                                                                                                            \
        __shared__ ap_map map;                                                                                   \
        ap_open(map, file, frames, table, locks, taken, buckets);                                                \
        translated<math>(map, sums, part, steps, stride, rounds);                                                \
    }

STREAM(0)
STREAM(8)
STREAM(32)
