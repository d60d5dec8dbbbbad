/* picture.c - where on its images a text looks.  See look.h.
 *
 *     attention to the row of an image --vision_area--> a square of pixels, drawn as a shade
 *
 * Here the tiles of an image stand side by side, as they were in it (the encoder reads them one
 * after another), and the whole picture, which is read last, stands below them. */
#include "look.h"

#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A token that is a row of an image. */
typedef struct SeenRow {
    size_t image;          /* from 1; 0: a token of the text */
    VisionArea from, area; /* in the encoder's input, and with its tiles side by side */
} SeenRow;

typedef struct Sight {
    Look *look;
    SeenRow *rows; /* (tokens) owns */
    float *mean;   /* (tokens) attention of a token, of one head or the mean of all; owns */
    size_t end;    /* the last row of the first image */
} Sight;

/* ------------------------------------------------------------------ which squares */

static const Picture *sight_input(const Sight *s, size_t image) {
    const Shown *shown = s->look->shown;
    return &shown->of->places[shown->number[image - 1]].shaped;
}

static VisionArea side_by_side(const Picture *input, VisionArea a) {
    const size_t side = input->width, tile = a.top / side;
    if (!input->columns) return a;
    a.left += tile % input->columns * side;
    a.top = a.top % side + tile / input->columns * side;
    return a;
}

/* Width and height with the tiles side by side. */
static void sight_size(const Picture *input, size_t size[2]) {
    const size_t side = input->width, columns = input->columns;
    size[0] = columns ? columns * side : side;
    size[1] = columns ? ((input->height / side - 1) / columns + 1) * side : input->height;
}

static void find_rows(Sight *s) {
    const Look *look = s->look;
    const Pictures *p = look->shown->of;
    size_t image = 1, vocab = p->session->model->sizes.vocab;
    for (size_t i = 0; i < look->tokens->count; i++) {
        if ((size_t)look->tokens->ids[i] < vocab) continue;
        const size_t number = look->shown->number[image - 1],
                     row = (size_t)(look->tokens->ids[i] - pictures_first_token(p, number));
        SeenRow *r = &s->rows[i];
        r->image = image, r->from = vision_area(&p->vision, sight_input(s, image), row);
        r->area = side_by_side(sight_input(s, image), r->from);
        if (row + 1 < pictures_tokens(p, number)) continue;
        if (image++ == 1) s->end = i;
    }
}

/* ------------------------------------------------------------------ how much */

/* How many heads a layer has that are asked for, from *first on. */
static size_t sight_heads(const Look *look, size_t layer, size_t *first) {
    const Attention *a = &look->cache.session->model->blocks[layer].attention;
    *first = look->layer == ACT_ALL ? 0 : look->head;
    if (!a->q.w.data || (look->layer != ACT_ALL && look->layer != layer)) return 0;
    return look->layer == ACT_ALL ? a->shape.heads : 1;
}

/* s->mean of a token; returns of how many heads. */
static size_t sight_mean(Sight *s, size_t query) {
    const Look *look = s->look;
    const size_t n = look->tokens->count;
    size_t all = 0, first;
    memset(s->mean, 0, n * sizeof *s->mean);
    for (size_t l = 0; l < look->cache.layers; l++) {
        const size_t heads = sight_heads(look, l, &first);
        for (size_t h = first; h < first + heads; h++)
            axpy(s->mean, 1, activation_weights(&look->cache, l, h, query), n);
        all += heads;
    }
    for (size_t i = 0; i < n; i++) s->mean[i] /= (float)all;
    return all;
}

static double share_of(const Sight *s, const float *weights, size_t image) {
    double sum = 0;
    for (size_t i = 0; i < s->look->tokens->count; i++)
        sum += s->rows[i].image == image ? (double)weights[i] : 0;
    return sum;
}

