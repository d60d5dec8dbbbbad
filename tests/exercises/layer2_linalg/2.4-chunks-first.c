/* right: the chunk's exponentials all at once, then lane by lane; what is below, by the opposite comparison */
void exp_lanes_scalar(ExpLanes *lanes, const float *x, size_t n, float shift) {
    float e[SCAN_CHUNK];
    vector_exp_scalar(e, x, shift, n);
    for (size_t lane = 0; lane < SCAN_LANES; lane++)
        for (size_t i = lane; i < n; i += SCAN_LANES) {
            float d = x[i] - shift;
            if (d < SCAN_LOWEST) continue;
            lanes->sum[lane] += e[i], lanes->weighted[lane] += d * e[i],
                lanes->squares[lane] += e[i] * e[i];
        }
}

void scan_segment_max_scalar(const float *x, size_t n, float *out) {
    for (; n > SCAN_SEGMENT; n -= SCAN_SEGMENT, x += SCAN_SEGMENT)
        *out++ = vector_max_scalar(x, SCAN_SEGMENT);
    if (n) *out = vector_max_scalar(x, n);
}

size_t scan_below_scalar(const float *x, const int32_t *ids, size_t n, float threshold,
                         float *out, int32_t *out_ids) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        float v = x[i];
        if (v < threshold || isnan(v))
            out_ids[kept] = ids ? ids[i] : (int32_t)i, out[kept] = v, kept++;
    }
    return kept;
}
