/* the rows of matrices shared among machines, which are threads here: the same bits */
#include "machine_house.h"
#include "../extras/machines/send_file.h"

static bool any_bits; /* only what goes over the wire is compared */

static MachinesCount compare(const char *path, int size, const double *shares, bool pack,
                             size_t tokens) {
    static float alone[TOKENS * MAKE_VOCAB], shared[TOKENS * MAKE_VOCAB];
    House house;
    Model model;
    Fault fault;
    assert_true(model_open(&model, path, &fault));
    size_t n = run_text(&model, tokens, alone);
    open_lent(&house, (Cut){size, shares, pack, false}, &model, path);
    memset(shared, 0xff, sizeof shared);
    assert_int_equal(run_text(&model, tokens, shared), n);
    MachinesCount count = machines_count(house.machines);
    close_lent(&house, &model);
    if (!any_bits && memcmp(alone, shared, n * sizeof *alone) != 0)
        fail_msg("%s on %d machines: other bits", path, size);
    return count;
}

/* Every family, in turn in another format, on another number of machines, with other shares. */
static void families_have_the_same_bits(void **state) {
    (void)state;
    static const Dtype formats[] = {DTYPE_F32,  DTYPE_Q8_0, DTYPE_F16,
                                    DTYPE_Q4_0, DTYPE_BF16, DTYPE_Q5_1};
    for (size_t i = 0; i < sizeof make_families / sizeof *make_families; i++) {
        const char *arch = make_families[i][0], *path = in_folder("model.gguf");
        if (!runs_alone(arch)) continue;
        MakeModel m = make_model_of(arch, NULL);
        m.dtype = formats[i % 6];
        write_file(&m, path);
        MachinesCount count =
            compare(path, 2 + (int)(i % 6), i % 4 ? uneven : NULL, i % 3 != 0, TOKENS);
        if (count.products == 0) fail_msg("%s: no product was shared", arch);
    }
}

/* Ranges of bytes, against a map of all of them. */
static void what_was_sent_is_noted(void **state) {
    (void)state;
    enum { BYTES = 200, TIMES = 400 };
    for (uint64_t round = 0; round < 20; round++) {
        SentBytes sent = {.count = 0};
        bool has[BYTES] = {false};
        for (uint64_t i = 0; i < TIMES; i++) {
            const uint64_t hash = rng_hash(7, round, i);
            const size_t begin = hash % BYTES, size = (hash >> 20) % (i % 3 ? 9 : 40),
                         end = min_size(begin + size, BYTES);
            size_t want = begin, many = 0, count;
            while (want < end && has[want]) want++;
            while (want + many < end && !has[want + many]) many++;
            assert_int_equal(bytes_missing(&sent, begin, end, &count), want);
            assert_int_equal(count, many);
            if ((hash >> 40) % 2) {
                assert_true(bytes_note(&sent, begin, end, NULL));
                for (size_t k = begin; k < end; k++) has[k] = true;
            }
        }
        for (size_t i = 1; i < sent.count; i++)
            assert_true(sent.ranges[i - 1][1] < sent.ranges[i][0]);
        free(sent.ranges);
    }
}

/* Three machines, of which two have nothing but what they are sent: their shares, once. */
static void sent_files_have_the_same_bits(void **state) {
    (void)state;
    static const char *const families[] = {"llama",   "qwen3moe", "gemma3",    "deepseek2",
                                           "gpt-oss", "bloom",    "falcon-h1", "bert",
                                           "t5",      "gemma4",   "rwkv7",     "deci"};
    file_on_first = true;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const char *path = in_folder("sent.gguf");
        MakeModel m = make_model_of(families[i], NULL);
        m.dtype = i % 2 ? DTYPE_Q8_0 : DTYPE_F32;
        write_file(&m, path);
        FileMap file;
        assert_true(file_open(&file, path, NULL));
        const double *shares = i % 3 ? uneven : NULL;
        MachinesCount all = compare(path, 3, shares, i % 2 != 0, TOKENS);
        assert_true(all.begun > 0 && all.begun < 2 * file.size + 4 * 65536);
        if (i == 0) { /* nothing twice */
            const MachinesCount once = compare(path, 3, shares, false, 1);
            assert_true(all.begun < once.begun + 4096);
        }
        file_close(&file);
    }
    MakeModel m = make_model_of("llama", "heads:14 kv_heads:7");
    compare_texts(&m, (KvFormat){DTYPE_F16, false}, (Cut){3, uneven, true, false}, false);
    compare_texts(&m, (KvFormat){DTYPE_F32, false}, (Cut){2, NULL, true, true}, true);
    file_on_first = false;
}

