/* pull.c - strata pull: published models, downloaded into the folder searched by -m NAME. */
#include "commands.h"
#include "download.h"
#include "model_names.h"
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PULL_NAME = 128, PULL_PATH = 1300 };

static struct {
    const char *what, *remove, *sha256; /* what: a name of the table, or a URL */
    bool list;
    char folder[1024];
} asked;

/* ------------------------------------------------------------------ what there is */

static bool model_path(const char *name, char path[PULL_PATH], double *bytes) {
    struct stat info;
    snprintf(path, PULL_PATH, "%s/%s.gguf", asked.folder, name);
    bool here = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    *bytes = here ? (double)info.st_size : 0;
    return here;
}

static void print_published(void) {
    size_t count, here = 0;
    char path[PULL_PATH], text[24];
    double bytes, total = 0;
    const PublishedModel *models = published_models(&count);
    printf("%-14s %8s  %-11s %-5s %s\n", "name", "size", "licence", "here", "what for");
    for (size_t i = 0; i < count; i++) {
        bool is = model_path(models[i].name, path, &bytes);
        printf("%-14s %8s  %-11s %-5s %s\n", models[i].name,
               megabytes_text(text, (double)models[i].bytes), models[i].licence,
               is ? "yes" : "-", models[i].use);
        here += is, total += bytes;
    }
    printf("\n"
           "%zu of %zu are downloaded, %s, in %s\n"
           "strata pull NAME downloads one, strata chat -m NAME chats with it.\n",
           here, count, megabytes_text(text, total), asked.folder);
}

typedef struct Listing {
    size_t count;
    double total;
} Listing;

static void print_model(void *context, const char *name) {
    Listing *listing = context;
    char path[PULL_PATH], text[24];
    double bytes;
    if (!model_path(name, path, &bytes)) return;
    printf("%-24s %8s  %s\n", name, megabytes_text(text, bytes), path);
    listing->count++, listing->total += bytes;
}

static void pull_print_folder(void) {
    Listing listing = {0};
    char text[24];
    models_in_folder(asked.folder, print_model, &listing);
    printf("%zu model%s, %s, in %s\n", listing.count, listing.count == 1 ? "" : "s",
           megabytes_text(text, listing.total), asked.folder);
}

/* A model or a partial download. */
static bool remove_model(Fault *fault) {
    static const char *const endings[] = {"", ".part", ".part-headers", ".part-headers-new"};
    char path[PULL_PATH];
    size_t removed = 0, n = strlen(asked.remove);
    if (n > 5 && strcmp(asked.remove + n - 5, ".gguf") == 0) n -= 5;
    if (strchr(asked.remove, '/') || asked.remove[0] == '.' || n > PULL_NAME)
        return fault_set(fault, "--remove takes the name of a model, as --list prints it");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s/%.*s.gguf%s", asked.folder, (int)n, asked.remove,
                 endings[i]);
        if (unlink(path) == 0)
            removed++;
        else if (errno != ENOENT)
            return fault_set(fault, "%s cannot be removed: %s", path, strerror(errno));
    }
    if (removed) fprintf(stderr, "%.*s is removed\n", (int)n, asked.remove);
    return removed || fault_set(fault, "no model %.100s in %s: strata pull --list shows them",
                                asked.remove, asked.folder);
}

/* ------------------------------------------------------------------ what is wanted */

/* 64 hex digits, converted to lower case. */
static bool read_sha256(const char *text, size_t size, char digest[65], Fault *fault) {
    for (size_t i = 0; i < size && i < 64; i++)
        digest[i] = (char)tolower((unsigned char)text[i]);
    digest[64] = 0;
    if (size == 64 && strspn(digest, "0123456789abcdef") == 64) return true;
    return fault_set(fault, "'%.*s' is no SHA-256: wanted 64 hexadecimal digits",
                     size > 80 ? 80 : (int)size, text);
}

/* https://host/a/Model%20Q4.gguf?download=true becomes Model_20Q4: keeps letters, digits, and .
 * _ - + */
static bool name_of_url(const char *url, char name[PULL_NAME], Fault *fault) {
    const char *host = strstr(url, "://") + 3, *end = host + strcspn(host, "?#"), *last = end;
    while (last > host && last[-1] != '/') last--;
    while (last < end && (*last == '.' || *last == '-')) last++;
    size_t n = (size_t)(end - last);
    if (last == host || n == 0)
        return fault_set(fault, "%.200s names no file: wanted .../NAME.gguf", url);
    if (n > 5 && strncasecmp(end - 5, ".gguf", 5) == 0) n -= 5;
    if (n >= PULL_NAME)
        return fault_set(fault, "%.200s...: the name of the file is too long", url);
    for (size_t i = 0; i < n; i++)
        name[i] = isalnum((unsigned char)last[i]) || strchr("._-+", last[i]) ? last[i] : '_';
    name[n] = 0;
    return true;
}

static bool check_url(const char *url, Fault *fault) {
    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return fault_set(fault, "%.200s: only http and https addresses are downloaded", url);
    for (const char *c = url; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 127)
            return fault_set(fault,
                             "%.200s has a space or control character: write it as %%%02X", url,
                             (unsigned char)*c);
    return true;
}

typedef struct Wanted {
    char url[2048], name[PULL_NAME];
    Download download;
} Wanted;

