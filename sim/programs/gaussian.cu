// Gaussian elimination of a system of equations, without pivots. Of every column, the first kernel computes the
// factors of the rows below, and the second one subtracts the row times its factor from them, and from the right
// side.

extern "C" __global__ void factors(const float *matrix, float *factor, int size, int column)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x + column + 1;
    if (row < size)
        factor[row] = __fdiv_rn(matrix[row * size + column], matrix[column * size + column]);
}

extern "C" __global__ void eliminate(float *matrix, float *right, const float *factor, int size, int column)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + column;
    int row = blockIdx.y * blockDim.y + threadIdx.y + column + 1;
    if (x >= size || row >= size)
        return;
    float *own = &matrix[row * size + x];
    *own = __fmaf_rn(-factor[row], matrix[column * size + x], *own);
    if (x == column)
        right[row] = __fmaf_rn(-factor[row], right[column], right[row]);
}
