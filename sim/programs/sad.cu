// Sums of absolute differences, by which a video encoder finds where a block of 4 x 4 pixels came from: one for each
// of the 33 x 33 places around it in the reference, which is a texture. A thread block has a block of pixels, and a
// thread 18 places. The second kernel adds up the sums of four blocks to those of a block of 8 x 8.

#define EDGE 4
#define REACH 16
#define SPAN (2 * REACH + 1)
#define PLACES (SPAN * SPAN)
#define EACH 18
#define PITCH 1096

texture<unsigned short, 2, cudaReadModeElementType> reference;

extern "C" __global__ void sad(const unsigned short *frame, unsigned int *sums, int width)
{
    __shared__ unsigned short own[EDGE * EDGE];
    __shared__ unsigned short found[PITCH];
    int left = blockIdx.x * EDGE, top = blockIdx.y * EDGE;
    if (threadIdx.x < EDGE * EDGE)
        own[threadIdx.x] = frame[(top + threadIdx.x / EDGE) * width + left + threadIdx.x % EDGE];
    __syncthreads();
    for (int number = 0; number < EACH; number++) {
        int place = threadIdx.x * EACH + number;
        if (place >= PLACES)
            break;
        int x = left + place % SPAN - REACH, y = top + place / SPAN - REACH;
        int sum = 0;
#pragma unroll
        for (int pixel = 0; pixel < EDGE * EDGE; pixel++) {
            int there = tex2D(reference, (float)(x + pixel % EDGE), (float)(y + pixel / EDGE));
            sum += abs(there - own[pixel]);
        }
        found[place] = sum;
    }
    __syncthreads();
    unsigned int *to = sums + (blockIdx.y * gridDim.x + blockIdx.x) * (PITCH / 2);
    for (int pair = threadIdx.x; pair < (PLACES + 1) / 2; pair += blockDim.x)
        to[pair] = found[2 * pair] | (2 * pair + 1 < PLACES ? found[2 * pair + 1] << 16 : 0);
}

extern "C" __global__ void sad_8x8(const ushort4 *sums, ushort4 *larger, int blocks)
{
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= PITCH / 4)
        return;
    int four = (2 * blockIdx.z * blocks + 2 * blockIdx.y) * (PITCH / 4) + place;
    ushort4 a = sums[four], b = sums[four + PITCH / 4];
    ushort4 c = sums[four + blocks * (PITCH / 4)], d = sums[four + (blocks + 1) * (PITCH / 4)];
    larger[(blockIdx.z * gridDim.y + blockIdx.y) * (PITCH / 4) + place] =
        make_ushort4(a.x + b.x + c.x + d.x, a.y + b.y + c.y + d.y, a.z + b.z + c.z + d.z, a.w + b.w + c.w + d.w);
}
