// The service manager of Windows starts programs in another way, and passes no sockets.
#include <fardel/base/service_supervisor.h>

namespace fardel {

void notify_service_supervisor(std::string_view) noexcept {}
std::vector<Descriptor> take_passed_sockets() { return {}; }

}  // namespace fardel
