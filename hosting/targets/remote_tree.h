// RemoteTree: what trees on a WebDAV server and in a bucket have in common: requests that are repeated, and files that
// are read by ranges.
#pragma once

#include <fardel/hosting/tree_target.h>
#include <fardel/http/http_connection.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fardel {

struct RemoteTreeOptions {
    HttpTimeouts timeouts;
    unsigned attempts_max = 5;
    std::chrono::milliseconds first_pause{200};  // before the second attempt; doubled before each further one
    std::vector<std::string> read_headers;       // of requests for ranges
    std::stop_token stop;
};

class RemoteTree {
public:
    // `url`: complete, without '/' at the end.
    RemoteTree(std::string url, HttpConnection connection, RemoteTreeOptions options);

    const std::string& url() const noexcept { return url_; }
    // Error: malformed.
    Result<std::string> url_of(const std::string& path) const;
    const std::vector<std::string>& read_headers() const noexcept { return options_.read_headers; }
    const std::stop_token& stop() const noexcept { return options_.stop; }

    // Repeats a request that the server did not answer, cut off or was too busy or broken to answer (5xx, 429, …). The
    // answer has the status of the last attempt.
    Result<HttpAnswer> perform(const HttpRequest& request, const std::stop_token& stop) const;
    Result<HttpAnswer> perform_once(const HttpRequest& request, const std::stop_token& stop) const {
        return connection_.perform(request, stop);
    }
    // As perform(), for a request that is made again for each attempt.
    Result<HttpAnswer> perform_made(const std::function<Result<HttpRequest>()>& make,
                                    const std::stop_token& stop) const;
    Result<HttpAnswer> perform(const HttpRequest& request) const { return perform(request, options_.stop); }

    // The file that a HEAD request has found; it is read by ranges, and a few neighbouring bytes are kept. The tree
    // must outlive it. Error: malformed (the server does not say how large it is).
    Result<std::shared_ptr<const ByteSource>> open_found(const HttpAnswer& found, const std::string& url) const;

private:
    const std::string url_;
    const HttpConnection connection_;
    const RemoteTreeOptions options_;
};

// Compares a file with the one that is there. Error: conflict.
Result<PutOutcome> compare_with(const ByteSource& bytes, const ByteSource& there, const std::string& url,
                                const PublishWork& work);

}  // namespace fardel
