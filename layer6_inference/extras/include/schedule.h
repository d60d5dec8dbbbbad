/* schedule.h - who reads how many tokens in the next step.
 *
 * A service has more texts than fit into memory, and a step of the model has room for a limited
 * number of tokens.  Planning a step needs no model: it is a function of numbers, so tests can
 * try a million plans and a simulator can run a day of traffic in seconds.
 *
 *     waiting   #### ## ########            bounded; the most urgent first
 *                  | admit: its pages fit        ^
 *                  v                             | preempt: no page is free
 *     running   w  w  w  [######......]  w       w: lacks one token, the one it chose last
 *               1  1  1       64         1       tokens of the plan, `budget` in all
 *
 * The rules, in their order:
 *
 *     1. a job that is cancelled or past its deadline is dropped
 *     2. answers first: a running job that lacks one token gets it
 *     3. prompts of running jobs, round robin, `chunk` tokens each, so that a long one starves
 *        no other; beside answers, only so many that the step takes `stretch` times as long
 *     4. waiting jobs are admitted while there are slots and pages; none overtakes the most
 *        urgent
 *     5. a job that needs a page when none is free preempts the least urgent job behind it,
 *        which later recomputes its prefix
 *
 * Urgency is the priority, plus one level for `ageing` seconds of waiting.  Among equals, users
 * take turns with one job per round; within a round, first come, first served.  A job that is
 * not in this round waits for jobs of its own user, and does not age.
 *
 * A job larger than the memory never runs: its owner has to end it.
 *
 * Invariant: no job gives pages to a less urgent one; and while `budget` is larger than
 * `running`, the most urgent running job reads a token in every step, a prompt in its turn: so
 * all jobs finish [the_most_urgent_is_never_passed, random_steps_are_sound].
 * Source   Yu et al. 2022, Orca (continuous batching); Kwon et al. 2023, arXiv:2309.06180
 *          (pages, preemption by recomputation); Agrawal et al. 2024, arXiv:2403.02310
 *          (chunked prefill). */
#ifndef STRATA_SCHEDULE_H
#define STRATA_SCHEDULE_H

#include "step_cost.h"

/* Minimum prompt tokens per step, so that prompts finish. */
enum { SCHEDULE_LEAST = 4 };

/* A usual `stretch`: with the noise of steps, 19 of 20 gaps stay below two decode steps. */
#define SCHEDULE_STRETCH 1.25

typedef struct SchedulePolicy {
    size_t budget;  /* tokens per step; more than `running` */
    size_t chunk;   /* tokens of one prompt per step, beside others; 0: no limit */
    size_t running; /* running jobs: KV slots */
    size_t waiting; /* maximum queue length */
    double ageing;  /* seconds of waiting per level of priority; 0: no ageing */
    double stretch; /* prompts may make a decode step so many times as long; 0: no limit */
    double pace;    /* seconds; a step may always take this long */
    /* to estimate that; NULL: unknown, no limit */
    const StepCost *cost;
    /* static batching, as before Orca: fill a batch, prefill it, decode until the last is
     * over, then the next */
    bool static_batch;
    bool prompts_first; /* rule 3 before rule 2: answers wait while a prompt is read */
} SchedulePolicy;

/* What a plan knows of a job. */
typedef struct ScheduleJob {
    int priority;    /* larger is more urgent */
    double arrival;  /* seconds, by the clock of `now` */
    double deadline; /* when it is dropped; 0: never */
    size_t tokens;   /* its prompt and its answer so far */
    size_t read;     /* of these, those in memory; 0 while it waits */
    size_t cached;   /* while it waits: cached tokens, fewer than `tokens` */
    /* round of its user's turn; 0: this one or an earlier one */
    size_t turn;
    uint64_t served; /* step in which it last read: prompts take turns */
    bool running, cancelled;
} ScheduleJob;

typedef struct ScheduleMemory {
    size_t page_tokens; /* tokens per page */
    size_t pages, free;
} ScheduleMemory;

/* A job's part in this step. */
typedef struct SchedulePlan {
    size_t tokens; /* to evaluate */
    size_t rank;   /* among all: 0 is the most urgent */
    bool drop, admit, preempt;
} SchedulePlan;

/* Is there a place in the queue, and could the job ever run?
 *
 * Fails with a reason for the client. */
bool schedule_accepts(const SchedulePolicy *policy, const ScheduleMemory *memory,
                      size_t waiting, size_t tokens, Fault *fault);

/* The round of a new request: `round`, or the one after its user's last waiting or running
 * request.  User 0 is a new user for every request. */
size_t schedule_round(size_t round, uint64_t user, uint64_t other, size_t round_of_other);

/* Plan the next step.
 *
 *   jobs    (n) in any order
 *   plan    (n) written: for the job with the same index
 *   order   (n) scratch: afterwards job indices, the most urgent first
 *
 * Cost     looks at jobs about n log2(n) times, and n times more for each prompt that it
 *          serves and each job that it preempts [a_plan_looks_at_each_job_a_few_times]. */
void schedule_plan(const SchedulePolicy *policy, const ScheduleMemory *memory,
                   const ScheduleJob *jobs, size_t n, double now, SchedulePlan *plan,
                   size_t *order);

#endif
