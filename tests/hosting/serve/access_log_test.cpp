// Lines of the access log.
#include "serve/access_log.h"

#include "kit/files.h"

#include <fardel/base/file.h>

namespace fardel::tests::access_log_test {

constexpr AccessRecord kRecord{.peer = "127.0.0.1",
                               .time = {1'795'395'600},
                               .method = "GET",
                               .target = "/bundles/x",
                               .status = 206,
                               .body_bytes = 10,
                               .microseconds = 42};

TEST_CASE("access log: a line has the common form, or is one object of JSON") {
    CHECK(format_access(kRecord, AccessLogForm::common) ==
          "127.0.0.1 - - [23/Nov/2026:01:00:00 +0000] \"GET /bundles/x HTTP/1.1\" 206 10\n");
    CHECK(format_access(kRecord, AccessLogForm::json) ==
          "{\"time\":\"2026-11-23T01:00:00Z\",\"peer\":\"127.0.0.1\",\"method\":\"GET\",\"target\":\"/bundles/x\","
          "\"status\":206,\"body_bytes\":10,\"whole\":true,\"microseconds\":42}\n");
}

TEST_CASE("access log: whatever a client sends, a line stays one line of printable characters, of bounded length") {
    std::string hostile = "/\"\\\r\n\x1b[2J\t\x7f";
    hostile += '\0';
    hostile += "\xe2\x80\xae";
    AccessRecord record = kRecord;
    record.target = hostile;
    record.method = hostile;
    const std::string long_target(100'000, '"');
    AccessRecord large = kRecord;
    large.target = long_target;
    for (const AccessLogForm form : {AccessLogForm::common, AccessLogForm::json}) {
        for (const AccessRecord& one : {record, large}) {
            const std::string line = format_access(one, form);
            CHECK(line.size() < 8192);
            CHECK(line.find('\n') == line.size() - 1);
            for (const char character : line.substr(0, line.size() - 1))
                CHECK((character >= 0x20 && character < 0x7f));
        }
    }
    CHECK(format_access(record, AccessLogForm::common).find("/\\x22\\x5c\\x0d\\x0a\\x1b[2J") != std::string::npos);
    CHECK(format_access(record, AccessLogForm::json).find("/\\u0022\\u005c\\u000d") != std::string::npos);
}

TEST_CASE("access log: what was added is in the file when the log ends") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("log");
    {
        AccessLog log(value_of(open_appending(path, path)), AccessLogForm::common);
        for (int i = 0; i < 1000; ++i)
            log.add(kRecord);
        CHECK(log.dropped_lines() == 0);
    }
    CHECK(read_file(path).size() == 1000 * format_access(kRecord, AccessLogForm::common).size());
}

}  // namespace fardel::tests::access_log_test
