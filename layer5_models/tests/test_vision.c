/* images: read, shaped, cut into patches, and through a vision tower and projector, against the
 * double-precision reference */
#include "families.h"
#include "check.h"
#include "every_isa.h"
#include "loader_case.h"
#include "reference_eye.h"
#include "vision_case.h"

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
    assert_true(picture_square(&square, &p, FIT_PAD, FILTER_CUBIC, grey, 5, NULL));
    assert_int_equal(square.width, 5), assert_int_equal(square.height, 5);
    assert_memory_equal(square.rgb + 15, p.rgb, 30); /* one line above, two below */
    assert_memory_equal(square.rgb, grey, 3), assert_memory_equal(square.rgb + 72, grey, 3);
    picture_free(&square);
    assert_true(picture_square(&square, &p, FIT_CROP, FILTER_CUBIC, grey, 2, NULL));
    assert_int_equal(square.width, 2), assert_int_equal(square.height, 2);
    assert_memory_equal(square.rgb, p.rgb + 3, 6);
    assert_memory_equal(square.rgb + 6, p.rgb + 18, 6);
    picture_free(&square), picture_free(&p);
}

/* Resizing, by hand where that is short. */
static void sizes_change(void **state) {
    (void)state;
    Picture p = scene(9, 9), same, flat, two;
    assert_true(picture_square(&same, &p, FIT_PAD, FILTER_CUBIC, grey, 9, NULL));
    assert_memory_equal(same.rgb, p.rgb, 3 * 9 * 9);
    memset(p.rgb, 77, 3 * 9 * 9);
    assert_true(picture_square(&flat, &p, FIT_PAD, FILTER_CUBIC, grey, 23,
                               NULL)); /* weights sum to 1 */
    for (int i = 0; i < 3 * 23 * 23; i++) assert_int_equal(flat.rgb[i], 77);
    picture_free(&p), picture_free(&same), picture_free(&flat);
    assert_true(picture_init(&p, 4, 4, NULL));
    for (int line = 0; line < 4; line++) memset(p.rgb + 12 * line + 3, 100, 6);
    assert_true(picture_square(&two, &p, FIT_CROP, FILTER_CUBIC, grey, 2, NULL));
    /* the first of two is at 1; w(1/4), w(3/4), w(5/4) of 0, 100, 100, 0 at -1/4, 1/4, 3/4,
     * 5/4 */
    double w[3] = {1.5 / 64 - 2.5 / 16 + 1, 1.5 * 27 / 64 - 2.5 * 9 / 16 + 1,
                   -0.5 * 125 / 64 + 2.5 * 25 / 16 - 5 + 2};
    double want = 100 * (w[0] + w[1]) / (2 * w[0] + w[1] + w[2]);
    for (int pixel = 0; pixel < 12; pixel++) assert_near(two.rgb[pixel], want, 0.5);
    picture_free(&p), picture_free(&two);
}

static double weight_of(PictureFilter filter, double t) {
    t = fabs(t);
    if (filter == FILTER_LINEAR) return t < 1 ? 1 - t : 0;
    if (filter == FILTER_CUBIC)
        return t < 1   ? 1.5 * t * t * t - 2.5 * t * t + 1
               : t < 2 ? -0.5 * t * t * t + 2.5 * t * t - 4 * t + 2
                       : 0;
    if (t == 0 || t >= 3) return t == 0;
    return sin(M_PI * t) / (M_PI * t) * sin(M_PI * t / 3) / (M_PI * t / 3);
}

/* Lines of w pixels as ones of `to`: each a weighted mean of all, in Pillow's integers. */
static void check_lines(const Picture *p, PictureFilter filter, const Picture *got) {
    const double scale = (double)p->width / (double)got->width, wide = fmax(scale, 1);
    for (size_t i = 0; i < 3 * got->width; i++) {
        double weights[128], all = 0;
        for (size_t k = 0; k < p->width; k++) {
            double t = ((double)k + 0.5 - ((double)(i / 3) + 0.5) * scale) / wide;
            all += weights[k] = weight_of(filter, t);
        }
        for (size_t y = 0; y < p->height; y++) {
            long long sum = 1 << 21;
            for (size_t k = 0; k < p->width; k++)
                sum += llround(weights[k] / all * (1 << 22)) *
                       p->rgb[3 * (y * p->width + k) + i % 3];
            sum = sum < 0 ? 0 : sum >> 22;
            assert_int_equal(got->rgb[3 * y * got->width + i], sum > 255 ? 255 : sum);
        }
    }
}

