/* reference_families.h - what sets one family apart, in words.
 *
 *     rms, layer          the norm: root mean square, or mean and variance
 *     halves, pairs       which numbers of a head turn together; neither: none do
 *     silu, gelu, relu, oai   the activation; oai: that of gpt-oss
 *     parallel            both branches read x; parallel?: if the file says so, or has one norm only
 *     norm-at-end         token_embd_norm is the norm before the head
 *     single              a block is a mixer or a network, behind one norm;  relu2: max(x, 0)^2
 *     moved               the norm of the feed-forward is called post_attention_norm
 *     output-norms        what branches return is normed, as attn_output_norm and layer_output_norm
 *     output-norm         ... or attn_output_norm
 *     late                queries and keys are normed after they turned
 *     unit                queries and keys have length sqrt(head_dim) after they turned
 *     nope:N              every N-th layer does not turn;  turn-in-windows: those without a window do not
 *     turn?               none do where rope.scaling.finetuned is false
 *     window:P            of P layers the last one sees everything, the others their window (999: all have one)
 *     base:T              theta of windowed layers;  unstretched: their context is not stretched,
 *                         but turned numbers have the size that the file gives;  as-trained: nor that
 *     chunk:C, warm:C     layers that turn see a chunk of C; in the others queries grow every C tokens
 *     windows-in:L        only models of L layers have windows, and else all layers turn
 *     half-full           layers without a window turn half as many numbers, and they alone have divisors
 *     alibi:B             scores fall with distance;  alibi-in:L: by 8, with L layers, which do not turn
 *     no-gains            norms of rows have none
 *     cap:C, logit-cap:C  scores and logits stay below
 *     wide:L              with L layers scores scale with dim / heads, not head_dim
 *     all, sigmoid        experts are weighted by softmax over all of them or by sigmoid, or by softmax over
 *                         the chosen;  renorm: then to a sum of 1;  input: the weight is on what they read
 *     chosen-ahead        experts are chosen by what came into the block
 *     unscaled, value-norms   scores are; values have length sqrt(head_dim)
 *     own:N               N layers keep keys and values if no key says otherwise
 *     full-divisors       rope_freqs are of layers without a window
 *     cut:N               few gates pass in the first N layers, if no key says in which
 *     after               norms stand behind the branches;  first-full: of window:P the first one sees everything
 *     share, gelu-score, mean-score   scores of a text sum to 1; go through GELU, not tanh; are of the mean of all rows
 *     sqrt                x = embedding * sqrt(dim)
 *     tiled               heads of values go round the heads of keys;  xielu: a curve of each layer
 *     indexer             attention looks at the positions that it chooses
 *     latents             YaRN leaves the size of what turns, where a key says how scores grow instead
 *     minicpm3            the same, and logits times 256 / dim
 *     source              an encoder, and blocks that write: reference_source.h
 *     groups-in-windows          rows that see each other do so in layers with a window alone
 *     bidirectional              a token sees what stands behind it, too; windows lie around it
 *     bare-head           a draft head reads what the model knew before the last norm
 *     divide              logits are divided by logit_scale, not multiplied
 *     grok                embeddings, scores and logits are scaled, by sqrt(6144), 1 / sqrt(128) and 1 / sqrt(3)
 *                         if no key says otherwise
 *     minicpm             embeddings and branches are scaled, by 12 and 1.4 / sqrt(layers) if no key says otherwise
 *
 * What a file shows, or says with a key of its own, needs no word: biases, a norm of each head, one
 * map for q, k and v, windows, scales. */
#ifndef STRATA_REFERENCE_FAMILIES_H
#define STRATA_REFERENCE_FAMILIES_H

#include <stddef.h>
#include <string.h>

