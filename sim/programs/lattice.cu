// A lattice-Boltzmann step in two dimensions with nine densities a cell (D2Q9): each cell relaxes towards its
// equilibrium, and its densities move to its neighbours. A solid cell sends back what it receives.
// The densities of one direction are an array; the arrays are `pitch` cells apart. A thread steps one cell.

__constant__ int STEP_X[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int STEP_Y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float WEIGHT[9] = {0.44444445f, 0.11111111f, 0.11111111f, 0.11111111f, 0.11111111f,
                                0.027777778f, 0.027777778f, 0.027777778f, 0.027777778f};
__constant__ int BACK[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};

// The equilibrium of one direction. It is not inlined, so that the kernel calls a function.
__noinline__ __device__ float equilibrium(int direction, float density, float2 velocity)
{
    float along = STEP_X[direction] * velocity.x + STEP_Y[direction] * velocity.y;
    float square = velocity.x * velocity.x + velocity.y * velocity.y;
    float shape = __fmaf_rn(4.5f * along, along, __fmaf_rn(3.0f, along, 1.0f)) - 1.5f * square;
    return WEIGHT[direction] * density * shape;
}

extern "C" __global__ void __launch_bounds__(128, 4)
lattice(const float *from, float *to, const unsigned char *solid, int width, int height, int pitch, float rate)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= width || y >= height)
        return;
    int cell = y * width + x;
    float densities[9];
    for (int direction = 0; direction < 9; direction++)
        densities[direction] = from[direction * pitch + cell];
    if (!solid[cell]) {
        float density = 0.0f;
        float2 velocity = make_float2(0.0f, 0.0f);
        for (int direction = 0; direction < 9; direction++) {
            density += densities[direction];
            velocity.x += STEP_X[direction] * densities[direction];
            velocity.y += STEP_Y[direction] * densities[direction];
        }
        float inverse = __frcp_rn(density);
        velocity.x *= inverse;
        velocity.y *= inverse;
        for (int direction = 0; direction < 9; direction++) {
            float wanted = equilibrium(direction, density, velocity);
            densities[direction] += rate * (wanted - densities[direction]);
        }
    }
    for (int direction = 0; direction < 9; direction++) {
        int back = solid[cell] ? BACK[direction] : direction;
        int next_x = x + STEP_X[direction];
        int next_y = y + STEP_Y[direction];
        next_x = next_x < 0 ? width - 1 : next_x == width ? 0 : next_x;
        next_y = next_y < 0 ? height - 1 : next_y == height ? 0 : next_y;
        to[direction * pitch + next_y * width + next_x] = densities[back];
    }
}
