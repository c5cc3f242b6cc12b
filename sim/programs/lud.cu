// The factors L and U of a matrix of floats, in its place, by tiles of 16 x 16. A step takes three launches: the
// tile on the diagonal, then the tiles on its right and below, then all others, from which the products of the
// former are subtracted.

#define TILE 16

extern "C" __global__ void diagonal(float *matrix, int size, int start)
{
    __shared__ float tile[TILE][TILE];
    int own = threadIdx.x;
    float *corner = matrix + start * size + start;
    for (int row = 0; row < TILE; row++)
        tile[row][own] = corner[row * size + own];
    __syncthreads();
    for (int step = 0; step < TILE - 1; step++) {
        if (own > step) {
            float factor = __fdiv_rn(tile[own][step], tile[step][step]);
            tile[own][step] = factor;
            for (int column = step + 1; column < TILE; column++)
                tile[own][column] = __fmaf_rn(-factor, tile[step][column], tile[own][column]);
        }
        __syncthreads();
    }
    for (int row = 0; row < TILE; row++)
        corner[row * size + own] = tile[row][own];
}

// The first 16 threads have the columns of the tile on the right, the others the rows of the tile below.
extern "C" __global__ void perimeter(float *matrix, int size, int start)
{
    __shared__ float factors[TILE][TILE];
    __shared__ float right[TILE][TILE];
    __shared__ float below[TILE][TILE + 1];
    int own = threadIdx.x % TILE;
    bool is_right = threadIdx.x < TILE;
    float *corner = matrix + start * size + start;
    int away = (blockIdx.x + 1) * TILE;
    for (int row = is_right ? 0 : 1; row < TILE; row += 2)
        factors[row][own] = corner[row * size + own];
    for (int row = 0; row < TILE; row++) {
        if (is_right)
            right[row][own] = corner[row * size + away + own];
        else
            below[row][own] = corner[(away + row) * size + own];
    }
    __syncthreads();
    for (int step = 0; step < TILE; step++) {
        float sum = is_right ? right[step][own] : below[own][step];
        for (int k = 0; k < step; k++) {
            float factor = is_right ? factors[step][k] : factors[k][step];
            float other = is_right ? right[k][own] : below[own][k];
            sum = __fmaf_rn(-factor, other, sum);
        }
        if (is_right)
            right[step][own] = sum;
        else
            below[own][step] = __fdiv_rn(sum, factors[step][step]);
    }
    __syncthreads();
    for (int row = 0; row < TILE; row++) {
        if (is_right)
            corner[row * size + away + own] = right[row][own];
        else
            corner[(away + row) * size + own] = below[row][own];
    }
}

extern "C" __global__ void inner(float *matrix, int size, int start)
{
    __shared__ float right[TILE][TILE];
    __shared__ float below[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    float *corner = matrix + start * size + start;
    int column = (blockIdx.x + 1) * TILE + x, row = (blockIdx.y + 1) * TILE + y;
    right[y][x] = corner[y * size + column];
    below[y][x] = corner[row * size + x];
    __syncthreads();
    float sum = corner[row * size + column];
#pragma unroll
    for (int k = 0; k < TILE; k++)
        sum = __fmaf_rn(-below[y][k], right[k][x], sum);
    corner[row * size + column] = sum;
}
