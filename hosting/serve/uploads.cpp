#include "serve/uploads.h"

#include "registry/page_text.h"
#include "registry/upload_facts.h"
#include "serve/announced_bytes.h"
#include "serve/question_receiver.h"
#include "serve/registry_answers.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/random.h>
#include <fardel/base/text_fields.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/envelope.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/limits.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/published_signatures.h>
#include <fardel/hosting/tree_target.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// Creates a file of the tree's file system and removes its name at once, so that nothing is left of it if the server is
// killed.
Result<Descriptor> create_nameless_file(const std::string& folder) {
    Hash random;
    fill_random(std::as_writable_bytes(std::span(random.bytes)));
    const std::string path = folder + "/.fardel-upload-" + random.hex();
    FARDEL_TRY_ASSIGN(Descriptor file, create_file(path, path, 0600));
    FARDEL_TRY(remove_file(path, path));
    return file;
}

ServerAnswer refuse_upload(const Error& error) {
    switch (error.code()) {
        case ErrorCode::busy: return plain_answer(503, "a part of the bundle is being removed; try again in an hour");
        case ErrorCode::conflict: return plain_answer(409, error.message());
        case ErrorCode::no_space: return plain_answer(507, "the server has no room for the file");
        case ErrorCode::cancelled: return plain_answer(503, "the server stops; try again later");
        case ErrorCode::corrupt:
        case ErrorCode::malformed:
        case ErrorCode::unsupported:
        case ErrorCode::untrusted:
        case ErrorCode::revoked:
        case ErrorCode::expired: return plain_answer(422, error.message());
        default: return plain_answer(500, "the server cannot write the file");
    }
}

ServerAnswer refuse_token(bool is_given) {
    ServerAnswer answer = plain_answer(
        401, is_given ? "this server knows no such token" : "uploading needs a token that this server knows");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
    return answer;
}

ServerAnswer too_many_uploads() { return plain_answer(503, "too many uploads at once; try again later"); }

ServerAnswer refuse_room() { return plain_answer(507, "the server has no room for the file"); }

// The body of a request: the end of a file, or all of it.
struct SentRange {
    std::uint64_t offset = 0;
    std::uint64_t file_bytes = 0;
};

// Parses "bytes 100-199/200", or "bytes */200" if all of it was sent before; an empty text means the whole file.
// Nothing: it does not end the file, or is another number of bytes than the body has.
std::optional<SentRange> find_sent_range(std::string_view text, std::uint64_t body_bytes) {
    if (text.empty())
        return SentRange{.offset = 0, .file_bytes = body_bytes};
    constexpr std::string_view kUnit = "bytes ";
    if (!text.starts_with(kUnit))
        return std::nullopt;
    constexpr std::string_view kNothing = "*/";
    text.remove_prefix(kUnit.size());
    if (text.starts_with(kNothing)) {
        const auto total = parse_decimal(text.substr(kNothing.size()), std::numeric_limits<std::uint64_t>::max());
        return total && body_bytes == 0 ? std::optional(SentRange{.offset = *total, .file_bytes = *total})
                                        : std::nullopt;
    }
    std::uint64_t numbers[3] = {};
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    constexpr std::string_view kBehind = "-/";
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
        const auto parsed = std::from_chars(at, end, numbers[i]);
        const bool is_last = i == kBehind.size();
        if (parsed.ec != std::errc() || (parsed.ptr == end) != is_last || (!is_last && *parsed.ptr != kBehind[i]))
            return std::nullopt;
        at = parsed.ptr + 1;
    }
    const auto [first, last, total] = numbers;
    // A body continues an upload up to its end: parts in between would have to be kept track of.
    if (first > last || last >= total || last != total - 1 || last - first + 1 != body_bytes)
        return std::nullopt;
    return SentRange{.offset = first, .file_bytes = total};
}

