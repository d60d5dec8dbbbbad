/* serve_file.c - files on another machine: its own, or what the first one sends.  See
 * send_file.h. */
#include "serve_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void close_file(Server *s, uint32_t f) {
    if (f >= SHARED_FILES || !s->opened[f].open) return;
    drop_model(&s->opened[f]);
    shared_file_close(&s->files[f]);
    gguf_close(&s->opened[f].file, &s->opened[f].gguf);
    s->opened[f].open = false;
}

static bool same_file(const Opened *o, const Opening *opening, const char *path, Fault *fault) {
    if (o->file.bytes != opening->size)
        return fault_set(fault, "%.300s has %zu bytes here, %zu on the first machine", path,
                         o->file.bytes, (size_t)opening->size);
    return order_sample(&o->file, &o->gguf) == opening->sample ||
           fault_set(fault, "%.300s is another file here than on the first machine", path);
}

/* The order's head, and where a file has room; NULL with a fault: it is cut off. */
static Opened *read_opening(Server *s, Opening *opening, const char **behind, Fault *fault) {
    if (!part_of(s, 0, sizeof *opening)) return cut_off(fault), NULL;
    memcpy(opening, s->order.bytes, sizeof *opening);
    *behind = part_of(s, sizeof *opening, opening->path_size);
    if (!*behind || opening->file >= SHARED_FILES) return cut_off(fault), NULL;
    close_file(s, opening->file);
    Opened *o = &s->opened[opening->file];
    *o = (Opened){.path = NULL};
    return o;
}

/* An opened file's shares. */
static bool share_file(Server *s, Opened *o, Fault *fault) {
    o->open = shared_file_open(&s->files[o - s->opened], &o->gguf, fault);
    if (!o->open) gguf_close(&o->file, &o->gguf), free(o->path);
    return o->open;
}

bool open_file(Server *s, Fault *fault) {
    Opening opening;
    const char *path;
    Opened *o = read_opening(s, &opening, &path, fault);
    if (!o) return false;
    if (!(o->path = strndup(path, opening.path_size)))
        return fault_set(fault, "no memory for a model's path");
    if (!gguf_open(&o->file, &o->gguf, o->path, fault)) return free(o->path), false;
    if (same_file(o, &opening, o->path, fault)) return share_file(s, o, fault);
    gguf_close(&o->file, &o->gguf), free(o->path);
    return false;
}

/* Address space for a whole file; memory only for what is written to it. */
static bool map_nothing(Opened *o, size_t size, Fault *fault) {
    void *data = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    o->file.parts = calloc(1, sizeof *o->file.parts);
    if (data != MAP_FAILED && o->file.parts) {
        o->file.parts[0] = (FileMap){data, size};
        o->file.n_parts = 1, o->file.bytes = size;
        return true;
    }
    if (data != MAP_FAILED) munmap(data, size);
    free(o->file.parts);
    return fault_set(fault, "no address space for a file of %.1f MB", (double)size / 1e6);
}

/* Bytes that arrived are those that were sent. */
static bool place_bytes(const Opened *o, size_t at, const void *bytes, size_t size,
                        uint64_t digest, Fault *fault) {
    if (hash_bytes(HASH_START, bytes, size) != digest)
        return fault_set(fault, "%zu bytes of the file arrived damaged", size);
    memcpy((unsigned char *)o->file.parts[0].data + at, bytes, size);
    return true;
}

bool take_header(Server *s, Fault *fault) {
    Opening opening;
    const char *header;
    Opened *o = read_opening(s, &opening, &header, fault);
    if (!o) return false;
    if (opening.path_size > opening.size) return cut_off(fault);
    if (!map_nothing(o, opening.size, fault)) return false;
    if (place_bytes(o, 0, header, opening.path_size, opening.sample, fault) &&
        gguf_parse(&o->gguf, o->file.parts[0].data, opening.size, fault))
        return o->sent = true, share_file(s, o, fault);
    gguf_close(&o->file, &o->gguf);
    return false;
}

bool take_bytes(Server *s, Fault *fault) {
    BytesOrder order;
    if (!part_of(s, 0, sizeof order)) return cut_off(fault);
    memcpy(&order, s->order.bytes, sizeof order);
    const size_t at = order.order.rows, size = order.order.in;
    const void *bytes = part_of(s, sizeof order, size);
    const Opened *o = order.order.count < SHARED_FILES && s->opened[order.order.count].open
                          ? &s->opened[order.order.count]
                          : NULL;
    if (!bytes || !o || !o->sent || at < o->gguf.data_start || at > o->file.bytes ||
        size > o->file.bytes - at)
        return cut_off(fault);
    return place_bytes(o, at, bytes, size, order.digest, fault);
}

bool open_model_of(Opened *o, Fault *fault) {
    return o->sent ? model_open_memory(&o->model, o->file.parts[0].data, o->file.bytes, fault)
                   : model_open(&o->model, o->path, fault);
}
