/* test_gguf_file.c - a split model: joined, or refused. */
#include "check.h"
#include "scratch_folder.h"
#include "tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path_of(int part, int of) {
    static char path[300];
    snprintf(path, sizeof path, "%s/m-%05d-of-%05d.gguf", folder, part, of);
    return path;
}

/* Part `no` of `count`, with one tensor. */
static void write_part(const char *path, int no, int count, const char *tensor,
                       int64_t tensors) {
    Fault fault;
    float number = (float)no;
    Tensor t = tensor_view(DTYPE_F32, 1, (size_t[]){1}, &number);
    GgufWriter *w = gguf_writer_open(&fault);
    if (no == 0) gguf_put_string(w, "general.name", text_of("whole"));
    gguf_put_int(w, "split.no", GGUF_U16, no);
    gguf_put_int(w, "split.count", GGUF_U16, count);
    gguf_put_int(w, "split.tensors.count", GGUF_I32, tensors);
    gguf_put_tensor(w, tensor, &t);
    if (!gguf_write_file(w, path, &fault)) fail_msg("%s", fault.text);
    gguf_writer_close(w);
}

static void write_three(void) {
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) write_part(path_of(i + 1, 3), i, 3, names[i], 3);
}

static void refused(const char *path, const char *says) {
    GgufFile file;
    Gguf gguf;
    Fault fault = {""};
    assert_false(gguf_open(&file, &gguf, path, &fault));
    if (!strstr(fault.text, says)) fail_msg("%s", fault.text);
}

static void puts_parts_together(void **state) {
    (void)state;
    GgufFile file;
    Gguf gguf;
    Fault fault;
    write_three();
    if (!gguf_open(&file, &gguf, path_of(1, 3), &fault)) fail_msg("%s", fault.text);
    assert_int_equal(gguf.n_tensors, 3);
    assert_int_equal(gguf.n_pairs, 1);
    float number;
    memcpy(&number, gguf_find_tensor(&gguf, "c")->data, sizeof number);
    assert_true(number == 2);
    gguf_close(&file, &gguf);
}

static void refuses_wrong_parts(void **state) {
    (void)state;
    char other[300];
    write_three();
    refused(path_of(2, 3), "give the first one");
    snprintf(other, sizeof other, "%s/other.gguf", folder);
    write_part(other, 0, 3, "a", 3);
    refused(other, "-00001-of-00003.gguf");
    write_part(path_of(3, 3), 1, 3, "c", 3);
    refused(path_of(1, 3), "is not part 3 of 3");
    write_part(path_of(3, 3), 2, 4, "c", 3);
    refused(path_of(1, 3), "is not part 3 of 3");
    write_part(path_of(3, 3), 2, 3, "b", 3);
    refused(path_of(1, 3), "is in two parts");
    write_part(path_of(3, 3), 2, 3, "c", 3);
    write_part(path_of(1, 3), 0, 3, "a", 4);
    refused(path_of(1, 3), "have 3 tensors");
    write_part(path_of(1, 3), 5, 3, "a", 3);
    refused(path_of(1, 3), "do not number");
    write_three();
    assert_int_equal(unlink(path_of(2, 3)), 0);
    refused(path_of(1, 3), "00002-of-00003.gguf cannot be opened");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_parts_together),
        cmocka_unit_test(refuses_wrong_parts),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