static void filters_are_weighted_means(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{9, 4},   {9, 23},  {40, 7}, {3, 28},
                                      {28, 28}, {84, 28}, {56, 28}};
    for (int f = FILTER_LINEAR; f <= FILTER_LANCZOS; f++)
        for (int i = 0; i < 7; i++) {
            Picture p = scene(sizes[i][0], 200), got;
            assert_true(picture_resize(&got, &p, sizes[i][1], 200, (PictureFilter)f, NULL));
            check_lines(&p, (PictureFilter)f, &got);
            picture_free(&p), picture_free(&got);
        }
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
        assert_true(picture_square(&got, &p, FIT_PAD, FILTER_CUBIC, grey, 14, NULL));
        assert_true(picture_square(&want, &painted, FIT_CROP, FILTER_CUBIC, grey, 14, NULL));
        assert_memory_equal(got.rgb, want.rgb, 3 * 14 * 14);
        picture_free(&p), picture_free(&painted), picture_free(&got), picture_free(&want);
    }
    Picture p = scene(1 << 20, 1), square;
    Fault fault;
    assert_true(picture_square(&square, &p, FIT_PAD, FILTER_CUBIC, grey, 28, NULL));
    assert_memory_equal(square.rgb + 3, grey, 3);
    picture_free(&square);
    p.height = p.width, p.width = 1;
    assert_false(picture_square(&square, &p, FIT_PAD, FILTER_CUBIC, grey, 336, &fault));
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

static double error_beside(const Sample *s, bool last) {
    ReferenceEye e;
    size_t width = vision_width(&s->vision),
           count = vision_rows_of(&s->vision, &s->picture) * width;
    double *want = malloc(count * sizeof *want), error = 0, power = 0;
    reference_eye_open(&e, &s->vision.model.gguf, last);
    reference_eye_size(&e, (int)s->picture.width, (int)s->picture.height);
    reference_eye_rows(&e, s->picture.rgb, (int)width, want);
    for (size_t i = 0; i < count; i++)
        error += pow((double)s->rows[i] - want[i], 2), power += want[i] * want[i];
    reference_eye_close(&e), free(want);
    return error / power;
}

static void rows_are_those_of_the_reference(void **state) {
    (void)state;
    static const char *const variants[] = {
        NULL,
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
        "named:1",
        "gemma3",
        "gemma3 merge:2 width:40 eye_bias",
        "gemma3 image:56 patch:7 heads:2",
        "idefics3",
        "idefics3 merge:4 width:40",
        "idefics3 image:42 patch:7 use_gelu=true",
        "internvl",
        "internvl merge:1 width:40",
        "internvl image:42 patch:7 use_silu=true",
        "internvl merge:4 layers:2 eye_bias",
        "idefics3 image:46 merge:3",
        "image:30",
        "qwen2vl",
        "qwen2vl across:56 down:14 width:40",
        "qwen2vl across:14 down:84 merge:1 heads:2",
        "qwen2.5vl",
        "qwen2.5vl patch:14 across:140 down:280 layers:3",
        "qwen2.5vl patch:14 across:252 down:112 windows:3",
        "qwen3vl",
        "qwen3vl across:56 down:14 width:40 deep:2",
        "qwen3vl across:14 down:84 merge:1 heads:2 deep:3",
        "qwen3vl image:56 deep:1 layers:4",
        "qwen3vl image:56 across:42 down:28", /* between four places of the square */
        "gemma4v across:42 down:21",
        "gemma4v across:21 down:63 width:40 plain",
        "gemma4v merge:2 across:14 down:28 heads:2 rope.freq_base=500.0",
        "gemma4v across:21 down:21 use_silu=true eye_bias",
        "gemma4v bounded across:21 down:42",
        "gemma4v bounded sound plain across:21 down:21 width:40",
        "llama4",
        "llama4 merge:1 width:40 heads:2",
        "llama4 image:56 merge:4 layers:3",
        "pixtral across:21 down:28",
        "pixtral break across:21 down:28",
        "pixtral break merge:2 across:28 down:14 width:40",
        "pixtral rope.freq_base=500.0",
        "pixtral merge:2 use_silu=true heads:2"};
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
    assert_true(vision_shape(&many.vision, &other, true, &square, NULL));
    assert_true(vision_read(&many.vision, &square, many.rows, NULL));
    assert_memory_not_equal(one.rows, many.rows, bytes);
    assert_true(vision_read(&many.vision, &many.picture, many.rows, NULL));
    assert_memory_equal(one.rows, many.rows, bytes);
    picture_free(&other), picture_free(&square);
    sample_close(&one), sample_close(&many);
    pool_close(pool);
}

