// Installing, updating and removing of which a call on files fails.
#include "mod_change.h"

#include "kit/failing_call.h"

#include <fardel/base/system_error.h>

#include <doctest/doctest.h>

#include <cerrno>
#include <functional>
#include <string>

namespace fardel {
namespace {

using namespace fardel::tests;

#if defined(FARDEL_CAN_FAIL_CALLS)

// Lets call `number`, then each `stride`-th one after it fail.
void check_failing(const ModChange& changing, const std::function<int()>& change, const std::string& then, int number,
                   int stride) {
    constexpr int kErrors[] = {ENOSPC, EIO, EROFS, EDQUOT};
    for (bool failed = true; failed; number += stride) {
        const int error = kErrors[number / stride % 4];
        CAPTURE(number);
        CAPTURE(error);
        REQUIRE(number < 3000);
        changing.restore();
        const FailedCall outcome = fail_call(number, error, change);
        failed = outcome.failed;
        CAPTURE(outcome.call);
        // Calls on sockets fail, too: a server that cannot be reached.
        CHECK((outcome.exit_code == 0 || outcome.exit_code == 1 + static_cast<int>(error_code_of(error)) ||
               outcome.exit_code == 1 + static_cast<int>(ErrorCode::unreachable)));
        changing.check(change, then, number / stride % 2 == 0);
    }
    CHECK(number > 20);
}

// Installing and updating make nearly the same thousand calls; every other one fails in one of the two.
TEST_CASE("install: whichever call on files fails, the old set is mounted or the new one") {  // A102
    const ModChange changing;
    check_failing(
        changing, [&] { return changing.install(); }, "base 1.1, castle 1.0, forest 1.0", 1, 4);
}

TEST_CASE("update: whichever call on files fails, the old set is mounted or the new one") {  // A102
    const ModChange changing;
    check_failing(
        changing, [&] { return changing.update(); }, "base 1.1, castle 1.1", 3, 4);
}

TEST_CASE("remove: whichever call on files fails, the old set is mounted or the new one") {  // A102
    const ModChange changing;
    check_failing(
        changing, [&] { return changing.remove(); }, "", 1, 1);
}

#endif

}  // namespace
}  // namespace fardel
