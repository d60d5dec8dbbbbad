/* moving.c - the table of pictures.  See moving.h. */
#include "moving.h"

#include <stdlib.h>
#include <string.h>

#define HAT                                                                                \
    "Once upon a time there was a lazy puppy named Daisy. She had lost her red hat. Then " \
    "Casper the heron came by. \"What is wrong?\" asked Casper. \"I lost my red hat,\" said"

const Moving moving_pictures[] = {
    {"softmax",
     {{"temperature", 0.1, 5, 0.1, 1}},
     NULL,
     "score,scaled,probability",
     moving_softmax},
    {"norm",
     {{"size, as a power of ten", -3, 2, 0.1, 0}},
     NULL,
     "what,row,rms,layer",
     moving_norm},
    {"rope",
     {{"key's position", 0, 200, 1, 100}, {"distance", 0, 64, 1, 5}},
     NULL,
     "what,number,qx,qy,kx,ky",
     moving_rope},
    {"attention",
     {{"token", 0, 42, 1, 42}, {"layer", 0, 2, 1, 2}, {"head", 0, 7, 1, 1}},
     HAT,
     "what,text,share",
     moving_attention},
    {"kv", {{"step", 0, 13, 1, 9}}, NULL, "what,sequence,number,page,count,text", moving_kv},
    {"bpe",
     {{"merges", 0, 12, 1, 4}},
     "Once upon a neighborhood",
     "what,word,text,number",
     moving_bpe},
    {"chain",
     {{"stage", 0, 5, 1, 2}, {"temperature", 0.1, 3, 0.1, 0.8}, {"seed", 1, 20, 1, 1}},
     "Once upon a time there was a vain lamb named Gus. He lived",
     "sample,step,place,stage,rank,token,text,logit,prob,kept",
     moving_chain},
    {"backward", {{"step", 0, 69, 1, 5}}, NULL, "name,value,gradient", moving_backward},
    {"train", {{"steps", 0, 100, 1, 100}}, NULL, "step,tokens,loss,rate,norm", moving_train},
    {"q8",
     {{"first weight, times", 1, 60, 0.5, 1}},
     NULL,
     "what,weight,quant,back,error",
     moving_q8},
};

const size_t moving_count = sizeof moving_pictures / sizeof *moving_pictures;

static const Moving *find(const char *name) {
    for (size_t i = 0; i < moving_count; i++)
        if (strcmp(moving_pictures[i].name, name) == 0) return &moving_pictures[i];
    return NULL;
}

const char *EXPORT(moving_sliders)(void) {
    FILE *out = text_begin();
    fprintf(out, "picture,slider,low,high,step,start\n");
    for (size_t i = 0; i < moving_count; i++) {
        const Moving *p = &moving_pictures[i];
        for (int k = 0; k < MOVING_SLIDERS && p->sliders[k].name; k++) {
            const MovingSlider *s = &p->sliders[k];
            fprintf(out, "%s,\"%s\",%g,%g,%g,%g\n", p->name, s->name, s->low, s->high, s->step,
                    s->start);
        }
        if (!p->text) continue;
        fprintf(out, "%s,text,,,,", p->name);
        text_cell(out, text_of(p->text));
        fputc('\n', out);
    }
    return text_end(out);
}

/* Within the sliders' ranges.  How far the first one goes may depend on the text: then the
 * picture's function knows. */
static void keep_in_range(const Moving *p, double *at) {
    for (int k = 0; k < MOVING_SLIDERS; k++) {
        const MovingSlider *s = &p->sliders[k];
        if (!(at[k] >= s->low)) at[k] = s->low;
        if (at[k] > s->high && (k || !p->text)) at[k] = s->high;
    }
}

const char *EXPORT(moving_show)(const char *texts, double a, double b, double c) {
    const Moving *p = find(texts);
    const char *text = texts + strlen(texts) + 1;
    Fault fault = {0};
    if (!p) return fault_set(&fault, "no picture '%.40s'", texts), text_fault(&fault);
    char *rows = NULL;
    size_t size;
    FILE *out = open_memstream(&rows, &size); /* the functions of the pages use text_begin */
    double at[MOVING_SLIDERS] = {a, b, c};
    keep_in_range(p, at);
    bool ok = p->rows(out, at, text, &fault);
    fclose(out);
    if (!ok) return free(rows), text_fault(&fault);
    out = text_begin();
    fprintf(out, "%s\n%s", p->head, rows);
    free(rows);
    return text_end(out);
}
