// A heap from which threads allocate on the device, with atomics.
//
// The heap is cut into chunks, and each chunk serves allocations of one size, a power of two. Each size has a counter of
// the places that were given out, and a thread takes the next place by a fetch-and-add. The thread that takes a chunk's
// first place also takes the chunk, from the heap's counter, and enters it into a table of the size; the others wait for
// that entry. Groups of 32 places are spread over the chunk, so that warps do not meet in a page.

#define CHUNK_LOG 21
#define SMALLEST_LOG 4
#define SIZES 6
#define CHUNKS 4096
// Words from a counter to the next: each has a line of memory of its own.
#define LINE 32
// The distance, in groups of 32 places, from a group to the next: odd, so that each place of a chunk comes once.
#define SPREAD 40503u

// A free object of a thread, with the one that was freed before it.
struct Free {
    Free *next;
};

struct Heap {
    unsigned int *counters;
    unsigned int *tables;
    unsigned char *start;

    // Gives so many bytes, as a power of two.
    __device__ unsigned char *allocate(int log) const
    {
        unsigned int place = atomicAdd(&counters[LINE * (1 + log - SMALLEST_LOG)], 1u);
        int places_log = CHUNK_LOG - log;
        unsigned int *entry = &tables[CHUNKS * (log - SMALLEST_LOG) + (place >> places_log)];
        unsigned int inside = (1u << places_log) - 1;
        place &= inside;
        if (place == 0)
            atomicExch(entry, atomicAdd(counters, 1u) + 1);
        unsigned int chunk;
        do
            chunk = atomicAdd(entry, 0u);
        while (chunk == 0);
        place = ((place >> 5) * (32 * SPREAD) + (place & 31)) & inside;
        return start + ((unsigned long long)(chunk - 1) << CHUNK_LOG) + ((unsigned long long)place << log);
    }

    // The same, but what the thread has freed comes first; all of its list is of this size.
    __device__ unsigned char *reuse(Free **list, int log) const
    {
        Free *first = *list;
        if (!first)
            return allocate(log);
        *list = first->next;
        return (unsigned char *)first;
    }
};
