/* download.c - see download.h. */
#include "download.h"

#include "arrival.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BREAKS = 10 /* max broken connections that brought bytes */ };

/* mkdir -p. */
static bool make_folder(const char *path, Fault *fault) {
    char part[1024];
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part)
        return fault_set(fault, "%.100s...: the path is too long", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(part, 0777); /* errors show in the last mkdir */
        *slash = '/';
    }
    if (mkdir(part, 0777) == 0 || errno == EEXIST) return true;
    return fault_set(fault, "%s cannot be created: %s", path, strerror(errno));
}

/* Between open and flock, another download may have finished and renamed the part. */
static bool still_named(int file, const char *part) {
    struct stat ours, named;
    return fstat(file, &ours) == 0 && stat(part, &named) == 0 && ours.st_ino == named.st_ino &&
           ours.st_dev == named.st_dev;
}

static bool lock_part(Arrival *a, Fault *fault) {
    a->file = open(a->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (a->file < 0)
        return fault_set(fault, "%s cannot be written: %s", a->part, strerror(errno));
    bool busy = flock(a->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!busy && still_named(a->file, a->part)) return true;
    close(a->file);
    return fault_set(fault, "another strata pull is downloading %s", a->want->name);
}

/* The fault for an HTTP status. */
static bool refused_by(const char *url, int code, Fault *fault) {
    if (code == 404) return fault_set(fault, "%.300s: no such file (404)", url);
    if (code == 401 || code == 403)
        return fault_set(fault, "%.300s: the server requires a login (%d)", url, code);
    return fault_set(fault, "%.300s: the server answers %d", url, code);
}

static bool connection_broke(int status) {
    return status == 18 || status == 28 || status == 56 || status == 92;
}

/* The fault for curl's exit status; `said` is its error message. */
static bool explain(const Arrival *a, int status, int code, const char *said, Fault *fault) {
    if (status == 127)
        return fault_set(
            fault, "pull needs curl: install it (apt-get install curl or brew install curl)");
    if (status == 1)
        return fault_set(fault,
                         "%.300s redirects to an address that is neither http nor https, or "
                         "from https to http: not followed",
                         a->want->url);
    if (status == 22) return refused_by(a->want->url, code, fault);
    if (connection_broke(status)) said = "the connection broke";
    return fault_set(fault, "%.200s: %.90s%s", a->want->url, *said ? said : "curl was stopped",
                     a->done ? ". The partial download is kept: run the same command to resume."
                             : "");
}

/* One connection.  True: the file is complete, or *again is set. */
static bool transfer(Arrival *a, bool *again, Fault *fault) {
    char said[300];
    uint64_t before = a->done;
    Curl curl;
    Announced last;
    if (!curl_begin(&curl, a->want->url, a->fresh, a->done, a->announced.etag, fault))
        return false;
    bool ok = arrival_take(a, curl.body, fault);
    int status = curl_end(&curl, !ok, said, sizeof said);
    announced_read(a->met ? a->headers : a->fresh, &last);
    unlink(a->fresh);
    if (!ok) return false;
    bool refused = status == 22 && last.status == 416; /* nothing beyond the part */
    if (status == 0 || (refused && before && last.size == before)) return true;
    if (before && (refused || status == 33)) { /* no range support, or the file has changed */
        fprintf(stderr, "%s: the server cannot resume: starting over\n", a->want->name);
        return *again = true, arrival_restart(a, fault);
    }
    *again = connection_broke(status) && a->done > before && a->breaks++ < BREAKS;
    return *again || explain(a, status, last.status, said, fault);
}

static bool transfer_all(Arrival *a, Fault *fault) {
    bool again = true;
    while (again && (!a->size || a->done < a->size)) {
        again = false;
        if (!transfer(a, &again, fault)) return false;
    }
    return true;
}

/* Sync the part to disk, then rename it. */
static bool name_part(Arrival *a, Fault *fault) {
    if (fsync(a->file) != 0 || rename(a->part, a->path) != 0)
        return fault_set(fault, "%s cannot be written: %s", a->path, strerror(errno));
    unlink(a->headers);
    return true;
}

bool download(const Download *want, Fault *fault) {
    Arrival a = {.want = want, .size = want->size, .file = -1};
    if (!make_folder(want->folder, fault) || !arrival_paths(&a, fault) || !lock_part(&a, fault))
        return false;
    bool ok = access(a.path, F_OK) == 0 || /* another download may have made it meanwhile */
              (arrival_begin(&a, fault) && transfer_all(&a, fault) &&
               arrival_verify(&a, fault) && name_part(&a, fault));
    arrival_line_end(&a);
    if (a.spoiled || a.done == 0) unlink(a.part), unlink(a.headers);
    close(a.file);
    return ok;
}
