/* kv_format.c - see kv_format.h. */
#include "kv_format.h"
#include "nearest.h"

#include <string.h>

const char kv_formats[] = "f32, f16, bf16, q8_0, q8_0-h, q4_0, q4_0-h";

static const struct {
    const char *name;
    KvFormat format;
} all[] = {{"f32", {DTYPE_F32, false}},    {"f16", {DTYPE_F16, false}},
           {"bf16", {DTYPE_BF16, false}},  {"q8_0", {DTYPE_Q8_0, false}},
           {"q8_0-h", {DTYPE_Q8_0, true}}, {"q4_0", {DTYPE_Q4_0, false}},
           {"q4_0-h", {DTYPE_Q4_0, true}}};

enum { COUNT = sizeof all / sizeof *all };

bool kv_format_read(const char *name, KvFormat *format, Fault *fault) {
    for (int i = 0; i < COUNT; i++)
        if (strcmp(name, all[i].name) == 0) return *format = all[i].format, true;
    char hint[80];
    return fault_set(fault, "--kv %.40s: wanted one of %s%s", name, kv_formats,
                     nearest_hint(hint, sizeof hint, text_of(name), kv_formats));
}

const char *kv_format_name(KvFormat format) {
    int i = 0;
    while (i < COUNT - 1 &&
           (all[i].format.dtype != format.dtype || all[i].format.hadamard != format.hadamard))
        i++;
    return all[i].name;
}
