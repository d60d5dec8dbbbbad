/* picture_keys.c - the known keys of a folder's processor of pictures.  See parts.h.
 *
 * A GGUF file says little of how a picture is prepared: what its kind does is in the table of
 * vision encoders.  So a key of the processor is read (pictures.c), or must say what is done
 * here, or is known to change nothing; any other is refused by name.
 *
 * Source   the published folders of these classes, and the transformers library's image
 *          processors */
#include "parts.h"
#include "json.h"

#define QWENS "qwen2vl_merger qwen2.5vl_merger qwen3vl_merger"

/* The families of a row are projectors here. */
static const ConfigKey rows[] = {
    {"image_mean image_std do_normalize do_rescale rescale_factor", READ, NULL, NULL},
    {"size crop_size patch_size merge_size max_image_size resample", READ, NULL, NULL},
    {"min_pixels max_pixels", READ, NULL, QWENS},
    {"max_patches min_patches", READ, NULL, "internvl llama4"},
    {"do_image_splitting", READ, NULL, "idefics3"},
    {"max_soft_tokens pooling_kernel_size", READ, NULL, "gemma4v"},
    {"do_resize do_convert_rgb", ONLY, "true", NULL},
    {"do_pad", READ, NULL, "mlp"},
    {"do_pad", NOTHING, NULL, "idefics3"}, /* pictures of a batch, to one size */
    {"do_center_crop", READ, NULL, "mlp"},
    {"do_center_crop", NOTHING, NULL, "internvl"}, /* they are squares of that size by then */
    {"do_center_crop do_pad do_pan_and_scan resize_to_max_canvas", ONLY, "false", NULL},
    {"temporal_patch_size", ONLY, "2", QWENS},
    {"pan_and_scan_max_num_crops pan_and_scan_min_crop_size pan_and_scan_min_ratio_to_activate",
     NOTHING, NULL, "gemma3"},
    {"crop_to_patches", NOTHING, NULL, "internvl"},     /* beside a text, always */
    {"return_row_col_info", NOTHING, NULL, "idefics3"}, /* what it tells the text's processor */
    {"image_processor_type feature_extractor_type processor_class auto_map image_seq_length "
     "data_format input_data_format return_tensors device disable_grouping default_to_square "
     "video_sampling _valid_processor_keys _valid_kwargs_names",
     NOTHING, NULL, NULL},
};

static const ConfigKey *picture_row(const Conversion *c, Text name) {
    const Text projector = text_of(c->family->projector);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (listed(rows[i].names, name) && (!rows[i].archs || listed(rows[i].archs, projector)))
            return &rows[i];
    return NULL;
}

/* What is compared: a file, and its keys. */
typedef struct Said {
    Conversion *c;
    const char *file;
    const JsonValue *root;
} Said;

/* A number, or an object whose numbers are all that one; `parts`: the keys that it may have. */
static bool check_sides(const Said *p, const char *key, const char *parts, size_t wanted) {
    const JsonValue *value = json_get(p->root, key);
    const size_t count = !value || value->kind == JSON_NULL ? 0
                         : value->kind == JSON_OBJECT       ? value->count
                                                            : 1;
    for (size_t i = 0, n; i < count; i++) {
        const bool whole = value->kind != JSON_OBJECT;
        const JsonValue *item = whole ? value : &value->items[i];
        if (item->kind == JSON_NULL) continue;
        if (!whole && !listed(parts, value->keys[i]))
            return REFUSE(p->c, "%s: %s has '%.*s', wanted %s", p->file, key,
                          (int)min_size(60, value->keys[i].size), value->keys[i].data,
                          *parts ? parts : "nothing");
        if (!json_size(item, &n))
            return REFUSE(p->c, "%s: %s is not an integer, wanted %zu", p->file, key, wanted);
        if (n != wanted)
            return REFUSE(p->c, "%s: %s is %zu, wanted %zu", p->file, key, n, wanted);
    }
    return true;
}

/* Older processors of Qwen 2 VL wrote "min_pixels" and "max_pixels" into "size", too, and did
 * not read them there. */
static bool said_outside(const Said *p, const VisionKind *kind, Text key) {
    const char *const keys[] = {"min_pixels", "max_pixels"};
    for (int i = 0; i < 2 && kind->fit == FIT_PIXELS; i++) {
        const JsonValue *said = json_get(p->root, keys[i]);
        if (text_equal(key, text_of(keys[i]))) return said && said->kind != JSON_NULL;
    }
    return false;
}