/* Sizes by hand, of Qwen 2 VL's smart_resize and of Pixtral's processor. */
static void rectangles_are_those_of_processors(void **state) {
    (void)state;
    static const struct {
        size_t width, height, step, min, max, want[2];
    } cases[] = {{300, 150, 28, 3136, 12845056, {308, 140}}, /* 10.7 and 5.4 steps */
                 {70, 98, 28, 3136, 12845056, {56, 112}},    /* 2.5 and 3.5: to the even one */
                 {10, 10, 28, 3136, 12845056, {56, 56}},     /* times 5.6 */
                 {10, 1000, 28, 3136, 12845056, {28, 560}},  /* times 0.56: 0.2 and 20 */
                 {1000, 500, 28, 3136, 90000, {420, 196}}, /* divided by 2.357: 15.2 and 7.6 */
                 {4000, 3000, 28, 3136, 12845056, {4004, 2996}},
                 {1920, 1080, 28, 3136, 1003520, {1316, 728}}}; /* / 1.4375: 47.7 and 26.8 */
    Fault fault;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Picture p = {cases[i].width, cases[i].height, NULL, 0};
        size_t got[2];
        assert_true(picture_rectangle(&p, FIT_PIXELS, cases[i].step, cases[i].min, cases[i].max,
                                      got, &fault));
        assert_int_equal(got[0], cases[i].want[0]), assert_int_equal(got[1], cases[i].want[1]);
    }
    static const size_t sides[][4] = {{1000, 500, 1008, 512}, /* up to whole patches */
                                      {2048, 100, 1024, 64},  /* half of it: 1024 and 50 */
                                      {1, 1, 16, 16},
                                      {1024, 1025, 1024, 1024}}; /* 1023 and 1024 */
    for (int i = 0; i < 4; i++) {
        const Picture p = {sides[i][0], sides[i][1], NULL, 0};
        size_t got[2];
        assert_true(picture_rectangle(&p, FIT_SIDE, 16, 0, 1024, got, &fault));
        assert_int_equal(got[0], sides[i][2]), assert_int_equal(got[1], sides[i][3]);
    }
    static const size_t areas[][4] = {{1000, 1000, 16, 16}, /* times 0.8032: 16.7 */
                                      {1920, 1080, 22, 12}, /* 0.5578: 22.3 and 12.6 */
                                      {10, 10, 16, 16},     {1000, 4, 264, 1},
                                      {3000, 10, 280, 1}, /* 0.97: 300 of 1, at most 280 */
                                      {10, 3000, 1, 280},   {290, 1, 280, 1}};
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
        const Picture p = {areas[i][0], areas[i][1], NULL, 0};
        size_t got[2];
        assert_true(picture_rectangle(&p, FIT_AREA, 48, 0, 280 * 48 * 48, got, &fault));
        assert_int_equal(got[0], 48 * areas[i][2]), assert_int_equal(got[1], 48 * areas[i][3]);
    }
    const Picture line = {201, 1, NULL, 0};
    size_t got[2];
    assert_false(picture_rectangle(&line, FIT_PIXELS, 28, 1, 9999, got, &fault));
    assert_contains(fault.text, "more than 200 times");
}

/* A small picture after a large one, and the other way round: the same bits. */
static void sizes_before_change_no_bit(void **state) {
    (void)state;
    static const size_t sides[3][2] = {{56, 28}, {140, 112}, {28, 84}};
    const MakeModel m = make_model_of("clip", "qwen2.5vl patch:14 across:56 down:28");
    Sample fresh, used;
    sample_open(&used, m, CLASS_FIRST, NULL);
    for (int i = 2; i >= 0; i--) {
        Picture p = scene(sides[i][0], sides[i][1]);
        const size_t bytes =
            vision_rows_of(&used.vision, &p) * vision_width(&used.vision) * sizeof(float);
        float *again = malloc(bytes), *rows = malloc(bytes);
        assert_true(vision_read(&used.vision, &p, again, NULL));
        sample_open(&fresh, m, CLASS_FIRST, NULL);
        assert_true(vision_read(&fresh.vision, &p, rows, NULL));
        assert_memory_equal(rows, again, bytes);
        sample_close(&fresh), free(again), free(rows), picture_free(&p);
    }
    sample_close(&used);
}

