/* charsmap.h - SentencePiece's normalization table (precompiled_charsmap); private to extras/.
 *
 *   bytes  0..3     n: the bytes of the table
 *          4..3+n   the table: entries of 4 bytes, a trie of the strings that are replaced
 *          then     their replacements, each ended by a zero byte
 *
 * An entry:   bits 0..7    its byte                  bit 8   a string ends here
 *             bit 9        shift by 8                bits 10..30   the base of its children
 *             bit 31       set if it holds the offset of a replacement
 *
 * From an entry with base w, the byte b leads to the entry w XOR b.
 *
 * Source   Kudo & Richardson 2018, arXiv:1808.06226; the table is that of the library
 *          Darts-clone (Yata; a double array, Aoe 1989). */
#ifndef STRATA_CHARSMAP_H
#define STRATA_CHARSMAP_H

#include <stdint.h>
#include "fault.h"
#include "text.h"

typedef struct Charsmap {
    uint32_t *entries; /* (n_entries) owns */
    size_t n_entries;
    char *replacements; /* (size) owns; ends with a zero byte */
    size_t size;
    bool copies[128]; /* an ASCII character that is unchanged when followed by another one */
} Charsmap;

/* Fails when the bytes are not such a table. */
bool charsmap_read(Charsmap *map, const unsigned char *bytes, size_t size, Fault *fault);
void charsmap_free(Charsmap *map);

/* The replacement of the longest string at the start of a text; *taken: its bytes, 0: none. */
Text charsmap_replace(const Charsmap *map, Text text, size_t *taken);

#endif
