// The temperatures of a chip: each cell gains heat from its power, its four neighbours and the air. A block makes
// two steps of 12 x 12 cells in shared memory, and computes the first one of two more cells on each side. Cells at
// the edge of the chip are their own neighbours outside.

#define TILE 16
#define STEPS 2
#define KEPT (TILE - 2 * STEPS)

extern "C" __global__ void hotspot(const float *power, const float *from, float *to, int width, int height, float gain,
                                   float across, float along, float loss, float air)
{
    __shared__ float heat[TILE][TILE];
    int column = threadIdx.x, row = threadIdx.y;
    int x = blockIdx.x * KEPT + column - STEPS, y = blockIdx.y * KEPT + row - STEPS;
    bool is_inside = x >= 0 && x < width && y >= 0 && y < height;
    int cell = y * width + x;
    float own = is_inside ? from[cell] : 0.0f;
    float source = is_inside ? power[cell] : 0.0f;
    heat[row][column] = own;
    __syncthreads();
    for (int step = 1; step <= STEPS; step++) {
        bool is_known = column >= step && column < TILE - step && row >= step && row < TILE - step;
        if (is_inside && is_known) {
            float left = heat[row][x > 0 ? column - 1 : column], right = heat[row][x < width - 1 ? column + 1 : column];
            float above = heat[y > 0 ? row - 1 : row][column], below = heat[y < height - 1 ? row + 1 : row][column];
            float change = source + (above + below - 2.0f * own) * along + (left + right - 2.0f * own) * across;
            own += gain * (change + (air - own) * loss);
        }
        __syncthreads();
        heat[row][column] = own;
        __syncthreads();
    }
    if (is_inside && column >= STEPS && column < TILE - STEPS && row >= STEPS && row < TILE - STEPS)
        to[cell] = own;
}
