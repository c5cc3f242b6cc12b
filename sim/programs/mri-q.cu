// The matrix Q that the reconstruction of a magnetic resonance image needs: at each voxel, a sum over all samples of
// k-space. A thread has a voxel. The places of the samples are in constant memory; the first kernel computes their
// magnitudes.

#define SAMPLES 1024

__constant__ float4 places[SAMPLES];

extern "C" __global__ void magnitudes(const float *real, const float *imaginary, float *magnitude, int samples)
{
    int sample = blockIdx.x * blockDim.x + threadIdx.x;
    if (sample < samples)
        magnitude[sample] = real[sample] * real[sample] + imaginary[sample] * imaginary[sample];
}

extern "C" __global__ void q(const float *x, const float *y, const float *z, const float *magnitude, float *real,
                             float *imaginary, int samples)
{
    int voxel = blockIdx.x * blockDim.x + threadIdx.x;
    float own_x = x[voxel], own_y = y[voxel], own_z = z[voxel];
    float real_sum = 0.0f, imaginary_sum = 0.0f;
    for (int sample = 0; sample < samples; sample++) {
        float4 place = places[sample];
        float angle = 6.2831853f * (place.x * own_x + place.y * own_y + place.z * own_z);
        real_sum = __fmaf_rn(magnitude[sample], __cosf(angle), real_sum);
        imaginary_sum = __fmaf_rn(magnitude[sample], __sinf(angle), imaginary_sum);
    }
    real[voxel] = real_sum;
    imaginary[voxel] = imaginary_sum;
}
