/* keys.c - see keys.h. */
#include "keys.h"

#include "input.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ SHA-256 */

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t roots[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void digest_block(uint32_t h[8], const unsigned char *block) {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] +
               (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                       ((s[4] & s[5]) ^ (~s[4] & s[6])) + roots[i] + w[i];
        uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one, s[0] = one + two;
    }
    for (int i = 0; i < 8; i++) h[i] += s[i];
}

void sha256(Text text, unsigned char digest[KEY_DIGEST]) {
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned char tail[128] = {0};
    size_t whole = text.size / 64 * 64, rest = text.size - whole, end = rest < 56 ? 64 : 128;
    for (size_t i = 0; i < whole; i += 64)
        digest_block(h, (const unsigned char *)text.data + i);
    if (rest) memcpy(tail, text.data + whole, rest);
    tail[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        tail[end - 1 - (size_t)i] = (unsigned char)((uint64_t)text.size * 8 >> (8 * i));
    for (size_t i = 0; i < end; i += 64) digest_block(h, tail + i);
    for (int i = 0; i < KEY_DIGEST; i++)
        digest[i] = (unsigned char)(h[i / 4] >> (24 - i % 4 * 8));
}

/* ------------------------------------------------------------------ keys */

/* What surrounds a key is no part of it: no header could carry it. */
static Text trimmed(Text line) {
    while (line.size && strchr(" \t\r", line.data[line.size - 1])) line.size--;
    while (line.size && strchr(" \t", *line.data)) line.data++, line.size--;
    return line;
}

/* A key that stands twice is one user. */
static bool add_key(Keys *keys, Text line, Fault *fault) {
    if (keys->count && keys_have(keys, line)) return true;
    void *grown = realloc(keys->digest, (keys->count + 1) * sizeof *keys->digest);
    if (!grown) return fault_set(fault, "no memory for keys");
    keys->digest = grown;
    sha256(line, keys->digest[keys->count++]);
    return true;
}

bool keys_open(Keys *keys, const char *path, Fault *fault) {
    size_t size;
    char *bytes = read_named(path, &size, fault);
    bool ok = bytes != NULL;
    *keys = (Keys){0};
    for (Text rest = {bytes, ok ? size : 0}; ok && rest.size;) {
        Text line = trimmed(text_cut(&rest, '\n'));
        if (line.size && line.data[0] != '#') ok = add_key(keys, line, fault);
    }
    if (bytes) memset(bytes, 0, size);
    free(bytes);
    return ok &&
           (keys->count || fault_set(fault, "%.200s holds no key: wanted one a line", path));
}

void keys_close(Keys *keys) {
    free(keys->digest);
    *keys = (Keys){0};
}

bool keys_have(const Keys *keys, Text key) {
    unsigned char digest[KEY_DIGEST];
    int found = keys->count == 0;
    sha256(key, digest);
    for (size_t i = 0; i < keys->count; i++) {
        unsigned different = 0;
        for (int k = 0; k < KEY_DIGEST; k++) different |= keys->digest[i][k] ^ digest[k];
        found |= different == 0;
    }
    return found != 0;
}

uint64_t keys_salt(Text key, Text own) {
    unsigned char digest[2][KEY_DIGEST];
    uint64_t salt = 0;
    if (key.size == 0 && own.size == 0) return 0;
    sha256(key, digest[0]), sha256(own, digest[1]);
    sha256((Text){(const char *)digest, sizeof digest}, digest[0]);
    memcpy(&salt, digest[0], sizeof salt);
    return salt;
}
