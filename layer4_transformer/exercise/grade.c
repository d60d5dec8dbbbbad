/* The graders of layer 4. */
#include "grader.h"
#include "transformer.h"

GRADE(mask) {
    Range r = mask_range((Mask){.causal = true}, 3, 10);
    HINT(r.begin == 0 && r.end == 4,
         "token 3 sees the tokens 0, 1, 2 and itself: 0 .. 4, got %zu .. %zu", r.begin, r.end);
    r = mask_range((Mask){.causal = true, .window = 2}, 3, 10);
    HINT(r.begin == 2 && r.end == 4,
         "with a window of 2 token 3 sees 2 and 3: 2 .. 4, got %zu .. %zu", r.begin, r.end);
    r = mask_range((Mask){.causal = true, .window = 8}, 3, 10);
    HINT(r.begin == 0, "a window larger than the text begins at 0");
    r = mask_range((Mask){.causal = false}, 3, 10);
    HINT(r.begin == 0 && r.end == 10, "without a mask a token sees all");
}

/* A memory of one layer with one head. */
static void open_kv(KvCache *kv, Arena *arena, size_t head_dim, size_t sequences, size_t ctx) {
    Fault fault;
    KvShape shape = {1, head_dim, head_dim, 0};
    KvConfig config = {.shapes = &shape, .layers = 1, .sequences = sequences, .ctx = ctx};
    arena_measure(arena);
    kv_init(kv, &config, arena);
    if (!arena_init(arena, arena->used, &fault)) exit(2);
    kv_init(kv, &config, arena);
}

GRADE(memory) {
    Arena a;
    KvCache kv;
    open_kv(&kv, &a, 4, 2, 3 * KV_PAGE);
    HINT(kv_extend(&kv, 0, 1), "there is room for one token");
    HINT(kv.length[0] == 1, "the sequence has the length 1 now, not %zu", kv.length[0]);
    HINT(kv.free_count == 5, "one page of six was taken, %zu are left", kv.free_count);
    HINT(kv_extend(&kv, 0, KV_PAGE) && kv.free_count == 5, "a page holds %d positions",
         KV_PAGE);
    HINT(kv_extend(&kv, 0, KV_PAGE + 1) && kv.free_count == 4,
         "the next position needs a second page");
    HINT(!kv_extend(&kv, 0, 3 * KV_PAGE + 1) && kv.free_count == 4,
         "a sequence longer than its table is refused, and nothing is taken");
    kv_truncate(&kv, 0, 1);
    HINT(kv.length[0] == 1 && kv.free_count == 5,
         "cutting to the length 1 gives one page back");
    arena_free(&a);
}

/* One query over two pages of keys, the larger score in the second. */
GRADE(online) {
    enum { N = KV_PAGE + 10 };
    Arena a;
    KvCache kv;
    open_kv(&kv, &a, 1, 1, N);
    kv_extend(&kv, 0, N);
    double sum = 0, mean = 0;
    for (size_t i = 0; i < N; i++) {
        double score = (double)i * 0.05;
        float number = (float)i, key = (float)score;
        kv_store(&kv, 0, 0, i, &key, &number);
        sum += exp(score), mean += exp(score) * (double)i;
    }
    AttentionShape shape = {
        .heads = 1, .kv_heads = 1, .head_dim = 1, .scale = 1, .mask = {.causal = true}};
    float q = 1, out = 0;
    attention_online(NULL, &shape, &kv, 0, 1, (int32_t[]){0}, (int32_t[]){N - 1}, &q, &out);
    HINT(close_to((double)out, mean / sum, 1e-3),
         "the weighted mean over two pages is %g, got %g: when a larger score comes, the sum "
         "and the mean so far shrink by exp(old - new)",
         mean / sum, (double)out);
    arena_free(&a);
}

