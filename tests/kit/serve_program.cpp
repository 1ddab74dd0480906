#include "serve_program.h"

#include "raw_connection.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

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
    std::string line;
    for (int tries = 0; tries < 500 && line.find('\n') == std::string::npos; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        line = program_->output();
    }
    port_ = port_behind(line, "urls");
    metrics_port_ = port_behind(line, "metrics");
    REQUIRE_MESSAGE(port_ != 0,
                    "fardel serve does not start; libmicrohttpd is installed by setup/install-dependencies");
}

double ServeProgram::metric(const std::string& name) const {
    std::string text;
    auto at = std::string::npos;
    for (int tries = 0; tries < 250 && at == std::string::npos; ++tries) {
        if (tries != 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        RawConnection connection(metrics_port_);
        text = connection.ask(get_request("/metrics")).body;
        at = text.find("\n" + name + " ");
    }
    REQUIRE_MESSAGE(at != std::string::npos, name << " in " << text);
    return std::strtod(text.c_str() + at + name.size() + 2, nullptr);
}

void ServeProgram::wait_until_none_waits() const {
    for (int tries = 0; metric("fardel_connections_waiting") != 0; ++tries) {
        REQUIRE(tries < 1000);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

Outcome ServeProgram::stop() {
    send(SIGTERM);
    return wait();
}

}  // namespace fardel::tests