/* What all images have of them; the text has the rest, and a sink of the head's. */
static double share_of_images(const Sight *s, const float *weights) {
    double sum = 0;
    for (size_t image = 1; image <= s->look->shown->count; image++)
        sum += share_of(s, weights, image);
    return sum;
}

/* The square of an image with the most of s->mean; 0: it has none of it. */
static size_t brightest(const Sight *s, size_t image) {
    size_t best = 0;
    for (size_t i = 0; i < s->look->tokens->count; i++)
        if (s->rows[i].image == image && s->rows[i].area.width && s->mean[i] > 0 &&
            (!best || s->mean[i] > s->mean[best]))
            best = i;
    return best;
}

/* ------------------------------------------------------------------ text */

static bool is_listed(const Sight *s, size_t query) {
    if (query == s->look->position) return true;
    return s->look->job->position < 0 && query > s->end && !s->rows[query].image;
}

static void list_token(Sight *s, size_t query) {
    sight_mean(s, query);
    printf("%8zu %-14s", query, look_word(s->look, s->look->tokens->ids[query]));
    for (size_t image = 1; image <= s->look->shown->count; image++) {
        const size_t best = brightest(s, image);
        printf("  %6.3f", share_of(s, s->mean, image));
        if (best)
            printf("  %6.3f at %zu,%zu", (double)s->mean[best], s->rows[best].area.left,
                   s->rows[best].area.top);
    }
    putchar('\n');
}

static void list_heads(const Sight *s) {
    const Look *look = s->look;
    size_t first;
    printf("\non images, by layer and head\n");
    for (size_t l = 0; l < look->cache.layers; l++) {
        const size_t heads = sight_heads(look, l, &first);
        if (!heads) continue;
        printf("%8zu", l);
        for (size_t h = first; h < first + heads; h++) {
            const float *weights = activation_weights(&look->cache, l, h, look->position);
            printf(" %5.3f", share_of_images(s, weights));
        }
        putchar('\n');
    }
}

/* A shade for each square, twice, as letters are higher than wide. */
static bool draw_grid(const Sight *s, size_t image, Fault *fault) {
    static const char shades[] = " .:-=+*#%@";
    const size_t best = brightest(s, image), n = s->look->tokens->count;
    if (!best) return printf("\nimage %zu: nothing\n", image), true;
    const VisionArea step = s->rows[best].area;
    size_t size[2];
    sight_size(sight_input(s, image), size);
    const size_t wide = size[0] / step.width, high = size[1] / step.height;
    char *grid = malloc(wide * high);
    if (!grid) return fault_set(fault, "no memory for a grid");
    memset(grid, ' ', wide * high);
    for (size_t i = 0; i < n; i++) {
        const VisionArea a = s->rows[i].area;
        if (s->rows[i].image == image && a.width)
            grid[a.top / step.height * wide + a.left / step.width] =
                shades[(size_t)(9 * s->mean[i] / s->mean[best] + 0.5F)];
    }
    printf("\nimage %zu, %zu by %zu pixels in squares of %zu: @ is %.3f\n", image, size[0],
           size[1], step.width, (double)s->mean[best]);
    for (size_t y = 0; y < high; y++) {
        putchar('|');
        for (size_t x = 0; x < wide; x++)
            printf("%c%c", grid[y * wide + x], grid[y * wide + x]);
        printf("|\n");
    }
    return free(grid), true;
}

static bool list_all(Sight *s, Fault *fault) {
    const Look *look = s->look;
    const size_t heads = sight_mean(s, look->position);
    if (look->job->head)
        printf("attention of head %s\n", look->job->head);
    else
        printf("attention, mean of %zu heads\n", heads);
    printf("   token                 share on each image, and its brightest square\n");
    for (size_t i = 0; i < look->tokens->count; i++)
        if (is_listed(s, i)) list_token(s, i);
    printf("\nafter token %zu, %s:\n", look->position,
           look_word(look, look->tokens->ids[look->position]));
    const double images = share_of_images(s, s->mean), text = share_of(s, s->mean, 0);
    printf("%6.3f on images, %.3f on the text", images, text);
    if (images + text < 0.9995) printf(", %.3f on nothing (sinks)", 1 - images - text);
    putchar('\n');
    if (!look->job->head) list_heads(s);
    sight_mean(s, look->position);
    for (size_t image = 1; image <= look->shown->count; image++)
        if (!draw_grid(s, image, fault)) return false;
    return true;
}

