// A layer of a neural network with 16 units. Forward, a block multiplies 16 inputs by their weights and adds the
// products of each unit by a tree in shared memory; `outputs` adds up those of all blocks. Backward, `adjust`
// changes every weight by its input, the error of its unit and its last change.

#define UNITS 16

extern "C" __global__ void forward(const float *inputs, const float *weights, float *parts)
{
    __shared__ float own[UNITS];
    __shared__ float products[UNITS][UNITS];
    int unit = threadIdx.x, row = threadIdx.y;
    int input = blockIdx.x * UNITS + row;
    if (unit == 0)
        own[row] = inputs[input];
    __syncthreads();
    products[row][unit] = weights[input * UNITS + unit] * own[row];
    __syncthreads();
    for (int half = UNITS / 2; half > 0; half /= 2) {
        if (row < half)
            products[row][unit] += products[row + half][unit];
        __syncthreads();
    }
    if (row == 0)
        parts[blockIdx.x * UNITS + unit] = products[0][unit];
}

extern "C" __global__ void outputs(const float *parts, const float *targets, float *output, float *error, int count)
{
    int unit = threadIdx.x;
    float sum = 0.0f;
    for (int part = 0; part < count; part++)
        sum += parts[part * UNITS + unit];
    float own = __fdividef(1.0f, 1.0f + __expf(-sum));
    output[unit] = own;
    error[unit] = own * (1.0f - own) * (targets[unit] - own);
}

extern "C" __global__ void adjust(const float *inputs, const float *error, float *weights, float *changes, float rate,
                                  float momentum)
{
    int unit = threadIdx.x;
    int input = blockIdx.x * UNITS + threadIdx.y;
    int place = input * UNITS + unit;
    float change = rate * error[unit] * inputs[input] + momentum * changes[place];
    weights[place] += change;
    changes[place] = change;
}
