/* images: read, shaped, cut into patches, and through a vision tower and projector, against the
 * double-precision reference */
#include "families.h"
#include "check.h"
#include "every_isa.h"
#include "loader_case.h"
#include "reference_eye.h"
#include "picture.h"
#include "vision.h"

/* A picture of noise with a gradient across it. */
static Picture scene(size_t width, size_t height) {
    Picture p;
    assert_true(picture_init(&p, width, height, NULL));
    for (size_t i = 0; i < 3 * width * height; i++)
        p.rgb[i] = (unsigned char)((rng_hash(5, 0, i) & 63) + i * 190 / (3 * width * height));
    return p;
}

static bool read_text(Picture *p, const char *text, Fault *fault) {
    return picture_read_ppm(p, text, strlen(text), fault);
}

static void pixmaps_are_read_or_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } broken[] = {{"P5 1 1 255 abc", "P6"},
                  {"P6 0 1 255 ", "0 by 1"},
                  {"P6 1 1 65535 abcdef", "65535"},
                  {"P6 1 1 255", "ends before"},
                  {"P6 2 1 255 abc", "has 3"},
                  {"P6 1 1 255 abcd", "has 4"},
                  {"P6 1 1 255 abc\n P6 1 1 255 abc", "has 19"},
                  {"P6 99999999999999999999 2 255 a", "a side of more than 67108864"},
                  {"P6 2 67108865 255 a", "a side of more than 67108864"},
                  {"P6 60000 60000 255 a", "60000 by 60000 pixels: wanted 1 to 67108864"},
                  {"P6 1 1 99999999999999999999 a", "up to more than 67108864"},
                  {"P6 -1 2 255 a", "whose head is broken"},
                  {"P6 1 255 a", "whose head is broken"},
                  {"P61 1 1 255 a", "white space behind"},
                  {"P", "P6"},
                  {"", "P6"},
                  {"P6", "whose head is broken"}};
    Picture p;
    Fault fault = {""};
    assert_true(read_text(&p, "P6 # two\n# remarks\n2\t1 #last\n255\nabcdef", &fault));
    assert_int_equal(p.width, 2), assert_int_equal(p.height, 1);
    assert_memory_equal(p.rgb, "abcdef", 6);
    picture_free(&p);
    assert_true(read_text(&p, "P6\n1 1\n255\na\n \n\n", &fault));
    assert_memory_equal(p.rgb, "a\n ", 3); /* what looks like space is a colour */
    picture_free(&p);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        assert_false(read_text(&p, broken[i].text, &fault));
        assert_contains(fault.text, broken[i].says);
        assert_null(p.rgb);
    }
}

static const unsigned char grey[3] = {1, 2, 3};

static void squares_are_padded_or_cut(void **state) {
    (void)state;
    Picture p = scene(5, 2), square;
    assert_true(picture_square(&square, &p, FIT_PAD, grey, 5, NULL));
    assert_int_equal(square.width, 5), assert_int_equal(square.height, 5);
    assert_memory_equal(square.rgb + 15, p.rgb, 30); /* one line above, two below */
    assert_memory_equal(square.rgb, grey, 3), assert_memory_equal(square.rgb + 72, grey, 3);
    picture_free(&square);
    assert_true(picture_square(&square, &p, FIT_CROP, grey, 2, NULL));
    assert_int_equal(square.width, 2), assert_int_equal(square.height, 2);
    assert_memory_equal(square.rgb, p.rgb + 3, 6);
    assert_memory_equal(square.rgb + 6, p.rgb + 18, 6);
    picture_free(&square), picture_free(&p);
}

