/* grow.c - see grow.h. */
#include "grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_grow(void *array, size_t *room, size_t need, size_t size) {
    size_t more = need > 2 * *room ? need : 2 * *room;
    if (more < 16) more = 16;
    void *items;
    memcpy(&items, array, sizeof items); /* a Text * is no void *, but has the same bytes */
    items = more <= SIZE_MAX / 2 / size ? realloc(items, more * size) : NULL;
    if (!items) return false;
    memcpy(array, &items, sizeof items);
    *room = more;
    return true;
}
