// ProjectAnswers: what a server shows of a project: which root is the latest, and its tables against those of an
// earlier one. The bundle files themselves are ServedFiles. Any thread.
#pragma once

#include "serve/kept_answers.h"
#include "serve/request_slots.h"
#include "serve/served_files.h"
#include "serve/server_answer.h"
#include "serve/work_budget.h"

#include <fardel/hosting/live_bundle.h>

#include <memory>
#include <optional>
#include <string_view>
#include <variant>

namespace fardel {

// The roots of a live bundle, which outlives the object, and everything of `others`, which may be nullptr.
std::unique_ptr<ServedFiles> serve_live_bundle(const LiveBundle& bundle, std::unique_ptr<ServedFiles> others);

class ProjectAnswers {
public:
    explicit ProjectAnswers(const LiveBundle& bundle);

    // Whether the target is one of a project: "/project/…".
    static bool is_asked(std::string_view target) noexcept;
    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin(const ReceivedRequest& request);

private:
    class TablesQuestionReceiver;
    ServerAnswer answer_head(const ReceivedRequest& request) const;

    const LiveBundle& bundle_;
    RequestSlots questions_;  // for tables
    KeptAnswers tables_;
    WorkBudget work_;  // for tables
};

}  // namespace fardel
