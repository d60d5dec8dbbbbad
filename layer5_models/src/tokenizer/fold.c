/* fold.c - lower case and bare letters; see unicode.h. */
#include "unicode.h"

typedef struct FoldRow {
    uint32_t first, last, step, to;
} FoldRow;

#include "fold_table.h"

/* The last row that begins at `code` or before; NULL: none. */
static const FoldRow *row_of(const FoldRow *rows, size_t count, uint32_t code) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].first <= code)
            low = middle + 1;
        else
            high = middle;
    }
    const FoldRow *row = low ? &rows[low - 1] : NULL;
    bool inside = row && code <= row->last && (code - row->first) % row->step == 0;
    return inside ? row : NULL;
}

uint32_t unicode_lower(uint32_t code) {
    if (code < 128) return code >= 'A' && code <= 'Z' ? code | 32 : code;
    const FoldRow *row = row_of(lower_rows, sizeof lower_rows / sizeof *lower_rows, code);
    return row ? row->to + code - row->first : code;
}

uint32_t unicode_base(uint32_t code) {
    if (code < 0xC0) return code;
    const FoldRow *row = row_of(base_rows, sizeof base_rows / sizeof *base_rows, code);
    return row ? row->to : code;
}
