// A real nginx on loopback with its own folder, configured as a document says; or with its modules "dav" and "dav-ext",
// for trees that are published to a WebDAV server.
#pragma once

#include "files.h"

#include <sys/types.h>

namespace fardel::tests {

class Nginx {
public:
    // `document`: below docs/; its configuration listens on port 8080 and serves `served`. `module`: the path of a
    // module to load; empty: none. Passwords are in the file "publishers" of the folder `name`. Fails the test if nginx
    // is not installed.
    explicit Nginx(const ScratchFolder& scratch, const std::string& name = "nginx",
                   const std::string& document = "derived-cache.md", const std::string& served = "/srv/fardel/cache",
                   const std::string& module = {});
    // `text`: server blocks of a configuration, of which one listens on port 8080. `module`: as above.
    struct Site {
        std::string text;
        std::string module = {};
    };
    Nginx(const ScratchFolder& scratch, const std::string& name, const Site& site);
    ~Nginx();  // stops it and removes its folder
    Nginx(const Nginx&) = delete;
    Nginx& operator=(const Nginx&) = delete;

    const std::string& url() const { return url_; }
    int port() const { return port_; }
    const std::string& tree() const { return tree_; }   // the folder that it serves
    static std::string token() { return "CHANGE-ME"; }  // allows writing
    void stop();

private:
    void start(const ScratchFolder& scratch, const std::string& name, const std::string& site,
               const std::string& served);
    bool try_start(const std::string& folder, std::string site, const std::string& served);

    std::string module_;
    std::string url_;
    int port_ = 0;
    std::string tree_;
    pid_t id_ = -1;
};

// Returns a port of loopback that nobody listens on. It stays reserved for this process: neither the system nor another
// test gives it to anybody else.
int find_free_port();

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

// nginx with its modules "dav" and "dav-ext".
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
