/* right: counts the blocks whose middle does not lie behind the bound; the rows are counted block by block */
static size_t blocks_before(double bound, size_t blocks) {
    size_t n = 0;
    while (n < blocks && (double)n + 0.5 <= bound * (double)blocks) n++;
    return n;
}

void share_bounds(const double *shares, int size, double *bounds) {
    bounds[0] = 0;
    for (int i = 0; i < size; i++) bounds[i + 1] = bounds[i] + (shares ? shares[i] : 1.0);
    double all = bounds[size];
    for (int i = 0; i <= size; i++) bounds[i] = i == size ? 1 : bounds[i] / all;
}

size_t share_begin(const double *bounds, int member, size_t out) {
    size_t blocks = (out + 15) / 16, row = 16 * blocks_before(bounds[member], blocks);
    return row < out ? row : out;
}

size_t share_rows(const double *bounds, int member, size_t out) {
    size_t rows = 0, end = share_begin(bounds, member + 1, out);
    for (size_t at = share_begin(bounds, member, out); at < end; at += 16)
        rows += end - at < 16 ? end - at : 16;
    return rows;
}