// Has a size, and no bytes: the answer to a HEAD request.
class SizeOnly final : public ByteSource {
public:
    explicit SizeOnly(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}
    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }
    Status read_at(std::uint64_t, std::span<std::byte>) const override {
        return Error(ErrorCode::denied, "what was received of an upload is not sent back");
    }

private:
    const std::uint64_t size_bytes_;
};

std::shared_ptr<const ByteSource> make_empty_source(std::uint64_t size_bytes) {
    return std::make_shared<SizeOnly>(size_bytes);
}

}  // namespace

// Where received bytes go.
struct Uploads::Staged {
    std::optional<UploadParts::Part> part;
    Descriptor nameless;           // if there is no part
    std::vector<std::byte> begin;  // of the bytes that are there, at most a head
    std::uint64_t bytes = 0;       // that are there

    const Descriptor& file() const { return part ? part->file() : nameless; }
};

// One upload.
class Uploads::Receiver final : public BodyReceiver {
public:
    Receiver(Uploads& uploads, const BundleId& bundle, std::string owner, std::uint64_t file_bytes, Staged staged,
             std::shared_ptr<UploadRoom::Share> share, RequestSlots::Slot slot)
        : uploads_(uploads),
          bundle_(bundle),
          owner_(std::move(owner)),
          file_bytes_(file_bytes),
          share_(std::move(share)),
          slot_(std::move(slot)),
          staged_(std::move(staged)) {
        std::ranges::copy(staged_.begin, head_.begin());
        received_bytes_ = staged_.bytes;
    }

    std::optional<ServerAnswer> receive(std::span<const std::byte> bytes) override {
        if (bytes.size() > file_bytes_ - received_bytes_)
            return plain_answer(400, "more bytes than the request announced");
        slot_->count_received(bytes.size());
        if (received_bytes_ < head_.size())
            if (auto refused = receive_head(bytes)) {
                forget();
                return refused;
            }
        if (!uploads_.make_room(*share_, *slot_, bytes.size()))
            return refuse_room();
        // What was received stays for a day: a large bundle over a line that breaks every hour would never arrive
        // otherwise. Nothing is believed about these bytes: the whole bundle is verified at its end.
        const Status written = write_whole_at(staged_.file(), received_bytes_, bytes, "an upload");
        received_bytes_ += bytes.size();
        return written ? std::nullopt : std::optional(refuse_upload(written.error()));
    }

    ServerAnswer finish() override {
        if (received_bytes_ != file_bytes_)
            return plain_answer(400, "fewer bytes than the request announced");
        slot_->complete();
        if (uploads_.rules_.registry != nullptr)
            return finish_for_registry();
        const auto published = publish();
        // What is refused is removed, so that nobody fills the disk with it.
        if (published || !may_be_sent_again(published.error()))
            forget();
        if (!published)
            return refuse_upload(published.error());
        return plain_answer(published->was_there ? 200 : 201,
                            published->was_there ? "the file was published already" : "published");
    }

private:
    // Another bundle than the target names is refused before the rest of it is sent.
    std::optional<ServerAnswer> receive_head(std::span<const std::byte> bytes) {
        const auto at = static_cast<std::size_t>(received_bytes_);
        const std::size_t size = std::min(bytes.size(), head_.size() - at);
        std::ranges::copy(bytes.first(size), head_.begin() + static_cast<std::ptrdiff_t>(at));
        if (at + size < head_.size() || bundle_id(head_) == bundle_)
            return std::nullopt;
        return plain_answer(422, "the file is not the bundle that its path names");
    }

    // Whether the same bytes may be published later.
    static bool may_be_sent_again(const Error& error) {
        return error.code() == ErrorCode::cancelled || error.code() == ErrorCode::busy ||
               error.code() == ErrorCode::no_space;
    }

    void forget() {
        if (staged_.part)
            staged_.part->remove();
    }

    Result<std::shared_ptr<const ByteSource>> open_received() const {
        FARDEL_TRY_ASSIGN(Descriptor file, staged_.file().duplicate("an upload"));
        return make_file_source(std::move(file), file_bytes_, "the file");
    }

