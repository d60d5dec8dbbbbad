/* escape.h - how files write bytes and spaces; private to layer 5.
 *
 * GPT-2 writes every byte as a visible character: 33..126, 161..172 and 174..255 as themselves,
 * the other 68 as U+0100 and up. */
#ifndef STRATA_ESCAPE_H
#define STRATA_ESCAPE_H

#include <stdint.h>
#include "text.h"

int visible_to_byte(uint32_t code_point); /* -1: none */

/* A token's name as bytes.  Returns the size, at most the text's. */
typedef size_t Unescape(Text text, char *out);
Unescape unescape_visible; /* visible characters to bytes; others (in special tokens) stay */
Unescape unescape_spaces;  /* U+2581 to spaces */

/* Is there a U+2581 at this byte? */
bool is_escaped_space(Text text, size_t at);

size_t escape_spaces(Text text, char *out); /* spaces to U+2581: up to three times the size */
int hex_byte(Text text);                    /* the byte of "<0x0A>"; -1: none */

#endif