/* Rows of all sizes: read back, a number is off by 2^-11 of itself at most, or by 2^-39 of the
 * row's largest. */
static void halves_are_near(void **state) {
    (void)state;
    enum { WIDTH = 33 };
    static const float sizes[] = {1, 1e-30F, 1e30F, 70000, 3e38F, 1e-5F};
    for (size_t i = 0; i < 60; i++) {
        float x[2 * WIDTH], y[2 * WIDTH];
        unsigned char bytes[2 * (4 + 2 * (WIDTH + 1)) + 1];
        const size_t width = 1 + i % WIDTH, size = wire_bytes(true, 2, width);
        for (size_t k = 0; k < 2 * width; k++) {
            const double u = (double)(rng_hash(9, i, k) >> 11) * 0x1p-53;
            x[k] = (float)((2 * u - 1) * pow(2, -(double)(k % 7))) * sizes[i % 6];
        }
        bytes[size] = 77;
        wire_write(true, x, 2, width, bytes), wire_read(true, bytes, 2, width, y);
        assert_int_equal(bytes[size], 77);
        assert_int_equal(size, 2 * (4 + 2 * (width + width % 2)));
        for (size_t r = 0; r < 2; r++) {
            double most = 0;
            for (size_t k = 0; k < width; k++)
                most = fmax(most, fabs((double)x[r * width + k]));
            for (size_t k = r * width; k < (r + 1) * width; k++)
                assert_true(fabs((double)y[k] - (double)x[k]) <=
                            fmax(0x1p-11 * fabs((double)x[k]), 0x1p-39 * most));
        }
    }
    float odd[3] = {INFINITY, -INFINITY, NAN}, back[3];
    unsigned char bytes[16];
    wire_write(true, odd, 1, 3, bytes), wire_read(true, bytes, 1, 3, back);
    assert_true(back[0] == INFINITY && back[1] == -INFINITY && isnan(back[2]));
}

/* Half the bytes, and logits that are near. */
static void halves_change_little(void **state) {
    (void)state;
    static const char *const families[] = {"llama", "qwen3moe", "gpt-oss", "bloom",
                                           "deepseek2"};
    static float alone[TOKENS * MAKE_VOCAB], shared[TOKENS * MAKE_VOCAB];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (int layers = 0; layers < 2; layers++) {
            const char *path = in_folder("halves.gguf");
            MakeModel m = make_model_of(families[i], NULL);
            MachinesCount count[2];
            Model model;
            House house;
            Fault fault;
            double error = 0, power = 0;
            write_file(&m, path);
            for (int half = 0; half < 2; half++) {
                assert_true(model_open(&model, path, &fault));
                half_rows = half;
                open_lent(&house, (Cut){2, NULL, true, layers}, &model, path);
                const size_t n = run_text(&model, TOKENS, half ? shared : alone);
                count[half] = machines_count(house.machines);
                close_lent(&house, &model), half_rows = false;
                for (size_t k = 0; half && k < n; k++)
                    error += pow((double)shared[k] - (double)alone[k], 2),
                        power += pow((double)alone[k], 2);
            }
            if (error == 0 || error / power > 1e-5)
                fail_msg("%s: normalized error %g", m.arch, error / power);
            assert_true((double)count[1].sent < 0.75 * (double)count[0].sent);
        }
}