    // The bytes stay for another attempt if the registry cannot decide.
    ServerAnswer finish_for_registry() {
        const auto author = PublicKey::parse(owner_);
        auto source = open_received();
        if (!author || !source)
            return refuse_upload(author ? source.error() : author.error());
        // The judgement may outlive the request.
        struct Kept {
            std::optional<RequestSlots::Slot> slot;
            std::shared_ptr<UploadRoom::Share> share;
            Staged staged;
        };
        // Proxies end requests that wait for long, and authors would send everything again. So the judgement goes on
        // without its request, and the author asks later what became of it.
        const auto kept = std::make_shared<Kept>(
            Kept{.slot = std::move(slot_), .share = std::move(share_), .staged = std::move(staged_)});
        const auto ended = [kept, &room = uploads_.room_](const RegistryDecision& decision) {
            if (decision && kept->staged.part)
                kept->staged.part->remove();
            room.note_publication();
        };
        const auto decision = uploads_.judgements_->judge(
            {.bundle = bundle_, .author = *author, .file = *std::move(source), .ended = ended}, kJudgementWait);
        if (!decision)
            return refuse_registry_error(decision.error());
        if (!*decision)
            return judging_answer(bundle_);
        return **decision ? registry_answer(***decision) : refuse_registry_error((**decision).error());
    }

    Result<Publication> publish() {
        FARDEL_TRY_ASSIGN(const auto source, open_received());
        const std::stop_token stop = uploads_.stop_.get_token();
        FARDEL_TRY_ASSIGN(const VerifyReport report,
                          verify_bundle(source, {.policy = uploads_.rules_.policy, .time = {}, .stop = stop}));
        if (!report.good()) {
            const auto first = std::ranges::find(report.findings, FindingSeverity::error, &VerifyFinding::severity);
            return Error(ErrorCode::corrupt, "the bundle is refused: " + format_finding(*first));
        }
        // Of two uploads of one bundle, the second one finds the file of the first.
        const std::scoped_lock lock(uploads_.publishing_);
        auto published = publish_bundle(source, uploads_.tree_, {.progress = {}, .stop = stop, .now = system_now()});
        uploads_.room_.note_publication();
        return published;
    }

    Uploads& uploads_;
    const BundleId bundle_;
    const std::string owner_;
    const std::uint64_t file_bytes_;
    std::shared_ptr<UploadRoom::Share> share_;
    std::optional<RequestSlots::Slot> slot_;
    Staged staged_;
    HeadBytes head_{};
    std::uint64_t received_bytes_ = 0;
};

// Signatures that came later than the file, which does not change. They are added to those that are there.
class Uploads::Signatures final : public QuestionReceiver {
public:
    Signatures(Uploads& uploads, RequestSlots::Slot slot, const BundleId& bundle, std::size_t bytes_max)
        : QuestionReceiver(bytes_max, std::move(slot)), uploads_(uploads), bundle_(bundle) {}
    bool is_question() const noexcept override { return false; }  // it waits for uploads

private:
    ServerAnswer answer(std::span<const std::byte> body) override {
        const auto added = add(body);
        if (!added)
            return added.error().code() == ErrorCode::missing ? plain_answer(404, "there is no such bundle")
                   : added.error().code() == ErrorCode::limit ? plain_answer(422, added.error().message())
                                                              : refuse_upload(added.error());
        return plain_answer(*added != 0 ? 201 : 200, *added != 0 ? "added" : "the signatures were there already");
    }

    Result<std::size_t> add(std::span<const std::byte> body) {
        FARDEL_TRY_ASSIGN(const auto offered, decode_trailer(body));
        for (const Envelope& envelope : offered)
            FARDEL_TRY(verify_offered(envelope));
        const auto tree = make_folder_target(uploads_.tree_);
        FARDEL_TRY_ASSIGN(auto source, tree->open(tree_path_of(bundle_)));
        FARDEL_TRY_ASSIGN(const auto published, Bundle::open(std::move(source), {}));
        const std::scoped_lock lock(uploads_.publishing_);
        return publish_signatures(*tree, *published, offered);
    }

