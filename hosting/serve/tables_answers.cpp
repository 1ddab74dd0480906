#include "serve/tables_answers.h"

#include "serve/question_receiver.h"

#include <fardel/base/file.h>
#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/tables_file.h>
#include <fardel/delivery/tables_question.h>
#include <fardel/format/bundle.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/file_source.h>
#include <fardel/format/head.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kAccountsMax = 4096;
constexpr std::uint64_t kQuestionCost = 64u << 10;  // of a question with an empty answer, in bytes of the budget

std::shared_ptr<const ByteSource> source_of(ServedFile file) {
    if (file.source)
        return std::move(file.source);
    return make_file_source(std::move(file.descriptor), file.size_bytes, "a served file");
}

Result<std::vector<std::byte>> read_all(const ByteSource& source, std::uint64_t bytes_max) {
    if (source.size_bytes() > bytes_max)
        return Error(ErrorCode::limit, "a file is too large");
    std::vector<std::byte> bytes(static_cast<std::size_t>(source.size_bytes()));
    FARDEL_TRY(source.read_at(0, bytes));
    return bytes;
}

// Walks what is wanted and needed, and adds what is served to the answer, as long as there is room.
class AnswerWalk {
public:
    AnswerWalk(const ServedFiles& files, const TablesQuestion& question, std::uint64_t bytes_max)
        : files_(files), question_(question), bytes_max_(bytes_max) {}

    std::vector<std::byte> run() {
        DependencyWalk walk;
        const DependencyWalk::Steps steps{
            .enter = [this](const BundleId& id) { return enter(id); },
            .leave = [](const BundleId&) { return ok(); },
        };
        for (const BundleId& id : question_.wanted)
            if (!walk.run(id, steps))
                break;  // full
        return answer_.take();
    }

private:
    Result<std::optional<std::vector<BundleId>>> enter(const BundleId& id) {
        const std::optional<std::vector<BundleId>> left_out;
        if (std::ranges::binary_search(question_.held, id))
            return left_out;
        auto file = files_.open({.bundle = id, .kind = RequestedFileKind::bundle});
        if (!file)
            return left_out;
        const auto bundle = Bundle::open(source_of(*std::move(file)), {});
        if (!bundle)
            return left_out;  // somebody put another file there
        auto needed = static_dependencies(**bundle);
        const auto result = [&] { return needed ? std::optional(*std::move(needed)) : left_out; };
        if (const auto front = find_front(id)) {
            used_bytes_ += front->size();
            if (!answer_.add({.bundle = id, .file_bytes = 0, .heads = {}, .tables = {}, .front = *front}))
                return Error(ErrorCode::limit, "the answer is full");
            return result();
        }
        const ByteSource& source = *(*bundle)->source();
        std::vector<std::byte> heads(2 * sizeof(HeadBytes));
        if (!source.read_at(0, heads))
            return left_out;
        const auto tables = read_tables(**bundle).value_or(std::vector<std::byte>());
        used_bytes_ += heads.size() + tables.size();
        if (used_bytes_ > bytes_max_ ||
            !answer_.add({.bundle = id, .file_bytes = source.size_bytes(), .heads = heads, .tables = tables}))
            return Error(ErrorCode::limit, "the answer is full");
        return result();
    }

    // Returns the front of the smallest delta from a bundle that the client has, first of those with blocks.
    std::optional<std::vector<std::byte>> find_front(const BundleId& id) const {
        if (question_.held.empty())
            return std::nullopt;
        auto front = find_front(id, RequestedFileKind::delta_list, RequestedFileKind::delta);
        return front ? std::move(front) : find_front(id, RequestedFileKind::front_list, RequestedFileKind::front);
    }

    std::optional<std::vector<std::byte>> find_front(const BundleId& id, RequestedFileKind list_kind,
                                                     RequestedFileKind delta_kind) const {
        auto file = files_.open({.bundle = id, .kind = list_kind});
        if (!file)
            return std::nullopt;
        const auto bytes = read_all(*source_of(*std::move(file)), kDeltaListBytesMax);
        auto list = bytes ? decode_delta_list(*bytes) : bytes.error();
        if (!list)
            return std::nullopt;
        std::ranges::stable_sort(*list, {}, &ListedDelta::delta_bytes);
        const auto listed = std::ranges::find_if(
            *list, [&](const ListedDelta& one) { return std::ranges::binary_search(question_.held, one.old_bundle); });
        if (listed == list->end() || listed->front_bytes > bytes_max_ - std::min(bytes_max_, used_bytes_))
            return std::nullopt;
        auto delta = files_.open({.bundle = id, .kind = delta_kind, .old_bundle = listed->old_bundle});
        if (!delta || delta->size_bytes != listed->delta_bytes || listed->front_bytes > delta->size_bytes)
            return std::nullopt;
        std::vector<std::byte> front(static_cast<std::size_t>(listed->front_bytes));
        return source_of(*std::move(delta))->read_at(0, front) ? std::optional(std::move(front)) : std::nullopt;
    }

