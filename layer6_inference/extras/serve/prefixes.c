/* prefixes.c - see prefixes.h. */
#include "prefixes.h"
#include "file_write.h"
#include "kernels.h"
#include "on_machines.h"
#include "prefix_file.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The model's name, with _ for all that is no letter, digit, - or dot. */
static const char *prefixes_path(const Server *s, char *path, size_t size) {
    const char *folder = s->options->prefixes;
    size_t n = (size_t)snprintf(path, size, "%.3000s/", folder);
    for (const char *c = s->name; *c && n + 10 < size; c++)
        path[n++] =
            isalnum((unsigned char)*c) || *c == '-' || (*c == '.' && c > s->name) ? *c : '_';
    snprintf(path + n, size - n, ".prefixes");
    return path;
}

bool prefixes_check(const Server *s, Fault *fault) {
    char path[4096];
    return !s->options->prefixes || file_writable(prefixes_path(s, path, sizeof path), fault) ||
           fault_prefix(fault, "--prefixes");
}

static uint64_t prefixes_digest(const GgufFile *file) {
    uint64_t sum = file->n_parts;
    for (size_t i = 0; i < file->n_parts; i++)
        sum = prefix_checksum(sum, file->parts[i].data, file->parts[i].size);
    return sum;
}

bool prefixes_adapters(Server *s, Fault *fault) {
    const Lora *lora = &s->lora;
    char path[4096];
    struct stat file;
    FileMap map;
    s->adapters = 0;
    for (size_t i = 0; s->options->prefixes && i < lora->count; i++) {
        const bool folder = stat(lora->of[i].path, &file) == 0 && S_ISDIR(file.st_mode);
        snprintf(path, sizeof path, "%s%s", lora->of[i].path,
                 folder ? "/adapter_model.safetensors" : "");
        if (!file_open(&map, path, fault)) return false;
        s->adapters = prefix_checksum(s->adapters, map.data, map.size);
        file_close(&map);
    }
    return true;
}

/* Halves on the wire are rounded where the machines' shares end. */
static const char *prefixes_wire(const ComputeOptions *c, char *text, size_t size) {
    if (c->wire && strcmp(c->wire, "f16") == 0)
        snprintf(text, size, ", halves between %d machines, shares %.100s", machines_number(),
                 c->shares ? c->shares : "equal");
    return text;
}

/* All that the bits of a key or a value depend on, beside the tokens. */
static const char *prefixes_about(Server *s, char *text, size_t size) {
    const ComputeOptions *c = &s->options->compute;
    char wire[160] = "";
    if (!s->digest) s->digest = prefixes_digest(&s->loaded.model->file);
    snprintf(text, size,
             "strata %s, model %016llx, adapters %016llx, kv %s, ctx %zu, longrope %s, %s%s%s",
             strata_version(), (unsigned long long)s->digest, (unsigned long long)s->adapters,
             kv_format_name(s->kv), session_ctx(&s->loaded.session), c->rope ? c->rope : "auto",
             kernels_isa(), c->no_pack ? ", not packed" : "",
             prefixes_wire(c, wire, sizeof wire));
    return text;
}

void prefixes_read(Server *s) {
    char path[4096], about[500];
    size_t count;
    Fault fault;
    s->prefixed = s->options->prefixes != NULL;
    if (!s->prefixed || access(prefixes_path(s, path, sizeof path), F_OK) != 0) return;
    if (prefix_restore(&s->loaded.session.kv, path,
                       text_of(prefixes_about(s, about, sizeof about)), &count, &fault))
        log_note(s->access, "%s: %zu prefixes of %d tokens", path, count, KV_PAGE);
    else
        log_note(s->access, "%s: no prefixes are taken from it", fault.text);
}

void prefixes_write(Server *s) {
    char path[4096], about[500];
    size_t count;
    Fault fault;
    if (!s->prefixed || s->broken.text[0]) return;
    prefixes_path(s, path, sizeof path);
    if (prefix_save(&s->loaded.session.kv, path,
                    text_of(prefixes_about(s, about, sizeof about)),
                    (int32_t)s->loaded.model->sizes.vocab, &count, &fault))
        log_note(s->access, "%s: %zu prefixes of %d tokens are written", path, count, KV_PAGE);
    else
        log_note(s->access, "%s", fault.text);
}
