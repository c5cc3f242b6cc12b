// A histogram of bytes that saturates at 255: each block counts in shared memory and adds its counts to those of all.
// `pixels` are read four at a time. The values of the pixels pass through a table in a texture.

texture<unsigned int, 1, cudaReadModeElementType> levels;

extern "C" __global__ void histogram(const uchar4 *pixels, unsigned int *bins, unsigned int *most, int count)
{
    __shared__ unsigned int own[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int place = blockIdx.x * blockDim.x + threadIdx.x; place < count; place += stride) {
        uchar4 four = pixels[place];
        atomicAdd(&own[tex1Dfetch(levels, four.x)], 1u);
        atomicAdd(&own[tex1Dfetch(levels, four.y)], 1u);
        atomicAdd(&own[tex1Dfetch(levels, four.z)], 1u);
        atomicAdd(&own[tex1Dfetch(levels, four.w)], 1u);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
        unsigned int sum = own[bin];
        if (sum != 0)
            atomicMax(most, atomicAdd(&bins[bin], sum) + sum);
    }
}

// Cuts each count off at 255, and packs four of them.
extern "C" __global__ void saturate(const uint4 *bins, uchar4 *packed, float *logarithms)
{
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 four = bins[place];
    packed[place] = make_uchar4(min(four.x, 255u), min(four.y, 255u), min(four.z, 255u), min(four.w, 255u));
    logarithms[place] = __log2f(__uint2float_rn(four.x + four.y + four.z + four.w + 1));
}
