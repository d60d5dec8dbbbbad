/* relative.c - see relative.h. */
#include "relative.h"

#include <math.h>

size_t relative_bucket(ptrdiff_t distance, size_t buckets, bool bidirectional) {
    size_t own = bidirectional ? buckets / 2 : buckets, exact = own / 2, first = 0;
    if (bidirectional && distance > 0) first = own; /* later keys */
    if (!bidirectional && distance > 0) distance = 0;
    size_t n = (size_t)(distance < 0 ? -distance : distance);
    if (n < exact) return first + n;
    double e = (double)exact,
           far = e + log((double)n / e) * (double)(own - exact) / log(RELATIVE_FAR / e);
    return first + min_size((size_t)far, own - 1);
}

void relative_init(Relative *r, size_t heads, size_t buckets, bool bidirectional) {
    REQUIRE(buckets >= 4 && buckets <= RELATIVE_BUCKETS, "%zu buckets", buckets);
    r->heads = heads;
    for (ptrdiff_t d = -RELATIVE_FAR; d <= RELATIVE_FAR; d++)
        r->bucket[d + RELATIVE_FAR] = (uint8_t)relative_bucket(d, buckets, bidirectional);
}

void relative_add(const Relative *r, size_t head, size_t query, size_t first, size_t n,
                  float *scores) {
    for (size_t j = 0; j < n; j++) {
        ptrdiff_t d = (ptrdiff_t)(first + j) - (ptrdiff_t)query;
        d = d < -RELATIVE_FAR ? -RELATIVE_FAR : d > RELATIVE_FAR ? RELATIVE_FAR : d;
        scores[j] += r->table[r->bucket[d + RELATIVE_FAR] * r->heads + head];
    }
}
