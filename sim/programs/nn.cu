// Nearest neighbours: the distance of every record from a place, and the least of them, of each block by a tree in
// shared memory and of all by an atomic. Distances are not negative, so that their bits have the order of their
// values.

#define THREADS 256

extern "C" __global__ void nn(const float2 *records, float *distances, unsigned int *least, int count, float x, float y)
{
    __shared__ unsigned int nearest[THREADS];
    int record = blockIdx.x * THREADS + threadIdx.x;
    nearest[threadIdx.x] = 0x7f800000;
    if (record < count) {
        float2 place = records[record];
        float along_x = place.x - x, along_y = place.y - y;
        float distance = __fsqrt_rn(along_x * along_x + along_y * along_y);
        distances[record] = distance;
        nearest[threadIdx.x] = __float_as_uint(distance);
    }
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            nearest[threadIdx.x] = min(nearest[threadIdx.x], nearest[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicMin(least, nearest[0]);
}
