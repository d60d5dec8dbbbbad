/* keys.c - see keys.h. */
#include "keys.h"

#include "input.h"

#include <stdlib.h>
#include <string.h>

static void digest_of(Text text, unsigned char digest[KEY_DIGEST]) {
    Sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, text.data, text.size);
    sha256_digest(&sha, digest);
}

/* Surrounding white space is not part of a key, as no header could carry it. */
static Text trimmed(Text line) {
    while (line.size && strchr(" \t\r", line.data[line.size - 1])) line.size--;
    while (line.size && strchr(" \t", *line.data)) line.data++, line.size--;
    return line;
}

/* The same key twice is one user. */
static bool keys_add_key(Keys *keys, Text line, Fault *fault) {
    if (keys->count && keys_have(keys, line)) return true;
    void *grown = realloc(keys->digest, (keys->count + 1) * sizeof *keys->digest);
    if (!grown) return fault_set(fault, "no memory for keys");
    keys->digest = grown;
    digest_of(line, keys->digest[keys->count++]);
    return true;
}

bool keys_open(Keys *keys, const char *path, Fault *fault) {
    size_t size;
    char *bytes = read_named(path, &size, fault);
    bool ok = bytes != NULL;
    *keys = (Keys){0};
    for (Text rest = {bytes, ok ? size : 0}; ok && rest.size;) {
        Text line = trimmed(text_cut(&rest, '\n'));
        if (line.size && line.data[0] != '#') ok = keys_add_key(keys, line, fault);
    }
    if (bytes) memset(bytes, 0, size);
    free(bytes);
    return ok &&
           (keys->count || fault_set(fault, "%.200s has no keys: wanted one per line", path));
}

void keys_close(Keys *keys) {
    free(keys->digest);
    *keys = (Keys){0};
}

bool keys_have(const Keys *keys, Text key) {
    unsigned char digest[KEY_DIGEST];
    int found = keys->count == 0;
    digest_of(key, digest);
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
    digest_of(key, digest[0]), digest_of(own, digest[1]);
    digest_of((Text){(const char *)digest, sizeof digest}, digest[0]);
    memcpy(&salt, digest[0], sizeof salt);
    return salt;
}
