/* tune_rows.c - the table of strata tune, which a second run goes on with.  See tune.h.
 *
 *     # strata tune: model M of 1234 bytes 0123456789ab, documents 0123456789ab, --words 4 ...
 *     chain,kept,kept_low,kept_high,distinct_2, ...
 *     "documents", ...
 *     "min_p:0.05", ...
 *
 * A row is written as soon as its chain is measured. */
#include "tune.h"
#include "input.h"
#include "listing.h"
#include "page.h"
#include "sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 12, EDGE = 1 << 20 /* bytes of a model's beginning and end */ };
static const char is_ours[] = "# strata tune: ";

const MeasureKind tune_measures[TUNE_MEASURES] = {KEPT, DISTINCT_2, SURPRISAL, WORDS};

/* A model's size, and a digest of its beginning and end: all of it would take too long. */
static bool name_model(const char *path, char *out, size_t size, Fault *fault) {
    char digest[SHA256_TEXT];
    const char *slash = strrchr(path, '/');
    long long bytes = 0;
    char *edge = malloc(EDGE);
    FILE *file = edge ? fopen(path, "rb") : NULL;
    Sha256 sha;
    sha256_begin(&sha);
    if (file) {
        sha256_add(&sha, edge, fread(edge, 1, EDGE, file));
        fseeko(file, 0, SEEK_END), bytes = (long long)ftello(file);
        if (bytes > EDGE) {
            fseeko(file, bytes - EDGE, SEEK_SET);
            sha256_add(&sha, edge, fread(edge, 1, EDGE, file));
        }
        fclose(file);
    }
    free(edge);
    sha256_end(&sha, digest);
    snprintf(out, size, "%.100s of %lld bytes %.*s", slash ? slash + 1 : path, bytes, DIGITS,
             digest);
    return file || fault_set(fault, "%.200s: %s", path, strerror(errno));
}

static bool set_header(Tune *t, Fault *fault) {
    char model[160], digest[SHA256_TEXT];
    Sha256 sha;
    if (!name_model(t->job.model, model, sizeof model, fault)) return false;
    sha256_begin(&sha);
    sha256_add(&sha, t->bytes, t->size);
    sha256_end(&sha, digest);
    snprintf(t->header, sizeof t->header,
             "%smodel %s, documents %.*s, --words %ld -n %ld --seeds %ld --seed %llu", is_ours,
             model, DIGITS, digest, t->job.words, t->job.max_tokens, t->job.seeds,
             (unsigned long long)t->job.seed);
    return true;
}

/* ------------------------------------------------------------------ read */

/* A quoted cell; *at moves behind it. */
static bool take_cell(const char **at, char *out, size_t size) {
    size_t n = 0;
    if (*(*at)++ != '"') return false;
    for (; **at && n + 1 < size; out[n++] = *(*at)++)
        if (**at == '"' && *++*at != '"') return out[n] = 0, true;
    return false;
}

static bool take_number(const char **at, double *x) {
    char *end;
    if (*(*at)++ != ',') return false;
    *x = strtod(*at, &end);
    bool given = end > *at;
    *at = end;
    return given;
}

static Value take_value(const char **at) {
    Value v = {0};
    v.known = take_number(at, &v.mean);
    v.has_interval = take_number(at, &v.low);
    v.has_interval &= take_number(at, &v.high);
    return v;
}

/* Rows of chains that this run does not have stay in the file. */
static void take_row(Tune *t, const char *line) {
    char chain[1000];
    if (!take_cell(&line, chain, sizeof chain)) return;
    for (size_t c = 0; c <= t->chains; c++) {
        if (strcmp(chain, t->job.chains[c]) != 0) continue;
        const char *at = line;
        for (size_t m = 0; m < TUNE_MEASURES; m++)
            t->rows[c].value[tune_measures[m]] = take_value(&at);
        t->done[c] = true;
    }
}

static bool check_header(const Tune *t, Text line, Fault *fault) {
    if (text_equal(line, text_of(t->header))) return true;
    if (!text_begins(line, text_of(is_ours)))
        return fault_set(
            fault, "%.200s is no table of strata tune: name another file with --out", t->out);
    Text got = {line.data + strlen(is_ours), line.size - strlen(is_ours)};
    return fault_set(fault,
                     "%.60s is the table of another run: got '%.*s', wanted '%.180s'. Name "
                     "another file with --out",
                     t->out, (int)min_size(got.size, 180), got.data,
                     t->header + strlen(is_ours));
}

/* *whole: bytes of its complete lines. */
static bool take_rows(Tune *t, Text all, size_t *whole, Fault *fault) {
    Text rest = all, line = text_cut(&rest, '\n');
    bool is_begun = line.size == all.size && text_begins(text_of(t->header), line);
    *whole = 0;
    if (is_begun) return true; /* ended within its first line, or empty */
    if (!check_header(t, line, fault)) return false;
    for (*whole = line.size + 1; memchr(rest.data, '\n', rest.size);) {
        line = text_cut(&rest, '\n');
        *whole += line.size + 1;
        take_row(t, line.data);
    }
    return true;
}

/* ------------------------------------------------------------------ write */

static bool cannot_write(const Tune *t, Fault *fault) {
    return fault_set(fault, "%.200s cannot be written: %s. Name another file with --out",
                     t->out, strerror(errno));
}

static bool write_head(Tune *t) {
    fprintf(t->table, "%s\nchain", t->header);
    for (size_t m = 0; m < TUNE_MEASURES; m++) {
        const char *key = measures[tune_measures[m]].key;
        fprintf(t->table, ",%s,%s_low,%s_high", key, key, key);
    }
    fputc('\n', t->table);
    return fflush(t->table) == 0;
}

bool tune_open_rows(Tune *t, Fault *fault) {
    size_t size = 0, whole = 0;
    struct stat about;
    if (!t->out) return true;
    if (!set_header(t, fault)) return false;
    if (stat(t->out, &about) == 0) {
        if (!S_ISREG(about.st_mode))
            return fault_set(fault,
                             "--out %.200s is no regular file: wanted one that a second run "
                             "can go on with",
                             t->out);
        char *bytes = read_named(t->out, &size, fault);
        bool ok = bytes && take_rows(t, (Text){bytes, size}, &whole, fault);
        free(bytes);
        if (!ok) return false;
        if (whole < size && truncate(t->out, (off_t)whole) != 0) return cannot_write(t, fault);
    }
    t->table = fopen(t->out, "ab");
    return (t->table && (whole || write_head(t))) || cannot_write(t, fault);
}

bool tune_add_row(Tune *t, size_t row, Fault *fault) {
    t->done[row] = true;
    if (!t->table) return true;
    list_cell(t->table, text_of(t->job.chains[row]));
    for (size_t m = 0; m < TUNE_MEASURES; m++)
        table_csv_value(t->table, t->rows[row].value[tune_measures[m]]);
    fputc('\n', t->table);
    return fflush(t->table) == 0 || cannot_write(t, fault);
}
