// Installing, updating and removing of which a call on files fails.
#include "mod_change.h"

#include "kit/failing_call.h"

#include <fardel/base/system_error.h>

#include <cerrno>
#include <functional>

namespace fardel::tests::install_faults_test {

#if defined(FARDEL_CAN_FAIL_CALLS)

// Lets call `number`, then each `stride`-th one after it fail.
void check_failing(const ModChange& changing, const std::function<int()>& change, const std::string& then, int number,
                   int stride) {
    constexpr int kErrors[] = {ENOSPC, EIO, EROFS, EDQUOT};
    const int runs = for_each_call(3000, [&](int run) {
        const int call = number + (run - 1) * stride;
        const FailedCall outcome = [&] {
            changing.restore();
            return fail_call(call, kErrors[call / stride % 4], change);
        }();
        CAPTURE(outcome.error);
        CAPTURE(outcome.call);
        CHECK(outcome.is_end({ErrorCode::unreachable}));  // calls on sockets fail, too
        changing.check(change, then, call / stride % 2 == 0);
        return outcome.failed;
    });
    CHECK(number + (runs - 1) * stride > 20);
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

}  // namespace fardel::tests::install_faults_test
