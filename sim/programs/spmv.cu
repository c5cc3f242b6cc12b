// y = A * x for a sparse matrix of floats in jagged diagonals: the rows are sorted by their length, the longest
// first, and the n-th elements of all rows that have one lie one after the other from `starts[n]` on. A thread has a
// row, and `order` says which one it was before the rows were sorted.

__constant__ int starts[64];

extern "C" __global__ void spmv(const float *elements, const int *columns, const int *lengths, const int *order,
                                const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int length = lengths[row];
    float sum = 0.0f;
    for (int number = 0; number < length; number++) {
        int place = starts[number] + row;
        sum = __fmaf_rn(elements[place], x[columns[place]], sum);
    }
    y[order[row]] = sum;
}