/* https://host/FILE.gguf#sha256=HEX */
static bool want_url(Wanted *w, Fault *fault) {
    const char *mark = strchr(asked.what, '#');
    int n = (int)(mark ? (size_t)(mark - asked.what) : strlen(asked.what));
    if ((size_t)snprintf(w->url, sizeof w->url, "%.*s", n, asked.what) >= sizeof w->url)
        return fault_set(fault, "%.100s...: the address is too long", asked.what);
    if (!check_url(w->url, fault) || !name_of_url(w->url, w->name, fault)) return false;
    if (!mark || !mark[1]) return true;
    if (strncmp(mark, "#sha256=", 8) != 0)
        return fault_set(fault, "behind # wanted sha256=HEX, and got '%.60s'", mark + 1);
    w->download.source = "the address";
    return read_sha256(mark + 8, strlen(mark + 8), w->download.digest, fault);
}

/* OWNER/REPOSITORY/PATH becomes HOST/OWNER/REPOSITORY/resolve/main/PATH. */
static bool want_published(Wanted *w, Fault *fault) {
    const PublishedModel *model;
    const char *host = getenv("HF_ENDPOINT");
    if (!published_want(asked.what, &model, fault)) return false;
    if (!host || !*host) host = "https://huggingface.co";
    const char *path = strchr(strchr(model->file, '/') + 1, '/') + 1;
    snprintf(w->url, sizeof w->url, "%.1000s/%.*sresolve/main/%s", host,
             (int)(path - model->file), model->file, path);
    snprintf(w->name, sizeof w->name, "%s", model->name);
    snprintf(w->download.digest, sizeof w->download.digest, "%s", model->sha256);
    w->download.size = model->bytes, w->download.source = "the table";
    return check_url(w->url, fault);
}

static bool want_model(Wanted *w, Fault *fault) {
    bool ok = strchr(asked.what, '/') ? want_url(w, fault) : want_published(w, fault);
    if (ok && asked.sha256) {
        ok = read_sha256(asked.sha256, strlen(asked.sha256), w->download.digest, fault);
        w->download.source = "--sha256";
    }
    w->download.url = w->url, w->download.name = w->name, w->download.folder = asked.folder;
    return ok;
}

/* ------------------------------------------------------------------ the command */

/* Is an existing file the wanted one? */
static bool check_here(const Wanted *w, const char *path, double bytes, Fault *fault) {
    char digest[65];
    if (w->download.size && bytes != (double)w->download.size)
        return fault_set(fault,
                         "%s is a different file: it has %.0f bytes, the published one %.0f. "
                         "Remove it with strata pull --remove %s.",
                         path, bytes, (double)w->download.size, w->name);
    if (!*w->download.digest || w->download.size) {
        fprintf(stderr, "%s is already downloaded: %s%s\n", w->name, path,
                w->download.size ? "" : ". For another file, strata pull --remove it first");
        return true;
    }
    if (!file_digest(path, digest, fault)) return false;
    if (strcmp(digest, w->download.digest) != 0)
        return fault_set(fault, "%s is a different file: it has SHA-256 %s, %s says %s", path,
                         digest, w->download.source, w->download.digest);
    fprintf(stderr, "%s is already downloaded; its SHA-256 matches %s\n", w->name,
            w->download.source);
    return true;
}

/* Only the path goes to stdout: strata chat -m "$(strata pull URL)". */
static bool pull_model(Fault *fault) {
    Wanted w = {.download = {.source = ""}};
    char path[PULL_PATH];
    double bytes;
    if (!want_model(&w, fault)) return false;
    bool here = model_path(w.name, path, &bytes);
    bool ok = here ? check_here(&w, path, bytes, fault) : download(&w.download, fault);
    if (ok) puts(path);
    return ok;
}

static const OptionRule pull_rules[] = {
    {"--list", NOT_WITH, "--remove --sha256", "it only lists"},
    {"--remove", NOT_WITH, "--sha256", "nothing is downloaded"},
    {0},
};

static bool pull_check(Fault *fault) {
    if (asked.what && (asked.list || asked.remove))
        return fault_set(fault, "--%s takes no model: leave out '%.60s'",
                         asked.list ? "list" : "remove", asked.what);
    return asked.what || !asked.sha256 || fault_set(fault, "--sha256 needs a URL");
}

static bool pull_run(Fault *fault) {
    if (!models_folder(asked.folder, sizeof asked.folder, fault)) return false;
    if (asked.remove) return remove_model(fault);
    if (asked.what) return pull_model(fault);
    asked.list ? pull_print_folder() : print_published();
    return true;
}

static const Option pull_options[] = {
    {"--list", OPT_FLAG, &asked.list, NULL, "list downloaded models with sizes and paths"},
    {"--remove", OPT_TEXT, &asked.remove, "NAME", "delete a model from the folder"},
    {"--sha256", OPT_TEXT, &asked.sha256, "HEX",
     "the file's expected digest; also written URL#sha256=HEX"},
    {0},
};

const Command command_pull = {
    .name = "pull",
    .usage = "pull [NAME|URL] [options]",
    .about = "Download a model with curl, resuming an interrupted download, and check its size "
             "and\nSHA-256.  Without arguments: list ten small published models.  Every "
             "command finds the model as -m NAME.\nThe folder is $STRATA_MODELS, else "
             "$XDG_DATA_HOME/strata/models, else ~/.local/share/strata/models; listed "
             "models\ncome from $HF_ENDPOINT, else https://huggingface.co.",
    .options = pull_options,
    .rules = pull_rules,
    .words = &asked.what,
    .max_words = 1,
    .check = pull_check,
    .run = pull_run};