/* Each model's processor: stretched by a filter, at once or by way of a first size. */
static void pictures_are_shaped_as_by_processors(void **state) {
    (void)state;
    static const struct {
        const char *more;
        PictureFilter filter;
        size_t width, height; /* of 50 by 21 first; 0: at once */
    } kinds[] = {{"gemma3", FILTER_LINEAR, 0, 0},
                 {"internvl vision.preproc_max_tiles=1", FILTER_CUBIC, 0, 0},
                 {"idefics3", FILTER_LANCZOS, 0, 0},
                 {"idefics3 vision.preproc_image_size=40 vision.preproc_max_tiles=1",
                  FILTER_LANCZOS, 40, 16},
                 {"idefics3 vision.preproc_image_size=90 vision.preproc_max_tiles=1",
                  FILTER_LANCZOS, 90, 38}};
    for (int i = 0; i < 5; i++) {
        Sample s;
        Picture p = scene(50, 21), first, want, got;
        sample_open(&s, make_model_of("clip", kinds[i].more), CLASS_FIRST, NULL);
        size_t w = kinds[i].width ? kinds[i].width : 50,
               h = kinds[i].height ? kinds[i].height : 21;
        assert_true(picture_resize(&first, &p, w, h, kinds[i].filter, NULL));
        assert_true(picture_resize(&want, &first, 28, 28, kinds[i].filter, NULL));
        assert_true(vision_shape(&s.vision, &p, false, &got, NULL));
        assert_memory_equal(got.rgb, want.rgb, 3 * 28 * 28);
        picture_free(&first), picture_free(&want), picture_free(&got), picture_free(&p);
        sample_close(&s);
    }
}

