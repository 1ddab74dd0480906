// DavServer: nginx with its modules "dav" and "dav-ext", for trees that are published to a WebDAV server.
#pragma once

#include "nginx.h"
#include "scratch_folder.h"

#include <string>

namespace fardel::tests {

inline constexpr const char* kDavModule = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so";
inline constexpr const char* kDavSite = R"(
client_body_temp_path incoming_folder;
server {
    listen 8080;
    location / {
        more_lines
        root served_tree;
        dav_methods PUT DELETE MKCOL MOVE;
        dav_ext_methods PROPFIND;
        client_max_body_size 0;
        min_delete_depth 2;
    }
}
)";

class DavServer {
public:
    // `more`: further lines of the configuration.
    explicit DavServer(const ScratchFolder& scratch, const std::string& more = {})
        : nginx_(scratch, "dav", Nginx::Site{.text = site(scratch, more), .module = kDavModule}) {}
    std::string address() const { return "dav+" + nginx_.url() + "/game"; }
    std::string tree() const { return nginx_.tree() + "/game"; }

private:
    static std::string site(const ScratchFolder& scratch, const std::string& more) {
        std::string text = kDavSite;
        text.replace(text.find("more_lines"), 10, more);
        text.replace(text.find("incoming_folder"), 15, scratch.path("dav/incoming"));
        text.replace(text.find("served_tree"), 11, scratch.path("dav/tree"));
        return text;
    }
    Nginx nginx_;
};

}  // namespace fardel::tests
