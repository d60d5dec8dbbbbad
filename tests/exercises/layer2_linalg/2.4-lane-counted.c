/* right: the lane counted along, kept numbers through pointers */
void exp_lanes_scalar(ExpLanes *lanes, const float *x, size_t n, float shift) {
    int lane = 0;
    for (const float *end = x + n; x < end; x++, lane = (lane + 1) & 15) {
        float moved = *x - shift, e;
        if (moved < SCAN_LOWEST) continue;
        vector_exp_scalar(&e, x, shift, 1);
        lanes->sum[lane] += e;
        lanes->squares[lane] += e * e;
        lanes->weighted[lane] += e * moved;
    }
}

size_t scan_keep_scalar(const float *x, const int32_t *ids, size_t n, float threshold,
                        float *out, int32_t *out_ids) {
    float *to = out;
    for (size_t i = 0; i < n; i++)
        if (x[i] >= threshold) {
            *out_ids++ = ids ? ids[i] : (int32_t)i;
            *to++ = x[i];
        }
    return (size_t)(to - out);
}
