/* grow.h - an array that grows as it is filled.
 *
 *     if (!GROW(list->items, list->room, list->count + 1)) return fault_set(fault, "...");
 *     list->items[list->count++] = item;
 *
 * Invariant: count <= room; a call that fails changes neither the array nor its room
 * [arrays_grow_or_stay_as_they_are]. */
#ifndef STRATA_GROW_H
#define STRATA_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Make room for `need` items in an array from malloc (or NULL); `room` counts items.
 * At least doubles, so that n appends copy fewer than 2n items.  False: no memory. */
#define GROW(array, room, need) \
    ((need) <= (room) || array_grow(&(array), &(room), (need), sizeof *(array)))

/* What GROW calls when there is too little room; `array` is the address of a pointer. */
bool array_grow(void *array, size_t *room, size_t need, size_t size);

#endif
