// The built program as a server on loopback.
#pragma once

#include "program.h"

namespace fardel::tests {

class ServeProgram {
public:
    // `arguments`: what follows `fardel serve`, without addresses. Fails the test if it does not start.
    explicit ServeProgram(const Arguments& arguments);

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    int port() const { return port_; }
    int metrics_port() const { return metrics_port_; }
    // The value of one metric; an answer counts shortly after it was sent. Fails the test if there is none.
    double metric(const std::string& name) const;
    // Until the heads of requests have come on all connections. Fails the test after a minute.
    void wait_until_none_waits() const;

    void send(int signal) const { program_->send(signal); }
    Outcome wait() { return program_->wait(); }
    Outcome stop();  // SIGTERM

private:
    std::unique_ptr<Running> program_;
    int port_ = 0;
    int metrics_port_ = 0;
};

}  // namespace fardel::tests
