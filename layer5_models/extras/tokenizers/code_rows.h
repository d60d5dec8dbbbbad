/* code_rows.h - tables of characters: each row begins with the first and the last code of a
 * range, and ranges are in order. */
#ifndef STRATA_CODE_ROWS_H
#define STRATA_CODE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* The row whose range has a code; NULL: none.
 *
 *   rows   (count) of `size` bytes, each beginning with uint32_t first, last */
static inline const void *code_row(const void *rows, size_t count, size_t size, uint32_t code) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const uint32_t *first = (const void *)((const char *)rows + middle * size);
        if (*first <= code)
            low = middle + 1;
        else
            high = middle;
    }
    const uint32_t *range = low ? (const void *)((const char *)rows + (low - 1) * size) : NULL;
    return range && code <= range[1] ? range : NULL;
}

#define CODE_ROW(table, code) \
    code_row(table, sizeof(table) / sizeof *(table), sizeof *(table), code)

#endif
