// Quad-trees of points in the plane: a block builds the tree of its tile of points, and allocates the nodes on the
// device. A node with more than LEAF points moves them to its four children. The nodes that are still to be split lie on
// a stack in shared memory.

#include "heap.h"

#define TILE 256
#define LEAF 4
#define LEVELS 8
#define BITS 16
#define NODE_LOG 5
#define CHILDREN_LOG 7

// A node has the points from `begin` on, in the order of its level.
struct Node {
    unsigned int begin, count, level, unused;
    Node *children;
    unsigned long long also_unused;
};

// The quadrant of a point, which has x in its lower and y in its upper half.
__device__ unsigned int quadrant(unsigned int point, unsigned int level)
{
    unsigned int bit = BITS - 1 - level;
    return (point >> bit & 1) | (point >> (bit + BITS - 1) & 2);
}

extern "C" __global__ void tree(unsigned int *counters, unsigned int *tables, unsigned char *start,
                                const unsigned int *points, unsigned int *even, unsigned int *odd,
                                unsigned long long *roots, unsigned char *depths, unsigned int *nodes)
{
    __shared__ Node *stack[1 + 3 * LEVELS];
    __shared__ int size;
    __shared__ unsigned int counts[4], places[4];
    Heap heap = {counters, tables, start};
    unsigned int tile = blockIdx.x * TILE;
    unsigned int made = 1;
    if (threadIdx.x == 0) {
        Node *root = (Node *)heap.allocate(NODE_LOG);
        root->begin = 0;
        root->count = TILE;
        root->level = 0;
        roots[blockIdx.x] = (unsigned long long)root;
        stack[0] = root;
        size = 1;
    }
    for (int place = threadIdx.x; place < TILE; place += blockDim.x)
        even[tile + place] = tile + place;
    __syncthreads();
    while (size > 0) {
        int top = size - 1;
        Node *node = stack[top];
        unsigned int begin = tile + node->begin, count = node->count, level = node->level;
        const unsigned int *from = level & 1 ? odd : even;
        unsigned int *to = level & 1 ? even : odd;
        if (threadIdx.x < 4)
            counts[threadIdx.x] = 0;
        __syncthreads();
        if (count <= LEAF || level == LEVELS) {
            if (threadIdx.x < count)
                depths[from[begin + threadIdx.x]] = level;
            if (threadIdx.x == 0) {
                node->children = 0;
                size = top;
            }
            __syncthreads();
            continue;
        }
        for (int place = threadIdx.x; place < count; place += blockDim.x)
            atomicAdd(&counts[quadrant(points[from[begin + place]], level)], 1u);
        __syncthreads();
        if (threadIdx.x == 0) {
            Node *children = (Node *)heap.allocate(CHILDREN_LOG);
            node->children = children;
            unsigned int next = begin;
            for (int child = 0; child < 4; child++) {
                children[child].begin = next - tile;
                children[child].count = counts[child];
                children[child].level = level + 1;
                places[child] = next;
                next += counts[child];
                stack[top + child] = children + child;
            }
            size = top + 4;
            made += 4;
        }
        __syncthreads();
        for (int place = threadIdx.x; place < count; place += blockDim.x) {
            unsigned int point = from[begin + place];
            to[atomicAdd(&places[quadrant(points[point], level)], 1u)] = point;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        nodes[blockIdx.x] = made;
}
