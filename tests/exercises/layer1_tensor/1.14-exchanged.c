/* right: an exchange that is tried again when another thread came between; the first stretches get the chunks that are left over */
static bool run_chunk(Loop *loop, Stretch *stretch, int worker) {
    size_t begin = atomic_load(&stretch->next), end;
    do {
        if (begin >= stretch->end) return false;
        end = begin + loop->grain < stretch->end ? begin + loop->grain : stretch->end;
    } while (!atomic_compare_exchange_weak(&stretch->next, &begin, end));
    loop->task(loop->context, worker, begin, end);
    return true;
}

void loop_divide(Loop *loop, size_t count) {
    size_t chunks = count / loop->grain + (count % loop->grain != 0), at = 0;
    size_t each = chunks / loop->threads, more = chunks % loop->threads;
    for (size_t i = 0; i < loop->threads; i++) {
        size_t size = (each + (i < more)) * loop->grain;
        atomic_store(&loop->stretches[i].next, at);
        at = at + size < count ? at + size : count;
        loop->stretches[i].end = at;
    }
}
