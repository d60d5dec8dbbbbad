/* arrival.c - see arrival.h. */
#include "arrival.h"

#include "clock.h"
#include "gguf.h"
#include "model_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { ARRIVAL_CHUNK = 1 << 16 };

bool arrival_paths(Arrival *a, Fault *fault) {
    const Download *want = a->want;
    int n = snprintf(a->path, sizeof a->path, "%s/%s.gguf", want->folder, want->name);
    snprintf(a->part, sizeof a->part, "%s.part", a->path);
    snprintf(a->headers, sizeof a->headers, "%s.part-headers", a->path);
    snprintf(a->fresh, sizeof a->fresh, "%s.part-headers-new", a->path);
    return n < ARRIVAL_PATH || fault_set(fault, "the path of %.100s is too long", want->name);
}

/* "smollm2-360m  123 of 386 MB  32 %  4.1 MB/s  1:04 left" */
static void show_arrival(Arrival *a) {
    double now = clock_seconds(), elapsed = now - a->start, done = (double)a->done,
           rate = elapsed > 0 ? (done - (double)a->first) / elapsed : 0, size = (double)a->size;
    if (!a->terminal || now - a->shown < 0.25) return;
    a->shown = now, a->line = true;
    if (!a->size) {
        fprintf(stderr, "\r%s  %.1f MB  %.1f MB/s  ", a->want->name, done / 1e6, rate / 1e6);
        return;
    }
    int left = rate > 0 ? (int)((size - done) / rate) : 0;
    fprintf(stderr, "\r%s  %.1f of %.1f MB  %.0f %%  %.1f MB/s  %d:%02d left  ", a->want->name,
            done / 1e6, size / 1e6, 100 * done / size, rate / 1e6, left / 60, left % 60);
}

void arrival_line_end(Arrival *a) {
    if (a->line) fputc('\n', stderr);
    a->line = false;
}

/* False on a read error. */
static bool digest_rest(int file, Sha256 *sha, uint64_t *done) {
    unsigned char bytes[ARRIVAL_CHUNK];
    ssize_t n;
    while ((n = read(file, bytes, sizeof bytes)) > 0)
        sha256_add(sha, bytes, (size_t)n), *done += (uint64_t)n;
    return n == 0;
}

bool file_digest(const char *path, char digest[SHA256_TEXT], Fault *fault) {
    Sha256 sha;
    uint64_t done = 0;
    FILE *file = fopen(path, "rb");
    sha256_begin(&sha);
    bool ok = file && digest_rest(fileno(file), &sha, &done);
    if (!ok) fault_set(fault, "%s cannot be read: %s", path, strerror(errno));
    if (file) fclose(file);
    sha256_end(&sha, digest);
    return ok;
}

bool arrival_restart(Arrival *a, Fault *fault) {
    a->done = a->first = 0, a->size = a->want->size, a->announced = (Announced){0};
    sha256_begin(&a->sha);
    if (ftruncate(a->file, 0) == 0 && lseek(a->file, 0, SEEK_SET) == 0) return true;
    return fault_set(fault, "%s cannot be written: %s", a->part, strerror(errno));
}

bool arrival_begin(Arrival *a, Fault *fault) {
    char size[24] = "", from[24];
    sha256_begin(&a->sha);
    if (!digest_rest(a->file, &a->sha, &a->done))
        return fault_set(fault, "%s cannot be read: %s", a->part, strerror(errno));
    announced_read(a->headers, &a->announced); /* of the previous connection */
    if (a->size && a->done > a->size && !arrival_restart(a, fault)) return false;
    a->first = a->done, a->start = a->shown = clock_seconds();
    a->terminal = isatty(STDERR_FILENO);
    if (a->size) megabytes_text(size, (double)a->size);
    fprintf(stderr, "%s: %s%sfrom %.300s", a->want->name, size, *size ? " " : "", a->want->url);
    if (a->done) fprintf(stderr, ", going on at %s", megabytes_text(from, (double)a->done));
    fputc('\n', stderr);
    return true;
}

static bool enough_space(const Arrival *a, Fault *fault) {
    struct statvfs disk;
    char needs[24], has[24];
    if (!a->size || fstatvfs(a->file, &disk) != 0) return true;
    double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize,
           rest = (double)(a->size - a->done);
    if (free_bytes >= rest) return true;
    return fault_set(
        fault,
        "no space: %s needs %s more, and %s has %s. Make room and run the same command again.",
        a->want->name, megabytes_text(needs, rest), a->want->folder,
        megabytes_text(has, free_bytes));
}

