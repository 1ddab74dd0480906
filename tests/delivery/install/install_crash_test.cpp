// Installing, updating and removing that are killed at any step.
#include "mod_change.h"

#include "kit/failing_call.h"

#include <functional>

namespace fardel::tests::install_crash_test {

#if defined(FARDEL_CAN_FAIL_CALLS)

void check_killed(const ModChange& changing, const std::function<int()>& change, const std::string& then) {
    const int runs = kill_at_each_call(
        1000, [&] { changing.restore(); }, change,
        [&](int number, bool) { changing.check(change, then, number % 2 == 0); });
    CHECK(runs > 8);
}

TEST_CASE("install: killed at any step, the old set is mounted or the new one, and a repetition ends well") {  // A100
    const ModChange changing;
    check_killed(
        changing, [&] { return changing.install(); }, "base 1.1, castle 1.0, forest 1.0");
}

TEST_CASE("update: killed at any step, the old set is mounted or the new one, and a repetition ends well") {  // A100
    const ModChange changing;
    check_killed(
        changing, [&] { return changing.update(); }, "base 1.1, castle 1.1");
}

TEST_CASE("remove: killed at any step, the old set is mounted or the new one, and a repetition ends well") {  // A100
    const ModChange changing;
    check_killed(
        changing, [&] { return changing.remove(); }, "");
}

#endif

}  // namespace fardel::tests::install_crash_test
