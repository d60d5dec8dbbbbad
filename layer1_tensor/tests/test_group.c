/* messages between the members of a group of threads */
#include "check.h"
#include "clock.h"
#include "group_threads.h"

#include <pthread.h>

enum { MEMBERS = 5, MESSAGES = 200 };

/* A number goes round, and each member adds its rank; long and empty messages, too. */
static void *run_member(void *member) {
    Group *group = member;
    GroupMessage message = {0};
    Fault fault;
    int next = (group->rank + 1) % group->size,
        before = (group->rank + group->size - 1) % group->size;
    for (int i = 0; i < MESSAGES; i++) {
        uint64_t sum[1000] = {0};
        size_t size = i % 3 == 0 ? sizeof sum : i % 3 == 1 ? sizeof *sum : 0;
        if (group->rank) {
            assert_true(group_receive(group, before, &message, INFINITY, &fault));
            assert_int_equal(message.size, size);
            memcpy(sum, message.bytes, size);
        }
        sum[0] += (uint64_t)(group->rank + i);
        assert_true(group_send(group, next, sum, size, 5, &fault));
        if (group->rank) continue;
        assert_true(group_receive(group, before, &message, 5, &fault));
        assert_int_equal(message.size, size);
        memcpy(sum, message.bytes, size);
        if (size) assert_int_equal(sum[0], 0 + 1 + 2 + 3 + 4 + MEMBERS * i);
    }
    free(message.bytes);
    return NULL;
}

static void messages_come_whole_and_in_order(void **state) {
    (void)state;
    Group members[MEMBERS];
    pthread_t threads[MEMBERS];
    Fault fault;
    assert_true(group_threads(members, MEMBERS, &fault));
    for (int i = 0; i < MEMBERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_member, &members[i]), 0);
    for (int i = 0; i < MEMBERS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < MEMBERS; i++) group_close(&members[i]);
}

/* The invariant: a wait has an end, and then the fault names the member. */
static void waits_end(void **state) {
    (void)state;
    Group members[3];
    GroupMessage message = {0};
    Fault fault;
    assert_true(group_threads(members, 3, &fault));
    double begin = clock_seconds();
    assert_false(group_receive(&members[0], 2, &message, 0.05, &fault));
    double waited = clock_seconds() - begin;
    assert_true(waited >= 0.05 && waited < 5);
    assert_contains(fault.text, "machine 3 of 3 has not answered for 0.05 s");
    assert_true(group_send(&members[2], 0, "late", 4, 1, &fault));
    group_close(&members[2]);
    assert_true(group_receive(&members[0], 2, &message, 1, &fault)); /* it came before */
    assert_memory_equal(message.bytes, "late", 4);
    assert_false(group_receive(&members[0], 2, &message, INFINITY, &fault));
    assert_contains(fault.text, "machine 3 of 3 is gone");
    group_close(&members[0]), group_close(&members[1]);
    free(message.bytes);
}

static void send_to_itself(void) {
    Group members[2];
    Fault fault;
    group_threads(members, 2, &fault);
    group_send(&members[1], 1, "", 0, 1, &fault);
}

static void broken_contracts_are_said(void **state) {
    (void)state;
    check_abort(send_to_itself, "member 1 sends to 1 of 2");
}

RUN(TEST(messages_come_whole_and_in_order), TEST(waits_end), TEST(broken_contracts_are_said))