static void sequences_have_the_same_bits(void **state) {
    (void)state;
    static const char *const kv_names[] = {"f32", "q8_0", "f16", "q4_0-h", "bf16", "q8_0-h"};
    static const struct {
        const char *arch, *more;
        Dtype dtype;
        double part; /* of two machines with equal shares */
    } models[] = {{"llama", "heads:14 kv_heads:7", DTYPE_Q8_0, 4 / 7.0},
                  {"qwen2", "heads:8 kv_heads:4", DTYPE_F32, 0.5},
                  {"qwen3", "heads:6 kv_heads:3 head_dim:32", DTYPE_Q4_0, 2 / 3.0},
                  {"gemma3", "kv_heads:4", DTYPE_F16, 0.5},
                  {"gemma3n", "kv_heads:2", DTYPE_F32, 0.5},
                  {"gpt-oss", "heads:8 kv_heads:4", DTYPE_F32, 0.5},
                  {"stablelm", "kv_heads:4", DTYPE_F32, 0.5},
                  {"qwen35", "", DTYPE_F32, 0.5},
                  {"falcon-h1", "", DTYPE_F32, 0.5},
                  {"olmo2", "", DTYPE_F32, 1},      /* a norm over all heads */
                  {"bloom", "", DTYPE_F32, 1},      /* ALiBi */
                  {"deepseek2", "", DTYPE_F32, 1}}; /* latents */
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        MakeModel m = make_model_of(models[i].arch, models[i].more);
        KvFormat kv;
        Fault fault;
        m.dtype = models[i].dtype;
        assert_true(kv_format_read(kv_names[i % 6], &kv, &fault));
        double part = compare_texts(&m, kv, (Cut){2, NULL, true, false}, false);
        if (fabs(part - models[i].part) > 1e-6) fail_msg("%s: %g of a page", m.arch, part);
        compare_texts(&m, kv, (Cut){3 + (int)(i % 5), i % 2 ? uneven : NULL, true, false},
                      false);
        if (i == 0)
            for (int size = 3; size <= MOST; size++)
                compare_texts(&m, kv, (Cut){size, uneven, true, false}, false);
    }
}

/* ------------------------------------------------------------------ files of prefixes */

/* A text of three pages is read and kept; a fork's copied page is announced with the file. */
static void keep_text(Told *t, const char *path) {
    int32_t text[LONG];
    size_t count;
    Fault fault;
    for (size_t i = 0; i < LONG; i++) text[i] = token_at(1, i);
    go_on_with(t, 0, 1, LONG);
    prefix_keep(&t->session.kv, 0, text, LONG, 0);
    kv_fork(&t->session.kv, 1, 0);
    assert_true(kv_extend(&t->session.kv, 1, LONG + 1)); /* a copy that no pass has named */
    session_rewind(&t->session, 1, 0);
    assert_true(prefix_save(&t->session.kv, path, text_of("test"), MAKE_VOCAB, &count, &fault));
    assert_int_equal(count, LONG / KV_PAGE);
}

/* A text that begins with what a file has. */
static void go_on_from_file(Told *t, const char *path) {
    int32_t text[LONG];
    size_t count;
    Fault fault;
    for (size_t i = 0; i < LONG; i++) text[i] = token_at(1, i);
    if (!prefix_restore(&t->session.kv, path, text_of("test"), &count, &fault))
        fail_msg("%s", fault.text);
    assert_int_equal(prefix_find(&t->session.kv, 2, text, LONG, 0), LONG / KV_PAGE * KV_PAGE);
    go_on_with(t, 2, 1, LONG - LONG / KV_PAGE * KV_PAGE);
    assert_memory_equal(t->logits, t->logits + (t->steps - 1) * MAKE_VOCAB,
                        MAKE_VOCAB * sizeof(float));
}

static void same_files(const char *a, const char *b) {
    FileMap x, y;
    Fault fault;
    assert_true(file_open(&x, a, &fault) && file_open(&y, b, &fault));
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    file_close(&x), file_close(&y);
}

/* Alone: `first`; on several machines a file of the same bytes, and each reads the other's. */
static void exchange_files(const MakeModel *m, KvFormat kv, int size, const double *shares) {
    const char *path = in_folder("kept.gguf");
    char files[2][400];
    House house;
    Model model;
    Told kept[2], again[2];
    Fault fault;
    write_file(m, path);
    assert_true(model_open(&model, path, &fault));
    for (int k = 0; k < 2; k++)
        snprintf(files[k], sizeof files[k], "%s", in_folder(k ? "shared" : "alone"));
    open_texts(&kept[0], &model, kv), keep_text(&kept[0], files[0]);
    open_lent(&house, (Cut){size, shares, true, false}, &model, path);
    open_texts(&kept[1], &model, kv), keep_text(&kept[1], files[1]);
    same_files(files[0], files[1]);
    open_texts(&again[1], &model, kv);
    memcpy(again[1].logits, kept[0].logits, MAKE_VOCAB * sizeof(float)), again[1].steps = 1;
    go_on_from_file(&again[1], files[0]);
    session_close(&again[1].session), session_close(&kept[1].session);
    machines_return(house.machines, &model);
    close_house(&house);
    open_texts(&again[0], &model, kv);
    memcpy(again[0].logits, kept[0].logits, MAKE_VOCAB * sizeof(float)), again[0].steps = 1;
    go_on_from_file(&again[0], files[1]);
    session_close(&again[0].session), session_close(&kept[0].session);
    for (int k = 0; k < 2; k++) free(kept[k].logits), free(again[k].logits);
    model_close(&model);
}