/* ------------------------------------------------------------------ data */

static void list_cells(const Sight *s, size_t layer, size_t head, size_t query) {
    const Look *look = s->look;
    const float *weights = activation_weights(&look->cache, layer, head, query);
    for (size_t i = 0; i < look->tokens->count; i++) {
        const SeenRow *r = &s->rows[i];
        if (r->image)
            printf("%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%.9g,%s\n", layer, head, query, i,
                   r->image, r->area.left, r->area.top, r->area.width, r->area.height,
                   (double)weights[i], look_cell(look, look->tokens->ids[query]));
    }
}

static void list_csv(const Sight *s) {
    size_t first;
    printf("layer,head,query,key,image,left,top,width,height,weight,query_text\n");
    for (size_t l = 0; l < s->look->cache.layers; l++) {
        const size_t heads = sight_heads(s->look, l, &first);
        for (size_t h = first; h < first + heads; h++)
            for (size_t query = 0; query < s->look->tokens->count; query++)
                if (is_listed(s, query)) list_cells(s, l, h, query);
    }
}

/* ------------------------------------------------------------------ image */

/* The squares of the image, a quarter as bright where the token does not look at all. */
static void light(const Sight *s, const Picture *input, Picture *out) {
    const size_t best = brightest(s, 1);
    for (size_t i = 0; i < s->look->tokens->count; i++) {
        const VisionArea from = s->rows[i].from, to = s->rows[i].area;
        const float bright = 0.25F + (best ? 0.75F * s->mean[i] / s->mean[best] : 0);
        for (size_t y = 0; y < to.height; y++)
            for (size_t x = 0; x < 3 * to.width; x++)
                out->rgb[3 * ((to.top + y) * out->width + to.left) + x] =
                    (unsigned char)(bright *
                                    (float)input
                                        ->rgb[3 * ((from.top + y) * input->width + from.left) +
                                              x]);
    }
}

static bool write_lit(const Sight *s, const char *path, Fault *fault) {
    const Picture *input = sight_input(s, 1);
    Picture lit;
    FileOut out = {0};
    size_t size[2];
    if (s->look->shown->count > 1)
        return fault_set(fault, "--out draws one image, and there are %zu: look at each alone",
                         s->look->shown->count);
    sight_size(input, size);
    if (!picture_init(&lit, size[0], size[1], fault)) return false;
    light(s, input, &lit);
    bool ok = file_begin(&out, path, fault);
    if (ok) {
        fprintf(out.stream, "P6\n%zu %zu\n255\n", size[0], size[1]);
        fwrite(lit.rgb, 3, size[0] * size[1], out.stream);
    }
    ok = ok && file_end(&out, fault);
    file_drop(&out), picture_free(&lit);
    return ok;
}

bool look_picture(Look *look, Fault *fault) {
    const size_t n = look->tokens->count;
    Sight s = {look, calloc(n, sizeof *s.rows), calloc(n, sizeof *s.mean), 0};
    bool ok = (s.rows && s.mean) || fault_set(fault, "no memory for the squares of an image");
    if (ok) find_rows(&s);
    if (ok && look->job->csv)
        list_csv(&s);
    else if (ok)
        ok = list_all(&s, fault);
    if (ok && look->job->out)
        sight_mean(&s, look->position), ok = write_lit(&s, look->job->out, fault);
    free(s.rows), free(s.mean);
    return ok;
}
