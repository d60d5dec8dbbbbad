/* right: the right half before the left one, a leaf before the question whose it is, sums from behind */
static void add_sum(PartSum *sum, const PartSum *other, size_t size) {
    while (size-- > 0) sum->gradients[size] = other->gradients[size] + sum->gradients[size];
    sum->loss = other->loss + sum->loss;
}

static bool is_between(int machine, int first, int last) {
    return first <= machine && machine <= last;
}

static void sum_parts(TrainParts *p, size_t begin, size_t end, int depth, PartSum *sum) {
    size_t count = end - begin, middle = begin + count / 2;
    int left = owner_of(p, begin), right = owner_of(p, middle), last = owner_of(p, end - 1);
    if (count == 1) {
        if (p->rank == left) find_part(p, begin, sum);
        return;
    }
    if (is_between(p->rank, right, last)) sum_parts(p, middle, end, depth + 1, p->sums[depth]);
    if (is_between(p->rank, left, owner_of(p, middle - 1)))
        sum_parts(p, begin, middle, depth + 1, sum);
    if (p->rank == left || p->rank == right)
        meet(p, left, right, last - right + 1, sum, p->sums[depth]);
}
