/* view: slices, transposes and reshapes */
#include "check.h"
#include "tensor.h"

static float numbers[24];

static Tensor counting(void) {
    for (int i = 0; i < 24; i++) numbers[i] = (float)i;
    return tensor_view(DTYPE_F32, 3, (size_t[]){2, 3, 4}, numbers);
}

static float at(const Tensor *t, size_t i, size_t j, size_t k) {
    return tensor_get(t, (size_t[]){i, j, k, 0});
}

static void strides_walk_the_data(void **state) {
    (void)state;
    Tensor t = counting();
    assert_int_equal(tensor_count(&t), 24);
    assert_true(t.ndim == 3 && t.shape[3] == 1);
    assert_int_equal(tensor_bytes(&t), 96);
    assert_int_equal(t.stride[0], 48);
    assert_int_equal(t.stride[2], 4);
    assert_near(at(&t, 1, 2, 3), 23, 0);
    assert_true(tensor_is_contiguous(&t));
    assert_ptr_equal(tensor_row(&t, 4), numbers + 16);
}

static void views_do_not_copy(void **state) {
    (void)state;
    Tensor t = counting(), s = tensor_slice(&t, 1, 1, 3), x = tensor_transpose(&t, 0, 2);
    assert_int_equal(s.shape[1], 2);
    assert_near(at(&s, 1, 0, 2), 18, 0);
    assert_false(tensor_is_contiguous(&s));
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 4; k++) assert_near(at(&x, k, j, i), at(&t, i, j, k), 0);
    Tensor r = tensor_reshape(&t, 2, (size_t[]){6, 4});
    assert_near(tensor_get(&r, (size_t[]){5, 1}), 21, 0);
    numbers[21] = -1;
    assert_near(tensor_get(&r, (size_t[]){5, 1}), -1, 0);
    Tensor empty = tensor_slice(&t, 0, 1, 1);
    assert_int_equal(tensor_count(&empty), 0);
}

static void rows_of_a_slice(void **state) {
    (void)state;
    Tensor t = counting(), columns = tensor_slice(&t, 2, 1, 3),
           some = tensor_slice(&t, 1, 1, 3);
    assert_true(tensor_rows_are_contiguous(&columns));
    assert_ptr_equal(tensor_row(&columns, 0), numbers + 1);
    assert_ptr_equal(tensor_row(&columns, 5), numbers + 21);
    assert_ptr_equal(tensor_row(&some, 1), numbers + 8);
    assert_ptr_equal(tensor_row(&some, 2),
                     numbers + 16); /* rows 1 and 2 of the second matrix */
    Tensor second = tensor_select(&columns, 1);
    assert_int_equal(second.ndim, 2);
    assert_int_equal(second.shape[2], 1);
    assert_near(tensor_get(&second, (size_t[]){2, 1}), 22, 0);
    Tensor turned = tensor_transpose(&t, 1, 2), column = tensor_slice(&turned, 2, 0, 1);
    assert_false(tensor_rows_are_contiguous(&turned));
    assert_true(tensor_rows_are_contiguous(&column)); /* one element is in one piece */
}

static void row_of_a_transpose(void) {
    Tensor t = counting(), turned = tensor_transpose(&t, 1, 2);
    tensor_row(&turned, 0);
}

static void row_behind_the_last(void) {
    Tensor t = counting();
    tensor_row(&t, 6);
}

static void rows_that_are_none(void **state) {
    (void)state;
    check_abort(row_of_a_transpose, "no rows in one piece");
    check_abort(row_behind_the_last, "row 6 of 6");
}

static void element_of_a_block(void) {
    unsigned char block[144] = {0};
    Tensor t = tensor_view(DTYPE_Q4_K, 1, (size_t[]){256}, block);
    tensor_get(&t, (size_t[]){1});
}

static void formats_are_read_element_by_element(void **state) {
    (void)state;
    uint16_t halves[2] = {0x3C00, 0xC000};
    Tensor t = tensor_view(DTYPE_F16, 1, (size_t[]){2}, halves);
    assert_near(tensor_get(&t, (size_t[]){1}), -2, 0);
    unsigned char block[34] = {0x00, 0x38}; /* d = 0.5 */
    block[2 + 31] = (unsigned char)-7;
    Tensor q = tensor_view(DTYPE_Q8_0, 1, (size_t[]){32}, block);
    assert_near(tensor_get(&q, (size_t[]){31}), -3.5, 0);
    halves[1] = 0xC0A0;
    t.dtype = DTYPE_BF16;
    assert_near(tensor_get(&t, (size_t[]){1}), -5, 0);
    check_abort(element_of_a_block, "Q4_K elements are not read one by one");
}

static void shapes_are_cut_to_the_room_for_their_text(void **state) {
    (void)state;
    char text[16];
    size_t shape[] = {12, 3, 4};
    assert_string_equal(tensor_shape_text(3, shape, text, sizeof text), "(12, 3, 4)");
    assert_string_equal(tensor_shape_text(3, shape, text, 5), "(12,");
    assert_string_equal(tensor_shape_text(1, shape, text, sizeof text), "(12)");
}

RUN(TEST(strides_walk_the_data), TEST(views_do_not_copy), TEST(rows_of_a_slice),
    TEST(rows_that_are_none), TEST(formats_are_read_element_by_element),
    TEST(shapes_are_cut_to_the_room_for_their_text))