/* Resizing, by hand where that is short. */
static void sizes_change(void **state) {
    (void)state;
    Picture p = scene(9, 9), same, flat, two;
    assert_true(picture_square(&same, &p, FIT_PAD, grey, 9, NULL));
    assert_memory_equal(same.rgb, p.rgb, 3 * 9 * 9);
    memset(p.rgb, 77, 3 * 9 * 9);
    assert_true(picture_square(&flat, &p, FIT_PAD, grey, 23, NULL)); /* weights sum to 1 */
    for (int i = 0; i < 3 * 23 * 23; i++) assert_int_equal(flat.rgb[i], 77);
    picture_free(&p), picture_free(&same), picture_free(&flat);
    assert_true(picture_init(&p, 4, 4, NULL));
    for (int line = 0; line < 4; line++) memset(p.rgb + 12 * line + 3, 100, 6);
    assert_true(picture_square(&two, &p, FIT_CROP, grey, 2, NULL));
    /* the first of two is at 1; w(1/4), w(3/4), w(5/4) of 0, 100, 100, 0 at -1/4, 1/4, 3/4,
     * 5/4 */
    double w[3] = {1.5 / 64 - 2.5 / 16 + 1, 1.5 * 27 / 64 - 2.5 * 9 / 16 + 1,
                   -0.5 * 125 / 64 + 2.5 * 25 / 16 - 5 + 2};
    double want = 100 * (w[0] + w[1]) / (2 * w[0] + w[1] + w[2]);
    for (int pixel = 0; pixel < 12; pixel++) assert_near(two.rgb[pixel], want, 0.5);
    picture_free(&p), picture_free(&two);
}

/* Bars cost nothing, however long: they are those that would be painted around the picture. */
static void long_pictures_are_read(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{70, 3}, {3, 70}, {70, 69}, {1, 8}, {64, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t w = sizes[i][0], h = sizes[i][1], side = max_size(w, h);
        Picture p = scene(w, h), painted, got, want;
        assert_true(picture_init(&painted, side, side, NULL));
        for (size_t k = 0; k < side * side; k++) memcpy(painted.rgb + 3 * k, grey, 3);
        for (size_t y = 0; y < h; y++)
            memcpy(painted.rgb + 3 * (((side - h) / 2 + y) * side + (side - w) / 2),
                   p.rgb + 3 * w * y, 3 * w);
        assert_true(picture_square(&got, &p, FIT_PAD, grey, 14, NULL));
        assert_true(picture_square(&want, &painted, FIT_CROP, grey, 14, NULL));
        assert_memory_equal(got.rgb, want.rgb, 3 * 14 * 14);
        picture_free(&p), picture_free(&painted), picture_free(&got), picture_free(&want);
    }
    Picture p = scene(1 << 20, 1), square;
    Fault fault;
    assert_true(picture_square(&square, &p, FIT_PAD, grey, 28, NULL));
    assert_memory_equal(square.rgb + 3, grey, 3);
    picture_free(&square);
    p.height = p.width, p.width = 1;
    assert_false(picture_square(&square, &p, FIT_PAD, grey, 336, &fault));
    assert_contains(fault.text,
                    "a picture of 1 by 1048576 pixels: wanted at most 199728 lines");
    picture_free(&p);
}

static void patches_are_rows(void **state) {
    (void)state;
    const float mean[3] = {0.5f, 0.4f, 0.3f}, spread[3] = {0.2f, 0.25f, 0.5f};
    enum { WIDTH = 6, HEIGHT = 4, PATCH = 2 };
    Picture p = scene(WIDTH, HEIGHT);
    float rows[6][12];
    picture_patches(rows[0], &p, PATCH, mean, spread);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        int c = i % 3, x = i / 3 % WIDTH, y = i / 3 / WIDTH;
        assert_near(rows[y / 2 * 3 + x / 2][c * 4 + y % 2 * 2 + x % 2],
                    (p.rgb[i] / 255.0 - (double)mean[c]) / (double)spread[c], 1e-6);
    }
    picture_free(&p);
}

/* ------------------------------------------------------------------ encoders */

typedef struct Sample {
    unsigned char *bytes;
    Vision vision;
    Picture picture;
    float *rows;
} Sample;

static void sample_open(Sample *s, MakeModel m, ClassPlace place, Pool *pool) {
    size_t size;
    Fault fault = {""};
    s->bytes = make_model(&m, &size);
    if (!vision_open_memory(&s->vision, s->bytes, size, place, pool, &fault))
        fail_msg("%s: %s", m.more ? m.more : "", fault.text);
    size_t side = model_extras(&s->vision.model)->vision.image;
    s->picture = scene(side, side);
    s->rows = malloc(vision_rows(&s->vision) * vision_width(&s->vision) * sizeof *s->rows);
    assert_true(vision_read(&s->vision, &s->picture, s->rows, &fault));
}

