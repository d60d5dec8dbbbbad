/* pictures.c - how pictures are prepared for a vision tower, as keys.  See parts.h.
 *
 *     preprocessor_config.json    {"image_mean": [...], "image_std": [...], "size": {...}, ...}
 *     processor_config.json       {"image_processor": {the same}, ...}: newer folders'; of two
 *                                 files this one counts
 *
 * Source   the transformers library's image processors; llama.cpp (d8a24cc),
 *          conversion/llava.py and llama4.py, for the keys */
#include "parts.h"
#include "json.h"

#include <math.h>

/* What a file says of pictures. */
typedef struct Preparation {
    const char *file;
    Json *json; /* owns */
    const JsonValue *root;
} Preparation;

static bool open_preparation(Conversion *c, Preparation *p) {
    *p = (Preparation){.file = "processor_config.json"};
    if (!folder_object(&c->folder, p->file, &p->json, c->fault)) return false;
    p->root = p->json ? json_get(json_root(p->json), "image_processor") : NULL;
    if (p->root && p->root->kind == JSON_OBJECT) return true;
    json_free(p->json);
    *p = (Preparation){.file = "preprocessor_config.json"};
    p->json = folder_json(&c->folder, p->file, false, c->fault);
    p->root = p->json ? json_root(p->json) : NULL;
    return p->json != NULL;
}

/* Are colours shifted and scaled at all?  Gemma 4's are not, unless the file says so. */
static bool normalizes(const Preparation *p, const VisionKind *kind) {
    const JsonValue *said = json_get(p->root, "do_normalize");
    return said && said->kind != JSON_NULL ? said->kind == JSON_TRUE : !kind->centred;
}

/* A flag is true or false, and colours go from 0 to 1 before all else. */
static bool check_flags(Conversion *c, const Preparation *p) {
    static const char *const flags[] = {"do_normalize", "do_rescale", "do_image_splitting"};
    const JsonValue *said_factor = json_get(p->root, "rescale_factor");
    double factor = 1.0 / 255;
    if (said_factor && said_factor->kind != JSON_NULL && !json_number(said_factor, &factor))
        return REFUSE(c, "%s: rescale_factor is not a number, wanted 1/255", p->file);
    for (int i = 0; i < 3; i++) {
        const JsonValue *said = json_get(p->root, flags[i]);
        if (said && said->kind != JSON_NULL && said->kind != JSON_TRUE &&
            (i == 1 || said->kind != JSON_FALSE))
            return REFUSE(c, "%s: %s is not true%s", p->file, flags[i],
                          i == 1 ? "" : " or false");
    }
    return fabs(factor * 255 - 1) < 1e-4 ||
           REFUSE(c, "%s: rescale_factor is %g, wanted 1/255", p->file, factor);
}

/* `usual`: what changes no colour. */
static bool put_colours(Conversion *c, const Preparation *p, const VisionKind *kind,
                        const char *theirs, double usual) {
    const JsonValue *list = json_get(p->root, theirs);
    double values[3] = {usual, usual, usual};
    char key[60];
    for (size_t i = 0; i < 3 && normalizes(p, kind); i++)
        if (!list || list->kind != JSON_ARRAY || list->count != 3 ||
            !json_number(&list->items[i], &values[i]))
            return REFUSE(c, "%s: %s is not a list of three numbers", p->file, theirs);
    snprintf(key, sizeof key, "clip.vision.%s", theirs);
    return gguf_put_floats(c->writer, key, GGUF_F32, values, 3), true;
}

/* A key of the file, from one of its keys or, where that is missing, from one of "size"; else
 * it is what processors take then, `usual`, or, if that is 0, left out. */
static bool put_found(Conversion *c, const Preparation *p, const char *to, const char *from,
                      const char *in_size, size_t usual) {
    const JsonValue *value = from ? json_get(p->root, from) : NULL;
    const bool found = value && value->kind != JSON_NULL;
    size_t n;
    if (!found && in_size) value = json_get(json_get(p->root, "size"), in_size);
    if (!value || value->kind == JSON_NULL) {
        if (usual) put_size(c, to, usual);
        return true;
    }
    if (!json_size(value, &n) || n > UINT32_MAX)
        return REFUSE(c, "%s: %s is not an integer below 2^32", p->file,
                      found ? from : in_size);
    return put_size(c, to, n), true;
}

static bool put_pixels(Conversion *c, const Preparation *p) {
    return put_found(c, p, "image_min_pixels", "min_pixels", "shortest_edge", 56 * 56) &&
           put_found(c, p, "image_max_pixels", "max_pixels", "longest_edge", 28 * 28 * 1280);
}

/* The long side of a picture that is read in one piece, which a file has once. */
static bool check_longest(Conversion *c, const Preparation *p) {
    const JsonValue *said = json_get(json_get(p->root, "size"), "longest_edge");
    const size_t image = config_size(c, "image_size", 0);
    size_t longest = image;
    if (said && said->kind != JSON_NULL && !json_size(said, &longest))
        return REFUSE(c, "%s: longest_edge is not an integer, wanted %zu", p->file, image);
    return longest == image ||
           REFUSE(c,
                  "%s: longest_edge is %zu, wanted config.json's image_size, %zu: a file "
                  "has one of them",
                  p->file, longest, image);
}

static bool put_all(Conversion *c, const Preparation *p, const VisionKind *kind) {
    const JsonValue *splits = json_get(p->root, "do_image_splitting");
    if (kind->fit == FIT_PIXELS && !put_pixels(c, p)) return false;
    if (kind->fit == FIT_SIDE && !check_longest(c, p)) return false;
    if ((kind->grid == GRID_NEAREST || kind->grid == GRID_CANVAS) &&
        (!put_found(c, p, "preproc_max_tiles", "max_patches", NULL, 0) ||
         !put_found(c, p, "preproc_min_tiles", "min_patches", NULL, 0)))
        return false;
    if (kind->twice && !put_found(c, p, "preproc_image_size", NULL, "longest_edge", 4 * 364))
        return false;
    if (kind->grid == GRID_COVER && splits && splits->kind == JSON_FALSE)
        put_size(c, "preproc_max_tiles", 1);
    return check_flags(c, p) && put_colours(c, p, kind, "image_mean", 0) &&
           put_colours(c, p, kind, "image_std", 1);
}

bool put_preparation(Conversion *c, const VisionKind *kind) {
    Preparation p;
    bool ok = open_preparation(c, &p) && check_picture_keys(c, p.file, p.root, kind) &&
              put_all(c, &p, kind);
    json_free(p.json);
    return ok;
}