/* What the file of a vision tower must not say, or lack. */
static void what_is_not_built_in_is_refused(void **state) {
    (void)state;
    static const Case cases[] = {
        {"", WORD("clip.projector_type", "ldpv2"),
         "mlp, gemma3, gemma4v, idefics3, internvl, qwen2vl_merger, qwen2.5vl_merger, "
         "qwen3vl_merger, llama4, pixtral: no"},
        {"qwen3vl deep:1", LIST("clip.vision.is_deepstack_layers", 1, 3),
         "one flag for each block"},
        {"qwen3vl deep:1", LIST("clip.vision.is_deepstack_layers", 1, 2),
         "one flag for each block"},
        {"qwen3vl deep:9 layers:9", FLAG("clip.has_vision_encoder", 1), "more than 8 blocks"},
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
        {"", WHOLE("clip.vision.image_size", 6), "a picture has at least one patch"},
        {"", WHOLE("clip.vision.image_size", 30), NULL}, /* two pixels are left out */
        {"gemma4v", WORD("clip.vision.projector_type", "gemma4uv"),
         "gemma3, gemma4v, idefics3"},
        {"gemma4v", EXTRA("v.position_embd.weight", 2, 83, 64), "v.position_embd"},
        {"gemma4v", EXTRA("v.blk.1.attn_q_norm.weight", 0), "attn_q_norm"},
        {"gemma4v", EXTRA("v.blk.1.ffn_post_norm.weight", 0), "ffn_post_norm"},
        {"gemma4v", EXTRA("v.blk.0.attn_q.input_max", 1), NULL}, /* one bound */
        {"gemma4v", EXTRA("v.blk.0.attn_q.input_max", 2), "attn_q.input_max"},
        {"gemma3", EXTRA("v.blk.0.attn_q.input_max", 1), "attn_q.input_max"},
        {"gemma4v", EXTRA("v.blk.0.attn_post_norm.input_max", 1), "attn_post_norm.input_max"},
        {"gemma4v", FLAG("clip.has_audio_encoder", 1), NULL},
        {"gemma4v", EXTRA("a.blk.0.ln1.weight", 8), "a.blk.0.ln1"}, /* nothing says so */
        {"gemma4v", EXTRA("v.std_scale", 63), "v.std_scale"},
        {"gemma3", WHOLE("clip.vision.projector.scale_factor", 3), "a divisor of image_size"},
        {"gemma3", EXTRA("mm.soft_emb_norm.weight", 0), "mm.soft_emb_norm"},
        {"gemma3", EXTRA("v.post_ln.weight", 0), "v.post_ln"},
        {"gemma3", EXTRA("v.class_embd", 64), "v.class_embd"},
        {"gemma3", EXTRA("mm.input_projection.bias", 64), "mm.input_projection.bias"},
        {"idefics3", EXTRA("mm.model.fc.weight", 64, 64), "mm.model.fc"},
        {"idefics3", WHOLE("clip.vision.preproc_image_size", 225), "8 times image_size"},
        {"idefics3 vision.preproc_image_size=90", WHOLE("clip.vision.preproc_max_tiles", 9),
         "1, or the square of"},
        {"idefics3 vision.preproc_image_size=90", WHOLE("clip.vision.preproc_max_tiles", 16),
         NULL},
        {"qwen2vl", EXTRA("v.position_embd.weight", 16, 64), "v.position_embd"},
        {"qwen2vl", EXTRA("v.patch_embd.weight.1", 0), "v.patch_embd.weight.1"},
        {"qwen2vl", WHOLE("clip.vision.attention.head_count", 32), "a multiple of 4"},
        {"qwen2.5vl", GONE("clip.vision.n_wa_pattern"), "n_wa_pattern"},
        {"qwen2.5vl", WHOLE("clip.vision.image_max_pixels", 99), "a whole patch"},
        {"qwen2.5vl", EXTRA("v.blk.1.ffn_gate.weight", 0), "ffn_gate"},
        {"llama4", EXTRA("v.class_embd", 0), "v.class_embd"},
        {"llama4", EXTRA("v.position_embd.weight", 16, 64), "v.position_embd"},
        {"llama4", EXTRA("v.patch_embd.weight", 64, 21, 7), "v.patch_embd"},
        {"llama4", EXTRA("mm.model.mlp.2.weight", 72, 40), "mm.model.mlp.2"},
        {"llama4", WHOLE("clip.vision.preproc_max_tiles", 65), "preproc_max_tiles"},
        {"pixtral", EXTRA("mm.input_norm.weight", 64), "mm.input_norm"},
        {"pixtral", WHOLE("clip.rope.freq_base", 1), "2 to 1e12"},
        {"pixtral merge:2", EXTRA("mm.patch_merger.weight", 0), "mm.patch_merger"},
        {"pixtral", EXTRA("v.token_embd.img_break", 63), "v.token_embd.img_break"},
        {"internvl", WHOLE("clip.vision.preproc_max_tiles", 0), "preproc_max_tiles"},
        {"internvl", EXTRA("v.blk.1.ls2.weight", 0), "v.blk.1.ls2"},
        {"internvl", EXTRA("v.blk.0.attn_q_norm.weight", 64), "attn_q_norm"},
        {"internvl", EXTRA("v.post_ln.weight", 64), "v.post_ln"},
        {"", WHOLE("clip.vision.image_size", 35), "v.position_embd.weight"},
        {"", WHOLE("clip.vision.patch_size", 14), "v.patch_embd.weight"},
        {"", WHOLE("clip.vision.attention.head_count", 7), "head"},
        {"", WHOLE("clip.vision.feed_forward_length", 64), "nothing shows which"},
        {"layers:1", FLAG("clip.use_gelu", 0), "at least 2"},
        {"old", WHOLE("clip.vision.block_count", 3), "v.blk.2"},
        {"", LIST("clip.vision.image_mean", 2, 3), "three numbers"},
        {"", LIST("clip.vision.image_std", 0, 3), "three numbers from 0.001 to 1"},
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
    TEST(filters_are_weighted_means), TEST(rectangles_are_those_of_processors),
    TEST(sizes_before_change_no_bit), TEST(pictures_are_shaped_as_by_processors),
    TEST(long_pictures_are_read), TEST(patches_are_rows), TEST(rows_are_those_of_the_reference),
    TEST(formats_and_instruction_sets), TEST(threads_and_pictures_before_change_no_bit))
