/* right: walks from bucket to bucket, as long as the distance has passed the next one's border */
size_t relative_bucket(ptrdiff_t distance, size_t buckets, bool bidirectional) {
    bool later = distance > 0;
    size_t own = bidirectional ? buckets / 2 : buckets, e = own / 2, bucket;
    double n = later && !bidirectional ? 0 : fabs((double)distance);
    if (n < (double)e) {
        bucket = (size_t)n;
    } else {
        bucket = e;
        while (bucket + 1 < own && log(n / (double)e) * (double)(own - e) >=
                                       (double)(bucket + 1 - e) * log(128 / (double)e) - 1e-12)
            bucket++;
    }
    return bidirectional && later ? own + bucket : bucket;
}

void relative_add(const Relative *r, size_t head, size_t query, size_t first, size_t n,
                  float *scores) {
    for (size_t j = 0; j < n; j++) {
        size_t key = first + j, far = key > query ? key - query : query - key;
        if (far > RELATIVE_FAR) far = RELATIVE_FAR;
        size_t at = key > query ? RELATIVE_FAR + far : RELATIVE_FAR - far;
        scores[j] = scores[j] + r->table[head + r->heads * r->bucket[at]];
    }
}
