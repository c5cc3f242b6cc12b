// Needleman-Wunsch: the scores of all alignments of two sequences, by dynamic programming. A score follows from
// those above, on the left and in between, so a launch computes the tiles of 16 x 16 on one diagonal of tiles; in a
// tile, 16 threads compute one diagonal after the other.

#define TILE 16

// The scores of alignments with nothing, in the first row and the first column.
extern "C" __global__ void borders(int *scores, int width, int penalty)
{
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= width)
        return;
    scores[place] = -penalty * place;
    scores[place * width] = -penalty * place;
}

extern "C" __global__ void nw(const int *similarity, int *scores, int width, int first, int diagonal, int penalty)
{
    __shared__ int tile[TILE + 1][TILE + 1];
    __shared__ int similar[TILE][TILE];
    int tile_x = first + blockIdx.x, tile_y = diagonal - tile_x;
    int column = threadIdx.x;
    int corner = tile_y * TILE * width + tile_x * TILE;
    for (int row = 0; row < TILE; row++)
        similar[row][column] = similarity[(tile_y * TILE + row) * (width - 1) + tile_x * TILE + column];
    if (column == 0)
        tile[0][0] = scores[corner];
    tile[0][column + 1] = scores[corner + column + 1];
    tile[column + 1][0] = scores[corner + (column + 1) * width];
    __syncthreads();
    for (int step = 0; step < 2 * TILE - 1; step++) {
        int row = step - column;
        if (row >= 0 && row < TILE) {
            int aligned = tile[row][column] + similar[row][column];
            int skipped = max(tile[row][column + 1], tile[row + 1][column]) - penalty;
            tile[row + 1][column + 1] = max(aligned, skipped);
        }
        __syncthreads();
    }
    for (int row = 0; row < TILE; row++)
        scores[corner + (row + 1) * width + column + 1] = tile[row + 1][column + 1];
}
