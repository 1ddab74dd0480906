#include "serve/http_daemon.h"

#include "serve/microhttpd_library.h"
#include "serve/request_head.h"

#include <fardel/base/ascii.h>
#include <fardel/base/clock.h>
#include <fardel/base/core_number.h>
#include <fardel/base/parallel.h>
#include <fardel/base/pipe.h>
#include <fardel/base/socket.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

constexpr std::chrono::seconds kSweepPeriod{1};
constexpr std::chrono::milliseconds kWaitForDescriptors{50};
constexpr std::chrono::milliseconds kWaitForRoom{2};
constexpr std::chrono::seconds kCrowdedMax{10};
constexpr std::chrono::milliseconds kDrainPolled{20};
constexpr unsigned kThreadsMin = 2;
constexpr unsigned kThreadsMax = 4;
constexpr unsigned kPatientThreads = 2;            // for questions, and as many for all other bodies
constexpr std::size_t kUnfinishedBodiesMax = 256;  // of each
constexpr std::uint64_t kDiscardedBytesMax = 4u << 20;
constexpr std::size_t kResponsePieceBytes = 128u << 10;
constexpr int kAcceptedAtOnceMax = 64;  // then connections that wait too long are looked at

const MicrohttpdLibrary& library() { return *find_microhttpd_library(); }

struct Peer {
    std::string address;
    std::string client;  // see ReceivedRequest
    std::size_t listener = 0;
    bool is_proxy = false;  // that is trusted
};

struct ResponseDeleter {
    void operator()(MHD_Response* response) const noexcept { library().destroy_response(response); }
};
using Response = std::unique_ptr<MHD_Response, ResponseDeleter>;

ssize_t read_source(void* self, std::uint64_t position, char* out, std::size_t bytes_max) {
    const auto& part = *static_cast<const ServedPart*>(self);
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes_max, part.length_bytes - position));
    const Status read = part.file.source->read_at(part.offset + position, {reinterpret_cast<std::byte*>(out), size});
    return read ? static_cast<ssize_t>(size) : static_cast<ssize_t>(MHD_CONTENT_READER_END_WITH_ERROR);
}

void free_part(void* self) { delete static_cast<ServedPart*>(self); }

Response make_response(ServerAnswer& answer) {
    if (auto* const part = std::get_if<ServedPart>(&answer.body)) {
        if (part->file.descriptor)  // the library closes it
            return Response(library().create_response_from_fd_at_offset64(
                part->length_bytes, part->file.descriptor.release(), part->offset));
        auto owned = std::make_unique<ServedPart>(std::move(*part));
        Response response(library().create_response_from_callback(owned->length_bytes, kResponsePieceBytes,
                                                                  &read_source, owned.get(), &free_part));
        if (response)
            static_cast<void>(owned.release());
        return response;
    }
    std::string text = std::exchange(std::get<std::string>(answer.body), {});  // the library has a copy
    return Response(library().create_response_from_buffer(text.size(), text.data(), MHD_RESPMEM_MUST_COPY));
}

}  // namespace

// ---- One request ----------------------------------------------------------------------------------------------------

struct HttpDaemon::Impl {
    struct Request {
        std::string target;
        const char* target_at = nullptr;  // in the library's memory
        std::string method;
        Peer peer;
        int socket = -1;
        SteadyTime begun;
        bool has_begun = false;
        bool is_last = false;
        std::unique_ptr<BodyReceiver> receiver;
        std::optional<ServerAnswer> answer;  // that waits for the end of the body
        std::uint64_t discarded_bytes = 0;   // of the body, after the answer was known
        bool is_answered = false;
        unsigned status = 0;
        std::uint64_t body_bytes = 0;
    };

    Impl(std::vector<Descriptor> own_listeners, const ConnectionLimits& limits, RequestHandler& own_handler,
         TrustedProxies own_proxies)
        : listeners(std::move(own_listeners)),
          connections_max(limits.connections_max),
          table(limits, {.shut_down = shut_down_socket, .acknowledged_bytes = acknowledged_bytes}),
          handler(own_handler),
          proxies(std::move(own_proxies)) {}

