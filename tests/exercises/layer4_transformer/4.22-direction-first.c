/* right: one function for a direction, and the two directions around it */
static size_t of_direction(size_t n, size_t own) {
    size_t e = own / 2;
    if (n < e) return n;
    double passed = log((double)n / (double)e) * (double)(own - e) / log(128.0 / (double)e);
    size_t bucket = e + (size_t)passed;
    return bucket > own - 1 ? own - 1 : bucket;
}

size_t relative_bucket(ptrdiff_t distance, size_t buckets, bool bidirectional) {
    if (!bidirectional) return distance > 0 ? 0 : of_direction((size_t)-distance, buckets);
    if (distance > 0) return buckets / 2 + of_direction((size_t)distance, buckets / 2);
    return of_direction((size_t)-distance, buckets / 2);
}

void relative_add(const Relative *r, size_t head, size_t query, size_t first, size_t n,
                  float *scores) {
    const float *column = r->table + head;
    ptrdiff_t d = (ptrdiff_t)first - (ptrdiff_t)query;
    for (size_t j = 0; j < n; j++, d++) {
        ptrdiff_t near = d > RELATIVE_FAR ? RELATIVE_FAR : d;
        if (near < -RELATIVE_FAR) near = -RELATIVE_FAR;
        scores[j] += column[r->bucket[near + RELATIVE_FAR] * r->heads];
    }
}
