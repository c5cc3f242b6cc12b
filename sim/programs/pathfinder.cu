// The cheapest way down a grid, one row a step, to the same column or one beside it, by dynamic programming. A
// launch goes several rows: a block has the costs of its columns in shared memory, and of one more column on either
// side for each row, which it computes as well and does not keep.

#define THREADS 256

extern "C" __global__ void pathfinder(const int *weights, const int *from, int *to, int columns, int start, int rows)
{
    __shared__ int costs[THREADS];
    int own = threadIdx.x;
    int column = blockIdx.x * (THREADS - 2 * rows) - rows + own;
    bool is_inside = column >= 0 && column < columns;
    costs[own] = is_inside ? from[column] : 0;
    __syncthreads();
    for (int row = 0; row < rows; row++) {
        int best = 0;
        bool is_known = is_inside && own > row && own < THREADS - 1 - row;
        if (is_known) {
            best = costs[own];
            if (column > 0)
                best = min(best, costs[own - 1]);
            if (column < columns - 1)
                best = min(best, costs[own + 1]);
            best += weights[(start + row) * columns + column];
        }
        __syncthreads();
        if (is_known)
            costs[own] = best;
        __syncthreads();
    }
    if (is_inside && own >= rows && own < THREADS - rows)
        to[column] = costs[own];
}
