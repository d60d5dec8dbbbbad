/* wrong: other bits than on one | each machine adds its own parts, then the machines' sums are added one after the other */
static void sum_parts(TrainParts *p, size_t begin, size_t end, int depth, PartSum *sum) {
    size_t from = cut_at(p->config.parts, (size_t)p->rank, (size_t)p->size),
           to = cut_at(p->config.parts, (size_t)p->rank + 1, (size_t)p->size);
    find_part(p, from, sum);
    for (size_t part = from + 1; part < to; part++) {
        find_part(p, part, p->sums[depth]);
        add_sum(sum, p->sums[depth], p->t->size);
    }
    for (int i = 1; i < p->size; i++)
        if (p->rank == 0 || p->rank == i) meet(p, 0, i, 1, sum, sum);
}