static void files_of_prefixes_have_all_heads(void **state) {
    (void)state;
    static const char *const kv_names[] = {"f32", "q8_0", "f16", "q4_0-h"};
    static const char *const models[][2] = {{"llama", "heads:14 kv_heads:7"},
                                            {"qwen3", "heads:6 kv_heads:3 head_dim:32"},
                                            {"gemma3", "kv_heads:4"},
                                            {"qwen35", ""},
                                            {"olmo2", ""}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        MakeModel m = make_model_of(models[i][0], models[i][1]);
        KvFormat kv;
        Fault fault;
        assert_true(kv_format_read(kv_names[i % 4], &kv, &fault));
        for (int size = 2; size <= 4; size++)
            exchange_files(&m, kv, size, size % 2 ? uneven : NULL);
    }
}

/* Rows of pictures have places beside their positions. */
static void places_reach_all_heads(void **state) {
    (void)state;
    static const unsigned char axis[] = {0, 1, 2, 1, 0, 2, 2, 1};
    static const int32_t places[][3] = {{5, 6, 7}, {90, 3, 0}, {1, 2, 3}, {4, 4, 9}};
    House house;
    Model model;
    Fault fault;
    Told told[2];
    MakeModel m = make_model_of("llama", NULL);
    const char *path = in_folder("placed.gguf");
    write_file(&m, path);
    assert_true(model_open(&model, path, &fault));
    Rope rope = model.ropes[0];
    assert_int_equal(rope.rotary / 2, sizeof axis);
    rope.axis = axis, rope.places = places;
    for (int shared = 0; shared < 2; shared++) {
        if (shared) { open_lent(&house, (Cut){2, NULL, false, false}, &model, path); }
        open_texts(&told[shared], &model, (KvFormat){.dtype = DTYPE_F32});
        for (int placed = 0; placed < 3; placed++) {
            for (size_t l = 0; l < m.layers; l++)
                model.blocks[l].attention.rope = placed == 1 ? &rope : &model.ropes[0];
            go_on_with(&told[shared], 0, 1, 4);
        }
        session_close(&told[shared].session);
    }
    assert_memory_equal(told[0].logits, told[1].logits, 3 * MAKE_VOCAB * sizeof(float));
    free(told[0].logits), free(told[1].logits);
    close_lent(&house, &model);
}

/* A probe needs all heads here: so sessions that expect one have them. */
static void probes_see_all_heads(void **state) {
    (void)state;
    House house;
    Model model;
    Fault fault;
    MakeModel m = make_model_of("llama", NULL);
    const char *path = in_folder("probed.gguf");
    Probe probe = {.acts = NULL};
    write_file(&m, path);
    assert_true(model_open(&model, path, &fault));
    open_lent(&house, (Cut){2, NULL, false, false}, &model, path);
    for (int expected = 0; expected < 2; expected++) {
        Told t;
        session_expect_probe(expected);
        open_texts(&t, &model, (KvFormat){.dtype = DTYPE_F32});
        assert_int_equal(session_probe(&t.session, &probe, &fault), expected);
        if (!expected) assert_contains(fault.text, "heads are shared among machines");
        go_on_with(&t, 0, 1, 3);
        session_close(&t.session), free(t.logits);
    }
    session_expect_probe(false);
    close_lent(&house, &model);
}

/* Rows of the second of two machines: the first has the middle panel of 16, too. */
static size_t second_half(size_t out) { return out - min_size((out + 31) / 32 * 16, out); }

/* What goes over the wire: (size - 1) times x, rows and heads of others, and headers. */
static void the_price_is_the_formula(void **state) {
    (void)state;
    enum { ORDER = 24, PRODUCT = 40, ANSWER = 4, HEADS = 40, SEQUENCE = 20, PAIR = 8 };
    const char *path = in_folder("priced.gguf");
    MakeModel m = make_model_of("llama", NULL);
    write_file(&m, path);
    size_t n = TOKENS, sent = 0, received = 0;
    const struct {
        size_t count, in, out;
    } products[] = {{1, m.dim, m.dim},
                    {2, m.dim, 2 * m.hidden},
                    {1, m.hidden, m.dim},
                    {1, m.dim, MAKE_VOCAB}};
    for (size_t i = 0; i < 4; i++) {
        size_t times = i < 3 ? m.layers : 1;
        sent += times * (ORDER + products[i].count * PRODUCT + n * products[i].in * 4);
        received += times * (ANSWER + n * second_half(products[i].out) * 4);
    }
    /* attention: x, a sequence, a new page, where the rows are; half of the heads come back */
    sent += m.layers * (HEADS + SEQUENCE + PAIR + n * (8 + m.dim * 4));
    received += m.layers * (ANSWER + n * m.heads / 2 * m.head_dim * 4);
    MachinesCount two = compare(path, 2, NULL, false, TOKENS);
    assert_int_equal(two.sent, sent);
    assert_int_equal(two.received, received);
    assert_int_equal(two.products, 7 * m.layers + 1);
}