static const char *const reference_families[][2] = {
    {"llama", "rms pairs silu window:999"},
    {"llama4", "rms pairs silu nope:4 chunk:8192 warm:8192 unit sigmoid input"},
    {"mistral3", "rms pairs silu"},
    {"smollm3", "rms pairs silu nope:4"},
    {"granite", "rms pairs silu turn? divide"},
    {"granitemoe", "rms pairs silu turn? divide all renorm"},
    {"qwen", "rms halves silu"},
    {"qwen2", "rms halves silu"},
    {"qwen3", "rms halves silu share"},
    {"qwen2moe", "rms halves silu all"},
    {"qwen3moe", "rms halves silu all renorm"},
    {"olmoe", "rms halves silu all"},
    {"olmo2", "rms halves silu window:4 as-trained"},
    {"gemma", "rms halves gelu sqrt"},
    {"gemma2", "rms halves gelu sqrt window:2 cap:50 logit-cap:30 wide:46"},
    {"gemma3", "rms halves gelu sqrt window:6 base:10000 unstretched wide:62"},
    {"gemma3n",
     "rms halves gelu sqrt window:5 base:10000 unstretched unscaled value-norms own:20 "
     "cut:10 logit-cap:30"},
    {"gemma4", "rms halves gelu sqrt window:3 base:10000 unstretched unscaled value-norms "
               "own:999 full-divisors all renorm groups-in-windows"},
    {"phi2", "layer halves gelu parallel"},
    {"phi3", "rms halves silu window:999"},
    {"phimoe", "rms halves silu window:999 all renorm"},
    {"gptj", "layer pairs gelu parallel"},
    {"gptneox", "layer halves gelu parallel?"},
    {"falcon", "layer halves gelu parallel"},
    {"gpt2", "layer gelu"},
    {"starcoder", "layer gelu"},
    {"starcoder2", "layer halves gelu window:999"},
    {"bloom", "layer gelu alibi:8"},
    {"mpt", "layer gelu"},
    {"stablelm", "layer halves silu parallel?"},
    {"command-r", "layer pairs silu parallel"},
    {"cohere2", "layer pairs silu parallel window:4 turn-in-windows"},
    {"gpt-oss", "rms halves oai moved window:2"},
    {"mamba", "rms"},
    {"mamba2", "rms"},
    {"jamba", "rms silu all"},
    {"granitehybrid", "rms pairs silu turn? divide all renorm"},
    {"falcon-h1", "rms halves silu"},
    {"nemotron_h", "rms relu2 single"},
    {"lfm2", "rms halves silu norm-at-end"},
    {"lfm2moe", "rms halves silu norm-at-end sigmoid renorm"},
    {"ernie4_5", "rms pairs silu"},
    {"ernie4_5-moe", "rms pairs silu all renorm"},
    {"seed_oss", "rms halves silu moved"},
    {"glm4", "rms pairs silu"},
    {"glm4moe", "rms halves silu moved sigmoid"},
    {"exaone4", "rms halves silu window:4 windows-in:64 turn-in-windows"},
    {"exaone-moe", "rms halves silu window:4 turn-in-windows sigmoid"},
    {"hunyuan_vl", "rms halves silu late"},
    {"hunyuan-dense", "rms halves silu late"},
    {"hunyuan-moe", "rms halves silu late all renorm"},
    {"minicpm", "rms pairs silu minicpm divide"},
    {"minimax-m2", "rms halves silu sigmoid renorm"},
    {"bailingmoe2", "rms halves silu sigmoid"},
    {"dots1", "rms halves silu all"},
    {"deepseek", "rms pairs silu all"},
    {"bailingmoe", "rms pairs silu all"},
    {"arctic", "rms pairs silu all renorm"},
    {"smallthinker",
     "rms halves relu window:4 first-full turn-in-windows sigmoid renorm chosen-ahead"},
    {"grovemoe", "rms halves silu all renorm"},
    {"grok", "rms halves gelu output-norms all renorm cap:30 grok"},
    {"dbrx", "layer halves silu output-norm all renorm"},
    {"mellum", "rms halves silu window:4 as-trained all renorm"},
    {"maincoder", "rms pairs silu late"},
    {"pangu-embedded", "rms halves silu"},
    {"qwen2vl", "rms halves silu"},
    {"paddleocr", "rms halves silu"},
    {"qwen3vl", "rms halves silu share"},
    {"qwen3vlmoe", "rms halves silu all renorm share"},
    {"arcee", "rms pairs relu2"},
    {"deepseek2", "rms pairs silu all latents"},
    {"deepseek32", "rms pairs silu all latents indexer"},
    {"glm-dsa", "rms pairs silu sigmoid latents"},
    {"mistral4", "rms pairs silu all latents"},
    {"minicpm3", "rms halves silu latents minicpm3"},
    {"qwen35", "rms halves silu moved tiled"},
    {"qwen35moe", "rms halves silu moved tiled all renorm"},
    {"qwen3next", "rms halves silu moved all renorm"},
    {"kimi-linear", "rms silu sigmoid renorm latents"},
    {"afmoe", "rms halves silu nope:4 sqrt window:4 sigmoid"},
    {"mimo2", "rms halves silu window:3 base:10000 unstretched sigmoid renorm"},
    {"step35", "rms halves silu window:3 base:10000 unstretched half-full sigmoid bare-head"},
    {"internlm2", "rms pairs silu"},
    {"xverse", "rms pairs silu"},
    {"exaone", "rms halves silu"},
    {"chatglm", "rms pairs silu"},
    {"plamo", "rms halves silu parallel"},
    {"baichuan", "rms pairs silu alibi-in:40"},
    {"refact", "rms silu alibi:8"},
    {"deci", "rms pairs silu"},
    {"nemotron", "layer halves relu2"},
    {"orion", "layer halves silu"},
    {"codeshell", "layer halves gelu"},
    {"olmo", "layer pairs silu no-gains"},
    {"openelm", "rms halves silu"},
    {"plm", "rms pairs relu2 latents"},
    {"bitnet", "rms halves silu"},
    {"apertus", "rms halves xielu"},
    {"jais2", "layer halves relu2"},
    {"nemotron_h_moe", "rms relu2 single sigmoid"},
    {"rwkv6", "layer"},
    {"rwkv6qwen2", "rms silu"},
    {"rwkv7", "layer"},
    {"arwkv7", "rms silu"},
    {"llada", "rms pairs silu bidirectional"},
    {"llada-moe", "rms halves silu all bidirectional"},
    {"dream", "rms halves silu bidirectional"},
    {"rnd1", "rms halves silu all renorm bidirectional"},
    {"t5", "rms source"},
    {"t5encoder", "rms bidirectional source"},
    {"bert", "layer gelu bidirectional after"},
    {"nomic-bert", "layer halves silu bidirectional after"},
    {"nomic-bert-moe", "layer halves gelu bidirectional after all"},
    {"jina-bert-v2", "layer gelu bidirectional after alibi:8"},
    {"jina-bert-v3", "layer halves gelu bidirectional after"},
    {"modern-bert",
     "layer halves gelu bidirectional window:3 first-full base:10000 unstretched "
     "gelu-score mean-score"},
    {"neo-bert", "rms pairs silu bidirectional"},
    {"eurobert", "rms halves silu bidirectional"},
    {"llama-embed", "rms pairs silu bidirectional"},
    {"eagle3", "rms pairs silu"},
    {"gemma4-assistant",
     "rms halves gelu window:3 base:10000 unstretched unscaled full-divisors"},
    {"gemma-embedding", "rms halves gelu sqrt bidirectional window:6 base:10000 unstretched"},
};

static inline const char *reference_family(const char *arch) {
    for (size_t i = 0; i < sizeof reference_families / sizeof *reference_families; i++)
        if (strcmp(arch, reference_families[i][0]) == 0) return reference_families[i][1];
    return NULL;
}

#endif
