#include "nginx.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <iterator>

namespace fardel::tests {
namespace {

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

bool answers(int port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    const bool connected = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    return connected;
}

// Below those that the system gives to sockets without a port of their own.
constexpr int kReservedPortsBegin = 14'000;
constexpr int kReservedPortsEnd = 32'000;

// Another process of the tests does not get the port as long as this one lives: a socket that only has a name reserves
// it.
bool reserve(int port) {
    const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "fardel-test-port-" + std::to_string(port);
    std::memcpy(address.sun_path + 1, name.data(), name.size());  // abstract: it is no file, and ends with the process
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), size) == 0)
        return true;  // and the socket stays open
    ::close(socket);
    return false;
}

bool can_bind(int port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    const bool bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    return bound;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
    REQUIRE_MESSAGE(text.find(from) != std::string::npos, from);
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

}  // namespace

int find_free_port() {
    constexpr int kCount = kReservedPortsEnd - kReservedPortsBegin;
    static std::atomic<int> next = ::getpid() * 97;
    for (int tries = 0; tries < kCount; ++tries) {
        const int port = kReservedPortsBegin + (next++ & INT_MAX) % kCount;
        if (reserve(port) && can_bind(port))
            return port;
    }
    FAIL("there is no free port");
    return 0;
}

Nginx::Nginx(const ScratchFolder& scratch, const std::string& name, const std::string& document,
             const std::string& served, const std::string& module)
    : module_(module) {
    start(scratch, name, document_block(FARDEL_SOURCE_DIR "/docs/" + document, "nginx"), served);
}

Nginx::Nginx(const ScratchFolder& scratch, const std::string& name, const Site& site) : module_(site.module) {
    start(scratch, name, site.text, "");
}

void Nginx::start(const ScratchFolder& scratch, const std::string& name, const std::string& site,
                  const std::string& served) {
    const std::string folder = scratch.path(name);
    tree_ = folder + "/tree";
    for (const char* part : {"/tree", "/incoming", "/temporary"})
        std::filesystem::create_directories(folder + part);
    for (int tries = 0; tries < 5; ++tries)  // another program may take the port first
        if (try_start(folder, site, served))
            return;
    std::ifstream log(folder + "/error.log");
    FAIL("nginx does not start; setup/install-dependencies installs it. It says: " << std::string{
             std::istreambuf_iterator<char>(log), {}});
}

bool Nginx::try_start(const std::string& folder, std::string site, const std::string& served) {
    const int port = find_free_port();
    port_ = port;
    url_ = "http://127.0.0.1:" + std::to_string(port);
    replace(site, "listen 8080", "listen 127.0.0.1:" + std::to_string(port));
    if (!served.empty())
        replace(site, served, tree_);
    if (site.find("/srv/fardel/incoming") != std::string::npos)
        replace(site, "/srv/fardel/incoming", folder + "/incoming");
    if (site.find("/etc/nginx/publishers") != std::string::npos)
        replace(site, "/etc/nginx/publishers", folder + "/publishers");
    std::string text = (module_.empty() ? "" : "load_module " + module_ + ";\n") +
                       "daemon off;\nmaster_process off;\npid " + folder + "/nginx.pid;\nerror_log " + folder +
                       "/error.log;\nevents { worker_connections 512; }\nhttp {\n";
    for (const char* kind : {"proxy", "fastcgi", "uwsgi", "scgi"})
        text += std::string(kind) + "_temp_path " + folder + "/temporary;\n";
    std::ofstream(folder + "/nginx.conf") << text << site << "}\n";

    const std::string configured = folder + "/nginx.conf";
    const std::string log = folder + "/error.log";
    const std::string prefix = folder + "/";
    id_ = ::fork();
    REQUIRE(id_ >= 0);
    if (id_ == 0) {
        const int out = ::open((folder + "/out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(out, 1);
        ::dup2(out, 2);
        ::setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin", 1);
        ::execlp("nginx", "nginx", "-c", configured.c_str(), "-p", prefix.c_str(), "-e", log.c_str(), nullptr);
        ::_exit(127);
    }
    bool answered = false;
    wait_until([&] {
        answered = answers(port);
        if (!answered && ::waitpid(id_, nullptr, WNOHANG) == id_)
            id_ = -1;
        return answered || id_ == -1;
    });
    if (!answered)
        stop();
    return answered;
}

void Nginx::stop() {
    if (id_ < 0)
        return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = -1;
}

Nginx::~Nginx() { stop(); }

}  // namespace fardel::tests
