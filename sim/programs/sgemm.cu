// C = alpha * A * B + beta * C for matrices of floats. A and C lie column by column, B row by row.
// A block computes 128 rows and 16 columns of C: a thread has a row, its 16 sums are in registers, and a tile of B with
// 8 rows is in shared memory. The number of rows is a multiple of 128, that of columns of 16, the depth of 8.

#define ROWS 128
#define COLUMNS 16
#define DEPTH 8

extern "C" __global__ void sgemm(const float *a, const float *b, float *c, int rows, int columns, int depth,
                                 float alpha, float beta)
{
    __shared__ float tile[DEPTH][COLUMNS];
    int row = blockIdx.x * ROWS + threadIdx.x;
    int first = blockIdx.y * COLUMNS;
    int own_row = threadIdx.x / COLUMNS;
    int own_column = threadIdx.x % COLUMNS;
    float sums[COLUMNS];
#pragma unroll
    for (int column = 0; column < COLUMNS; column++)
        sums[column] = 0.0f;
    for (int start = 0; start < depth; start += DEPTH) {
        tile[own_row][own_column] = b[(start + own_row) * columns + first + own_column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float left = a[(start + k) * rows + row];
#pragma unroll
            for (int column = 0; column < COLUMNS; column++)
                sums[column] = __fmaf_rn(left, tile[k][column], sums[column]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int column = 0; column < COLUMNS; column++) {
        int place = (first + column) * rows + row;
        c[place] = __fmaf_rn(alpha, sums[column], beta * c[place]);
    }
}
