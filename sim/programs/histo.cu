// A histogram whose counts are cut off at a limit. A block counts the values of its own range of 6144 bins in shared
// memory, so it reads all values, and needs no atomics on global memory.

#define BINS 6144

extern "C" __global__ void histo(const unsigned int *values, unsigned char *bins, int count, unsigned int limit)
{
    __shared__ unsigned int own[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    unsigned int first = blockIdx.x * BINS;
    for (int place = threadIdx.x; place < count; place += blockDim.x) {
        unsigned int bin = values[place] - first;
        if (bin < BINS)
            atomicAdd(&own[bin], 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        bins[first + bin] = min(own[bin], limit);
}
