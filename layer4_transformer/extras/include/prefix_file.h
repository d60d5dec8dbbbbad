/* prefix_file.h - kept prefixes in a file: what was evaluated before a restart need not be
 * evaluated again after it.
 *
 *     head | what they belong to | prefix, its pages | prefix, its pages | ... | checksum
 *
 * The most recently used come first, and each after its parent, so a smaller cache takes those
 * that it would have kept.
 *
 * Invariant: a file that is damaged, or belongs to anything else, is refused, and the cache
 * stays as it is; what starts with a restored prefix has the same bits
 * [a_restored_prefix_has_the_same_bytes, damaged_or_foreign_files_change_nothing]. */
#ifndef STRATA_PREFIX_FILE_H
#define STRATA_PREFIX_FILE_H

#include "prefix.h"

/* Write the kept prefixes to a file that only its owner can read.
 *
 *   about   all that their bits depend on: model, formats, program; compared by prefix_restore
 *   vocab   prefixes with a token from here on are left out: they stand for pictures
 *   count   how many were written
 *
 * Fails as file_write does. */
bool prefix_save(const KvCache *kv, const char *path, Text about, int32_t vocab, size_t *count,
                 Fault *fault);

/* Keep the prefixes of a file, as many as there is room for.
 *
 * Needs    a cache without prefixes.
 * Fails when the file is missing, damaged, or about something else. */
bool prefix_restore(KvCache *kv, const char *path, Text about, size_t *count, Fault *fault);

/* Pages of which other machines hold some heads (machines.h): a file has all of them, as if one
 * machine had. */
typedef struct PrefixElsewhere {
    size_t (*heads)(const KvCache *kv, size_t layer); /* on all machines together */
    /* A layer's page with all heads, `each` bytes a head. */
    void (*read)(const KvCache *kv, size_t layer, int32_t page, size_t each, void *whole);
    void (*write)(KvCache *kv, size_t layer, int32_t page, size_t each, const void *whole);
} PrefixElsewhere;

/* NULL: this machine has all. */
extern const PrefixElsewhere *prefix_elsewhere;

/* 64 bits of some bytes, chained to those of others: tells damage, not forgery. */
uint64_t prefix_checksum(uint64_t before, const void *bytes, size_t size);

#endif