    // There is room for few, and none is ever removed: what helps nobody would keep out what a later key signs.
    Status verify_offered(const Envelope& envelope) const {
        if (envelope.signatures.empty() || !std::ranges::all_of(envelope.signatures, [&](const auto& entry) {
                return verify_envelope_signature(envelope, entry);
            }))
            return Error(ErrorCode::untrusted, "a signature is not one of its key");
        if (envelope.type == EnvelopeType::license_token)
            return Error(ErrorCode::malformed, "a licence token belongs to players, and not to a bundle");
        if (envelope.type == EnvelopeType::statement) {
            const auto statement = decode_statement(envelope.payload);
            if (!statement || statement->bundle != bundle_)
                return Error(ErrorCode::untrusted, "a statement is about another bundle");
        }
        const TrustPolicy* const policy = uploads_.rules_.policy;
        const auto is_known = [&](const EnvelopeSignature& entry) {
            return std::ranges::count(policy->rules().keys, entry.key, &PolicyKey::key) != 0;
        };
        if (policy != nullptr && !std::ranges::all_of(envelope.signatures, is_known))
            return Error(ErrorCode::untrusted, "the trust policy of this server has no such key");
        return ok();
    }

    Uploads& uploads_;
    const BundleId bundle_;
};

std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> Uploads::begin_signatures(const BundleId& bundle,
                                                                                    const ReceivedRequest& request) {
    const auto bytes = find_announced_bytes(request);
    if (!bytes)
        return plain_answer(411, "the size of the signatures must be announced");
    if (*bytes > limits::kTrailerBytesMax)
        return plain_answer(413,
                            "a bundle has no more than " + format_bytes(limits::kTrailerBytesMax) + " of signatures");
    auto slot = slots_.acquire({std::string(request.client)}, request.end_connection, SteadyClock::now());
    if (!slot)
        return too_many_uploads();
    return std::make_unique<Signatures>(*this, *std::move(slot), bundle, static_cast<std::size_t>(*bytes));
}

// What would become of an upload: a question to a registry.
class Uploads::Question final : public QuestionReceiver {
public:
    Question(Uploads& uploads, RequestSlots::Slot slot, const BundleId& bundle, const PublicKey& author,
             std::size_t bytes_max)
        : QuestionReceiver(bytes_max, std::move(slot)), uploads_(uploads), bundle_(bundle), author_(author) {}

private:
    ServerAnswer answer(std::span<const std::byte> body) override {
        const auto facts = parse_upload_question(bundle_, body);
        if (!facts)
            return refuse_question(facts.error());
        auto answered = uploads_.rules_.registry->answer_question(*facts, author_);
        if (!answered)
            return refuse_registry_error(answered.error());
        if (answered->outcome == RegistryOutcome::acceptable)
            if (auto refused = uploads_.refuse_size(facts->file_bytes))
                return *std::move(refused);
        return registry_answer(*answered);
    }

    Uploads& uploads_;
    const BundleId bundle_;
    const PublicKey author_;
};

std::optional<BundleId> Uploads::find_question(std::string_view target) {
    constexpr std::string_view kQuestions = "/registry/questions/";
    if (!target.starts_with(kQuestions))
        return std::nullopt;
    const auto id = BundleId::parse(target.substr(kQuestions.size()));
    return id && id->hex() == target.substr(kQuestions.size()) ? std::optional(*id) : std::nullopt;
}

