/* which pixels a row of a picture stands for: in every kind of vision encoder */
#include "families.h"
#include "check.h"
#include "vision_case.h"

/* Each with a picture of its size, or of one that becomes tiles. */
static const struct {
    const char *more;
    size_t width, height;
} variants[] = {{NULL, 28, 28},
                {"image:30", 30, 30}, /* two pixels fill no patch */
                {"gemma3 merge:2", 28, 28},
                {"gemma4v", 63, 42},
                {"idefics3", 28, 28},
                {"idefics3 image:46 merge:3", 46, 46},
                {"idefics3 vision.preproc_image_size=84", 50, 30},
                {"internvl", 50, 30},
                {"qwen2vl", 56, 28},
                {"qwen2.5vl patch:14 windows:3", 252, 140}, /* 9 by 5 squares, in windows */
                {"qwen3vl", 28, 56},
                {"llama4", 60, 50},
                {"pixtral break", 21, 28},
                {"pixtral break merge:2", 56, 28}};

enum { VARIANTS = sizeof variants / sizeof *variants };

typedef struct Eye {
    unsigned char *bytes;
    Vision vision;
    Picture shaped;
    const VisionTower *tower;
    size_t rows;
} Eye;

/* No patch knows of another one: what attention brings becomes zero. */
static void silence(unsigned char *bytes, size_t size) {
    Gguf g;
    assert_true(gguf_parse(&g, bytes, size, NULL));
    for (size_t i = 0; i < g.n_tensors; i++) {
        const GgufTensor *t = &g.tensors[i];
        if (memmem(t->name.data, t->name.size, ".attn_out.", 10))
            memset(bytes + (t->data - bytes), 0, t->bytes);
    }
    gguf_free(&g);
}

static void eye_open(Eye *e, size_t i, ClassPlace place) {
    MakeModel m = make_model_of("clip", variants[i].more);
    size_t size;
    Fault fault = {""};
    Picture p = scene(variants[i].width, variants[i].height);
    e->bytes = make_model(&m, &size);
    silence(e->bytes, size);
    if (!vision_open_memory(&e->vision, e->bytes, size, place, NULL, &fault))
        fail_msg("%zu: %s", i, fault.text);
    e->tower = &model_extras(&e->vision.model)->vision;
    e->shaped = p; /* of any size: as it is */
    if (!vision_any_size(e->tower)) {
        assert_true(vision_shape(&e->vision, &p, false, &e->shaped, &fault));
        picture_free(&p);
    }
    e->rows = vision_rows_of(&e->vision, &e->shaped);
}

static void eye_close(Eye *e) {
    vision_close(&e->vision), picture_free(&e->shaped), free(e->bytes);
}

/* Pixels along a row's area. */
static size_t step_of(const Eye *e) { return e->tower->patch * e->tower->side; }

/* How often each pixel is in an area; returns how many areas are empty. */
static size_t count_pixels(const Eye *e, unsigned char *times) {
    const Picture *p = &e->shaped;
    size_t empty = 0;
    for (size_t row = 0; row < e->rows; row++) {
        const VisionArea a = vision_area(&e->vision, p, row);
        assert_true(a.left + a.width <= p->width && a.top + a.height <= p->height);
        empty += !a.width && !a.height;
        for (size_t y = a.top; y < a.top + a.height; y++)
            for (size_t x = a.left; x < a.left + a.width; x++) times[y * p->width + x]++;
    }
    return empty;
}

/* Whole steps of each tile once; `lost`: but for the first patch. */
static void check_pixels(const Eye *e, bool lost, const unsigned char *times) {
    const Picture *p = &e->shaped;
    const size_t step = step_of(e),
                 high = vision_any_size(e->tower) ? p->height : e->tower->image;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++) {
            const bool in = x < p->width / step * step && y % high < high / step * step,
                       first = lost && x < step && y < step;
            assert_int_equal(times[y * p->width + x], in && !first);
        }
}

static void areas_cover_each_patch_once(void **state) {
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++)
        for (ClassPlace place = CLASS_FIRST; place <= CLASS_LAST; place++) {
            Eye e;
            eye_open(&e, i, place);
            const bool lost = place == CLASS_LAST && e.tower->kind->skips_block;
            unsigned char *times = calloc(e.shaped.width * e.shaped.height, 1);
            assert_int_equal(count_pixels(&e, times),
                             e.tower->row_end ? e.shaped.height / step_of(&e) - 1 : lost);
            check_pixels(&e, lost, times);
            free(times), eye_close(&e);
        }
}

static void paint(Picture *p, VisionArea a, int colour) {
    for (size_t y = a.top; y < a.top + a.height; y++)
        memset(p->rgb + 3 * (y * p->width + a.left), colour, 3 * a.width);
}

/* Which row of the picture is another one, and no other one is. */
static size_t changed_row(Eye *e, const float *was, float *rows) {
    const size_t width = vision_width(&e->vision);
    size_t changed = e->rows;
    assert_true(vision_read(&e->vision, &e->shaped, rows, NULL));
    for (size_t row = 0; row < e->rows; row++) {
        if (!memcmp(rows + row * width, was + row * width, width * sizeof *rows)) continue;
        assert_int_equal(changed, e->rows);
        changed = row;
    }
    return changed;
}

static void check_squares(Eye *e, const char *more, ClassPlace place) {
    const size_t bytes = e->rows * vision_width(&e->vision) * sizeof(float);
    float *black = malloc(bytes), *rows = malloc(bytes);
    memset(e->shaped.rgb, 0, 3 * e->shaped.width * e->shaped.height);
    assert_true(vision_read(&e->vision, &e->shaped, black, NULL));
    for (size_t row = 0; row < e->rows; row++) {
        const VisionArea area = vision_area(&e->vision, &e->shaped, row);
        if (!area.width) continue;
        paint(&e->shaped, area, 255);
        const size_t changed = changed_row(e, black, rows);
        if (changed != row)
            fail_msg("%s, class %d: row %zu, not %zu", more ? more : "mlp", place, changed,
                     row);
        paint(&e->shaped, area, 0);
    }
    free(black), free(rows);
}

static void a_bright_square_is_in_its_row(void **state) {
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++)
        for (ClassPlace place = CLASS_FIRST; place <= CLASS_LAST; place++) {
            Eye e;
            eye_open(&e, i, place);
            check_squares(&e, variants[i].more, place);
            eye_close(&e);
        }
}

static void every_kind_is_tried(void **state) {
    (void)state;
    const VisionKind *tried[VARIANTS];
    for (size_t i = 0; i < VARIANTS; i++) {
        Eye e;
        eye_open(&e, i, CLASS_FIRST);
        tried[i] = e.tower->kind;
        eye_close(&e);
    }
    for (size_t k = 0, i; vision_kind_at(k); k++) {
        for (i = 0; i < VARIANTS && tried[i] != vision_kind_at(k);) i++;
        if (i == VARIANTS) fail_msg("%s is not tried", vision_kind_at(k)->projector);
    }
}

RUN(TEST(areas_cover_each_patch_once), TEST(a_bright_square_is_in_its_row),
    TEST(every_kind_is_tried))