static void sample_close(Sample *s) {
    vision_close(&s->vision), picture_free(&s->picture);
    free(s->rows), free(s->bytes);
}

static double error_beside(const Sample *s, bool last) {
    ReferenceEye e;
    size_t width = vision_width(&s->vision), count = vision_rows(&s->vision) * width;
    double *want = malloc(count * sizeof *want), error = 0, power = 0;
    reference_eye_open(&e, &s->vision.model.gguf, last);
    reference_eye_rows(&e, s->picture.rgb, (int)width, want);
    for (size_t i = 0; i < count; i++)
        error += pow((double)s->rows[i] - want[i], 2), power += want[i] * want[i];
    reference_eye_close(&e), free(want);
    return error / power;
}

static void rows_are_those_of_the_reference(void **state) {
    (void)state;
    static const char *const variants[] = {NULL,
                                           "left_norm",
                                           "old",
                                           "old left_norm",
                                           "old named:2",
                                           "width:40",
                                           "eye_bias",
                                           "image:56 patch:14",
                                           "heads:2",
                                           "heads:8 layers:5",
                                           "image:8 patch:8 layers:2",
                                           "use_gelu=true",
                                           "use_silu=true has_text_encoder=false",
                                           "named:1"};
    Sample s;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        for (int last = 0; last < 2; last++) {
            sample_open(&s, make_model_of("clip", variants[i]), last ? CLASS_LAST : CLASS_FIRST,
                        NULL);
            double error = error_beside(&s, last);
            if (!(error < 1e-10))
                fail_msg("%s, class %s: %g", variants[i] ? variants[i] : "plain",
                         last ? "last" : "first", error);
            if (!last && !i) assert_true(error_beside(&s, true) > 0.01); /* that is another */
            sample_close(&s);
        }
}

static void formats_and_instruction_sets(void **state) {
    (void)state;
    static const Dtype formats[] = {DTYPE_F16, DTYPE_Q8_0};
    Sample s;
    for (int f = 0; f < 2; f++) {
        MakeModel m = make_model_of("clip", NULL);
        m.dtype = formats[f];
        sample_open(&s, m, CLASS_FIRST, NULL);
        assert_true(error_beside(&s, false) < (f ? 1e-4 : 1e-10));
        sample_close(&s);
    }
    EACH_ISA (isa) {
        sample_open(&s, make_model_of("clip", "old"), CLASS_FIRST, NULL);
        assert_true(error_beside(&s, false) < 1e-10);
        sample_close(&s);
    }
}

/* The same picture again, after another one, and by more threads. */
static void threads_and_pictures_before_change_no_bit(void **state) {
    (void)state;
    Sample one, many;
    Pool *pool = pool_open(3, false, NULL);
    sample_open(&one, make_model_of("clip", NULL), CLASS_FIRST, NULL);
    sample_open(&many, make_model_of("clip", NULL), CLASS_FIRST, pool);
    size_t bytes = vision_rows(&one.vision) * vision_width(&one.vision) * sizeof(float);
    assert_memory_equal(one.rows, many.rows, bytes);
    Picture other = scene(50, 20), square;
    assert_true(vision_shape(&many.vision, &other, FIT_CROP, &square, NULL));
    assert_true(vision_read(&many.vision, &square, many.rows, NULL));
    assert_memory_not_equal(one.rows, many.rows, bytes);
    assert_true(vision_read(&many.vision, &many.picture, many.rows, NULL));
    assert_memory_equal(one.rows, many.rows, bytes);
    picture_free(&other), picture_free(&square);
    sample_close(&one), sample_close(&many);
    pool_close(pool);
}

