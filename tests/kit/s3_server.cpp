#include "s3_server.h"

#include "nginx.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace fardel::tests {
namespace {

bool is_listening(int port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool connected = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    return connected;
}

}  // namespace

S3Server::S3Server(const ScratchFolder& scratch, const std::vector<std::string>& options, const std::string& name)
    : tree_(scratch.path(name + "/bucket/game")) {
    std::filesystem::create_directories(tree_);
    port_ = find_free_port();
    std::vector<std::string> words{"python3",
                                   FARDEL_SOURCE_DIR "/tests/kit/s3_server.py",
                                   std::to_string(port_),
                                   scratch.path(name),
                                   key_id(),
                                   secret(),
                                   "eu-test-1"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    input_ = ends[1];
    id_ = ::fork();
    REQUIRE(id_ >= 0);
    if (id_ == 0) {
        ::dup2(ends[0], 0);  // it ends with this pipe, also if the test is killed
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
    ::close(ends[0]);
    bool listens = false;
    wait_until([&] {
        listens = is_listening(port_);
        if (!listens && ::waitpid(id_, nullptr, WNOHANG) == id_)
            id_ = -1;
        return listens || id_ == -1;
    });
    if (!listens)
        FAIL("the object store for tests does not start; setup/install-dependencies installs python3");
}

S3Server::~S3Server() {
    ::close(input_);
    if (id_ > 0) {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }
}

std::string S3Server::address() const {
    return "s3://bucket/game?endpoint=http://127.0.0.1:" + std::to_string(port_) + "&region=eu-test-1";
}

}  // namespace fardel::tests
