// The external signer: another program that holds the key.

#include <fardel/format/signer.h>

#include "files/posix_error.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace fardel {
namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() { close(); }
    int number() const noexcept { return number_; }
    void close() noexcept {
        if (number_ >= 0)
            ::close(number_);
        number_ = -1;
    }

private:
    int number_;
};

struct Pipe {
    Descriptor read_end;
    Descriptor write_end;
};

Result<Pipe> open_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return posix_error(errno, "pipe");
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

int milliseconds_until(Clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000));
}

// A child process; killed and reaped if it is not over when this ends.
class Child {
public:
    static Result<Child> start(const std::vector<std::string>& argv, int standard_input, int standard_output) {
        std::vector<char*> arguments;
        for (const std::string& argument : argv)
            arguments.push_back(const_cast<char*>(argument.c_str()));
        arguments.push_back(nullptr);

        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, standard_input, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, standard_output, STDOUT_FILENO);
        pid_t id = -1;
        const int failure = ::posix_spawnp(&id, arguments[0], &actions, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        if (failure != 0)
            return posix_error(failure, argv[0]);
        return Child(id);
    }

    Child(Child&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Child& operator=(Child&&) = delete;
    ~Child() {
        if (id_ <= 0)
            return;
        ::kill(id_, SIGKILL);
        while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    // Its wait status, or nothing if it still runs at the deadline. 0 where the program around us reaps all children.
    std::optional<int> wait_until(Clock::time_point deadline) {
        for (;;) {
            int status = 0;
            const pid_t ended = ::waitpid(id_, &status, WNOHANG);
            if (ended == id_ || (ended < 0 && errno == ECHILD)) {
                id_ = -1;
                return status;
            }
            if (Clock::now() >= deadline)
                return std::nullopt;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

private:
    explicit Child(pid_t id) noexcept : id_(id) {}
    pid_t id_;
};

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
        const auto deadline = Clock::now() + timeout_;
        FARDEL_TRY_ASSIGN(Pipe input, open_pipe());
        FARDEL_TRY_ASSIGN(Pipe output, open_pipe());
        FARDEL_TRY(fill(input.write_end, message));
        FARDEL_TRY_ASSIGN(Child child, Child::start(argv_, input.read_end.number(), output.write_end.number()));
        input.read_end.close();
        input.write_end.close();
        output.write_end.close();

        FARDEL_TRY_ASSIGN(const std::string answer, read_answer(output.read_end, deadline));
        const auto status = child.wait_until(deadline);
        if (!status)
            return no_answer();
        if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)
            return Error(ErrorCode::denied, argv_[0] + (WIFEXITED(*status) ? " ended with exit status " +
                                                                                 std::to_string(WEXITSTATUS(*status))
                                                                           : " was killed"));

        std::string_view digits = answer;
        if (digits.ends_with('\n'))
            digits.remove_suffix(1);
        FARDEL_TRY_ASSIGN(const Signature signature, Signature::parse(digits));
        if (!verify_signature(key_, message, signature))
            return Error(ErrorCode::corrupt, argv_[0] + " gave a signature that is not one of key " + key_id(key_));
        return signature;
    }

    // Before the program starts, so that it can neither block us nor raise SIGPIPE: a message fits a pipe's buffer.
    static Status fill(const Descriptor& pipe, std::span<const std::byte> message) {
        ::fcntl(pipe.number(), F_SETFL, O_NONBLOCK);
        const ssize_t count = message.empty() ? 0 : ::write(pipe.number(), message.data(), message.size());
        if (count != static_cast<ssize_t>(message.size()))
            return Error(ErrorCode::limit,
                         "message of " + std::to_string(message.size()) + " bytes does not fit a pipe");
        return ok();
    }

    Result<std::string> read_answer(const Descriptor& pipe, Clock::time_point deadline) const {
        constexpr std::size_t kAnswerBytesMax = 129;  // 128 digits and a line feed
        std::string answer;
        for (;;) {
            pollfd waiting{pipe.number(), POLLIN, 0};
            const int ready = ::poll(&waiting, 1, milliseconds_until(deadline));
            if (ready < 0 && errno == EINTR)
                continue;
            if (ready < 0)
                return posix_error(errno, "poll");
            if (ready == 0)
                return no_answer();
            char buffer[256];
            const ssize_t count = ::read(pipe.number(), buffer, sizeof buffer);
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return posix_error(errno, "read");
            if (count == 0)
                return answer;
            answer.append(buffer, static_cast<std::size_t>(count));
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