std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> Uploads::begin_question(const BundleId& bundle,
                                                                                  const ReceivedRequest& request) {
    if (rules_.registry == nullptr)
        return plain_answer(404, "there is no such file");
    auto bytes = announced_question(request, kRegistryQuestionBytesMax);
    if (auto* const refused = std::get_if<ServerAnswer>(&bytes))
        return std::move(*refused);
    // Before the body: a question without an author costs one signature.
    const auto author = rules_.registry->verify_question(request.header("Authorization"), bundle);
    if (!author)
        return refuse_registry_request(author.error());
    auto slot =
        questions_.acquire({std::string(request.client), author->hex()}, request.end_connection, SteadyClock::now());
    if (!slot)
        return plain_answer(503, "too many questions at once; try again later");
    return std::make_unique<Question>(*this, *std::move(slot), bundle, *author, std::get<std::size_t>(bytes));
}

Uploads::Uploads(std::string tree, UploadRules rules)
    : tree_(std::move(tree)),
      rules_(std::move(rules)),
      parts_(tree_),
      room_(tree_, rules_.tree_bytes_max, parts_),
      slots_(rules_.uploads_max, rules_.sender_uploads_max),
      questions_(rules_.uploads_max, rules_.sender_uploads_max) {
    parts_.remove_old(wall_clock_ns());
    if (rules_.registry != nullptr)
        judgements_.emplace(*rules_.registry);
}

Uploads::~Uploads() = default;

void Uploads::stop() {
    stop_.request_stop();
    if (judgements_)
        judgements_->stop();
}

std::optional<BundleId> Uploads::find_part(std::string_view target) {
    constexpr std::string_view kUploads = "/uploads/";
    if (!target.starts_with(kUploads))
        return std::nullopt;
    const auto id = BundleId::parse(target.substr(kUploads.size()));
    return id && id->hex() == target.substr(kUploads.size()) ? std::optional(*id) : std::nullopt;
}

std::variant<ServerAnswer, std::string> Uploads::find_owner(const BundleId& bundle,
                                                            const ReceivedRequest& request) const {
    if (rules_.registry != nullptr) {
        const auto key = rules_.registry->verify_upload(request.header("Authorization"), bundle);
        return key ? std::variant<ServerAnswer, std::string>(key->hex()) : refuse_registry_request(key.error());
    }
    const std::string_view token = request.header("Authorization");
    const std::string* const name = rules_.tokens.find(token);
    return name != nullptr ? std::variant<ServerAnswer, std::string>(*name) : refuse_token(!token.empty());
}

std::optional<PendingJudgements::Found> Uploads::find_judgement(const BundleId& bundle, const std::string& owner) {
    const auto author = PublicKey::parse(owner);
    return judgements_ && author ? judgements_->find(bundle, *author) : std::nullopt;
}

ServerAnswer Uploads::answer_part(const BundleId& bundle, const ReceivedRequest& request) {
    auto found = find_owner(bundle, request);
    const std::string* const owner = std::get_if<std::string>(&found);
    if (owner == nullptr)
        return std::get<ServerAnswer>(std::move(found));
    if (request.method == "GET" && judgements_) {
        const auto judgement = find_judgement(bundle, *owner);
        if (!judgement)
            return plain_answer(404, "nothing is known of an upload of this bundle by this author; send it again");
        return judgement->decision ? registry_answer(*judgement->decision) : judging_answer(bundle);
    }
    if (request.method != "HEAD")
        return plain_answer(405, "what was received of an upload is not sent back");
    const std::uint64_t bytes = parts_.size_bytes(bundle, *owner);
    if (bytes == 0)
        return plain_answer(404, "no upload of this bundle has broken off");
    ServerAnswer answer{.status = 200, .headers = {{"Cache-Control", "no-store"}}, .body = std::string()};
    answer.body = ServedPart{.file = {.source = make_empty_source(bytes), .size_bytes = bytes}, .length_bytes = bytes};
    return answer;
}

