// Installing, updating and removing that are killed at any step.
#include "mod_change.h"

#include "kit/failing_call.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace fardel {
namespace {

using namespace fardel::tests;

#if defined(FARDEL_CAN_FAIL_CALLS)

void check_killed(const ModChange& changing, const std::function<int()>& change, const std::string& then) {
    int number = 1;
    for (bool paused = true; paused; ++number) {
        CAPTURE(number);
        REQUIRE(number < 1000);
        changing.restore();
        {
            PausedChild child(number, changes_files, change);
            paused = child.is_paused();
            CHECK((paused || child.exit_code() == 0));
        }
        changing.check(change, then, number % 2 == 0);
    }
    CHECK(number > 8);
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

}  // namespace
}  // namespace fardel
