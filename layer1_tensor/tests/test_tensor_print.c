/* tensor_print: a tensor as people read it */
#include "tensor_print.h"

#include "check.h"
#include "tensor.h"

static void print_is_for_people(void **state) {
    (void)state;
    char text[4096] = "";
    float numbers[24];
    for (int i = 0; i < 24; i++) numbers[i] = (float)i;
    Tensor t = tensor_view(DTYPE_F32, 3, (size_t[]){2, 3, 4}, numbers);
    Tensor wide = tensor_view(DTYPE_F32, 2, (size_t[]){1, 24}, numbers);
    FILE *out = fmemopen(text, sizeof text, "w");
    tensor_print(&t, out);
    tensor_print(&wide, out);
    fclose(out);
    assert_contains(text, "F32 (2, 3, 4)\n");
    assert_contains(text, "        20         21         22         23\n");
    assert_contains(text, "          2        ...         21");
}

RUN(TEST(print_is_for_people))
