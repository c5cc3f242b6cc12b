// An image collage in small: each block of an image becomes the tile of a data set that is nearest by the Euclidean distance
// of histograms. The data set is one file: the histograms of all tiles, and then the tiles.
//
// A block of threads has a block of the image, of 16 by 16 pixels. A histogram has 16 counts of 16 bits.

#include "apointer.cuh"

#define PIXELS 256
#define BINS 16
#define FOUR (BINS / 4)

typedef ap_word word;

// Fills in the histograms of the data set, one for each thread block.
extern "C" __global__ void features(unsigned char *file, int tiles)
{
    __shared__ unsigned int bins[BINS];
    unsigned int thread = threadIdx.x;
    if (thread < BINS)
        bins[thread] = 0;
    __syncthreads();
    const unsigned char *pixels = file + (unsigned long long)tiles * 2 * BINS;
    atomicAdd(&bins[pixels[blockIdx.x * PIXELS + thread] >> 4], 1u);
    __syncthreads();
    if (thread < BINS)
        ((unsigned short *)file)[blockIdx.x * BINS + thread] = (unsigned short)bins[thread];
}

// The data set by plain pointers.
struct mapped {
    const unsigned char *file;
    template <class T> struct pointer {
        const T *to;
        __device__ __forceinline__ T load(mapped &) const { return *to; }
        __device__ __forceinline__ void operator+=(long long count) { to += count; }
    };
    template <class T> __device__ __forceinline__ pointer<T> at(word place) const
    {
        pointer<T> made = {(const T *)(file + place)};
        return made;
    }
};

// The data set by pointers that translate.
struct translated : ap_map {
    template <class T> using pointer = apointer<T>;
    template <class T> __device__ __forceinline__ apointer<T> at(word place) const { return apointer<T>::at(place); }
};

// The square of the distance of four counts.
__device__ __forceinline__ unsigned int squares(word left, word right)
{
    unsigned int sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int off = (int)(left >> 16 * k & 0xffff) - (int)(right >> 16 * k & 0xffff);
        sum += off * off;
    }
    return sum;
}

template <class Map>
__device__ __forceinline__ void collage(Map &map, const unsigned char *image, unsigned int *nearest,
                                        unsigned int *result, int tiles)
{
    __shared__ unsigned int bins[BINS];
    __shared__ word own[FOUR];
    __shared__ word best;
    unsigned int thread = threadIdx.x;
    if (thread < BINS)
        bins[thread] = 0;
    if (thread == 0)
        best = ~0ull;
    __syncthreads();
    atomicAdd(&bins[image[blockIdx.x * PIXELS + thread] >> 4], 1u);
    __syncthreads();
    if (thread < FOUR)
        own[thread] = (word)bins[4 * thread] | (word)bins[4 * thread + 1] << 16 | (word)bins[4 * thread + 2] << 32 |
                      (word)bins[4 * thread + 3] << 48;
    __syncthreads();
    word least = ~0ull;
    typename Map::template pointer<word> from = map.template at<word>((word)thread * (2 * BINS));
#pragma unroll 1
    for (unsigned int tile = thread; tile < tiles; tile += blockDim.x) {
        unsigned int distance = 0;
#pragma unroll
        for (int four = 0; four < FOUR; four++) {
            distance += squares(own[four], from.load(map));
            from += 1;
        }
        from += (blockDim.x - 1) * FOUR;
        word found = (word)distance << 32 | tile;
        least = found < least ? found : least;
    }
    atomicMin(&best, least);
    __syncthreads();
    if (thread == 0)
        nearest[blockIdx.x] = (unsigned int)best;
    if (thread < PIXELS / 4) {
        word tile = (unsigned int)best;
        typename Map::template pointer<unsigned int> pixels =
            map.template at<unsigned int>((word)tiles * (2 * BINS) + tile * PIXELS + 4 * thread);
        result[blockIdx.x * (PIXELS / 4) + thread] = pixels.load(map);
    }
}

extern "C" __global__ void collage_plain(const unsigned char *file, const unsigned char *image, unsigned int *nearest,
                                         unsigned int *result, int tiles)
{
    mapped map = {file};
    collage(map, image, nearest, result, tiles);
}

extern "C" __global__ void __launch_bounds__(256, 6)
    collage_apointer(const unsigned char *file, const unsigned char *image, unsigned int *nearest, unsigned int *result,
                     int tiles, unsigned char *frames, word *table, unsigned int *locks, unsigned int *taken,
                     unsigned int buckets)
{
    __shared__ translated map;
    ap_open(map, file, frames, table, locks, taken, buckets);
    collage(map, image, nearest, result, tiles);
}