/* Counted on one machine, and on the wire: every family, uneven shares. */
static void the_price_is_what_goes_over_the_wire(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof make_families / sizeof *make_families; i += 5) {
        const char *arch = make_families[i][0], *path = in_folder("counted.gguf");
        const int size = 2 + (int)(i % 6);
        const bool half = i / 5 % 3 == 0;
        MakeModel m = make_model_of(arch, NULL);
        MachinesConfig config = {.shares = i % 2 ? uneven : NULL, .half = half};
        MachinesPrice price;
        Model model;
        Fault fault;
        if (!runs_alone(arch)) continue;
        if (strcmp(arch, "grovemoe") == 0) continue; /* how many depends on the token */
        write_file(&m, path);
        assert_true(model_open(&model, path, &fault));
        bool source = model_extras(&model)->encoder > 0;
        if (machines_price(&model, &config, size, 1, &price, &fault) == source)
            fail_msg("%s: %s", arch, source ? "a source is needed" : fault.text);
        model_close(&model);
        if (source) continue;
        any_bits = half_rows = half;
        MachinesCount count = compare(path, size, config.shares, false, 1);
        any_bits = half_rows = false;
        if (price.products != count.products)
            fail_msg("%s: %zu products, %zu", arch, price.products, count.products);
        if (price.sent != count.sent || price.received != count.received)
            fail_msg("%s: sent %zu, %zu, received %zu, %zu", arch, price.sent, count.sent,
                     price.received, count.received);
    }
}

/* ------------------------------------------------------------------ what can be wrong */

static void refused(const MachinesConfig *config, const char *says) {
    Fault fault;
    Machines *machines = machines_open(config, &fault);
    if (machines) fail_msg("machines open that should not: %s", says);
    assert_contains(fault.text, says);
}

/* A small model in a file. */
static const char *open_llama(Model *model) {
    Fault fault;
    const char *path = in_folder("here.gguf");
    MakeModel m = make_model_of("llama", NULL);
    write_file(&m, path);
    assert_true(model_open(model, path, &fault));
    return path;
}

static void differences_are_named(void **state) {
    (void)state;
    House house;
    Model model;
    Fault fault;
    MakeModel m = make_model_of("llama", NULL);
    const char *path = open_llama(&model);
    open_house(&house, 3);
    MachinesConfig config = config_of(&house, NULL, false);
    config.version = "other";
    refused(&config, "machine 2 of 3: this is version test, the first machine's is other");
    for (int i = 1; i < 3; i++) { /* they have ended with it */
        void *ok;
        pthread_join(house.threads[i], &ok);
        free(ok), group_close(&house.members[i]);
    }
    group_close(&house.members[0]);

    open_house(&house, 3);
    config = config_of(&house, NULL, false);
    assert_non_null(house.machines = machines_open(&config, &fault));
    m.seed = 2; /* another file in its place */
    write_file(&m, in_folder("other.gguf"));
    assert_false(machines_lend(house.machines, &model, in_folder("other.gguf"), &fault));
    assert_contains(fault.text, "machine 2 of 3:");
    assert_contains(fault.text, "is another file here than on the first machine");
    assert_false(machines_lend(house.machines, &model, in_folder("gone.gguf"), &fault));
    assert_contains(fault.text, "gone.gguf has no absolute path");
    assert_true(machines_lend(house.machines, &model, path, &fault));
    close_house(&house);
    model_close(&model);
}

/* A member that says nothing: the others are told which one. */
static void silence_is_named(void **state) {
    (void)state;
    Group members[2];
    Fault fault;
    assert_true(group_threads(members, 2, &fault));
    House house = {.members = {members[0]}};
    MachinesConfig config = config_of(&house, NULL, false);
    config.seconds = 0.05;
    refused(&config, "machine 2 of 2 has not answered for 0.05 s");
    group_close(&members[0]), group_close(&members[1]);
}

