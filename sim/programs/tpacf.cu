// Two-point angular correlation: how many pairs of points on the sky are at an angle of each of 20 ranges. A thread
// has a point, and meets those of 256 points in shared memory one after the other. A binary search finds the range
// of a pair by its cosine. Two threads share one of the block's 128 histograms. Block 0 compares the points with
// themselves, each other block compares them with another set.

#define BINS 20
#define COPIES 128
#define TILE 256

// The cosines between the ranges, ascending.
__constant__ float edges[BINS - 1];

// Makes every vector one unit long.
extern "C" __global__ void normalize(float *x, float *y, float *z, int count)
{
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count)
        return;
    float square = x[point] * x[point] + y[point] * y[point] + z[point] * z[point];
    float scale = __frcp_rn(__fsqrt_rn(square));
    x[point] *= scale;
    y[point] *= scale;
    z[point] *= scale;
}

extern "C" __global__ void tpacf(const float *x, const float *y, const float *z, unsigned int *histograms, int count)
{
    __shared__ float tile[3][TILE];
    __shared__ unsigned int bins[BINS][COPIES];
    unsigned int *all_bins = &bins[0][0];
    for (int place = threadIdx.x; place < BINS * COPIES; place += blockDim.x)
        all_bins[place] = 0;
    int other = blockIdx.x * count;
    for (int own = threadIdx.x; own < count + (int)threadIdx.x; own += blockDim.x) {
        bool is_there = own < count;
        float own_x = is_there ? x[own] : 0.0f, own_y = is_there ? y[own] : 0.0f, own_z = is_there ? z[own] : 0.0f;
        for (int start = 0; start < count; start += TILE) {
            int length = min(count - start, TILE);
            __syncthreads();
            if (threadIdx.x < length) {
                tile[0][threadIdx.x] = x[other + start + threadIdx.x];
                tile[1][threadIdx.x] = y[other + start + threadIdx.x];
                tile[2][threadIdx.x] = z[other + start + threadIdx.x];
            }
            __syncthreads();
            // A pair of the same set counts once.
            int first = blockIdx.x == 0 ? max(own + 1 - start, 0) : 0;
            for (int place = first; is_there && place < length; place++) {
                float cosine = own_x * tile[0][place] + own_y * tile[1][place] + own_z * tile[2][place];
                int least = 0, most = BINS - 1;
                while (least < most) {
                    int middle = (least + most) / 2;
                    if (cosine < edges[middle])
                        most = middle;
                    else
                        least = middle + 1;
                }
                atomicAdd(&bins[least][threadIdx.x % COPIES], 1u);
            }
        }
    }
    __syncthreads();
    if (threadIdx.x < BINS) {
        unsigned int sum = 0;
        for (int copy = 0; copy < COPIES; copy++)
            sum += bins[threadIdx.x][(copy + threadIdx.x) % COPIES];
        histograms[blockIdx.x * BINS + threadIdx.x] = sum;
    }
}