/* What the file of a vision tower must not say, or lack. */
static void what_is_not_built_in_is_refused(void **state) {
    (void)state;
    static const Case cases[] = {
        {"", WORD("clip.projector_type", "ldpv2"), "no other projector"},
        {"", FLAG("clip.has_vision_encoder", 0), "has_vision_encoder' is false"},
        {"", FLAG("clip.has_text_encoder", 1), "only pictures"},
        {"", FLAG("clip.has_audio_encoder", 1), "does not read audio"},
        {"", FLAG("clip.has_text_encoder", 0), NULL},
        {"", FLAG("clip.use_gelu", 0), NULL},
        {"use_gelu=true", FLAG("clip.use_silu", 1), "says otherwise"},
        {"", WHOLE("clip.use_gelu", 1), "true or false"},
        {"", LIST("clip.vision.image_grid_pinpoints", 336, 4), "LLaVA 1.6"},
        {"", WORD("clip.vision.mm_patch_merge_type", "spatial_unpad"), "read whole"},
        {"", WORD("clip.vision.image_aspect_ratio", "anyres"), "read whole"},
        {"", LIST("clip.vision.feature_layer", 1, 2), "several blocks"},
        {"", LIST("clip.vision.feature_layer", 4, 1), "one block of"},
        {"", WHOLE("clip.vision.n_wa_pattern", 2), "n_wa_pattern"},
        {"", WHOLE("clip.minicpmv_version", 2), "minicpmv_version"},
        {"", WHOLE("clip.vision.image_size", 30), "multiple of patch_size"},
        {"", WHOLE("clip.vision.image_size", 35), "v.position_embd.weight"},
        {"", WHOLE("clip.vision.patch_size", 14), "v.patch_embd.weight"},
        {"", WHOLE("clip.vision.attention.head_count", 7), "head"},
        {"", WHOLE("clip.vision.feed_forward_length", 64), "nothing shows which"},
        {"layers:1", FLAG("clip.use_gelu", 0), "at least 2"},
        {"old", WHOLE("clip.vision.block_count", 3), "v.blk.2"},
        {"", LIST("clip.vision.image_mean", 2, 3), "three numbers"},
        {"", GONE("clip.vision.image_std"), "image_std"},
        {"", WORD("general.type", "model"), "wanted \"mmproj\""},
        {"", EXTRA("v.class_embd", 0), "v.class_embd"},
        {"", EXTRA("v.pre_ln.weight", 0), "v.pre_ln"},
        {"", EXTRA("mm.2.weight", 0), "mm.2"},
        {"", EXTRA("mm.3.weight", 64, 64), "mm.3"},
        {"", EXTRA("v.blk.0.ls1.weight", 64), "ls1"},
        {"", EXTRA("v.blk.2.ln1.weight", 0), NULL}, /* of the unused block */
        {"", EXTRA("v.image_newline", 64), "v.image_newline"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MakeModel m = make_model_of("clip", cases[i].arch);
        size_t size, edited_size;
        Vision vision;
        Fault fault = {""};
        unsigned char *bytes = make_model(&m, &size),
                      *edited = edit_model(bytes, size, &cases[i].edit, &edited_size);
        bool ok = vision_open_memory(&vision, edited, edited_size, CLASS_FIRST, NULL, &fault);
        if (ok) vision_close(&vision);
        if (ok != !cases[i].says) fail_msg("case %zu: %s", i, ok ? "it opens" : fault.text);
        if (cases[i].says) assert_contains(fault.text, cases[i].says);
        free(bytes), free(edited);
    }
}

/* A text model is no vision tower, and a vision tower writes nothing. */
static void neither_stands_in_for_the_other(void **state) {
    (void)state;
    static const char *const archs[] = {"clip", "clip", "llama"},
                             *const more[] = {NULL, "old", NULL},
                             *const says[] = {"general.type is \"mmproj\"", "--mmproj",
                                              "a llama model reads texts"};
    for (int i = 0; i < 3; i++) {
        MakeModel m = make_model_of(archs[i], more[i]);
        size_t size;
        Model model;
        Vision vision;
        Fault fault = {""};
        unsigned char *bytes = make_model(&m, &size);
        assert_false(i < 2
                         ? model_open_memory(&model, bytes, size, &fault)
                         : vision_open_memory(&vision, bytes, size, CLASS_FIRST, NULL, &fault));
        assert_contains(fault.text, says[i]);
        free(bytes);
    }
}

RUN(TEST(what_is_not_built_in_is_refused), TEST(neither_stands_in_for_the_other),
    TEST(pixmaps_are_read_or_refused), TEST(squares_are_padded_or_cut), TEST(sizes_change),
    TEST(long_pictures_are_read), TEST(patches_are_rows), TEST(rows_are_those_of_the_reference),
    TEST(formats_and_instruction_sets), TEST(threads_and_pictures_before_change_no_bit))
