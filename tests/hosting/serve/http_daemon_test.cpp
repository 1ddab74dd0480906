// Requests with bodies over real connections, with a handler that does what a test says.
#include "serve/http_daemon.h"
#include "kit/raw_connection.h"

#include <fardel/base/socket.h>

#include <condition_variable>
#include <mutex>
#include <variant>

namespace fardel::tests::http_daemon_test {

// POST /question is answered at once; everything else when the test says so. /held keeps a thread of the daemon from
// its other connections until then.
class Handler final : public RequestHandler {
public:
    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin(const ReceivedRequest& request) override {
        if (request.target == "/held")
            wait_for_release();
        return std::make_unique<Receiver>(*this, request.target == "/question");
    }
    void end(const ReceivedRequest&, unsigned, std::uint64_t, bool, std::uint64_t) override {}

    // Waits until so many are held or being finished; false: they are not, after ten seconds.
    bool wait_for(int finishing) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return finishing_ >= finishing; });
    }
    void release() {
        const std::scoped_lock lock(mutex_);
        is_released_ = true;
        changed_.notify_all();
    }

private:
    class Receiver final : public BodyReceiver {
    public:
        Receiver(Handler& handler, bool is_question) : handler_(handler), is_question_(is_question) {}
        std::optional<ServerAnswer> receive(std::span<const std::byte>) override { return std::nullopt; }
        bool is_question() const noexcept override { return is_question_; }
        ServerAnswer finish() override {
            if (!is_question_)
                handler_.wait_for_release();
            return plain_answer(200, "done");
        }

    private:
        Handler& handler_;
        const bool is_question_;
    };

    void wait_for_release() {
        std::unique_lock lock(mutex_);
        ++finishing_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return is_released_; });
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    int finishing_ = 0;
    bool is_released_ = false;
};

struct OpenedDaemon {
    int port = 0;
    std::unique_ptr<HttpDaemon> daemon;
};

// Clients can connect; nothing is accepted yet.
OpenedDaemon open_daemon(Handler& handler, const ConnectionLimits& limits = {}) {
    std::vector<Descriptor> listeners;
    listeners.push_back(value_of(listen_on(value_of(parse_listen_address("127.0.0.1:0")))));
    const int port = value_of(own_address(listeners.front())).port;
    return {.port = port, .daemon = value_of(HttpDaemon::open(std::move(listeners), limits, handler))};
}

OpenedDaemon start_daemon(Handler& handler) {
    auto opened = open_daemon(handler);
    REQUIRE(opened.daemon->start());
    return opened;
}

std::string post_request(const std::string& target) {
    return "POST " + target + " HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
}

TEST_CASE("http daemon: questions are answered while uploads are verified, however many") {
    Handler handler;
    const auto [port, daemon] = start_daemon(handler);
    std::vector<RawConnection> uploads;
    for (int i = 0; i < 20; ++i) {
        uploads.emplace_back(port);
        REQUIRE(uploads.back().send(post_request("/upload")));
    }
    CHECK(handler.wait_for(2));
    for (int i = 0; i < 10; ++i) {
        RawConnection client(port);
        CHECK(client.ask(post_request("/question")).body == "done\n");
    }
    handler.release();
    for (RawConnection& upload : uploads)
        CHECK(upload.read_answer().status == 200);
}

TEST_CASE("http daemon: one that ends while bodies wait to be finished ends their connections") {
    Handler handler;
    auto [port, daemon] = start_daemon(handler);
    std::vector<RawConnection> uploads;
    for (int i = 0; i < 5; ++i) {
        uploads.emplace_back(port);
        REQUIRE(uploads.back().send(post_request("/upload")));
    }
    CHECK(handler.wait_for(2));
    daemon->drain(std::chrono::milliseconds(50));
    handler.release();
    daemon.reset();
    for (const RawConnection& upload : uploads)
        CHECK(upload.is_closed_within(std::chrono::seconds(10)));
}

TEST_CASE("http daemon: a request is answered, however many connections came before the daemon could look at one") {
    Handler handler;
    const auto [port, daemon] = open_daemon(handler, {.connections_max = 32});
    std::vector<RawConnection> connections;
    for (int i = 0; i < 16; ++i) {
        connections.emplace_back(port);
        REQUIRE(connections.back().send(post_request("/held")));
    }
    // Accepted one after another they have numbers in a row, and the library deals them to its threads by number: some
    // are for each thread, of which there are two on two processors.
    REQUIRE(daemon->start());
    CHECK(handler.wait_for(2));  // not REQUIRE: they have to be released
    for (int i = 0; i < 400; ++i)
        connections.emplace_back(port);
    RawConnection client(port);
    CHECK(client.send(post_request("/question")));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // in which the daemon could accept them all
    handler.release();
    CHECK(client.read_answer().body == "done\n");
}

}  // namespace fardel::tests::http_daemon_test
