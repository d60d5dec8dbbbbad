/* files.c - see files.h. */
#include "files.h"
#include "picture.h"

#include <dlfcn.h>
#include <string.h>

void *library_open(const char *const *names) {
    void *library = NULL;
    for (; *names && !library; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool library_find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* First bytes of each kind of file. */
typedef struct Kind {
    const char *name, *begins;
    size_t size;
    bool (*read)(Picture *picture, const void *bytes, size_t size, Fault *fault);
} Kind;

static const Kind kinds[] = {
    {"PPM", "P6", 2, picture_read_ppm},
    {"PNG", "\x89PNG", 4, picture_read_png},
    {"JPEG", "\xFF\xD8\xFF", 3, picture_read_jpeg},
    {"GIF", "GIF8", 4, NULL},
    {"BMP", "BM", 2, NULL},
    {"WebP, WAV or AVI", "RIFF", 4, NULL},
    {"TIFF", "II*", 3, NULL},
    {"TIFF", "MM", 2, NULL},
    {"GGUF", "GGUF", 4, NULL},
};

bool picture_read(Picture *p, const void *bytes, size_t size, Fault *fault) {
    *p = (Picture){0};
    for (const Kind *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++) {
        if (size < k->size || memcmp(bytes, k->begins, k->size) != 0) continue;
        if (k->read) return k->read(p, bytes, size, fault);
        return fault_set(fault, "a %s file: wanted a picture in PNG, JPEG or PPM (P6)",
                         k->name);
    }
    return fault_set(fault, "no picture: wanted one in PNG, JPEG or PPM (P6)");
}
