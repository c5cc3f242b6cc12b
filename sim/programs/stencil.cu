// A step of Jacobi's method on a grid in three dimensions: each inner cell becomes a weighted sum of itself and its
// six neighbours. A block has 64 x 4 cells of each plane, two of them a thread, and goes through the planes: those
// above and below are in registers, the plane itself is in shared memory.

#define HALF 32
#define WIDTH (2 * HALF)
#define HEIGHT 4

extern "C" __global__ void stencil(const float *from, float *to, int width, int height, int depth, float own_weight,
                                   float weight)
{
    __shared__ float plane[HEIGHT][WIDTH];
    int y = blockIdx.y * HEIGHT + threadIdx.y;
    int area = width * height;
    float below[2], here[2];
#pragma unroll
    for (int half = 0; half < 2; half++) {
        int x = blockIdx.x * WIDTH + half * HALF + threadIdx.x;
        bool is_there = x < width && y < height;
        below[half] = is_there ? from[y * width + x] : 0.0f;
        here[half] = is_there ? from[area + y * width + x] : 0.0f;
    }
    for (int z = 1; z < depth - 1; z++) {
#pragma unroll
        for (int half = 0; half < 2; half++)
            plane[threadIdx.y][half * HALF + threadIdx.x] = here[half];
        __syncthreads();
#pragma unroll
        for (int half = 0; half < 2; half++) {
            int column = half * HALF + threadIdx.x;
            int x = blockIdx.x * WIDTH + column;
            int cell = z * area + y * width + x;
            float above = x < width && y < height ? from[cell + area] : 0.0f;
            if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
                float left = column > 0 ? plane[threadIdx.y][column - 1] : from[cell - 1];
                float right = column < WIDTH - 1 ? plane[threadIdx.y][column + 1] : from[cell + 1];
                float front = threadIdx.y > 0 ? plane[threadIdx.y - 1][column] : from[cell - width];
                float back = threadIdx.y < HEIGHT - 1 ? plane[threadIdx.y + 1][column] : from[cell + width];
                float sum = below[half] + above + left + right + front + back;
                to[cell] = weight * sum - own_weight * here[half];
            }
            below[half] = here[half];
            here[half] = above;
        }
        __syncthreads();
    }
}