/* The others wait for orders: while the first machine is there, it says so; else they end. */
static void serve_until_silence(House *house, const Hello *hello, bool quiet, Fault *fault) {
    double bounds[3] = {0, 0.5, 1};
    unsigned char order[sizeof *hello + sizeof bounds];
    memcpy(order, hello, sizeof *hello), memcpy(order + sizeof *hello, bounds, sizeof bounds);
    assert_true(group_send(&house->members[0], 1, order, sizeof order, 1, fault));
    for (int i = 0; !quiet && i < 6; i++) {
        Order pulse = {.kind = i < 5 ? ORDER_PULSE : ORDER_END};
        usleep(100000);
        assert_true(group_send(&house->members[0], 1, &pulse, sizeof pulse, 1, fault));
    }
}

static void *serve_and_say(void *house) {
    House *h = house;
    return machines_serve(&h->members[1], version, &h->why[1]) ? h : NULL;
}

static void others_end_without_the_first(void **state) {
    (void)state;
    for (int quiet = 0; quiet < 2; quiet++) {
        House house = {.size = 2};
        Fault fault;
        void *ok;
        Hello hello = {.order.kind = ORDER_HELLO, .threads = 1, .seconds = 0.4};
        strcpy(hello.version, version), strcpy(hello.isa, kernels_isa());
        assert_true(group_threads(house.members, 2, &fault));
        pthread_create(&house.threads[1], NULL, serve_and_say, &house);
        serve_until_silence(&house, &hello, quiet, &fault);
        pthread_join(house.threads[1], &ok);
        assert_true((ok == NULL) == quiet);
        if (quiet)
            assert_contains(house.why[1].text, "machine 1 of 2 has not answered for 0.4 s");
        group_close(&house.members[0]), group_close(&house.members[1]);
    }
}

/* Another machine computes for longer than the first one waits for a word of it. */
static void a_long_product_is_no_silence(void **state) {
    (void)state;
    enum { ROWS = 4096, DIM = 64, HIDDEN = 5000 }; /* the desk lets a file have 10 MB */
    House house;
    Model model;
    Fault fault;
    char isa[ISA_ROOM];
    const char *path = in_folder("wide.gguf");
    MakeModel m = make_model_of("llama", "dim:64 hidden:5000 layers:1");
    float *x = calloc(ROWS * DIM, sizeof *x), *y = calloc(ROWS * HIDDEN, sizeof *y);
    assert_true(x && y);
    write_file(&m, path);
    assert_true(model_open(&model, path, &fault));
    snprintf(isa, sizeof isa, "%s", kernels_isa());
    assert_true(kernels_select("scalar", &fault)); /* it takes a second */
    silence = 0.5;
    open_lent(&house, (Cut){2, (double[]){0.01, 1}, false, false}, &model, path);
    const Linear map = {
        .w = gguf_tensor_view(gguf_find_tensor(&model.gguf, "blk.0.ffn_gate.weight"))};
    assert_int_equal(map.w.shape[0], HIDDEN);
    linear(NULL, &map, x, ROWS, y, NULL);
    assert_int_equal(machines_count(house.machines).products, 1);
    close_lent(&house, &model);
    silence = 20;
    assert_true(kernels_select(isa, &fault));
    free(x), free(y);
}

/* Longer than the others wait for an order. */
static void a_pause_is_no_end(void **state) {
    (void)state;
    House house;
    Model model;
    Fault fault;
    const char *path = open_llama(&model);
    open_house(&house, 2);
    MachinesConfig config = config_of(&house, NULL, false);
    config.seconds = 0.2;
    assert_non_null(house.machines = machines_open(&config, &fault));
    usleep(1200000);
    if (!machines_lend(house.machines, &model, path, &fault)) fail_msg("%s", fault.text);
    close_house(&house);
    model_close(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(families_have_the_same_bits),
                                       TEST(what_was_sent_is_noted),
                                       TEST(halves_are_near),
                                       TEST(halves_change_little),
                                       TEST(sent_files_have_the_same_bits),
                                       TEST(sequences_have_the_same_bits),
                                       TEST(probes_see_all_heads),
                                       TEST(places_reach_all_heads),
                                       TEST(the_price_is_the_formula),
                                       TEST(the_price_is_what_goes_over_the_wire),
                                       TEST(files_of_prefixes_have_all_heads),
                                       TEST(differences_are_named),
                                       TEST(silence_is_named),
                                       TEST(others_end_without_the_first),
                                       TEST(a_long_product_is_no_silence),
                                       TEST(a_pause_is_no_end)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
