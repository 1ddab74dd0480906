// The external signer: another program that holds the key.

#include <fardel/format/signer.h>

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/pipe.h>
#include <fardel/base/program.h>
#include <fardel/base/text_fields.h>

#include <array>
#include <optional>
#include <utility>

namespace fardel {
namespace {

class ExternalSigner final : public Signer {
public:
    ExternalSigner(std::vector<std::string> argv, const PublicKey& key, std::chrono::milliseconds timeout)
        : argv_(std::move(argv)), key_(key), timeout_(timeout) {}

    PublicKey public_key() const override { return key_; }

    Result<Signature> sign(std::span<const std::byte> message) override {
        auto signature = run(message);
        if (!signature)
            return std::move(signature).error().with_context("external signer");
        return signature;
    }

private:
    Result<Signature> run(std::span<const std::byte> message) const {
        if (argv_.empty() || argv_[0].empty())
            return Error(ErrorCode::missing, "no program given");
        const SteadyTime deadline = std::chrono::steady_clock::now() + timeout_;
        // A file, because a message may be larger than the buffer of a pipe: the release of a large channel is.
        FARDEL_TRY_ASSIGN(const Descriptor input, create_unnamed_file("the message to sign"));
        FARDEL_TRY(write_whole_at(input, 0, message, "the message to sign"));
        FARDEL_TRY_ASSIGN(Pipe output, open_pipe());
        FARDEL_TRY_ASSIGN(ChildProgram child,
                          ChildProgram::start(argv_, {.input = &input, .output = &output.write_end}));
        output.write_end.close();

        FARDEL_TRY_ASSIGN(const std::string answer, read_answer(output.read_end, deadline));
        const std::optional<ProgramExit> ended = child.wait_until(deadline);
        if (!ended)
            return no_answer();
        if (!ended->is_success())
            return Error(ErrorCode::denied,
                         argv_[0] + (ended->killed ? std::string(" was killed")
                                                   : " ended with exit status " + std::to_string(ended->code)));

        std::string_view rest = answer;
        const std::string_view digits = read_line(rest);
        FARDEL_TRY_ASSIGN(const Signature signature, Signature::parse(rest.empty() ? digits : answer));
        if (!verify_signature(key_, message, signature))
            return Error(ErrorCode::corrupt, argv_[0] + " gave a signature that is not one of key " + key_id(key_));
        return signature;
    }

    Result<std::string> read_answer(const Descriptor& pipe, SteadyTime deadline) const {
        constexpr std::size_t kAnswerBytesMax = 130;  // 128 digits and a line end
        const Descriptor* const awaited[] = {&pipe};
        std::string answer;
        for (;;) {
            FARDEL_TRY_ASSIGN(const bool ready, wait_readable(awaited, deadline));
            if (!ready && std::chrono::steady_clock::now() >= deadline)
                return no_answer();
            if (!ready)
                continue;  // a signal was handled
            std::array<char, 256> buffer;
            FARDEL_TRY_ASSIGN(const std::size_t count,
                              read_some(pipe, std::as_writable_bytes(std::span(buffer)), "pipe"));
            if (count == 0)
                return answer;
            answer.append(buffer.data(), count);
            if (answer.size() > kAnswerBytesMax)
                return Error(ErrorCode::malformed, argv_[0] + " wrote more than a signature");
        }
    }

    Error no_answer() const {
        return Error(ErrorCode::unreachable,
                     argv_[0] + " gave no answer within " + std::to_string(timeout_.count()) + " ms");
    }

    std::vector<std::string> argv_;
    PublicKey key_;
    std::chrono::milliseconds timeout_;
};

}  // namespace

std::unique_ptr<Signer> make_external_signer(std::vector<std::string> argv, const PublicKey& key,
                                             std::chrono::milliseconds timeout) {
    return std::make_unique<ExternalSigner>(std::move(argv), key, timeout);
}

}  // namespace fardel
