/* keys.c - see keys.h. */
#include "keys.h"

#include "input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void digest_of(Text text, unsigned char digest[KEY_DIGEST]) {
    Sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, text.data, text.size);
    sha256_digest(&sha, digest);
}

/* ------------------------------------------------------------------ a line */

/* The next word of a line; empty at its end. */
static Text keys_next_word(Text *line) {
    while (line->size && strchr(" \t\r", *line->data)) line->data++, line->size--;
    Text word = {line->data, 0};
    while (word.size < line->size && !strchr(" \t\r", line->data[word.size])) word.size++;
    line->data += word.size, line->size -= word.size;
    return word;
}

static bool keys_read_number(Text text, double low, double high, double *number) {
    char copy[32], *end;
    if (text.size == 0 || text.size >= sizeof copy) return false;
    snprintf(copy, sizeof copy, "%.*s", (int)text.size, text.data);
    *number = strtod(copy, &end);
    return *end == 0 && *number >= low && *number <= high;
}

static bool keys_read_name(Text text, char name[KEY_NAME]) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-";
    for (size_t i = 0; i < text.size; i++)
        if (!memchr(allowed, text.data[i], sizeof allowed - 1)) return false;
    snprintf(name, KEY_NAME, "%.*s", (int)text.size, text.data);
    return text.size > 0 && text.size < KEY_NAME;
}

/* NAME=VALUE. */
static bool keys_read_limit(Text word, KeyLimits *limits) {
    const Text name = text_cut(&word, '=');
    double number = 0;
    if (text_equal(name, text_of("name"))) return keys_read_name(word, limits->name);
    if (text_equal(name, text_of("priority"))) {
        bool ok = keys_read_number(word, -100, 100, &number) && number == floor(number);
        return limits->priority = (int)number, ok;
    }
    if (text_equal(name, text_of("seconds")))
        return keys_read_number(word, 0, 1e6, &limits->seconds);
    const bool tokens = text_equal(name, text_of("tokens"));
    if (!tokens && !text_equal(name, text_of("places"))) return false;
    bool ok = keys_read_number(word, 0, 1e9, &number) && number == floor(number);
    return *(tokens ? &limits->tokens : &limits->places) = (size_t)number, ok;
}

/* Does a word of the line have the same NAME? */
static bool keys_has(Text line, Text limit) {
    const Text name = text_cut(&limit, '=');
    for (Text word; (word = keys_next_word(&line)).size;)
        if (text_equal(text_cut(&word, '='), name)) return true;
    return false;
}

static bool keys_is_new(const Keys *keys, const Key *key) {
    for (size_t i = 0; i < keys->count; i++)
        if (memcmp(keys->of[i].digest, key->digest, KEY_DIGEST) == 0) return false;
    return true;
}

/* The message names the line, and never a word of it, which may be a key with a space. */
static bool keys_add_line(Keys *keys, Text line, size_t number, Fault *fault) {
    Key key = {.limits = keys->without};
    const Text word = keys_next_word(&line);
    if (word.size == 0 || word.data[0] == '#') return true;
    digest_of(word, key.digest);
    snprintf(key.limits.name, KEY_NAME, "line-%zu", number);
    for (Text limit; (limit = keys_next_word(&line)).size;)
        if (keys_has(line, limit) || !keys_read_limit(limit, &key.limits))
            return fault_set(fault,
                             "line %zu: wanted a key, then name=TEXT, priority=N (-100 to "
                             "100), seconds=X, tokens=N or places=N, each once at most",
                             number);
    if (!keys_is_new(keys, &key))
        return fault_set(fault,
                         "line %zu: a key of an earlier line, which may have other "
                         "limits: wanted each key once",
                         number);
    Key *grown = realloc(keys->of, (keys->count + 1) * sizeof *grown);
    if (!grown) return fault_set(fault, "no memory for keys");
    keys->of = grown, keys->of[keys->count++] = key;
    return true;
}

/* ------------------------------------------------------------------ the file */

static bool keys_check_mode(const char *path, Fault *fault) {
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) || !(file.st_mode & 007)) return true;
    return fault_set(fault, "other users may read or write it (mode %o): chmod 600 %.200s",
                     (unsigned)file.st_mode & 0777, path);
}

static bool keys_read_file(Keys *keys, Fault *fault) {
    size_t size, number = 0;
    if (!keys_check_mode(keys->path, fault)) return fault_prefix(fault, keys->path);
    char *bytes = read_named(keys->path, &size, fault);
    bool ok = bytes != NULL;
    if (!ok) return false;
    for (Text rest = {bytes, size}; ok && rest.size;)
        ok = keys_add_line(keys, text_cut(&rest, '\n'), ++number, fault);
    memset(bytes, 0, size);
    free(bytes);
    if (ok && !keys->count) ok = fault_set(fault, "no keys: wanted one per line");
    return ok || fault_prefix(fault, keys->path);
}

bool keys_open(Keys *keys, const char *path, const KeyLimits *without, Fault *fault) {
    *keys = (Keys){.path = path, .without = *without};
    pthread_rwlock_init(&keys->lock, NULL);
    return !path || keys_read_file(keys, fault);
}

void keys_close(Keys *keys) {
    free(keys->of);
    pthread_rwlock_destroy(&keys->lock);
    keys->of = NULL, keys->count = 0;
}

bool keys_reload(Keys *keys, Fault *fault) {
    Keys read = {.path = keys->path, .without = keys->without};
    if (!keys->path) return true;
    if (!keys_read_file(&read, fault)) return free(read.of), false;
    pthread_rwlock_wrlock(&keys->lock);
    Key *old = keys->of;
    keys->of = read.of, keys->count = read.count;
    pthread_rwlock_unlock(&keys->lock);
    free(old);
    return true;
}

bool keys_find(Keys *keys, Text key, KeyLimits *limits) {
    unsigned char digest[KEY_DIGEST];
    *limits = keys->without;
    if (!keys->path) return true;
    size_t found = SIZE_MAX;
    digest_of(key, digest);
    pthread_rwlock_rdlock(&keys->lock);
    for (size_t i = 0; i < keys->count; i++) {
        unsigned different = 0;
        for (int k = 0; k < KEY_DIGEST; k++) different |= keys->of[i].digest[k] ^ digest[k];
        if (different == 0) found = i;
    }
    if (found != SIZE_MAX) *limits = keys->of[found].limits;
    pthread_rwlock_unlock(&keys->lock);
    return found != SIZE_MAX;
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
