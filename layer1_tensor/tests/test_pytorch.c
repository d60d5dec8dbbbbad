/* test_pytorch.c - files of torch.save that are right, damaged and hostile. */
#include "check.h"
#include "made_archive.h"
#include "pytorch.h"
#include "safetensors.h"

/* Is it read?  Else the fault says why. */
static bool reads(Made *m, Pytorch *p, Fault *fault) {
    unsigned char *exact = malloc(m->size); /* so that reading past it is an error */
    memcpy(exact, m->bytes, m->size);
    bool ok = pytorch_parse(p, exact, m->size, fault);
    if (ok) {
        float row[3];
        for (size_t i = 0; i < p->n_tensors; i++)
            if (p->tensors[i].bytes >= sizeof row) safe_numbers(&p->tensors[i], 0, row, 3);
        pytorch_free(p);
    }
    free(exact);
    return ok;
}

#define NAME        "X\1\0\0\0w"
#define BYTES(text) text, sizeof(text) - 1

static const struct {
    const char *pickle;
    size_t size;
    const char *says; /* NULL: it is read */
} cases[] = {
    {BYTES("\x80\2}" NAME TENSOR("\0", "K\2K\3\x86", "K\3K\1\x86") "s."), NULL},
    {BYTES("\x80\2}(" NAME TENSOR("\3", "K\3\x85", "K\1\x85") "u."), NULL},
    {BYTES("\x80\2}" NAME TENSOR("\0", "K\1K\6\x86", "K\x63K\1\x86") "s."), NULL},
    {BYTES("\x80\2}" NAME TENSOR("\0", ")", ")") "s."), NULL},
    {BYTES("\x80\2}" NAME TENSOR("\6", "K\0\x85", "K\1\x85") "s."), NULL},
    {BYTES("\x80\2}."), NULL},
    {BYTES("\x80\2ccollections\nOrderedDict\n)R}b."), NULL},
    {BYTES("\x80\4\x95\0\0\0\0\0\0\0\0\x8c\x0b"
           "collections\x8c\x0bOrderedDict\x93)R."),
     NULL},
    {BYTES("cos\nsystem\n(X\2\0\0\0lstR."), "names os.system"},
    {BYTES("c__builtin__\neval\n(X\1\0\0\0"
           "1tR."),
     "names __builtin__.eval"},
    {BYTES("\x8c\2os\x8c\6system\x93."), "names os.system"},
    {BYTES("ctorch\nload\n."), "names torch.load"},
    {BYTES("(ios\nsystem\n."), "opcode 0x69"},
    {BYTES("\x80\2S'x'\n."), "opcode 0x53"},
    {BYTES("P1\n."), "opcode 0x50"},
    {BYTES("K\1."), "not a dictionary"},
    {BYTES("}}."), "other than one value"},
    {BYTES("("), "does not end"},
    {BYTES("(."), "no value"},
    {BYTES("."), "other than one value"},
    {BYTES("}X\xff\xff\xff\xff."), "longer than the file"},
    {BYTES("}h\0."), "memo slot is empty"},
    {BYTES("}q\1."), "slot was skipped"},
    {BYTES("(q\0."), "nothing to memoize"},
    {BYTES("}K\1s."), "stack is empty"},
    {BYTES("}(K\1u."), "wrong type"},
    {BYTES("}K\1K\1s."), "name that is not a string"},
    {BYTES("}" NAME "K\1s."), "'w' is not a tensor"},
    {BYTES("K\1K\1R."), "no function"},
    {BYTES("\x8a\x09"
           "123456789."),
     "64 bits"},
    {BYTES("K\1Q."), "no tuple"},
    {BYTES("}" NAME TENSOR("\1", "K\2K\3\x86", "K\3K\1\x86") "s."), "larger than its storage"},
    {BYTES("}" NAME TENSOR("\7", ")", ")") "s."), "outside its storage"},
    {BYTES("}" NAME TENSOR("\0", "K\2K\3\x86", "K\1K\2\x86") "s."), "not contiguous"},
    {BYTES("}" NAME TENSOR("\0", "K\2K\3\x86", "K\1\x85") "s."), "no shape"},
    {BYTES("}" NAME TENSOR("\0", "J\xff\xff\xff\xff\x85", "K\1\x85") "s."), "list of integers"},
    {BYTES("}" NAME "ctorch._utils\n_rebuild_tensor_v2\n" STORAGE("FloatStorage", "7",
                                                                  "\6") "K\0))tRs."),
     "missing in the archive"},
    {BYTES("}" NAME "ctorch._utils\n_rebuild_tensor_v2\n" STORAGE("FloatStorage", "0",
                                                                  "\7") "K\0))tRs."),
     "size differs"},
    {BYTES("}(" NAME TENSOR("\0", ")", ")") NAME TENSOR("\0", ")", ")") "u."), "appears twice"},
};

