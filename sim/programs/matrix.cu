// C = A * B for matrices of floats, by tiles of 16 x 16 in shared memory.
// A launch has a thread for each element of C, in blocks of 16 x 16; all sizes are multiples of 16.

#define TILE 16

extern "C" __global__ void matrix(const float *a, const float *b, float *c, int depth, int columns)
{
    __shared__ float left[TILE][TILE];
    __shared__ float right[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < depth; start += TILE) {
        left[threadIdx.y][threadIdx.x] = a[row * depth + start + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * columns + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum = __fmaf_rn(left[threadIdx.y][k], right[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * columns + column] = sum;
}

// y = A * x for a matrix of doubles: a block adds up one row. A launch reserves 8 bytes of dynamic shared memory
// for each thread of a block, whose number is a power of two.
extern "C" __global__ void row_sums(const double *a, const double *x, double *y, int columns)
{
    extern __shared__ double parts[];
    double sum = 0.0;
    for (int column = threadIdx.x; column < columns; column += blockDim.x)
        sum = __fma_rn(a[blockIdx.x * columns + column], x[column], sum);
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = parts[0];
}
