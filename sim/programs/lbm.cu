// A lattice-Boltzmann step in three dimensions with 19 densities a cell (D3Q19) in a cavity: the cells at its edges
// are solid, and those below the upper wall move with the lid. A thread steps a cell, a block a row of 120. The
// densities of one direction are an array; the arrays are PITCH cells apart, with room for a plane before and
// behind. The size is known to the compiler, so that each density has the same base and an offset of its own.

#define DIRECTIONS 19
#ifndef PITCH
#define WIDTH 120
#define HEIGHT 6
#define PITCH 4576
#endif

enum { FLUID, SOLID, LID };

// Says what each cell is.
extern "C" __global__ void cavity(unsigned char *kinds)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    bool is_edge = x == 0 || x == blockDim.x - 1 || y == 0 || y == gridDim.x - 1 || z == 0 || z == gridDim.y - 1;
    kinds[(z * gridDim.x + y) * blockDim.x + x] = is_edge ? SOLID : y == gridDim.x - 2 ? LID : FLUID;
}

extern "C" __global__ void lbm(const float *from, float *to, const unsigned char *kinds, float rate, float lid_x,
                               float lid_z)
{
    // Each direction stands beside the one back.
    const int step_x[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    const int step_y[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    const int step_z[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
    int cell = (blockIdx.y * HEIGHT + blockIdx.x) * WIDTH + threadIdx.x;
    const float *came = from + cell;
    float *goes = to + cell;
    float densities[DIRECTIONS];
#pragma unroll
    for (int direction = 0; direction < DIRECTIONS; direction++)
        densities[direction] = came[direction * PITCH];
    int kind = kinds[cell];
    if (kind == SOLID) {
        // What came in goes back.
#pragma unroll
        for (int direction = 1; direction < DIRECTIONS; direction += 2) {
            float forth = densities[direction];
            densities[direction] = densities[direction + 1];
            densities[direction + 1] = forth;
        }
    } else {
        float density = 0.0f, x = 0.0f, y = 0.0f, z = 0.0f;
#pragma unroll
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            density += densities[direction];
            x += step_x[direction] * densities[direction];
            y += step_y[direction] * densities[direction];
            z += step_z[direction] * densities[direction];
        }
        float inverse = __frcp_rn(density);
        x = kind == LID ? lid_x : x * inverse;
        y = kind == LID ? 0.0f : y * inverse;
        z = kind == LID ? lid_z : z * inverse;
        float rest = 1.0f - 1.5f * (x * x + y * y + z * z);
#pragma unroll
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            float weight = direction == 0 ? 1.0f / 3.0f : direction < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
            float along = step_x[direction] * x + step_y[direction] * y + step_z[direction] * z;
            float wanted = weight * density * __fmaf_rn(along, __fmaf_rn(4.5f, along, 3.0f), rest);
            densities[direction] += rate * (wanted - densities[direction]);
        }
    }
#pragma unroll
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        int next = (step_z[direction] * HEIGHT + step_y[direction]) * WIDTH + step_x[direction];
        goes[direction * PITCH + next] = densities[direction];
    }
}
