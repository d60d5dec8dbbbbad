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

/* A file with these keys of a split (NULL: without), as integers or as texts. */
static void write_keys(const char *path, const int64_t *no, const int64_t *count,
                       const int64_t *tensors, const char *as_text) {
    static const char *const keys[] = {"split.no", "split.count", "split.tensors.count"};
    const int64_t *values[] = {no, count, tensors};
    Fault fault;
    GgufWriter *w = gguf_writer_open(&fault);
    for (int i = 0; i < 3; i++)
        if (as_text && strcmp(keys[i], as_text) == 0)
            gguf_put_string(w, keys[i], text_of("one"));
        else if (values[i])
            gguf_put_int(w, keys[i], GGUF_I64, *values[i]);
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

/* A part that is no part, one without tensors, names that are too short. */
static void parts_may_be_empty_and_not_strange(void **state) {
    (void)state;
    const int64_t none = 0, one = 1, two = 2, three = 3;
    GgufFile file;
    Gguf gguf;
    Fault fault;
    write_three();
    write_keys(path_of(2, 3), &one, &three, NULL, NULL);
    refused(path_of(1, 3), "have 2 tensors");
    write_part(path_of(1, 3), 0, 3, "a", 2);
    assert_true(gguf_open(&file, &gguf, path_of(1, 3), &fault));
    assert_true(gguf.n_tensors == 2 && file.n_parts == 3);
    gguf_close(&file, &gguf);
    write_keys(path_of(1, 3), &none, &three, NULL, NULL); /* no count of tensors to compare */
    assert_true(gguf_open(&file, &gguf, path_of(1, 3), &fault));
    assert_int_equal(gguf.n_tensors, 1);
    gguf_close(&file, &gguf);
    write_keys(path_of(1, 3), &none, &three, &two, "split.tensors.count");
    refused(path_of(1, 3), "split.tensors.count says otherwise");
    write_keys(path_of(2, 3), &one, &three, NULL, "split.no");
    refused(path_of(1, 3), "is not part 2 of 3");
    assert_true(file_write(path_of(2, 3), "no model", 8, &fault));
    refused(path_of(1, 3), "not a GGUF file");
    refused(path_of(7, 9), "cannot be opened");
    assert_int_equal(chdir(folder), 0);
    write_keys("m", &none, &three, NULL, NULL);
    refused("m", "give the first one");
    assert_int_equal(chdir("/"), 0);
}

static void numbers_of_parts_are_checked(void **state) {
    (void)state;
    static const struct {
        int64_t no, count;
        const char *as_text;
        bool good;
    } cases[] = {
        {0, 0, NULL, true},       {0, 1, NULL, true},        {5, 0, NULL, false},
        {1, 1, NULL, false},      {-1, 2, NULL, false},      {0, -1, NULL, false},
        {0, 100000, NULL, false}, {0, 1, "split.no", false}, {0, 1, "split.count", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GgufFile file;
        Gguf gguf;
        Fault fault = {""};
        const char *path = in_folder("alone.gguf");
        write_keys(path, &cases[i].no, &cases[i].count, NULL, cases[i].as_text);
        assert_int_equal(gguf_open(&file, &gguf, path, &fault), cases[i].good);
        if (cases[i].good)
            gguf_close(&file, &gguf);
        else
            assert_contains(fault.text, "do not number the parts");
    }
}

/* The data of announced tensors is written later: to a file, and to nothing else. */
static void announced_tensors_are_written_later(void **state) {
    (void)state;
    static const float numbers[3] = {1, 2, 3};
    GgufFile file;
    Gguf gguf;
    FileOut out;
    Fault fault = {""};
    GgufWriter *w = gguf_writer_open(&fault);
    gguf_announce_tensor(w, "a", DTYPE_F32, 1, (size_t[]){3});
    assert_false(gguf_begin_file(w, in_folder("none/later.gguf"), &out, &fault));
    assert_contains(fault.text, "No such file");
    assert_false(gguf_begin_file(w, "/dev/null", &out, &fault));
    assert_contains(fault.text, "is a device");
    const char *path = in_folder("later.gguf");
    if (!gguf_begin_file(w, path, &out, &fault)) fail_msg("%s", fault.text);
    assert_int_equal(fwrite(numbers, sizeof *numbers, 3, out.stream), 3);
    assert_true(file_end(&out, &fault));
    gguf_writer_close(w);
    if (!gguf_open(&file, &gguf, path, &fault)) fail_msg("%s", fault.text);
    assert_memory_equal(gguf.tensors[0].data, numbers, sizeof numbers);
    gguf_close(&file, &gguf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_parts_together),     cmocka_unit_test(refuses_wrong_parts),
        TEST(parts_may_be_empty_and_not_strange),  TEST(numbers_of_parts_are_checked),
        TEST(announced_tensors_are_written_later),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