    ~Impl() {
        stop_accepting();
        {
            const std::scoped_lock lock(unfinished_mutex);
            is_stopping = true;
        }
        for (Unfinished* const bodies : {&questions, &others})
            bodies->changed.notify_all();
        patient.stop();
        for (const Unfinished* const bodies : {&questions, &others})  // the library demands it
            for (const auto& [connection, request] : bodies->requests)
                resume(connection);
        if (daemon != nullptr)
            library().stop_daemon(daemon);
    }

    Status start() {
        FARDEL_TRY_ASSIGN(wake, open_pipe());
        const unsigned threads = std::clamp(worker_count(0, kThreadsMax), kThreadsMin, kThreadsMax);
        // Our own table refuses connections earlier. The library divides the number among its threads, and would end
        // a connection of a thread that has its share.
        const auto accepted_max = static_cast<unsigned>(connections_max * 2 + 64) * threads;
        daemon = library().start_daemon(
            MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME, 0,
            nullptr, nullptr, &Impl::on_request, this, MHD_OPTION_CONNECTION_MEMORY_LIMIT, kRequestHeadBytesMax,
            MHD_OPTION_CONNECTION_LIMIT, accepted_max, MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_STRICT_FOR_CLIENT,
            1, MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_NOTIFY_COMPLETED, &Impl::on_completed, this,
            MHD_OPTION_NOTIFY_CONNECTION, &Impl::on_connection, this, MHD_OPTION_URI_LOG_CALLBACK, &Impl::on_target,
            this, MHD_OPTION_END);
        if (daemon == nullptr)
            return Error(ErrorCode::limit, "the server does not start: the system gives no threads or memory");
        for (unsigned i = 0; i < kPatientThreads; ++i)
            for (Unfinished* const bodies : {&questions, &others})
                if (!patient.try_start([this, bodies] { finish(*bodies); }))
                    return Error(ErrorCode::limit, "the server does not start: the system gives no threads");
        if (!acceptor.try_start([this](const std::stop_token& stop) { accept_all(stop); }))
            return Error(ErrorCode::limit, "the server does not start: the system gives no threads");
        return ok();
    }

    // ---- Connections ------------------------------------------------------------------------------------------------

    void accept_all(const std::stop_token& stop) {
        std::vector<const Descriptor*> waited;
        for (const Descriptor& listener : listeners)
            waited.push_back(&listener);
        waited.push_back(&wake.read_end);
        auto next_sweep = SteadyClock::now() + kSweepPeriod;
        while (!stop.stop_requested()) {
            const auto ready = wait_readable(waited, next_sweep);
            if (stop.stop_requested())
                return;
            for (std::size_t i = 0; ready && *ready && i < listeners.size(); ++i)
                accept_some(i);
            if (SteadyClock::now() < next_sweep)
                continue;
            table.sweep(SteadyClock::now());
            next_sweep = SteadyClock::now() + kSweepPeriod;
        }
    }

    void accept_some(std::size_t listener) {
        for (int i = 0; i < kAcceptedAtOnceMax; ++i) {
            if (!has_room()) {
                std::this_thread::sleep_for(kWaitForRoom);
                return;
            }
            auto accepted = accept_connection(listeners[listener]);
            if (!accepted) {
                std::this_thread::sleep_for(kWaitForDescriptors);
                return;
            }
            if (!*accepted)
                return;
            AcceptedConnection& connection = **accepted;
            const int socket = connection.socket.number();
            const auto address = find_network_address(connection.peer);
            const bool is_proxy = address && proxies.trusts(*address);
            if (!table.accept(socket, is_proxy ? "" : connection.group, connection.is_loopback, SteadyClock::now()))
                continue;
            {
                const std::scoped_lock lock(peers_mutex);
                peers[socket] = {connection.peer,
                                 is_proxy || table.limits(connection.is_loopback) ? connection.group : "", listener,
                                 is_proxy};
            }
            static_cast<void>(connection.socket.release());  // the library closes it
            if (library().add_connection(daemon, socket, reinterpret_cast<const sockaddr*>(connection.address.data()),
                                         static_cast<socklen_t>(connection.address_bytes)) != MHD_YES)
                table.remove(socket);
        }
    }

