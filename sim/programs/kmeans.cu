// A step of the k-means algorithm: every point belongs to the nearest center, and the centers get the sums of their
// points, from which the next centers follow. A thread has a point. The centers are in constant memory; coordinates
// of one axis lie one after the other. The sums are of whole numbers, so that the order of the atomics has no
// effect.

#define AXES 8
#define CENTERS 5

__constant__ float centers[CENTERS][AXES];

extern "C" __global__ void kmeans(const float *points, int *members, int *sums, int *sizes, int count)
{
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= count)
        return;
    float own[AXES];
#pragma unroll
    for (int axis = 0; axis < AXES; axis++)
        own[axis] = points[axis * count + point];
    int nearest = 0;
    float least = 3.0e38f;
    for (int center = 0; center < CENTERS; center++) {
        float square = 0.0f;
#pragma unroll
        for (int axis = 0; axis < AXES; axis++) {
            float along = own[axis] - centers[center][axis];
            square = __fmaf_rn(along, along, square);
        }
        if (square < least) {
            least = square;
            nearest = center;
        }
    }
    members[point] = nearest;
    atomicAdd(&sizes[nearest], 1);
#pragma unroll
    for (int axis = 0; axis < AXES; axis++)
        atomicAdd(&sums[nearest * AXES + axis], __float2int_rn(own[axis] * 1024.0f));
}