GRADE(network) {
    float gate[1] = {1}, up[1] = {2}, down[1] = {1}, x = 1, out, a[1], b[1];
    FfnRun run = {.a = a, .b = b};
    FeedForward f = {.act = ACT_RELU, .gated = true};
    f.net.gate.w = tensor_view(DTYPE_F32, 2, (size_t[]){1, 1}, gate);
    f.net.up.w = tensor_view(DTYPE_F32, 2, (size_t[]){1, 1}, up);
    f.net.down.w = tensor_view(DTYPE_F32, 2, (size_t[]){1, 1}, down);
    dense_forward(NULL, &f, &f.net, &x, 1, &out, &run);
    HINT(close_to((double)out, 2, 1e-5),
         "relu(1) * 2 through down is 2, got %g: the activation of the gate, times up, through "
         "down",
         (double)out);
    gate[0] = -1;
    dense_forward(NULL, &f, &f.net, &x, 1, &out, &run);
    HINT(out == 0, "relu of the gate (-1) is 0 and closes the way: the activation is of the "
                   "gate, not of up");
    f.gated = false;
    dense_forward(NULL, &f, &f.net, &x, 1, &out, &run);
    HINT(close_to((double)out, 2, 1e-5), "without a gate the activation is of up");
}

/* A block whose weights are all zero but v and o: every token adds the mean of the values before it. */
GRADE(block) {
    enum { DIM = 4 };
    static float zero[DIM * DIM], one[DIM * DIM];
    Arena a;
    KvCache kv;
    BlockRun run;
    Fault fault;
    for (int i = 0; i < DIM; i++) one[i * DIM + i] = 1;
    Tensor z = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, DIM}, zero),
           e = tensor_view(DTYPE_F32, 2, (size_t[]){DIM, DIM}, one);
    Block b = {.wiring = WIRING_SEQUENTIAL};
    b.attention.shape = (AttentionShape){
        .heads = 1, .kv_heads = 1, .head_dim = DIM, .scale = 1, .mask = {.causal = true}};
    b.attention.q.w = z, b.attention.k.w = z, b.attention.v.w = e, b.attention.o.w = e;
    b.ffn = (FeedForward){.act = ACT_RELU, .net = {.up = {.w = z}, .down = {.w = z}}};
    BlockSizes sizes = {0};
    block_sizes_include(&sizes, &b);
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 0)
            arena_measure(&a);
        else if (!arena_init(&a, a.used, &fault))
            exit(2);
        KvShape shape = {1, DIM, DIM, 0};
        kv_init(&kv, &(KvConfig){.shapes = &shape, .layers = 1, .sequences = 1, .ctx = 8}, &a);
        block_run_init(&run, NULL, 2, &sizes, &a);
    }
    float x[2 * DIM] = {1, 2, 3, 4, 5, 6, 7, 8};
    kv_extend(&kv, 0, 2);
    Batch batch = {
        2, (int32_t[]){0, 0}, (int32_t[]){0, 0}, (int32_t[]){0, 1}, (bool[]){true, true}, NULL};
    block_forward(&b, &run, &kv, 0, &batch, x, DIM);
    HINT(x[0] == 2,
         "token 0 adds its own value to x: 1 + 1, got %g; x is only ever added to, and keys "
         "and values go to memory before attention reads it",
         (double)x[0]);
    HINT(close_to((double)x[4], 5 + 3, 1e-4),
         "token 1 adds the mean of the values 1 and 5: 5 + 3, got %g", (double)x[4]);
    arena_free(&a);
}

GRADE(ahead) {
    float q[2] = {1, 1}, k[2] = {0, 0}, v[2] = {1, 3}, out[2], scores[3];
    AttentionShape shape = {
        .heads = 1, .kv_heads = 1, .head_dim = 1, .scale = 1, .mask = {.causal = true}};
    attention(&shape, 2, q, k, v, out, scores);
    HINT(out[0] == 1,
         "the first token sees only itself and its value 1, got %g: does the softmax share its "
         "probability with later tokens?",
         (double)out[0]);
    HINT(out[1] == 2, "the second token sees both");
}

GRADES({"4.1", mask}, {"4.2", memory}, {"4.3", online}, {"4.4", network}, {"4.5", block},
       {"4.7", ahead})
