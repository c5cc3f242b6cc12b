// Speckle-reducing anisotropic diffusion of an image: it is smoothed where it is uniform, and not across edges. The
// first kernel computes how fast each pixel diffuses, from its slopes and its curvature; the second one makes the
// step. Pixels at an edge of the image are their own neighbours outside.

#define TILE 16

extern "C" __global__ void coefficients(const float *image, float *rates, int width, int height, float uniform)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int pixel = y * width + x;
    float own = image[pixel];
    float north = image[y > 0 ? pixel - width : pixel] - own;
    float south = image[y < height - 1 ? pixel + width : pixel] - own;
    float west = image[x > 0 ? pixel - 1 : pixel] - own;
    float east = image[x < width - 1 ? pixel + 1 : pixel] - own;
    float inverse = __frcp_rn(own);
    float slope = (north * north + south * south + west * west + east * east) * inverse * inverse;
    float curve = (north + south + west + east) * inverse;
    float half = 1.0f + 0.25f * curve;
    float speckle = __fdividef(0.5f * slope - 0.0625f * curve * curve, half * half);
    float excess = __fdividef(speckle - uniform, uniform * (1.0f + uniform));
    rates[pixel] = __saturatef(__fdividef(1.0f, 1.0f + excess));
}

extern "C" __global__ void diffuse(const float *from, const float *rates, float *to, int width, int height, float step)
{
    __shared__ float rate[TILE + 1][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    int column = min(x, width - 1), row = min(y, height - 1);
    int pixel = row * width + column;
    int south = row < height - 1 ? pixel + width : pixel, east = column < width - 1 ? pixel + 1 : pixel;
    rate[threadIdx.y][threadIdx.x] = rates[pixel];
    if (threadIdx.y == TILE - 1)
        rate[TILE][threadIdx.x] = rates[south];
    if (threadIdx.x == TILE - 1)
        rate[threadIdx.y][TILE] = rates[east];
    __syncthreads();
    if (x >= width || y >= height)
        return;
    float own = from[pixel], own_rate = rate[threadIdx.y][threadIdx.x];
    float change = own_rate * (from[row > 0 ? pixel - width : pixel] - own);
    change += rate[threadIdx.y + 1][threadIdx.x] * (from[south] - own);
    change += own_rate * (from[column > 0 ? pixel - 1 : pixel] - own);
    change += rate[threadIdx.y][threadIdx.x + 1] * (from[east] - own);
    to[pixel] = own + 0.25f * step * change;
}
