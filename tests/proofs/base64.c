/* base64.c
 *
 * Proves    base64_read looks only at the letters and gives 1 to 3 bytes for four of them;
 *           base64_write reads only the bytes
 * Bound     0 to 16 letters; 0 to 8 bytes
 * Source    layer6_inference/extras/serve/base64.c
 * Options   -eva-precision 3 -eva-split-return full
 * Mutant    layer6_inference/extras/serve/base64.c | i + 4 < n || in[n - 1] != '=' | i + 4 < n || in[n] != '='
 * Mutant    layer6_inference/extras/serve/base64.c | min_size(3, size - i) | 3 */
#include "base64.h"
#include "proof.h"

static size_t decoded;

bool bytes_add(Bytes *bytes, Text text) {
    (void)bytes;
    PROVE(text.size >= 1 && text.size <= 3);
    for (size_t i = 0; i < text.size; i++) (void)text.data[i];
    decoded += text.size;
    return Frama_C_nondet(0, 1);
}

int main(void) {
    unsigned char letters[16], bytes[8];
    Bytes out = {0};
    size_t n = ANY_SIZE(0, 16); //@ split n;
    ANY(letters);
    base64_read((Text){(const char *)letters + 16 - n, n}, &out, NULL);
    PROVE(decoded <= 12);
    size_t m = ANY_SIZE(0, 8); //@ split m;
    FILE *file = tmpfile();
    ANY(bytes);
    if (file) base64_write(file, bytes + 8 - m, m);
    END();
}
