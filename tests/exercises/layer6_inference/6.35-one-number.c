/* right: levels are integers; who waits is asked in one condition after the other */
static double urgency(const Plan *d, const ScheduleJob *j) {
    double level = j->priority;
    if (d->policy->ageing <= 0 || j->turn > 0) return level;
    return level + (double)(long long)((d->now - j->arrival) / d->policy->ageing);
}

static bool before(const Plan *d, size_t a, size_t b) {
    double difference = urgency(d, &d->jobs[a]) - urgency(d, &d->jobs[b]);
    if (difference > 0) return true;
    if (difference < 0) return false;
    if (d->jobs[a].turn < d->jobs[b].turn) return true;
    if (d->jobs[a].turn > d->jobs[b].turn) return false;
    if (d->jobs[a].arrival < d->jobs[b].arrival) return true;
    if (d->jobs[a].arrival > d->jobs[b].arrival) return false;
    return a < b;
}
