// Answers that take work: made once, kept, and paid from a budget of what they cost.
#include "serve/kept_answers.h"
#include "serve/work_budget.h"

#include "kit/bytes.h"
#include "kit/test.h"

#include <atomic>
#include <thread>

namespace fardel::tests::kept_answers_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("work budget: it counts what work costs, up to what was saved, and not a byte more") {  // A144
    const SteadyTime start{};
    WorkBudget budget(1000, 100, start);
    CHECK_FALSE(budget.try_spend(1001, start));
    CHECK(budget.try_spend(1000, start));
    CHECK_FALSE(budget.try_spend(1, start));
    CHECK_FALSE(budget.try_spend(101, start + seconds(1)));
    CHECK(budget.try_spend(100, start + seconds(1)));
    CHECK_FALSE(budget.try_spend(1001, start + seconds(10'000)));  // no more is saved
    CHECK(budget.try_spend(1000, start + seconds(10'000)));
}

TEST_CASE("kept answers: the same question is answered once, however many ask, and whoever asks meanwhile waits") {
    KeptAnswers answers(1000);  // A144
    std::atomic<int> made = 0;
    std::atomic<int> right = 0;
    const auto make = [&]() -> Result<std::vector<std::byte>> {
        ++made;
        std::this_thread::sleep_for(milliseconds(100));
        return bytes_of("the answer");
    };
    {
        std::vector<std::jthread> clients;
        for (int i = 0; i < 8; ++i)
            clients.emplace_back(
                [&] { right += value_of(answers.find_or_make("q", make))->size_bytes() == 10 ? 1 : 0; });
    }
    CHECK(made == 1);
    CHECK(right == 8);
    const auto again = value_of(answers.find_or_make("q", make));
    CHECK(again == value_of(answers.find_or_make("q", make)));  // in memory once
    CHECK(made == 1);
}

TEST_CASE("kept answers: they have so many bytes together; what was not asked for longest is made again") {  // A144
    KeptAnswers answers(1000);
    int made = 0;
    const auto ask = [&](const std::string& question, std::size_t bytes) {
        static_cast<void>(answers.find_or_make(question, [&]() -> Result<std::vector<std::byte>> {
            ++made;
            return std::vector<std::byte>(bytes);
        }));
    };
    ask("a", 500);
    ask("b", 500);
    ask("a", 500);
    CHECK(made == 2);
    ask("c", 1);  // one byte too many: b goes
    ask("a", 500);
    ask("c", 1);
    CHECK(made == 3);
    ask("b", 500);
    CHECK(made == 4);
    ask("large", 1001);  // is sent, and not kept
    CHECK(made == 5);
    ask("large", 1001);
    CHECK(made == 6);
}

TEST_CASE("kept answers: what could not be made is no answer, and the next one who asks gets his own") {
    KeptAnswers answers(1000);
    const auto fails = []() -> Result<std::vector<std::byte>> { return Error(ErrorCode::busy, "not now"); };
    CHECK(code_of(answers.find_or_make("q", fails)) == ErrorCode::busy);
    CHECK(value_of(answers.find_or_make("q", [] { return Result(bytes_of("x")); }))->size_bytes() == 1);
}

}  // namespace fardel::tests::kept_answers_test