    // The library's threads may be slow to see that a connection has ended. Until then the system keeps new ones: more
    // of them would displace those whose requests no thread has looked at yet. If too few end for ten seconds, the
    // server accepts again.
    bool has_room() {
        if (!table.is_crowded())
            crowded_since.reset();
        else if (!crowded_since)
            crowded_since = SteadyClock::now();
        return !crowded_since || SteadyClock::now() - *crowded_since >= kCrowdedMax;
    }

    void stop_accepting() {
        static_cast<void>(write_byte(wake.write_end.number(), 0));
        acceptor.stop();
        listeners.clear();
    }

    static int socket_of(MHD_Connection* connection) {
        return library().get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    }

    static void on_connection(void* self, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode code) {
        if (code == MHD_CONNECTION_NOTIFY_CLOSED)
            static_cast<Impl*>(self)->table.remove(socket_of(connection));
    }

    // ---- Requests ---------------------------------------------------------------------------------------------------

    static void* on_target(void* self, const char* target, MHD_Connection* connection) {
        auto request = std::make_unique<Request>();
        request->target = target;
        request->target_at = target;
        request->socket = socket_of(connection);
        request->begun = SteadyClock::now();
        Impl& impl = *static_cast<Impl*>(self);
        const std::scoped_lock lock(impl.peers_mutex);
        request->peer = impl.peers[request->socket];
        return request.release();
    }

    static MHD_Result on_request(void* self, MHD_Connection* connection, const char*, const char* method,
                                 const char* version, const char* bytes, std::size_t* size, void** own) {
        Impl& impl = *static_cast<Impl*>(self);
        Request& request = *static_cast<Request*>(*own);
        if (!std::exchange(request.has_begun, true))
            return impl.begin(connection, method, version, request);
        return impl.advance(connection, {reinterpret_cast<const std::byte*>(bytes), *size}, *size, request);
    }

    ReceivedRequest view_of(MHD_Connection* connection, const Request& request) {
        return {.method = request.method,
                .target = request.target,
                .peer = request.peer.address,
                .client = request.peer.client,
                .listener = request.peer.listener,
                .header =
                    [connection](const char* name) {
                        const char* const value = library().lookup_connection_value(connection, MHD_HEADER_KIND, name);
                        return std::string_view(value == nullptr ? "" : value);
                    },
                .end_connection = [&table = table, socket = request.socket] { table.end(socket); }};
    }

    static bool is_header(std::string_view name, std::string_view wanted) {
        return std::ranges::equal(name, wanted, {}, lower_ascii, lower_ascii);
    }