/* On the first bytes: is it the wanted file, and does it fit on the disk? */
static bool meet(Arrival *a, Fault *fault) {
    const Download *want = a->want;
    a->met = true;
    rename(a->fresh, a->headers);
    announced_read(a->headers, &a->announced);
    const Announced *said = &a->announced;
    if (!a->size) a->size = said->size;
    if (said->size && said->size != a->size)
        return a->spoiled = true, fault_set(fault,
                                            "%.300s has %" PRIu64 " bytes, wanted %" PRIu64
                                            ": the file was replaced, and is not downloaded",
                                            want->url, said->size, a->size);
    if (*want->digest && *said->digest && strcmp(want->digest, said->digest) != 0)
        return a->spoiled = true,
               fault_set(
                   fault,
                   "%.100s: the server announces SHA-256 %s, %s says %s: it is not downloaded",
                   want->url, said->digest, want->source, want->digest);
    return enough_space(a, fault);
}

static bool arrival_write_bytes(Arrival *a, const unsigned char *bytes, size_t size,
                                Fault *fault) {
    while (size) {
        ssize_t n = write(a->file, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return fault_set(fault,
                             "%s cannot be written: %s. The partial download is kept: make "
                             "room and run the same command again.",
                             a->part, strerror(errno));
        sha256_add(&a->sha, bytes, (size_t)n);
        a->done += (uint64_t)n, bytes += n, size -= (size_t)n;
    }
    return true;
}

static bool begins_as_gguf(Arrival *a, Fault *fault) {
    char begin[64];
    ssize_t n = pread(a->file, begin, sizeof begin, 0);
    if (n >= 4 && memcmp(begin, "GGUF", 4) == 0) return true;
    const char *kind = n > 0 ? file_kind(begin, (size_t)n) : NULL;
    a->spoiled = true;
    if (strstr(a->want->url, "/blob/"))
        return fault_set(fault,
                         "%.300s is a web page about a file: write /resolve/ instead of /blob/",
                         a->want->url);
    return fault_set(fault, "%.250s is not a GGUF file%s%s", a->want->url, kind ? " but " : "",
                     kind ? kind : ": give the address of one");
}

bool arrival_take(Arrival *a, int pipe, Fault *fault) {
    unsigned char bytes[ARRIVAL_CHUNK];
    a->met = false;
    for (ssize_t n; (n = read(pipe, bytes, sizeof bytes)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fault_set(fault, "no data from curl: %s", strerror(errno));
        uint64_t before = a->done;
        if (!a->met && !meet(a, fault)) return false;
        if (!arrival_write_bytes(a, bytes, (size_t)n, fault)) return false;
        if (before < 4 && a->done >= 4 && !begins_as_gguf(a, fault)) return false;
        if (a->size && a->done > a->size)
            return a->spoiled = true,
                   fault_set(fault, "%.300s sends more than its %" PRIu64 " bytes",
                             a->want->url, a->size);
        show_arrival(a);
    }
    return true;
}

static bool wrong_digest(Arrival *a, const char *got, const char *wanted, const char *source,
                         Fault *fault) {
    a->spoiled = true;
    return fault_set(fault, "%s has SHA-256 %s, %s says %s: what was downloaded is removed",
                     a->want->name, got, source, wanted);
}

bool arrival_verify(Arrival *a, Fault *fault) {
    char got[SHA256_TEXT], size[24];
    const char *wanted = *a->want->digest ? a->want->digest : a->announced.digest,
               *source = *a->want->digest ? a->want->source : "the server (X-Linked-ETag)";
    sha256_end(&a->sha, got);
    if (!begins_as_gguf(a, fault)) return false;
    if (a->size && a->done != a->size)
        return a->spoiled = a->done > a->size,
               fault_set(fault, "%s has %" PRIu64 " bytes, wanted %" PRIu64, a->want->name,
                         a->done, a->size);
    if (*wanted && strcmp(got, wanted) != 0) return wrong_digest(a, got, wanted, source, fault);
    arrival_line_end(a);
    fprintf(stderr, "%s: %s in %.1f s, ", a->want->name, megabytes_text(size, (double)a->done),
            clock_seconds() - a->start);
    if (*wanted)
        fprintf(stderr, "its SHA-256 matches %s\n", source);
    else
        fprintf(stderr, "no digest to check; its SHA-256 is %s\n", got);
    return true;
}
