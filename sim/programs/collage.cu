// An image collage in small: each block of an image becomes the tile of a data set that is nearest by the Euclidean distance
// of histograms. The data set is one file: the histograms of all tiles, and then the tiles.
//
// A block of 256 threads has four blocks of the image, of 16 by 16 pixels each. A warp has a part of the tiles, and a thread
// compares each of its tiles with all four. A histogram has 16 counts of 16 bits.

#include "apointer.cuh"

#define PIXELS 256
#define BINS 16
#define FOUR (BINS / 4)
#define BLOCKS 4
#define WARPS (PIXELS / 32)

typedef ap_word word;

struct histogram {
    word counts[FOUR];
};

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
__device__ __forceinline__ void collage(Map &map, const unsigned char *image, unsigned int *nearest, unsigned int *result,
                                        int tiles)
{
    __shared__ unsigned int bins[BLOCKS][BINS];
    __shared__ word own[BLOCKS][FOUR];
    __shared__ word best[BLOCKS];
    unsigned int thread = threadIdx.x;
    if (thread < BLOCKS * BINS)
        (&bins[0][0])[thread] = 0;
    if (thread < BLOCKS)
        best[thread] = ~0ull;
    __syncthreads();
    for (int block = 0; block < BLOCKS; block++)
        atomicAdd(&bins[block][image[(blockIdx.x * BLOCKS + block) * PIXELS + thread] >> 4], 1u);
    __syncthreads();
    if (thread < BLOCKS * FOUR) {
        const unsigned int *four = &bins[0][0] + 4 * thread;
        (&own[0][0])[thread] = (word)four[0] | (word)four[1] << 16 | (word)four[2] << 32 | (word)four[3] << 48;
    }
    __syncthreads();
    word least[BLOCKS];
#pragma unroll
    for (int block = 0; block < BLOCKS; block++)
        least[block] = ~0ull;
    unsigned int part = tiles / WARPS;
    unsigned int tile = thread / 32 * part + thread % 32;
    unsigned int end = (thread / 32 + 1) * part;
    typename Map::template pointer<histogram> from = map.template at<histogram>((word)tile * sizeof(histogram));
#pragma unroll 1
    for (; tile < end; tile += 32) {
        histogram other = from.load(map);
        from += 32;
#pragma unroll
        for (int block = 0; block < BLOCKS; block++) {
            unsigned int distance = 0;
#pragma unroll
            for (int four = 0; four < FOUR; four++)
                distance += squares(own[block][four], other.counts[four]);
            word found = (word)distance << 32 | tile;
            least[block] = found < least[block] ? found : least[block];
        }
    }
#pragma unroll
    for (int block = 0; block < BLOCKS; block++)
        atomicMin(&best[block], least[block]);
    __syncthreads();
    if (thread < BLOCKS)
        nearest[blockIdx.x * BLOCKS + thread] = (unsigned int)best[thread];
    // A quarter of the threads copies each tile.
    word chosen = (unsigned int)best[thread / (PIXELS / 4)];
    typename Map::template pointer<unsigned int> pixels = map.template at<unsigned int>(
        (word)tiles * sizeof(histogram) + chosen * PIXELS + 4 * (thread % (PIXELS / 4)));
    result[blockIdx.x * PIXELS + thread] = pixels.load(map);
}

extern "C" __global__ void __launch_bounds__(256, 4)
    collage_plain(const unsigned char *file, const unsigned char *image, unsigned int *nearest, unsigned int *result, int tiles)
{
    mapped map = {file};
    collage(map, image, nearest, result, tiles);
}

extern "C" __global__ void __launch_bounds__(256, 4)
    collage_apointer(const unsigned char *file, const unsigned char *image, unsigned int *nearest, unsigned int *result,
                     int tiles, unsigned char *frames, word *table, unsigned int *locks, unsigned int *taken,
                     unsigned int buckets)
{
    __shared__ translated map;
    ap_open(map, file, frames, table, locks, taken, buckets);
    collage(map, image, nearest, result, tiles);
}
