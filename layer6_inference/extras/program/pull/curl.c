/* curl.c - see curl.h. */
#include "curl.h"

#include "version.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CURL_WORDS = 40, CURL_MISSING = 127 };

/* exec without a shell; the URL follows "--", so that it is never an option. */
static void curl_words(const char *words[CURL_WORDS], const char *url, const char *headers,
                       const char *offset, const char *if_range) {
    static char agent[40];
    const char *redirects = strncasecmp(url, "https:", 6) == 0 ? "=https" : "=http,https";
    snprintf(agent, sizeof agent, "strata/%s", strata_version());
    /* silent but for errors, fail on status >= 400, follow redirects, [] literal, no buffer */
    const char *fixed[] = {
        "curl",          "-sSfLgN", "--max-redirs",      "10",  "--proto",       "=http,https",
        "--proto-redir", redirects, "--connect-timeout", "30",  "--speed-limit", "1",
        "--speed-time",  "60",      "--user-agent",      agent, "--dump-header", headers,
        "--output",      "-"};
    size_t n = sizeof fixed / sizeof *fixed;
    memcpy(words, fixed, sizeof fixed);
    if (*offset) words[n++] = "--continue-at", words[n++] = offset;
    if (*if_range) words[n++] = "--header", words[n++] = if_range;
    words[n++] = "--", words[n++] = url, words[n] = NULL;
}

/* In the child: redirect stdin from /dev/null, stdout and stderr to the pipes. */
static void become_curl(const int body[2], const int errors[2], const char *const words[]) {
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    dup2(body[1], STDOUT_FILENO), dup2(errors[1], STDERR_FILENO);
    close(body[0]), close(body[1]), close(errors[0]), close(errors[1]);
    execvp(words[0], (char *const *)words);
    _exit(CURL_MISSING);
}

bool curl_begin(Curl *curl, const char *url, const char *headers, uint64_t from,
                const char *etag, Fault *fault) {
    const char *words[CURL_WORDS];
    char offset[24] = "", if_range[220] = "";
    int body[2], errors[2];
    if (from) snprintf(offset, sizeof offset, "%" PRIu64, from);
    if (from && *etag) snprintf(if_range, sizeof if_range, "If-Range: %s", etag);
    curl_words(words, url, headers, offset, if_range);
    unlink(headers);
    if (pipe(body) != 0) return fault_set(fault, "no pipe: %s", strerror(errno));
    if (pipe(errors) != 0) {
        close(body[0]), close(body[1]);
        return fault_set(fault, "no pipe: %s", strerror(errno));
    }
    *curl = (Curl){fork(), body[0], errors[0]};
    if (curl->pid == 0) become_curl(body, errors, words);
    close(body[1]), close(errors[1]);
    if (curl->pid > 0) return true;
    close(body[0]), close(errors[0]);
    return fault_set(fault, "curl cannot be started: %s", strerror(errno));
}

/* Drops the prefix of "curl: (7) Failed to connect". */
static void read_complaint(int errors, char *said, size_t size) {
    size_t used = 0;
    for (ssize_t n; used + 1 < size && (n = read(errors, said + used, size - 1 - used)) > 0;)
        used += (size_t)n;
    said[used] = 0;
    said[strcspn(said, "\r\n")] = 0;
    char *text = strncmp(said, "curl: (", 7) == 0 ? strstr(said, ") ") : NULL;
    if (text) memmove(said, text + 2, strlen(text + 2) + 1);
}

int curl_end(Curl *curl, bool stop, char *said, size_t size) {
    int status = 0;
    if (stop) kill(curl->pid, SIGTERM);
    close(curl->body);
    read_complaint(curl->errors, said, size);
    close(curl->errors);
    while (waitpid(curl->pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The value if the line is this header; trims its end in place. */
static char *header_value(char *line, const char *name) {
    size_t n = strlen(name);
    if (strncasecmp(line, name, n) != 0 || line[n] != ':') return NULL;
    char *value = line + n + 1 + strspn(line + n + 1, " \t");
    value[strcspn(value, "\r\n")] = 0;
    return value;
}

static uint64_t read_size(const char *text) {
    return isdigit((unsigned char)*text) ? strtoull(text, NULL, 10) : 0;
}

/* "270c...": 64 hex digits in quotes. */
static void read_digest(const char *value, char digest[65]) {
    value += *value == '"';
    if (strspn(value, "0123456789abcdef") == 64) memcpy(digest, value, 64), digest[64] = 0;
}

static void announced_line(char *line, Announced *a, uint64_t *linked) {
    const char *value;
    if (strncmp(line, "HTTP/", 5) == 0) { /* new response: keep only linked values */
        const char *code = strchr(line, ' ');
        a->status = code ? atoi(code) : 0, a->size = 0, a->etag[0] = 0;
    } else if ((value = header_value(line, "x-linked-size"))) {
        *linked = read_size(value);
    } else if ((value = header_value(line, "x-linked-etag"))) {
        read_digest(value, a->digest);
    } else if ((value = header_value(line, "content-length"))) {
        if (a->status == 200) a->size = read_size(value);
    } else if ((value = header_value(line, "content-range"))) {
        const char *slash = strchr(value, '/');
        if (slash) a->size = read_size(slash + 1);
    } else if ((value = header_value(line, "etag"))) {
        snprintf(a->etag, sizeof a->etag, "%s", *value == '"' ? value : "");
    }
}

void announced_read(const char *headers, Announced *announced) {
    char line[4096];
    uint64_t linked = 0;
    *announced = (Announced){0};
    FILE *file = fopen(headers, "r");
    while (file && fgets(line, sizeof line, file)) announced_line(line, announced, &linked);
    if (file) fclose(file);
    if (linked) announced->size = linked;
}
