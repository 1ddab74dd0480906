#include "serve_program.h"

#include "raw_connection.h"

#include <csignal>

namespace fardel::tests {
namespace {

// The port in the first "http://127.0.0.1:<port>" behind `key`; 0: there is none.
int port_behind(const std::string& text, const std::string& key) {
    const std::string start = "http://127.0.0.1:";
    const auto at = text.find(start, text.find(key));
    return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + start.size());
}

}  // namespace

ServeProgram::ServeProgram(const Arguments& arguments) {
    Arguments words = {"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--json"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    program_ = std::make_unique<Running>(words);
    wait_until([&] { return has(program_->output(), "\n"); });
    const std::string line = program_->output();
    port_ = port_behind(line, "urls");
    metrics_port_ = port_behind(line, "metrics");
    REQUIRE_MESSAGE(port_ != 0,
                    "fardel serve does not start; libmicrohttpd is installed by setup/install-dependencies");
}

double ServeProgram::metric(const std::string& name) const {
    std::string text;
    auto at = std::string::npos;
    wait_until([&] {
        text = RawConnection(metrics_port_).ask(get_request("/metrics")).body;
        at = text.find("\n" + name + " ");
        return at != std::string::npos;
    });
    REQUIRE_MESSAGE(at != std::string::npos, name << " in " << text);
    return std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

void ServeProgram::wait_until_none_waits() const {
    REQUIRE(wait_until([&] { return metric("fardel_connections_waiting") == 0; }));
}

Outcome ServeProgram::stop() {
    send(SIGTERM);
    return wait();
}

}  // namespace fardel::tests
