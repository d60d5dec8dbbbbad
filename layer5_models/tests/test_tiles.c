/* large pictures as tiles: which grid, which pixels, which rows */
#include "vision_case.h"

/* The tiles of a picture: those of `large`, side by side, and at last all of `whole`. */
static void check_tiles(const Picture *got, const Picture *large, const Picture *whole,
                        PictureFilter filter, size_t side) {
    const size_t wide = large->width / side, high = large->height / side, n = wide * high;
    Picture small;
    assert_int_equal(got->width, side);
    assert_int_equal(got->height, side * (n + (n > 1)));
    assert_int_equal(got->columns, n > 1 ? wide : 0);
    for (size_t y = 0; y < high * side; y++)
        for (size_t x = 0; x < wide * side; x++)
            assert_memory_equal(
                got->rgb +
                    3 * (((y / side * wide + x / side) * side + y % side) * side + x % side),
                large->rgb + 3 * (y * wide * side + x), 3);
    assert_true(picture_resize(&small, whole, side, side, filter, NULL));
    if (n > 1) assert_memory_equal(got->rgb + 3 * n * side * side, small.rgb, 3 * side * side);
    picture_free(&small);
}

/* By hand: columns and lines of squares of 28 pixels. */
static void tiles_are_those_of_processors(void **state) {
    (void)state;
    static const struct {
        PictureGrid rule;
        size_t width, height, wide, high;
    } cases[] = {/* which grid is nearest, and whether the larger of two is filled by half */
                 {GRID_NEAREST, 60, 20, 3, 1},  /* 3 */
                 {GRID_NEAREST, 20, 30, 2, 3},  /* 2 / 3 */
                 {GRID_NEAREST, 20, 20, 1, 1},  /* 1; 2 by 2 would be filled by 0.13 */
                 {GRID_NEAREST, 40, 40, 2, 2},  /* by 0.51; 3 by 3 by 0.23 */
                 {GRID_NEAREST, 100, 99, 3, 3}, /* 1.01: as 1 by 1 and 2 by 2; filled by 1.4 */
                 {GRID_NEAREST, 7, 100, 1, 12},
                 /* the long side up to whole squares, and the other one with it */
                 {GRID_COVER, 60, 20, 3, 1}, /* 84, and a third of that: 28 */
                 {GRID_COVER, 20, 30, 2, 2}, /* 37 and 56 */
                 {GRID_COVER, 28, 28, 1, 1},
                 {GRID_COVER, 29, 28, 2, 2},  /* 56 and 54 */
                 {GRID_COVER, 58, 28, 3, 2},  /* 84 and 40, though 28 is one square */
                 {GRID_COVER, 100, 99, 4, 4}, /* 112 and 110 */
                 {GRID_COVER, 7, 100, 1, 4},
                 {GRID_COVER, 56, 1, 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const PictureFilter filter =
            cases[i].rule == GRID_COVER ? FILTER_LANCZOS : FILTER_CUBIC;
        Picture p = scene(cases[i].width, cases[i].height), got, large;
        assert_true(picture_tiles(&got, &p, cases[i].rule, filter, 28, 1, 12, NULL));
        assert_true(
            picture_resize(&large, &p, 28 * cases[i].wide, 28 * cases[i].high, filter, NULL));
        check_tiles(&got, &large, cases[i].rule == GRID_COVER ? &large : &p, filter, 28);
        picture_free(&p), picture_free(&got), picture_free(&large);
    }
}

/* By hand: the grid of up to 16 squares of 28 pixels, and the picture's size on it. */
static void pictures_lie_on_a_canvas(void **state) {
    (void)state;
    static const struct {
        size_t width, height, max, wide, high, own[2];
    } cases[] = {{28, 28, 16, 1, 1, {28, 28}},
                 {10, 10, 16, 1, 1, {28, 28}}, /* enlarged to one square, */
                 {10, 3, 16, 1, 1, {28, 8}},   /* ... by its long side: 8.4 */
                 {50, 20, 16, 2, 1, {50, 20}}, /* and no further: it would fill 1.12 of it */
                 {20, 30, 16, 1, 2, {20, 30}},
                 {200, 100, 4, 2, 1, {56, 28}},   /* 0.28 on 4 by 1, 3 by 1 and 2 by 2, too */
                 {100, 200, 16, 3, 5, {70, 140}}, /* 0.7; 0.56 on 2 by 4 */
                 {1000, 1, 16, 16, 1, {448, 1}},
                 {28, 28, 1, 1, 1, {28, 28}},
                 {90, 50, 1, 1, 1, {28, 15}}}; /* 0.311 */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t *own = cases[i].own;
        Picture p = scene(cases[i].width, cases[i].height), got, large, small;
        assert_true(
            picture_tiles(&got, &p, GRID_CANVAS, FILTER_LINEAR, 28, 1, cases[i].max, NULL));
        assert_true(picture_init(&large, 28 * cases[i].wide, 28 * cases[i].high, NULL));
        assert_true(picture_resize(&small, &p, own[0], own[1], FILTER_LINEAR, NULL));
        for (size_t y = 0; y < own[1]; y++)
            memcpy(large.rgb + 3 * y * large.width, small.rgb + 3 * y * own[0], 3 * own[0]);
        check_tiles(&got, &large, &p, FILTER_LINEAR, 28);
        picture_free(&p), picture_free(&got), picture_free(&large), picture_free(&small);
    }
}

