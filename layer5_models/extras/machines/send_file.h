/* send_file.h - a model's file that only the first machine has: it sends the others their
 * shares.
 *
 *     first machine    | header | tensor | tensor | tensor | ...      the file
 *     another one      | header |   ==   |  ==    |   ==   | ...      as much address space,
 *                                                                     == what came so far
 *
 * The header goes out when the first machine has opened the model, and a part of a tensor
 * before the first order that reads it; so each machine gets the bytes that it reads, once, and
 * memory only for these.  Every piece is checked by a digest.  Private.
 *
 * Invariant: a machine has a byte before an order reads it; the bits are those of machines
 * that have the file [sent_files_have_the_same_bits]. */
#ifndef STRATA_SEND_FILE_H
#define STRATA_SEND_FILE_H

#include "fault.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a file that a machine has. */
typedef struct SentBytes {
    size_t (*ranges)[2]; /* (count) begin, end; in order, with gaps between; owns */
    size_t count, room;
} SentBytes;

/* The first byte at or behind `at` that is missing, before `end` (else `end`); and how many are
 * missing from there on. */
size_t bytes_missing(const SentBytes *sent, size_t at, size_t end, size_t *count);

/* Note bytes begin .. end - 1.  Fails when memory is short. */
bool bytes_note(SentBytes *sent, size_t begin, size_t end, Fault *fault);

#endif
