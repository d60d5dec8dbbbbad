/* nearest.c - see nearest.h. */
#include "nearest.h"

#include "size.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS = 40 }; /* max letters compared */

/* The letters to compare: lower case, without - and _.  Returns their number. */
static size_t nearest_plain(Text text, char out[LETTERS]) {
    size_t n = 0;
    for (size_t i = 0; i < text.size && n < LETTERS; i++)
        if (text.data[i] != '-' && text.data[i] != '_')
            out[n++] = (char)tolower((unsigned char)text.data[i]);
    return n;
}

/* Edits from a to b (Damerau-Levenshtein): row i has those from the first i letters of a to
 * each prefix of b.
 *
 *     row[i][j] = min of  row[i-1][j] + 1            delete
 *                         row[i][j-1] + 1            insert
 *                         row[i-1][j-1] + (a != b)   replace or keep
 *                         row[i-2][j-2] + 1          swap neighbours
 *
 * Source   Damerau 1964, Communications of the ACM 7(3). */
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m) {
    size_t row[LETTERS + 1][LETTERS + 1];
    for (size_t i = 0; i <= n; i++) row[i][0] = i;
    for (size_t j = 0; j <= m; j++) row[0][j] = j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            size_t edits = min_size(row[i - 1][j], row[i][j - 1]) + 1;
            edits = min_size(edits, row[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                edits = min_size(edits, row[i - 2][j - 2] + 1);
            row[i][j] = edits;
        }
    return row[n][m];
}

/* A prefix of exactly one name beats any edit. */
Text nearest_name(Text word, const char *names) {
    char letters[LETTERS], other[LETTERS];
    const size_t n = nearest_plain(word, letters);
    size_t nearest = max_size(1, n / 3) + 1, begun = 0;
    Text best = {"", 0}, longer = best;
    for (const char *at = names; n > 1 && *(at += strspn(at, ", |"));) {
        Text name = {at, strcspn(at, ", |")};
        const size_t m = nearest_plain(name, other),
                     distance = edit_distance(letters, n, other, m);
        at += name.size;
        if (distance < nearest) nearest = distance, best = name;
        if (n >= 3 && m > n && memcmp(letters, other, n) == 0) longer = name, begun++;
    }
    return begun == 1 && nearest > 0 ? longer : best;
}

const char *nearest_hint(char *out, size_t size, Text word, const char *names) {
    Text name = nearest_name(word, names);
    *out = 0;
    if (name.size) snprintf(out, size, "; did you mean %.*s?", (int)name.size, name.data);
    return out;
}