/* Idefics 3: first the long side, then a grid. */
static void tiles_come_of_a_first_size(void **state) {
    (void)state;
    Sample s;
    Picture p = scene(50, 21), first, large, got;
    sample_open(&s, make_model_of("clip", "idefics3 vision.preproc_image_size=90"), CLASS_FIRST,
                NULL);
    assert_int_equal(vision_rows(&s.vision), (4 * 4 + 1) * 4);
    assert_true(picture_resize(&first, &p, 90, 38, FILTER_LANCZOS, NULL));
    assert_true(picture_resize(&large, &first, 112, 56, FILTER_LANCZOS, NULL)); /* 47.3 */
    assert_true(vision_shape(&s.vision, &p, false, &got, NULL));
    check_tiles(&got, &large, &large, FILTER_LANCZOS, 28);
    assert_int_equal(vision_rows_of(&s.vision, &got), (4 * 2 + 1) * 4);
    picture_free(&p), picture_free(&first), picture_free(&large), picture_free(&got);
    sample_close(&s);
}

/* Rows of tiles are those of each square by itself. */
static void tiles_are_read_one_by_one(void **state) {
    (void)state;
    Sample s;
    sample_open(&s, make_model_of("clip", "internvl"), CLASS_FIRST, NULL);
    const size_t each = model_extras(&s.vision.model)->vision.rows * vision_width(&s.vision);
    Picture p = scene(60, 20), tiles;
    assert_int_equal(vision_rows(&s.vision), 13 * 4);
    assert_true(vision_shape(&s.vision, &p, false, &tiles, NULL));
    assert_int_equal(vision_rows_of(&s.vision, &tiles), 4 * 4);
    float *all = malloc(4 * each * sizeof *all);
    assert_true(vision_read(&s.vision, &tiles, all, NULL));
    for (size_t i = 0; i < 4; i++) {
        const Picture one = {28, 28, tiles.rgb + 3 * 28 * 28 * i, 0};
        assert_true(vision_read(&s.vision, &one, s.rows, NULL));
        assert_memory_equal(s.rows, all + i * each, each * sizeof *all);
    }
    picture_free(&tiles);
    vision_read_whole(&s.vision);
    assert_true(vision_shape(&s.vision, &p, false, &tiles, NULL));
    assert_int_equal(vision_rows_of(&s.vision, &tiles), vision_rows(&s.vision));
    picture_free(&tiles), picture_free(&p), free(all);
    sample_close(&s);
}

RUN(TEST(tiles_are_those_of_processors), TEST(tiles_come_of_a_first_size),
    TEST(pictures_lie_on_a_canvas), TEST(tiles_are_read_one_by_one))
