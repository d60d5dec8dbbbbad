/* utf8.c
 *
 * Proves    utf8_whole and utf8_character read inside the text; the whole characters end inside
 *           it, a character has at most 4 bytes and at most those of the text
 * Bound     text of 0 to 32 bytes
 * Source    layer6_inference/src/output/utf8.c
 * Follow    layer6_inference/src/output/utf8.c | size_t at = 0; | at
 * Options   -eva-precision 2
 * Mutant    layer6_inference/src/output/utf8.c | (size_t)i == size | (size_t)i > size */
#include "proof.h"
#include "utf8.h"

int main(void) {
    unsigned char bytes[32];
    size_t n = ANY_SIZE(0, 32); //@ split n;
    ANY(bytes);
    const unsigned char *text = bytes + 32 - n; /* so that the array ends where the text does */
    PROVE(utf8_whole((Text){(const char *)text, n}) <= n);
    if (n) {
        int length = utf8_character(text, n);
        PROVE(length >= -3 && length <= 4);
        PROVE(length <= (int)n);
    }
    END();
}
