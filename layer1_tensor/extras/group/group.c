/* group.c - see group.h. */
#include "group.h"
#include "grow.h"

bool group_send(Group *group, int to, const void *bytes, size_t size, double seconds,
                Fault *fault) {
    REQUIRE(to >= 0 && to < group->size && to != group->rank, "member %d sends to %d of %d",
            group->rank, to, group->size);
    return group->kind->send(group, to, bytes, size, seconds, fault);
}

bool group_receive(Group *group, int from, GroupMessage *message, double seconds,
                   Fault *fault) {
    REQUIRE(from >= 0 && from < group->size && from != group->rank,
            "member %d receives from %d of %d", group->rank, from, group->size);
    if (!group->kind->wait(group, from, &message->size, seconds, fault)) return false;
    if (!GROW(message->bytes, message->room, message->size + 1))
        return fault_set(fault, "no memory for a message of %zu bytes", message->size);
    return group->kind->take(group, from, message->bytes, message->size, seconds, fault);
}

void group_close(Group *group) {
    if (group->kind) group->kind->close(group);
    *group = (Group){0};
}
