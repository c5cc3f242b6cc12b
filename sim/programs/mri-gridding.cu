// Samples at any places of k-space become values on a grid, each spread over its surroundings by a Kaiser-Bessel
// window. The first kernel sorts the samples into tiles of 4 x 4 x 4 points, with an atomic counter a tile. In the
// second one, a block computes a tile, a thread a point; the samples of the tiles around come through shared memory.

#define EDGE 4
#define CAPACITY 64

extern "C" __global__ void sort(const float4 *places, int *counts, int *members, int samples, int tiles_x, int tiles_y)
{
    int sample = blockIdx.x * blockDim.x + threadIdx.x;
    if (sample >= samples)
        return;
    float4 place = places[sample];
    int x = __float2int_rd(place.x * (1.0f / EDGE)), y = __float2int_rd(place.y * (1.0f / EDGE));
    int tile = (__float2int_rd(place.z * (1.0f / EDGE)) * tiles_y + y) * tiles_x + x;
    int number = atomicAdd(&counts[tile], 1);
    if (number < CAPACITY)
        members[tile * CAPACITY + number] = sample;
}

// The window, where `part` falls from 1 at its center to 0 at its end: five terms of the Bessel function's series.
__device__ float window(float part, float shape)
{
    float u = shape * part;
    float sum = __fmaf_rn(u, 1.0f / 25.0f, 1.0f);
    sum = __fmaf_rn(u * (1.0f / 16.0f), sum, 1.0f);
    sum = __fmaf_rn(u * (1.0f / 9.0f), sum, 1.0f);
    sum = __fmaf_rn(u * (1.0f / 4.0f), sum, 1.0f);
    return __fmaf_rn(u, sum, 1.0f);
}

extern "C" __global__ void gridding(const float4 *places, const float2 *values, const int *counts, const int *members,
                                    float2 *grid, float radius, float shape)
{
    __shared__ float near[6][CAPACITY];
    int thread = (threadIdx.z * EDGE + threadIdx.y) * EDGE + threadIdx.x;
    int x = blockIdx.x * EDGE + threadIdx.x, y = blockIdx.y * EDGE + threadIdx.y, z = blockIdx.z * EDGE + threadIdx.z;
    float inverse = __frcp_rn(radius * radius);
    float2 sum = make_float2(0.0f, 0.0f);
    for (int around = 0; around < 27; around++) {
        int tile_x = blockIdx.x + around % 3 - 1, tile_y = blockIdx.y + around / 3 % 3 - 1;
        int tile_z = blockIdx.z + around / 9 - 1;
        bool is_there = tile_x >= 0 && tile_x < gridDim.x && tile_y >= 0 && tile_y < gridDim.y && tile_z >= 0 &&
                        tile_z < gridDim.z;
        if (!is_there)
            continue;
        int tile = (tile_z * gridDim.y + tile_y) * gridDim.x + tile_x;
        int count = min(counts[tile], CAPACITY);
        if (thread < count) {
            int sample = members[tile * CAPACITY + thread];
            float4 place = places[sample];
            float2 value = values[sample];
            near[0][thread] = place.x;
            near[1][thread] = place.y;
            near[2][thread] = place.z;
            near[3][thread] = place.w;
            near[4][thread] = value.x;
            near[5][thread] = value.y;
        }
        __syncthreads();
        for (int number = 0; number < count; number++) {
            float along_x = near[0][number] - x, along_y = near[1][number] - y, along_z = near[2][number] - z;
            float part = 1.0f - (along_x * along_x + along_y * along_y + along_z * along_z) * inverse;
            if (part > 0.0f) {
                float weight = near[3][number] * window(part, shape);
                sum.x = __fmaf_rn(weight, near[4][number], sum.x);
                sum.y = __fmaf_rn(weight, near[5][number], sum.y);
            }
        }
        __syncthreads();
    }
    grid[(z * gridDim.y * EDGE + y) * gridDim.x * EDGE + x] = sum;
}
