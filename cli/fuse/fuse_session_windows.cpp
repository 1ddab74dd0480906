// Windows has no FUSE, so nothing is mounted.
#include "fuse_session.h"

namespace fardel {
namespace {

Error no_fuse() {
    return Error(ErrorCode::unsupported,
                 "Windows has no FUSE, which shows bundles as a folder; "
                 "'fardel cat' and 'fardel extract' give files");
}

}  // namespace

Result<FuseSession> FuseSession::mount(FuseTree&, const std::string&, bool) { return no_fuse(); }
Status FuseSession::verify_system() { return no_fuse(); }
Status FuseSession::verify_device() { return no_fuse(); }
Status FuseSession::verify_program() { return no_fuse(); }
FuseSession::FuseSession(FuseSession&& other) noexcept : fuse_(other.fuse_) {}
FuseSession::~FuseSession() = default;

Status FuseSession::go_to_background() { return no_fuse(); }
Status FuseSession::serve(const std::function<void()>&, const std::function<void(const std::stop_token& stop)>&) {
    return no_fuse();
}
Result<std::optional<ProgramExit>> FuseSession::serve_program(ChildProgram) { return no_fuse(); }

Status unmount_fuse(const std::string&) { return no_fuse(); }
Result<VariantPreference> switch_variants(const std::string&, const VariantPreference&) { return no_fuse(); }

}  // namespace fardel
