// The supervisor that started this process (systemd, the service manager): what it is notified of, and the sockets that
// it passes. Without one, nothing happens.
#pragma once

#include <fardel/base/descriptor.h>

#include <string_view>
#include <vector>

namespace fardel {

// `state`: "READY=1", "STOPPING=1". Errors are ignored: the supervisor then waits until its own time limit.
void notify_service_supervisor(std::string_view state) noexcept;

// Takes over the sockets that the supervisor listens on for us. Call it once, before other descriptors are opened.
std::vector<Descriptor> take_passed_sockets();

}  // namespace fardel
