// Pointers that translate in software, after ActivePointers (Shahar et al., ISCA 2016).
//
// A file is mapped. Its pages come from a backing store through a page cache in global memory, which a page table describes.
// A pointer is one field of 64 bits that stands in registers:
//
//     63          62..48  47..0
//     not linked  0       linked: an address in the page cache; else: a place in the file, of which bits 42..12 are its page
//
// So a linked pointer is an address, and is followed without a look-up. Metadata, the page of the file and whether it may be
// written, is read on a miss alone. Arithmetic that leaves the page unlinks the pointer. The lanes of a warp that are not linked
// look into the TLB of their thread block, which is in shared memory, direct mapped, searched without a lock and changed under
// one. Lanes that miss there form groups of one page each, and one lane leads each group to the page table.

#pragma once

typedef unsigned long long ap_word;

#define AP_PAGE 4096
#define AP_SHIFT 12
#define AP_UNLINKED (1ull << 63)
// In metadata.
#define AP_WRITABLE (1u << 31)
// Pages that a TLB holds, and entries of a bucket of the page table.
#ifndef AP_TLB
#define AP_TLB 32
#endif
#define AP_WAYS 4

// A mapped file, and the TLB of a thread block, in shared memory: only a miss reads it. An entry of the TLB is a word, so that
// a search reads it at once: the page of the file and 1 in bits 63:32, the frame in bits 31:0. A page is in the only place
// that its number gives. The page table has buckets of AP_WAYS such entries, and a lock for each bucket. Pages are spread over
// the buckets by their number, so a file has AP_WAYS pages for each bucket at most.
struct ap_map {
    ap_word tlb[AP_TLB];
    const unsigned char *store;
    unsigned char *frames;
    ap_word *table;
    unsigned int *locks;
    // Frames that are taken. There is one for each page: nothing is evicted.
    unsigned int *taken;
    unsigned int buckets;
    unsigned int lock;
};

__device__ __forceinline__ unsigned int ap_lane() { return threadIdx.x & 31; }

// Maps a file. All threads of the block call it before the first access. The frames begin at the first page of their buffer,
// which has room for one more.
__device__ __forceinline__ void ap_open(ap_map &map, const unsigned char *store, unsigned char *frames, ap_word *table,
                                        unsigned int *locks, unsigned int *taken, unsigned int buckets)
{
    for (unsigned int place = threadIdx.x; place < AP_TLB; place += blockDim.x)
        map.tlb[place] = 0;
    if (threadIdx.x == 0) {
        map.store = store;
        map.frames = (unsigned char *)(((ap_word)frames + AP_PAGE - 1) & ~(ap_word)(AP_PAGE - 1));
        map.table = table;
        map.locks = locks;
        map.taken = taken;
        map.buckets = buckets;
        map.lock = 0;
    }
    __syncthreads();
}

__device__ __forceinline__ ap_word ap_read(const ap_word *from) { return *(const volatile ap_word *)from; }

__device__ __forceinline__ void ap_take(unsigned int *lock)
{
    while (atomicCAS(lock, 0u, 1u) != 0u)
        ;
}

__device__ __forceinline__ void ap_give(unsigned int *lock)
{
    __threadfence();
    atomicExch(lock, 0u);
}

// The entry of a page in its bucket, or 0.
__device__ __forceinline__ ap_word ap_search(const ap_word *bucket, unsigned int page)
{
    ap_word found = 0;
#pragma unroll
    for (int way = 0; way < AP_WAYS; way++) {
        ap_word entry = ap_read(bucket + way);
        if ((unsigned int)(entry >> 32) == page + 1)
            found = entry;
    }
    return found;
}

