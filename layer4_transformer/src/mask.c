/* mask.c - see mask.h. */
#include "mask.h"

Range mask_range(Mask mask, size_t query, size_t length) {
    REQUIRE(query < length, "query %zu of %zu", query, length);
    if (!mask.causal) return (Range){0, length};
    size_t end = query + 1, begin = mask.window && end > mask.window ? end - mask.window : 0,
           chunk = mask.chunk ? query / mask.chunk * mask.chunk : 0;
    return (Range){begin > chunk ? begin : chunk, end};
}
