/* mask.c - see mask.h. */
#include "mask.h"

/* A bidirectional window is centred on the query. */
static Range both_ways(Mask mask, size_t query, size_t length) {
    REQUIRE(!mask.chunk, "chunks of %zu without a causal mask", mask.chunk);
    size_t half = mask.window / 2, after = query + half + 1;
    if (!mask.window) return (Range){0, length};
    return (Range){query > half ? query - half : 0, after < length ? after : length};
}

Range mask_range(Mask mask, size_t query, size_t length) {
    REQUIRE(query < length, "query %zu of %zu", query, length);
    if (!mask.causal) return both_ways(mask, query, length);
    size_t end = query + 1, begin = mask.window && end > mask.window ? end - mask.window : 0,
           chunk = mask.chunk ? query / mask.chunk * mask.chunk : 0;
    return (Range){begin > chunk ? begin : chunk, end};
}