static void pickles(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Made m = made_archive(cases[i].pickle, cases[i].size);
        Pytorch p;
        Fault fault = {""};
        made_finish(&m);
        bool ok = reads(&m, &p, &fault);
        if (ok != !cases[i].says || (!ok && !strstr(fault.text, cases[i].says)))
            fail_msg("pickle %zu: %s", i, ok ? "taken" : fault.text);
    }
}

static void numbers_are_there(void **state) {
    (void)state;
    Made m = made_archive(cases[1].pickle, cases[1].size);
    Pytorch p;
    Fault fault;
    float row[3];
    made_finish(&m);
    assert_true(pytorch_is(m.bytes, m.size));
    if (!pytorch_parse(&p, m.bytes, m.size, &fault)) fail_msg("%s", fault.text);
    assert_int_equal(p.n_tensors, 1);
    assert_true(text_equal(p.tensors[0].name, text_of("w")));
    assert_int_equal(p.tensors[0].shape[0], 3);
    safe_numbers(&p.tensors[0], 0, row, 3);
    assert_true(row[0] == 4 && row[1] == 5 && row[2] == 6);
    pytorch_free(&p);
}

static void refused(Made *m, const char *says) {
    Pytorch p;
    Fault fault = {""};
    if (reads(m, &p, &fault)) fail_msg("taken: %s", says);
    if (!strstr(fault.text, says)) fail_msg("wanted %s: %s", says, fault.text);
}

static void archives(void **state) {
    (void)state;
    const char *pickle = cases[0].pickle;
    size_t size = cases[0].size;
    Made m = made_archive(pickle, size);
    made_add(&m, "x/data/0", made_numbers, 4, 0), made_finish(&m), refused(&m, "appears twice");
    m = made_archive(pickle, size);
    made_add(&m, "x/data/1", made_numbers, 4, 8), made_finish(&m), refused(&m, "is compressed");
    m = made_archive(pickle, size);
    made_add(&m, "x/byteorder", "big", 3, 0), made_finish(&m), refused(&m, "big-endian");
    m = (Made){.size = 0};
    made_add(&m, "x/y/data.pkl", pickle, size, 0), made_finish(&m), refused(&m, "no data.pkl");
    m = (Made){.size = 0};
    made_finish(&m), refused(&m, "no data.pkl");
    m = (Made){.size = 0};
    made_put(m.bytes, &m.size, "\x80\2\x8a\x0a\x6c\xfc", 6), refused(&m, "before 1.6");
    m = (Made){.size = 0};
    made_put(m.bytes, &m.size, "PK\3\4", 4), refused(&m, "no end");
}

/* Cut anywhere, or with any byte changed to any of a few: read or refused, nothing else. */
static void damage(void **state) {
    (void)state;
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff, '.'};
    Made whole = made_archive(cases[0].pickle, cases[0].size);
    Pytorch p;
    Fault fault;
    made_finish(&whole);
    for (size_t n = 0; n < whole.size; n++) {
        Made m = whole;
        m.size = n;
        assert_false(reads(&m, &p, &fault));
        for (size_t v = 0; v < sizeof values; v++) {
            m = whole;
            m.bytes[n] = values[v];
            reads(&m, &p, &fault);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pickles),
        cmocka_unit_test(numbers_are_there),
        cmocka_unit_test(archives),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