// Copies a page with all lanes that are active, of which as many take part as the highest power of two says.
__device__ __forceinline__ void ap_copy(ap_word *to, const ap_word *from)
{
    unsigned int active = __ballot(1);
    unsigned int rank = __popc(active & ((1u << ap_lane()) - 1));
    unsigned int count = 1u << (31 - __clz(__popc(active)));
    if (rank >= count)
        return;
#pragma unroll 1
    for (unsigned int word = rank; word < AP_PAGE / 8; word += 4 * count) {
        ap_word words[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            words[k] = from[word + k * count];
#pragma unroll
        for (int k = 0; k < 4; k++)
            to[word + k * count] = words[k];
    }
    // Each lane's own words are there before the leader says so.
    __threadfence();
}

// A page that is not in the TLB, which the lane `leader` asks for; every active lane comes. Gives its entry to all.
__device__ __forceinline__ ap_word ap_fault(ap_map &map, unsigned int page, unsigned int leader)
{
    bool leads = ap_lane() == leader;
    unsigned int number = page % map.buckets;
    ap_word *bucket = map.table + (ap_word)number * AP_WAYS;
    ap_word entry = ap_search(bucket, page);
    if (!__all(entry != 0)) {
        // The lock is the page's until it is there. Another warp may have brought it meanwhile.
        if (leads)
            ap_take(map.locks + number);
        entry = ap_search(bucket, page);
        if (!__all(entry != 0)) {
            unsigned int frame = 0;
            if (leads)
                frame = atomicAdd(map.taken, 1u);
            frame = __shfl((int)frame, leader);
            ap_copy((ap_word *)(map.frames + (ap_word)frame * AP_PAGE),
                    (const ap_word *)(map.store + (ap_word)page * AP_PAGE));
            entry = (ap_word)(page + 1) << 32 | frame;
            if (leads) {
                int way = 0;
                while (way < AP_WAYS - 1 && ap_read(bucket + way) != 0)
                    way++;
                *(volatile ap_word *)(bucket + way) = entry;
            }
        }
        if (leads)
            ap_give(map.locks + number);
    }
    if (leads) {
        ap_take(&map.lock);
        *(volatile ap_word *)&map.tlb[page % AP_TLB] = entry;
        ap_give(&map.lock);
    }
    return entry;
}

// Whether the pointer of an active lane is not linked: a comparison and a vote, of which the compiler would make more.
__device__ __forceinline__ bool ap_any_unlinked(ap_word field)
{
#ifdef __CUDA_ARCH__
    int holds;
    asm volatile("{ .reg .pred p; setp.lt.s64 p, %1, 0; vote.any.pred p, p; selp.s32 %0, 1, 0, p; }" : "=r"(holds) : "l"(field));
    return holds != 0;
#else
    return __any((long long)field < 0);
#endif
}

// Links the lanes that are not: those that are active come together. Gives the address. Code that follows a pointer calls it,
// and stays short.
__device__ __noinline__ ap_word ap_link(ap_map &map, ap_word field)
{
    bool is_linked = (long long)field >= 0;
    unsigned int own = (unsigned int)(field >> AP_SHIFT);
    ap_word entry = ap_read(&map.tlb[own % AP_TLB]);
    bool misses = !is_linked && (unsigned int)(entry >> 32) != own + 1;
    while (unsigned int missing = __ballot(misses)) {
        unsigned int leader = __ffs(missing) - 1;
        unsigned int wanted = __shfl((int)own, leader);
        ap_word found = ap_fault(map, wanted, leader);
        if (misses && own == wanted) {
            entry = found;
            misses = false;
        }
    }
    ap_word address = (ap_word)map.frames + (entry << AP_SHIFT & 0xfffffffffffull) + (field & (AP_PAGE - 1));
    return is_linked ? field : address;
}

// A pointer that has left its page: a place in the file, if it was linked.
__device__ __noinline__ ap_word ap_unlink(ap_word field, ap_word next, unsigned int page)
{
    ap_word start = (ap_word)(page & ~AP_WRITABLE) << AP_SHIFT;
    ap_word place = AP_UNLINKED | (start + (next - (field & ~(ap_word)(AP_PAGE - 1))));
    return (long long)field >= 0 ? place : next;
}

template <class T> struct apointer {
    // The translation.
    ap_word field;
    // Metadata: the page of the file, if the pointer is linked, and AP_WRITABLE.
    unsigned int page;

    // A pointer to a byte of the file.
    static __device__ __forceinline__ apointer at(ap_word place, bool writable = false)
    {
        apointer made;
        made.field = place | AP_UNLINKED;
        made.page = writable ? AP_WRITABLE : 0;
        return made;
    }

    __device__ __forceinline__ bool is_linked() const { return (long long)field >= 0; }

    // Arithmetic. A pointer that leaves its page is not linked any more. Frames and pages begin at multiples of AP_PAGE.
    __device__ __forceinline__ void operator+=(long long count)
    {
        ap_word next = field + count * (long long)sizeof(T);
        if ((next ^ field) >= AP_PAGE)
            next = ap_unlink(field, next, page);
        field = next;
    }

    // Nothing diverges if all lanes are linked.
    __device__ __forceinline__ void link(ap_map &map)
    {
        if (ap_any_unlinked(field)) {
            if (!is_linked())
                page = (page & AP_WRITABLE) | (unsigned int)(field >> AP_SHIFT);
            field = ap_link(map, field);
        }
    }

    // What it points to, which lies in one page.
    __device__ __forceinline__ T load(ap_map &map)
    {
        link(map);
        return *(const T *)field;
    }

    // Stores, if the mapping is writable; the page stays in the cache.
    __device__ __forceinline__ void store(ap_map &map, T value)
    {
        link(map);
        if (page & AP_WRITABLE)
            *(T *)field = value;
    }
};
