// Who gets a slot, and who loses his. The test decides what time it is.
#include "serve/request_slots.h"

#include "kit/test.h"

namespace fardel::tests::request_slots_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

const SteadyTime kStart{};

struct Requests {
    std::vector<int> ended;
    std::function<void()> ending(int number) {
        return [this, number] { ended.push_back(number); };
    }
};

TEST_CASE("request slots: the slowest request loses its slot to a new one, and not the new one is refused") {  // A145
    Requests requests;
    RequestSlots slots(3, 3);
    auto first = slots.acquire({"a"}, requests.ending(1), kStart);
    auto second = slots.acquire({"b"}, requests.ending(2), kStart);
    auto third = slots.acquire({"c"}, requests.ending(3), kStart);
    REQUIRE(third);
    first->count_received(1000);
    second->count_received(999);
    third->count_received(5000);
    CHECK_FALSE(slots.acquire({"d"}, requests.ending(4), kStart + kSlotGrace - milliseconds(1)));
    CHECK(requests.ended.empty());
    auto fourth = slots.acquire({"d"}, requests.ending(4), kStart + kSlotGrace);
    CHECK(fourth.has_value());
    CHECK(requests.ended == std::vector<int>{2});
    second.reset();  // gives nothing back twice
    // The new one has come with nothing and has its time, too; until then nobody who is quicker ends.
    CHECK_FALSE(slots.acquire({"e"}, requests.ending(5), kStart + 2 * kSlotGrace - milliseconds(1)));
    CHECK(slots.acquire({"e"}, requests.ending(5), kStart + 2 * kSlotGrace));
    CHECK(requests.ended == std::vector<int>{2, 4});
}

TEST_CASE("request slots: many that begin again and again do not push out one that sends quickly") {  // A145
    Requests requests;
    RequestSlots slots(4, 4);
    auto honest = slots.acquire({"honest"}, requests.ending(0), kStart);
    std::vector<std::optional<RequestSlots::Slot>> hostile;
    for (int second = 0; second < 100; ++second) {
        honest->count_received(100);
        auto slot = slots.acquire({std::to_string(second)}, requests.ending(1), kStart + seconds(second));
        if (slot)
            hostile.push_back(std::move(slot));
    }
    CHECK(hostile.size() >= 3);
    CHECK(std::ranges::count(requests.ended, 0) == 0);
}

TEST_CASE("request slots: a client has so many, under each of its names; those that ended do not count") {  // A82
    Requests requests;
    RequestSlots slots(4, 2);
    auto first = slots.acquire({"address", "key"}, requests.ending(1), kStart);
    auto second = slots.acquire({"address", ""}, requests.ending(2), kStart);
    CHECK_FALSE(slots.acquire({"address", "other"}, requests.ending(3), kStart + kSlotGrace));
    auto third = slots.acquire({"elsewhere", "key"}, requests.ending(3), kStart);
    CHECK_FALSE(slots.acquire({"", "key"}, requests.ending(4), kStart + kSlotGrace));
    first->count_received(1);
    third->count_received(1);
    auto unknown = slots.acquire({""}, requests.ending(4), kStart);
    unknown->count_received(1);
    CHECK(slots.acquire({""}, requests.ending(5), kStart + kSlotGrace));
    CHECK(requests.ended == std::vector<int>{2});
    CHECK(slots.acquire({"address"}, requests.ending(6), kStart + kSlotGrace));
}

TEST_CASE("request slots: a request whose body is whole keeps its slot") {
    Requests requests;
    RequestSlots slots(1, 1);
    auto slot = slots.acquire({"a"}, requests.ending(1), kStart);
    slot->complete();
    CHECK_FALSE(slots.acquire({"b"}, requests.ending(2), kStart + seconds(1000)));
    slot.reset();
    CHECK(slots.acquire({"b"}, requests.ending(2), kStart + seconds(1000)));
}

TEST_CASE("request slots: for room, a slower request ends, and never the one that needs it") {  // A145
    Requests requests;
    RequestSlots slots(3, 3);
    auto quick = slots.acquire({"a"}, requests.ending(1), kStart);
    auto slow = slots.acquire({"b"}, requests.ending(2), kStart);
    quick->count_received(1000);
    CHECK_FALSE(slots.end_slower_than(*quick, kStart + kSlotGrace - milliseconds(1)));
    CHECK_FALSE(slots.end_slower_than(*slow, kStart + kSlotGrace));
    CHECK(slots.end_slower_than(*quick, kStart + kSlotGrace));
    CHECK(requests.ended == std::vector<int>{2});
    CHECK_FALSE(slots.end_slower_than(*quick, kStart + kSlotGrace));
    CHECK_FALSE(slots.end_slower_than(*slow, kStart + kSlotGrace));  // it has ended itself
}

}  // namespace fardel::tests::request_slots_test
