// Breadth-first search: how many edges lie between the start and every node. A launch goes one edge further: a
// thread takes a node of the frontier and visits its neighbours. Those that are new go into a queue of the block in
// shared memory, and at the end the block appends its queue to the next frontier with one atomic.

#define QUEUE 3200

extern "C" __global__ void begin(int *frontier, unsigned int *sizes, int *costs, int start)
{
    frontier[0] = start;
    sizes[0] = 1;
    costs[start] = 0;
}

extern "C" __global__ void bfs(const int *offsets, const int *edges, const int *frontier, const unsigned int *size,
                               int *next, unsigned int *next_size, int *costs, int cost)
{
    __shared__ int queue[QUEUE];
    __shared__ unsigned int own_size, first;
    if (threadIdx.x == 0)
        own_size = 0;
    __syncthreads();
    unsigned int number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number < *size) {
        int node = frontier[number];
        int end = offsets[node + 1];
        for (int edge = offsets[node]; edge < end; edge++) {
            int neighbour = edges[edge];
            if (atomicCAS(&costs[neighbour], -1, cost) != -1)
                continue;
            unsigned int place = atomicAdd(&own_size, 1u);
            if (place < QUEUE)
                queue[place] = neighbour;
            else
                next[atomicAdd(next_size, 1u)] = neighbour;
        }
    }
    __syncthreads();
    unsigned int count = min(own_size, QUEUE);
    if (threadIdx.x == 0)
        first = atomicAdd(next_size, count);
    __syncthreads();
    for (unsigned int place = threadIdx.x; place < count; place += blockDim.x)
        next[first + place] = queue[place];
}