/* "size", where pictures.c does not read it: of a square.  Where it does, there is no more. */
static bool check_size(const Said *p, const VisionKind *kind, size_t image) {
    const JsonValue *size = json_get(p->root, "size");
    const char *parts = kind->fit == FIT_PIXELS                ? "shortest_edge longest_edge"
                        : kind->fit == FIT_SIDE || kind->twice ? "longest_edge"
                        : kind->fit == FIT_AREA                ? ""
                                                               : NULL;
    if (!parts) return check_sides(p, "size", "height width shortest_edge", image);
    if (!size || size->kind == JSON_NULL) return true;
    if (size->kind != JSON_OBJECT)
        return key_refuse(p->c, p->file, text_of("size"), size, "an object");
    for (size_t i = 0; i < size->count; i++)
        if (size->items[i].kind != JSON_NULL && !listed(parts, size->keys[i]) &&
            !said_outside(p, kind, size->keys[i]))
            return REFUSE(p->c, "%s: size has '%.*s', wanted %s", p->file,
                          (int)min_size(60, size->keys[i].size), size->keys[i].data,
                          *parts ? parts : "nothing");
    return true;
}

/* A side in pixels: an integer, or a list of two, which are the same (config.c). */
static size_t pixels_of(const Conversion *c, const char *key) {
    const JsonValue *value = json_get(c->folder.sizes, key);
    size_t side = 0;
    if (value && value->kind == JSON_ARRAY && value->count) value = &value->items[0];
    if (value) json_size(value, &side);
    return side;
}

/* Numbers that config.json or the kind says, too. */
static bool check_numbers(const Said *p, const VisionKind *kind) {
    static const size_t pillow[] = {
        [FILTER_LANCZOS] = 1, [FILTER_LINEAR] = 2, [FILTER_CUBIC] = 3};
    const Conversion *c = p->c;
    const size_t image = pixels_of(c, "image_size"), patch = pixels_of(c, "patch_size");
    const char *square = "height width";
    return check_size(p, kind, image) && check_sides(p, "crop_size", square, image) &&
           check_sides(p, "max_image_size", "longest_edge", image) &&
           check_sides(p, "patch_size", square, patch) &&
           check_sides(p, "merge_size", "", config_size(c, "spatial_merge_size", kind->side)) &&
           check_sides(p, "max_soft_tokens", "", kind->max_rows) &&
           check_sides(p, "pooling_kernel_size", "",
                       size_or(c->folder.sizes, "pooling_kernel_size", 0)) &&
           check_sides(p, "resample", "", pillow[kind->filter]);
}

/* How a picture becomes a square: bars, or its middle.  A file has no word of it. */
static bool check_square(const Said *p) {
    static const char *const keys[] = {"do_pad", "do_center_crop"};
    const JsonValue *said[2];
    for (int i = 0; i < 2; i++) {
        said[i] = json_get(p->root, keys[i]);
        if (said[i] && said[i]->kind == JSON_NULL) said[i] = NULL;
        if (said[i] && said[i]->kind != JSON_TRUE && said[i]->kind != JSON_FALSE)
            return key_refuse(p->c, p->file, text_of(keys[i]), said[i], "true or false");
    }
    const bool crops = json_true(p->root, keys[1]);
    if (said[0] && said[0]->kind == JSON_FALSE && !crops)
        return REFUSE(p->c,
                      "%s: do_pad and do_center_crop are false, wanted one of them: this "
                      "program reads squares",
                      p->file);
    if (crops && !json_true(p->root, keys[0]))
        convert_note(p->c,
                     "the folder's processor reads the middle of a picture (--crop); without "
                     "--crop this program adds bars, as LLaVA 1.5's own code does");
    return true;
}

bool check_picture_keys(Conversion *c, const char *file, const JsonValue *root,
                        const VisionKind *kind) {
    const Said said = {c, file, root};
    if (!check_without(c, file, root, picture_row) ||
        !refuse_unknown_keys(c, file, root, picture_row))
        return false;
    for (size_t i = 0; i < root->count; i++) {
        const ConfigKey *row = picture_row(c, root->keys[i]);
        const JsonValue *value = &root->items[i];
        if (row && row->use == ONLY && value->kind != JSON_NULL &&
            (value->kind == JSON_STRING || !listed(row->ours, config_plain(value))))
            return key_refuse(c, file, root->keys[i], value, row->ours);
    }
    if (kind->fit == FIT_PAD && !check_square(&said)) return false;
    return check_numbers(&said, kind);
}