    static RequestHead head_of(MHD_Connection* connection, const char* method, const char* version,
                               const Request& request) {
        RequestHead head{
            .method = method,
            .head_bytes =
                library().get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)->header_size,
            .asked = request.target,
            .target = request.target_at,
            .version = version,
            .fields = {}};
        library().get_connection_values(
            connection, MHD_HEADER_KIND,
            [](void* fields, MHD_ValueKind, const char* name, const char* value) {
                static_cast<decltype(RequestHead::fields)*>(fields)->emplace_back(name, value);
                return MHD_YES;
            },
            &head.fields);
        return head;
    }

    // A proxy and this server could each believe another of several lengths, or another coding, and so see other
    // requests behind the body.
    static bool has_one_length(const RequestHead& head) {
        int lengths = 0;
        for (const auto& [name, value] : head.fields) {
            const bool is_length = is_header(name, "content-length");
            const bool is_coding = is_header(name, "transfer-encoding");
            if (is_coding && !is_header(value, "chunked"))
                return false;
            if (is_length || is_coding)
                lengths +=
                    1 + static_cast<int>(is_length && std::string_view(value).find(',') != std::string_view::npos);
        }
        return lengths <= 1;
    }

    // Why the head is refused, whatever it asks for; nothing: it is not. What follows such a head cannot be trusted, so
    // the connection ends.
    static std::optional<ServerAnswer> find_refusal(const RequestHead& head) {
        if (!head.is_plain())
            return plain_answer(400, "the head of the request has control characters, or lines that continue others");
        if (!is_origin_form(head.asked))
            return plain_answer(400, "the target of the request is no path");
        if (!has_one_length(head))
            return plain_answer(400, "the request says twice, or in an unknown way, how long its body is");
        return std::nullopt;
    }

    // Believes the proxy who the client is. Returns false if that one has too many requests under way.
    bool name_client(const RequestHead& head, Request& request) {
        std::string values;
        for (const auto& [name, value] : head.fields)
            if (is_header(name, proxies.header))
                values += (values.empty() ? "" : ",") + std::string(value);
        if (const auto client = proxies.find_client(values)) {
            request.peer.address = format_network_address(*client);
            request.peer.client = format_subscriber(*client);
            return table.claim(request.socket, request.peer.client);
        }
        return true;
    }

    MHD_Result begin(MHD_Connection* connection, const char* method, const char* version, Request& request) {
        const RequestHead head = head_of(connection, method, version, request);
        request.method = method;
        request.is_last = !table.begin_request(request.socket, SteadyClock::now());
        if (auto refusal = find_refusal(head)) {
            request.target = head.whole_target();
            request.is_last = true;
            return send(connection, request, *refusal);
        }
        if (request.peer.is_proxy && !name_client(head, request)) {
            ServerAnswer refusal = plain_answer(503, "too many requests at once; try again later");
            request.is_last = true;
            return send(connection, request, refusal);
        }
        const ReceivedRequest view = view_of(connection, request);
        auto begun = handler.begin(view);
        if (auto* const answer = std::get_if<ServerAnswer>(&begun)) {
            // Answered now, the connection would have to end: the library answers before a body or after it.
            if (!view.header("Expect").empty())
                return send(connection, request, *answer);
            request.answer = std::move(*answer);
            return MHD_YES;
        }
        request.receiver = std::get<std::unique_ptr<BodyReceiver>>(std::move(begun));
        return MHD_YES;
    }

    MHD_Result advance(MHD_Connection* connection, std::span<const std::byte> bytes, std::size_t& size,
                       Request& request) {
        if (size == 0)
            return request.answer ? send(connection, request, *request.answer) : finish_later(connection, request);
        table.count_received(request.socket, size);
        const std::size_t received = std::exchange(size, 0);
        if (!request.answer) {
            request.answer = request.receiver->receive(bytes);
            // A client that goes on sending holds nothing of what is refused (tests/ATTACKS.md, A145).
            if (request.answer)
                request.receiver.reset();
            return MHD_YES;
        }
        // A client that still sends does not see the answer. What it sends is discarded, up to a limit.
        request.discarded_bytes += received;
        return request.discarded_bytes <= kDiscardedBytesMax ? MHD_YES : MHD_NO;
    }

    MHD_Result send(MHD_Connection* connection, Request& request, ServerAnswer& answer) {
        request.status = answer.status;
        request.body_bytes = request.method == "HEAD" ? 0 : answer.body_bytes();
        const Response response = make_response(answer);
        if (!response)
            return MHD_NO;
        for (const auto& [name, value] : answer.headers)
            library().add_response_header(response.get(), name.c_str(), value.c_str());
        // Pages have texts of strangers: a browser guesses no type, and no other site shows them in a frame of its own.
        library().add_response_header(response.get(), "X-Content-Type-Options", "nosniff");
        library().add_response_header(response.get(), "Content-Security-Policy", "frame-ancestors 'none'");
        if (request.is_last || table.is_draining())
            library().add_response_header(response.get(), "Connection", "close");
        table.begin_answer(request.socket, SteadyClock::now());
        request.is_answered = true;
        return library().queue_response(connection, answer.status, response.get());
    }

    static void on_completed(void* self, MHD_Connection* connection, void** slot, MHD_RequestTerminationCode code) {
        const std::unique_ptr<Request> request(static_cast<Request*>(std::exchange(*slot, nullptr)));
        if (!request)
            return;
        Impl& impl = *static_cast<Impl*>(self);
        impl.table.end_request(request->socket, SteadyClock::now());
        const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - request->begun);
        impl.handler.end(impl.view_of(connection, *request), request->status, request->body_bytes,
                         code == MHD_REQUEST_TERMINATED_COMPLETED_OK && request->is_answered,
                         static_cast<std::uint64_t>(elapsed.count()));
    }

    // ---- Bodies that are complete -----------------------------------------------------------------------------------

    struct Unfinished {
        std::deque<std::pair<MHD_Connection*, Request*>> requests;
        std::condition_variable changed;
    };

    MHD_Result finish_later(MHD_Connection* connection, Request& request) {
        {
            Unfinished& bodies = request.receiver->is_question() ? questions : others;
            const std::scoped_lock lock(unfinished_mutex);
            if (bodies.requests.size() < kUnfinishedBodiesMax && !is_stopping) {
                table.begin_work(request.socket);
                suspend(connection);
                bodies.requests.emplace_back(connection, &request);
                bodies.changed.notify_one();
                return MHD_YES;
            }
        }
        ServerAnswer busy = plain_answer(503, "too many requests at once; try again later");
        return send(connection, request, busy);
    }

    void finish(Unfinished& bodies) {
        std::unique_lock lock(unfinished_mutex);
        for (;;) {
            bodies.changed.wait(lock, [&] { return is_stopping || !bodies.requests.empty(); });
            if (is_stopping)
                return;
            const auto [connection, request] = bodies.requests.front();
            bodies.requests.pop_front();
            lock.unlock();
            request->answer = request->receiver->finish();
            request->receiver.reset();
            resume(connection);
            lock.lock();
        }
    }

    static void suspend(MHD_Connection* connection) { library().suspend_connection(connection); }
    static void resume(MHD_Connection* connection) { library().resume_connection(connection); }

    std::vector<Descriptor> listeners;
    std::size_t connections_max;
    Pipe wake;
    ConnectionTable table;
    std::optional<SteadyTime> crowded_since;  // the acceptor's
    RequestHandler& handler;
    const TrustedProxies proxies;
    MHD_Daemon* daemon = nullptr;
    std::mutex peers_mutex;
    std::unordered_map<int, Peer> peers;  // by socket; entries of closed ones are replaced
    std::mutex unfinished_mutex;
    Unfinished questions;
    Unfinished others;  // may take minutes: uploads that are verified
    bool is_stopping = false;
    WorkerThreads patient;
    WorkerThreads acceptor;
};

HttpDaemon::HttpDaemon(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpDaemon::~HttpDaemon() = default;

Result<std::unique_ptr<HttpDaemon>> HttpDaemon::open(std::vector<Descriptor> listeners, const ConnectionLimits& limits,
                                                     RequestHandler& handler, TrustedProxies proxies) {
    if (find_microhttpd_library() == nullptr)
        return Error(ErrorCode::missing, "libmicrohttpd is not installed; serving needs it");
    return std::unique_ptr<HttpDaemon>(
        new HttpDaemon(std::make_unique<Impl>(std::move(listeners), limits, handler, std::move(proxies))));
}

Status HttpDaemon::start() { return impl_->start(); }

void HttpDaemon::drain(std::chrono::milliseconds longest) {
    const auto deadline = SteadyClock::now() + longest;
    impl_->stop_accepting();
    impl_->table.drain();
    while (impl_->table.counts().open != 0 && SteadyClock::now() < deadline) {
        impl_->table.sweep(SteadyClock::now());
        std::this_thread::sleep_for(kDrainPolled);
    }
}

ConnectionCounts HttpDaemon::counts() const { return impl_->table.counts(); }

}  // namespace fardel
