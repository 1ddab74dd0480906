// TablesAnswers: answers questions for the tables of many bundles (tables_question.h), within a budget per client.
//
// Bundles that are not served are left out of an answer, whatever else the server has of them. Any thread.
#pragma once

#include "serve/served_files.h"
#include "serve/server_answer.h"
#include "serve/turns.h"

#include <fardel/base/clock.h>
#include <fardel/delivery/tables_question.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

namespace fardel {

struct TablesBudget {
    std::uint64_t bytes_max = 128u << 20;       // of answers that one address may have at once
    std::uint64_t bytes_per_second = 4u << 20;  // that it may have again
    unsigned questions_max = 16;                // at a time, of all clients
    unsigned questions_of_client_max = kTurnsOfClientMax;
};

class TablesAnswers {
public:
    // `files` outlives the object. `note`: called with each question that is answered, by any thread.
    using Note = std::function<void(const TablesQuestion&, std::string_view client)>;
    TablesAnswers(const ServedFiles& files, Note note, const TablesBudget& budget = {})
        : files_(files),
          note_(std::move(note)),
          budget_(budget),
          turns_(budget.questions_max, budget.questions_of_client_max) {}

    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin(const ReceivedRequest& request);

private:
    class Receiver;
    struct Account {
        std::uint64_t left_bytes = 0;
        SteadyTime since;
    };
    // What an address may have now.
    std::uint64_t left_bytes(const std::string& peer, SteadyTime now);
    void spend(const std::string& peer, std::uint64_t bytes);

    const ServedFiles& files_;
    const Note note_;
    const TablesBudget budget_;
    std::mutex mutex_;
    std::unordered_map<std::string, Account> accounts_;
    Turns turns_;
};

}  // namespace fardel
