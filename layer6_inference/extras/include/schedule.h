/* schedule.h - who reads how many tokens in the next step.
 *
 * A service has more texts than fit into memory, and each step of the model has room for so many
 * tokens.  The plan of a step needs no model: it is a function of numbers, so that tests can try a
 * million of them and a simulator can run a day of traffic in seconds.
 *
 *     waiting   #### ## ########            bounded; the most urgent first
 *                  | admit: its pages fit        ^
 *                  v                             | preempt: no page is free
 *     running   w  w  w  [######......]  w       w: lacks one token, the one it chose last
 *               1  1  1       64         1       tokens of the plan, `budget` in all
 *
 * The rules, in their order:
 *
 *     1. a job that was cancelled, or whose deadline is over, is dropped
 *     2. answers first: a running job that lacks one token gets it
 *     3. prompts of running jobs in turn, `chunk` tokens each, so that a long one starves nobody; beside
 *        answers no more of them than make the step `stretch` times as long
 *     4. who waits is admitted while there are places and pages; the most urgent is never passed
 *     5. a job that needs a page when none is free takes those of the least urgent one behind it,
 *        which waits then, and reads its text again
 *
 * Urgency is the priority, and who has waited `ageing` seconds is one level higher.  Among equals the
 * users take turns, a job of each in a round; in a round, who came first.  Who is not in this round
 * yet waits for jobs of his own, and does not age.
 *
 * A job that is larger than the memory stands still: its owner has to end it.
 *
 * Invariant: nobody gives pages to a less urgent job; and while `budget` is larger than `running`,
 * the most urgent job that runs reads a token in every step, a prompt in its turn: all come to an end.
 * Source   Yu et al. 2022, Orca (a batch is made anew for each step); Kwon et al. 2023,
 *          arXiv:2309.06180 (pages, preemption by reading again); Agrawal et al. 2024,
 *          arXiv:2403.02310 (prompts in chunks beside answers). */
#ifndef STRATA_SCHEDULE_H
#define STRATA_SCHEDULE_H

#include "step_cost.h"

/* Tokens of prompts in a step, whatever they take: prompts come to an end. */
enum { SCHEDULE_LEAST = 4 };

/* A usual `stretch`: with what steps vary by, 19 of 20 waits are below two steps of those who are answered. */
#define SCHEDULE_STRETCH 1.25

typedef struct SchedulePolicy {
    size_t budget;  /* tokens of a step; more than `running` */
    size_t chunk;   /* tokens of one prompt in a step, while others are served; 0: no limit */
    size_t running; /* jobs in memory at the same time */
    size_t waiting; /* jobs in the queue, at most */
    double ageing;  /* seconds of waiting that are worth a level of priority; 0: none */
    double stretch; /* prompts may make a step of answers so many times as long; 0: no limit */
    double pace;    /* seconds: and as long as this in any case */
    /* by which that is reckoned; NULL: nobody knows, and there is no limit */
    const StepCost *cost;
    /* as before Orca: a batch is filled up to its places, all its prompts are read, all write until the last is over; then the
     * next one */
    bool static_batch;
    bool prompts_first; /* rule 3 before rule 2: answers stand still while a prompt is read */
} SchedulePolicy;

/* What a plan knows of a job. */
typedef struct ScheduleJob {
    int priority;    /* the larger, the more urgent */
    double arrival;  /* seconds, by the clock of `now` */
    double deadline; /* when it is given up; 0: never */
    size_t tokens;   /* its prompt, and its answer so far */
    size_t read;     /* of these, those that are in memory; 0 while it waits */
    size_t cached;   /* while it waits: those that need not be read, less than `tokens` */
    /* the round in which it is its user's turn; 0: this one, or one that is over */
    size_t turn;
    uint64_t served; /* the step in which it read last: prompts take turns */
    bool running, cancelled;
} ScheduleJob;

typedef struct ScheduleMemory {
    size_t page_tokens; /* tokens of a page */
    size_t pages, free;
} ScheduleMemory;

/* What becomes of a job in this step. */
typedef struct SchedulePlan {
    size_t tokens; /* that it reads */
    size_t rank;   /* among all: 0 is the most urgent */
    bool drop, admit, preempt;
} SchedulePlan;

/* Is there a place in the queue, and could the job ever run?
 *
 * Fails with the reason, for whoever sent it. */
bool schedule_accepts(const SchedulePolicy *policy, const ScheduleMemory *memory,
                      size_t waiting, size_t tokens, Fault *fault);

/* The round in which it is a request's turn: `round`, or the one after that of another request, where that is of the same user;
 * over all that wait or run it ends behind his last one.  User 0 is somebody who sends no other: everybody is. */
size_t schedule_round(size_t round, uint64_t user, uint64_t other, size_t round_of_other);

/* The next step.
 *
 *   jobs    (n) in any order
 *   plan    (n) written: of the job at the same place
 *   order   (n) scratch: afterwards the places of the jobs, the most urgent first
 *
 * Cost    n log n. */
void schedule_plan(const SchedulePolicy *policy, const ScheduleMemory *memory,
                   const ScheduleJob *jobs, size_t n, double now, SchedulePlan *plan,
                   size_t *order);

#endif