    // Nothing: the client reads them from the bundle file.
    std::optional<std::vector<std::byte>> read_tables(const Bundle& bundle) const {
        if (auto file = files_.open({.bundle = bundle.id(), .kind = RequestedFileKind::tables})) {
            auto bytes = read_all(*source_of(*std::move(file)), kTablesAnswerBytesMax);
            return bytes ? std::optional(*std::move(bytes)) : std::nullopt;
        }
        const ByteSource& source = *bundle.source();
        const TableSections sections = table_sections(bundle.head(), bundle.layout_head(), source.size_bytes());
        if (bytes_of(sections) > bytes_max_ - std::min(bytes_max_, used_bytes_))
            return std::nullopt;
        std::vector<std::byte> bytes;
        const Status encoded = encode_tables(source, sections, [&](std::span<const std::byte> frame) {
            bytes.insert(bytes.end(), frame.begin(), frame.end());
            return ok();
        });
        return encoded && bytes.size() < bytes_of(sections) ? std::optional(std::move(bytes)) : std::nullopt;
    }

    const ServedFiles& files_;
    const TablesQuestion& question_;
    const std::uint64_t bytes_max_;
    std::uint64_t used_bytes_ = 0;
    TablesAnswer answer_;
};

}  // namespace

class TablesAnswers::Receiver final : public QuestionReceiver {
public:
    Receiver(TablesAnswers& answers, const ReceivedRequest& request, std::size_t bytes_max, Turns::Turn turn)
        : QuestionReceiver(bytes_max, std::move(turn)),
          answers_(answers),
          peer_(request.peer),
          client_(request.client) {}

private:
    ServerAnswer answer(std::span<const std::byte> bytes) override {
        const auto question = decode_question(bytes);
        if (!question)
            return refuse_question(question.error());
        const std::uint64_t left = answers_.left_bytes(peer_, std::chrono::steady_clock::now());
        if (left < kQuestionCost)
            return plain_answer(429, "too many questions; read the files instead, or ask later");
        const auto answer =
            AnswerWalk(answers_.files_, *question, std::min<std::uint64_t>(left, kTablesAnswerBytesMax)).run();
        answers_.spend(peer_, answer.size() + kQuestionCost);
        answers_.note_(*question, client_);
        return bytes_answer(answer);
    }

    TablesAnswers& answers_;
    const std::string peer_;
    const std::string client_;
};

std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> TablesAnswers::begin(const ReceivedRequest& request) {
    auto bytes = announced_question(request, kQuestionBytesMax);
    if (auto* const refused = std::get_if<ServerAnswer>(&bytes))
        return std::move(*refused);
    auto turn = turns_.take(request.client);
    if (!turn)
        return plain_answer(503, "too many questions at once; read the files instead, or ask later");
    return std::make_unique<Receiver>(*this, request, std::get<std::size_t>(bytes), *std::move(turn));
}

std::uint64_t TablesAnswers::left_bytes(const std::string& peer, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    if (accounts_.size() >= kAccountsMax && !accounts_.contains(peer))
        accounts_.clear();
    const auto [found, is_new] = accounts_.try_emplace(peer, Account{budget_.bytes_max, now});
    Account& account = found->second;
    const auto seconds =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now - account.since).count());
    if (seconds > 0) {
        const std::uint64_t again = std::min(seconds, std::uint64_t{86'400}) * budget_.bytes_per_second;
        account.left_bytes = std::min(budget_.bytes_max, account.left_bytes + again);
        account.since = now;
    }
    return account.left_bytes;
}

void TablesAnswers::spend(const std::string& peer, std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = accounts_.find(peer); found != accounts_.end())
        found->second.left_bytes -= std::min(found->second.left_bytes, bytes);
}

}  // namespace fardel
