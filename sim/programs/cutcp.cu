// The potential of charged atoms on a grid in three dimensions; an atom's ends at a cutoff. The atoms are sorted
// into cubic bins of 8, each with its place in the bin and its charge, which is 0 if there are fewer. A block
// computes the 8 x 8 x 8 points of a bin, four a thread, from the atoms of this bin and its 26 neighbours in shared
// memory.

#define REGION 8
#define ATOMS 8
#define BINS 32
#define EACH 4

extern "C" __global__ void cutcp(const float4 *atoms, float *potential, float edge, float cutoff)
{
    __shared__ float4 near[BINS * ATOMS];
    for (int place = threadIdx.x; place < BINS * ATOMS; place += blockDim.x) {
        int bin = place / ATOMS;
        int x = blockIdx.x + bin % 3 - 1, y = blockIdx.y + bin / 3 % 3 - 1, z = blockIdx.z + bin / 9 - 1;
        float4 atom = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (bin < 27 && x >= 0 && x < gridDim.x && y >= 0 && y < gridDim.y && z >= 0 && z < gridDim.z) {
            atom = atoms[((z * gridDim.y + y) * gridDim.x + x) * ATOMS + place % ATOMS];
            atom.x = (atom.x + x) * edge;
            atom.y = (atom.y + y) * edge;
            atom.z = (atom.z + z) * edge;
        }
        near[place] = atom;
    }
    __syncthreads();
    int x = blockIdx.x * REGION + threadIdx.x % REGION;
    int y = blockIdx.y * REGION + threadIdx.x / REGION % REGION;
    int z = blockIdx.z * REGION + threadIdx.x / (REGION * REGION);
    float spacing = edge * (1.0f / REGION);
    float inverse = __frcp_rn(cutoff * cutoff);
    float sums[EACH];
#pragma unroll
    for (int point = 0; point < EACH; point++)
        sums[point] = 0.0f;
    for (int place = 0; place < 27 * ATOMS; place++) {
        float4 atom = near[place];
        if (atom.w == 0.0f)
            continue;
        float along_x = x * spacing - atom.x, along_y = y * spacing - atom.y;
        float flat = along_x * along_x + along_y * along_y;
#pragma unroll
        for (int point = 0; point < EACH; point++) {
            float along_z = (z + point * (REGION / EACH)) * spacing - atom.z;
            float square = __fmaf_rn(along_z, along_z, flat);
            float shape = 1.0f - square * inverse;
            if (shape > 0.0f)
                sums[point] = __fmaf_rn(atom.w * rsqrtf(square), shape * shape, sums[point]);
        }
    }
#pragma unroll
    for (int point = 0; point < EACH; point++) {
        int plane = (z + point * (REGION / EACH)) * gridDim.y * REGION;
        potential[(plane + y) * gridDim.x * REGION + x] = sums[point];
    }
}
