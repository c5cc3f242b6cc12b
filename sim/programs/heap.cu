// Threads that allocate memory on the device: objects of one size, of random sizes, and objects that are freed and
// allocated again. Where an object lies depends on the order of the atomics; what it holds does not.

#include "heap.h"

#define OBJECTS 4
#define FACTOR 1664525u
#define SUM 1013904223u

// Each thread allocates four objects and writes both ends of each. If `log` is 0 their sizes are random.
extern "C" __global__ void allocate(unsigned int *counters, unsigned int *tables, unsigned char *start,
                                    unsigned long long *pointers, int log)
{
    Heap heap = {counters, tables, start};
    unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int random = thread * FACTOR + SUM;
    for (int object = 0; object < OBJECTS; object++) {
        random = random * FACTOR + SUM;
        int own = log ? log : SMALLEST_LOG + (((random >> 16) * SIZES) >> 16);
        unsigned char *first = heap.allocate(own);
        *(unsigned int *)first = thread;
        *(unsigned int *)(first + (1 << own) - 4) = OBJECTS * thread + object;
        pointers[object * threads + thread] = (unsigned long long)first | own;
    }
}

// Counts the objects of each thread that hold what it has written.
extern "C" __global__ void check(const unsigned long long *pointers, unsigned int *counts)
{
    unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int count = 0;
    for (int object = 0; object < OBJECTS; object++) {
        unsigned long long pointer = pointers[object * threads + thread];
        int log = pointer & 15;
        const unsigned char *first = (const unsigned char *)(pointer - log);
        if (*(const unsigned int *)first == thread)
            if (*(const unsigned int *)(first + (1 << log) - 4) == OBJECTS * thread + object)
                count++;
    }
    counts[thread] = count;
}

// Each thread allocates two objects at a time, writes both, reads one and frees it, and keeps the other.
extern "C" __global__ void reuse(unsigned int *counters, unsigned int *tables, unsigned char *start, unsigned int *sums,
                                 int log)
{
    Heap heap = {counters, tables, start};
    unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    Free *list = 0;
    unsigned int sum = 0;
    for (int round = 0; round < OBJECTS; round++) {
        unsigned int *kept = (unsigned int *)heap.reuse(&list, log);
        unsigned int *freed = (unsigned int *)heap.reuse(&list, log);
        kept[2] = thread + round;
        freed[2] = thread * round;
        sum += freed[2] + kept[2];
        ((Free *)freed)->next = list;
        list = (Free *)freed;
    }
    sums[thread] = sum;
}
