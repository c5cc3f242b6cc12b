// The prices of European options by the formula of Black and Scholes. The normal distribution is a polynomial
// (Abramowitz and Stegun, 26.2.17).

__device__ float normal(float x)
{
    float k = __fdividef(1.0f, __fmaf_rn(0.2316419f, fabsf(x), 1.0f));
    float sum = __fmaf_rn(k, 1.330274429f, -1.821255978f);
    sum = __fmaf_rn(k, sum, 1.781477937f);
    sum = __fmaf_rn(k, sum, -0.356563782f);
    sum = __fmaf_rn(k, sum, 0.319381530f);
    float tail = 0.39894228f * __expf(-0.5f * x * x) * k * sum;
    return x > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void options(const float *price, const float *strike, const float *years, float *call, float *put,
                                   float interest, float volatility, int count)
{
    for (int option = blockIdx.x * blockDim.x + threadIdx.x; option < count; option += gridDim.x * blockDim.x) {
        float root = __fsqrt_rn(years[option]);
        float spread = volatility * root;
        float drift = (interest + 0.5f * volatility * volatility) * years[option];
        float first = __fdividef(__logf(__fdividef(price[option], strike[option])) + drift, spread);
        float second = first - spread;
        float discounted = strike[option] * __expf(-interest * years[option]);
        float bought = price[option] * normal(first) - discounted * normal(second);
        call[option] = bought;
        put[option] = bought + discounted - price[option];
    }
}
