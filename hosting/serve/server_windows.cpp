// No server is built for Windows: no libmicrohttpd is linked, and servers run other systems.
#include <fardel/hosting/server.h>

namespace fardel {

struct Server::Impl {
    std::vector<ListenAddress> addresses;
    std::optional<ListenAddress> metrics_address;
};

Status Server::verify_system() {
    return Error(ErrorCode::unsupported,
                 "Fardel for Windows serves nothing; any file server can serve what "
                 "'fardel publish' writes, and 'fardel serve' runs on Linux");
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions) { return verify_system().error(); }
Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

const std::vector<ListenAddress>& Server::addresses() const noexcept { return impl_->addresses; }
const std::optional<ListenAddress>& Server::metrics_address() const noexcept { return impl_->metrics_address; }
void Server::drain(std::chrono::milliseconds) {}

}  // namespace fardel
