/* file_write.c - see file_write.h. */
#include "file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot(Fault *fault, const char *path, int reason) {
    return fault_set(fault, "%s cannot be written: %s", path, strerror(reason));
}

static char *file_write_join(const char *left, size_t size, const char *right) {
    char *whole = malloc(size + strlen(right) + 1);
    if (whole) memcpy(whole, left, size), strcpy(whole + size, right);
    return whole;
}

/* The folder of a path, links followed; NULL when it does not exist. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? file_write_join(path, (size_t)(slash + 1 - path), ".") : NULL;
    char *real = realpath(slash ? (folder ? folder : "") : ".", NULL);
    free(folder);
    return real;
}

/* The path of a new file in an existing folder. */
static char *resolve_new(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *folder = folder_of(path),
         *begin = folder ? file_write_join(folder, strlen(folder), "/") : NULL;
    char *real = begin ? file_write_join(begin, strlen(begin), name) : NULL;
    free(folder), free(begin);
    return real;
}

/* The path with links followed; NULL with errno when no file can be there. */
static char *resolve(const char *path) {
    struct stat info;
    char *real = realpath(path, NULL);
    bool dangling = !real && errno == ENOENT && lstat(path, &info) == 0;
    if (real || dangling || errno != ENOENT) return real;
    return resolve_new(path);
}

static const char *kind_of(mode_t mode) {
    return S_ISDIR(mode)                    ? "a directory"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
           : S_ISFIFO(mode)                 ? "a pipe"
                                            : "a socket";
}

static bool file_write_check(const char *path, const char *real, Fault *fault) {
    struct stat info;
    bool there = stat(real, &info) == 0;
    if (there && !S_ISREG(info.st_mode))
        return fault_set(fault, "%s is %s: give the name of a file", path,
                         kind_of(info.st_mode));
    if (there && access(real, W_OK) != 0) return cannot(fault, path, errno);
    char *folder = folder_of(real);
    bool ok = folder && access(folder, W_OK | X_OK) == 0;
    int reason = errno;
    free(folder);
    return ok || cannot(fault, path, reason);
}

bool file_writable(const char *path, Fault *fault) {
    struct stat info;
    if (!*path) return fault_set(fault, "empty file name: give the name of a file");
    if (strcmp(path, "-") == 0)
        return fault_set(fault, "'-' is not a file: give /dev/stdout for standard output, or "
                                "./- for a file of that name");
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return file_write_check(path, path, fault);
    char *real = resolve(path);
    bool ok = real ? file_write_check(path, real, fault) : cannot(fault, path, errno);
    free(real);
    return ok;
}

/* The open parts, for file_drop_all. */
enum { PARTS = 8 };
static _Atomic(char *) parts[PARTS];

static void remember_part(char *part) {
    static atomic_bool begun;
    if (!atomic_exchange(&begun, true)) atexit(file_drop_all);
    for (size_t i = 0; i < PARTS; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&parts[i], &none, part)) return;
    }
}

void file_drop_all(void) {
    for (size_t i = 0; i < PARTS; i++) {
        char *part = parts[i];
        if (part) unlink(part);
    }
}

static void forget_part(FileOut *out) {
    for (size_t i = 0; out->part && i < PARTS; i++) {
        char *part = out->part;
        atomic_compare_exchange_strong(&parts[i], &part, NULL);
    }
    free(out->path), free(out->part);
    *out = (FileOut){0};
}

/* The new file keeps the old one's permissions. */
static void inherit(int descriptor, const char *path) {
    struct stat old;
    if (stat(path, &old) != 0) return;
    if (old.st_uid != geteuid() && fchown(descriptor, old.st_uid, old.st_gid) != 0) return;
    fchmod(descriptor, old.st_mode & 0777);
}

/* Create the part; an existing one was left by a run that was killed. */
static FILE *create(const char *part, const char *path) {
    unlink(part);
    int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return NULL;
    inherit(descriptor, path);
    FILE *stream = fdopen(descriptor, "wb");
    if (!stream) close(descriptor), unlink(part);
    return stream;
}

static bool file_write_open_part(FileOut *out, const char *path, Fault *fault) {
    out->path = resolve(path);
    out->part =
        out->path ? file_write_join(out->path, strlen(out->path), ".strata-part") : NULL;
    out->stream = out->part ? create(out->part, out->path) : NULL;
    if (out->stream) return remember_part(out->part), true;
    cannot(fault, path, errno);
    forget_part(out);
    return false;
}

static bool open_stream(FileOut *out, const char *path, Fault *fault) {
    out->stream = fopen(path, "wb");
    if (!out->stream) return cannot(fault, path, errno);
    out->path = strdup(path);
    return out->path || (file_drop(out), cannot(fault, path, ENOMEM));
}

bool file_begin(FileOut *out, const char *path, Fault *fault) {
    struct stat info;
    *out = (FileOut){0};
    if (stat(path, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)))
        return open_stream(out, path, fault);
    return file_writable(path, fault) && file_write_open_part(out, path, fault);
}

/* Has another program replaced our part with its own? */
static bool is_ours(const FileOut *out) {
    struct stat ours, named;
    return fstat(fileno(out->stream), &ours) == 0 && stat(out->part, &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/* A rename is durable once the folder is synced. */
static void sync_folder(const char *path) {
    char *folder = folder_of(path);
    int descriptor = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor >= 0) fsync(descriptor), close(descriptor);
    free(folder);
}

/* Sync and rename; a pipe needs neither. */
static bool settle(const FileOut *out, Fault *fault) {
    if (fflush(out->stream) != 0 || ferror(out->stream)) return cannot(fault, out->path, errno);
    if (!out->part) return true;
    if (!is_ours(out))
        return fault_set(fault, "%s is being written by another program as well", out->path);
    if (fsync(fileno(out->stream)) != 0 || rename(out->part, out->path) != 0)
        return cannot(fault, out->path, errno);
    sync_folder(out->path);
    return true;
}

bool file_end(FileOut *out, Fault *fault) {
    bool ok = !out->stream || settle(out, fault);
    file_drop(out);
    return ok;
}

void file_drop(FileOut *out) {
    if (!out->stream) return;
    if (out->part && is_ours(out)) unlink(out->part);
    fclose(out->stream);
    forget_part(out);
}

bool file_write(const char *path, const void *data, size_t size, Fault *fault) {
    FileOut out;
    if (!file_writable(path, fault) || !file_begin(&out, path, fault)) return false;
    if (fwrite(data, 1, size, out.stream) == size) return file_end(&out, fault);
    int reason = errno;
    file_drop(&out);
    return cannot(fault, path, reason);
}
