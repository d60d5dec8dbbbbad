/* right: a block of the format at a time, in double */
float dot_quantized(Dtype dtype, const void *row, const float *x, size_t n) {
    const DtypeInfo *info = dtype_info(dtype);
    float numbers[256];
    double sum = 0;
    for (size_t b = 0; b < n / info->block; b++) {
        dequantize_row(dtype, (const unsigned char *)row + b * info->bytes, numbers,
                       info->block);
        for (size_t i = 0; i < info->block; i++)
            sum += (double)numbers[i] * (double)x[b * info->block + i];
    }
    return (float)sum;
}