std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> Uploads::begin(const RequestedFile& file,
                                                                         const ReceivedRequest& request) {
    auto found = find_owner(file.bundle, request);
    const std::string* const owner = std::get_if<std::string>(&found);
    if (owner == nullptr)
        return std::get<ServerAnswer>(std::move(found));
    if (file.kind == RequestedFileKind::signatures && rules_.registry == nullptr)
        return begin_signatures(file.bundle, request);
    if (file.kind != RequestedFileKind::bundle)
        return plain_answer(405, "only bundle files and later signatures are uploaded; the server makes the rest");
    const auto announced = find_announced_bytes(request);
    if (!announced)
        return plain_answer(411, "the size of the file must be announced");
    const auto range = find_sent_range(request.header("Content-Range"), *announced);
    if (!range)
        return plain_answer(400, "the range does not fit the size of the body");
    if (range->offset == range->file_bytes)
        if (const auto judgement = find_judgement(file.bundle, *owner); judgement && !judgement->decision)
            return judging_answer(file.bundle);
    if (auto refused = refuse_size(range->file_bytes))
        return *std::move(refused);
    auto share = std::make_shared<UploadRoom::Share>(room_);
    // Many build machines may share a token; a key is that of one author, wherever requests come from.
    auto slot = slots_.acquire(
        {std::string(request.client), rules_.registry != nullptr ? *owner : std::string()},
        [share, end = request.end_connection] {
            share->leave();
            end();
        },
        SteadyClock::now());
    if (!slot)
        return too_many_uploads();
    auto staged = stage(file.bundle, *owner, range->offset);
    if (!staged)
        return staged.error().code() == ErrorCode::conflict ? plain_answer(416, staged.error().message())
                                                            : refuse_upload(staged.error());
    if (!make_room(*share, *slot, range->offset))
        return refuse_room();
    return std::make_unique<Receiver>(*this, file.bundle, *owner, range->file_bytes, *std::move(staged),
                                      std::move(share), *std::move(slot));
}

std::optional<ServerAnswer> Uploads::refuse_size(std::uint64_t file_bytes) {
    if (file_bytes < sizeof(HeadBytes))
        return plain_answer(413, "no bundle file is that small");
    if (file_bytes > rules_.file_bytes_max)
        return plain_answer(413, "the file has " + format_bytes(file_bytes) + ", and this server takes at most " +
                                     format_bytes(rules_.file_bytes_max));
    if (const auto lack = room_.describe_lack(file_bytes))
        return plain_answer(507, *lack);
    return std::nullopt;
}

bool Uploads::make_room(UploadRoom::Share& share, const RequestSlots::Slot& slot, std::uint64_t bytes) {
    while (!share.add(bytes))
        if (!slots_.end_slower_than(slot, SteadyClock::now()))
            return false;
    return true;
}

Result<Uploads::Staged> Uploads::stage(const BundleId& bundle, const std::string& owner, std::uint64_t offset) {
    parts_.remove_old(wall_clock_ns());
    Staged staged;
    auto part = parts_.open(bundle, owner);
    if (part) {
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(part->file(), "an upload"));
        // The client asked how many bytes are here, and another of its connections may have gone on since.
        if (offset != 0 && status.size_bytes != offset)
            return Error(ErrorCode::conflict, std::to_string(status.size_bytes) + " bytes of this upload are here");
        if (offset == 0)
            FARDEL_TRY(resize_file(part->file(), 0, "an upload"));
        staged.part = *std::move(part);
    } else if (offset != 0) {
        return Error(ErrorCode::conflict, "nothing of this upload can be continued now");
    } else {
        FARDEL_TRY_ASSIGN(staged.nameless, create_nameless_file(tree_));
    }
    staged.bytes = offset;
    staged.begin.resize(static_cast<std::size_t>(std::min<std::uint64_t>(offset, sizeof(HeadBytes))));
    FARDEL_TRY_ASSIGN(const std::size_t read, read_whole_at(staged.file(), 0, staged.begin, "an upload"));
    return read == staged.begin.size() ? Result<Staged>(std::move(staged))
                                       : Error(ErrorCode::io, "an upload became shorter");
}

}  // namespace fardel
