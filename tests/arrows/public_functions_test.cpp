// The table of docs/c-api.md: what each public C++ function is in C, or why C has none.
#include "public_functions.h"

#include "kit/files.h"

#include <map>
#include <regex>
#include <set>

namespace fardel::tests::public_functions_test {

using arrows::c_functions;
using arrows::public_functions;
using arrows::structs_with_init;

using Names = std::vector<std::string>;

// The installed headers of one language: their names and texts.
std::map<std::string, std::string> installed_headers(bool for_c) {
    std::map<std::string, std::string> headers;
    for (const auto& folder : fs::directory_iterator(FARDEL_SOURCE_DIR))
        for (const fs::path& path : paths_below(folder.path() / "include"))
            if (path.filename().string().starts_with("fardel") == for_c)
                headers[path.lexically_relative(folder.path() / "include/fardel").generic_string()] = read_file(path);
    REQUIRE_FALSE(headers.empty());
    return headers;
}

// What stands between backticks.
Names names_in(std::string_view cell) {
    Names names;
    for (std::size_t at = cell.find('`'); at != std::string_view::npos;) {
        const std::size_t end = cell.find('`', at + 1);
        REQUIRE(end != std::string_view::npos);
        names.emplace_back(cell.substr(at + 1, end - at - 1));
        at = cell.find('`', end + 1);
    }
    return names;
}

struct Row {
    std::string header;  // "vfs/vfs.h"; empty: it is about C functions alone
    Names cpp;           // "Vfs::mount"; "PurePolicy::*" stands for all of a class for which there is one reason
    Names c;
    bool has_reason = false;
};

std::vector<Row> read_table() {
    std::string text = read_file(FARDEL_SOURCE_DIR "/docs/c-api.md");
    const std::size_t begin = text.find("| header | C++ | C, or why not |");
    REQUIRE(begin != std::string::npos);
    text = text.substr(begin);
    text = text.substr(0, text.find("\n\n"));
    std::vector<Row> rows;
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        if (++number <= 2)
            continue;  // the head of the table
        const std::size_t first = line.find(" | ");
        const std::size_t second = line.find(" | ", first + 3);
        CAPTURE(line);
        REQUIRE((line.starts_with("| ") && second != std::string::npos && line.ends_with(" |")));
        const Names header = names_in(line.substr(0, first));
        const std::string third = line.substr(second + 3, line.size() - second - 5);
        // A list of functions, with a remark or without one, or else a reason.
        static const std::regex list("(`fardel_[a-z0-9_]+`(, )?)+(: .*)?");
        const bool is_list = std::regex_match(third, list);
        Row row{.header = header.empty() ? "" : header[0],
                .cpp = names_in(line.substr(first, second - first)),
                .c = is_list ? names_in(third) : Names(),
                .has_reason = !is_list && !third.empty()};
        rows.push_back(std::move(row));
    }
    return rows;
}

bool stands_for(const std::string& entry, const std::string& name) {
    return entry == name || (entry.ends_with("::*") && name.starts_with(entry.substr(0, entry.size() - 1)));
}

TEST_CASE("public functions: free ones and public members are read, and nothing else") {
    CHECK(public_functions(R"(
        #include <x>
        namespace fardel {
        class Foreign;
        enum class Kind : int { a, b };
        struct Options { std::function<void(const X& x)> done; int value = f(1); std::vector<int> list{g(2)}; };
        template <class T>
        class [[nodiscard]] Box final : public Base {
        public:
            Box() = default;
            explicit Box(T value) noexcept : value_(std::move(value)) {}
            ~Box();
            Box& operator=(const Box&) = delete;
            friend bool operator==(const Box&, const Box&) = default;
            friend bool operator<(const Box& a, const Box& b) { return a.x() < b.x(); }
            [[nodiscard]] const T& value() const noexcept { return value_; }
            static Result<Box> open(const std::string& path, Options how = {});
            struct Inner { bool empty() const; };
        private:
            void hidden();
            struct Secret { void also_hidden(); };
            T value_;
        };
        inline constexpr std::size_t kMax = size_t(1) << 20;
        using Alias = std::function<int(int)>;
        std::optional<Kind> find_kind(std::string_view word);
        std::optional<Kind> find_kind(int number);
        template <std::convertible_to<int> N> N twice(N n) { return n + n; }
        }
    )") == Names{"Box::value", "Box::open", "Box::Inner::empty", "find_kind", "twice"});
    CHECK(
        c_functions("FARDEL_API fardel_code fardel_a(int x);\nFARDEL_API const char* fardel_b(void);\nint c(void);") ==
        Names{"fardel_a", "fardel_b"});
    CHECK(structs_with_init("#define FARDEL_VFS_OPTIONS_INIT {0}\n#define FARDEL_X 1\n") ==
          Names{"fardel_vfs_options"});
}

TEST_CASE("docs/c-api.md: each public C++ function has its C function or a reason, and the table names no other") {
    const auto headers = installed_headers(false);
    Names missing;
    std::set<std::string> used;
    const std::vector<Row> rows = read_table();
    for (const auto& installed : headers)
        for (const std::string& name : public_functions(installed.second)) {
            const std::string& header = installed.first;
            bool is_there = false;
            for (const Row& row : rows)
                for (const std::string& entry : row.cpp)
                    if (row.header == header && stands_for(entry, name)) {
                        is_there = true;
                        used.insert(header + " " + entry);
                        // One reason may stand for a class; a counterpart is named function by function.
                        CHECK_MESSAGE((row.has_reason || !row.c.empty()), header << " " << entry);
                        CHECK_MESSAGE((entry == name || row.c.empty()), header << " " << entry);
                    }
            if (!is_there)
                missing.push_back("| `" + header + "` | `" + name + "` | |");
        }
    CHECK_MESSAGE(
        missing.empty(), "rows to be added to docs/c-api.md:\n"
                             << [&] {
                                    std::string lines;
                                    for (const std::string& line : missing)
                                        lines += line + "\n";
                                    return lines;
                                }());
    for (const Row& row : rows)
        for (const std::string& entry : row.cpp)
            CHECK_MESSAGE(used.contains(row.header + " " + entry), row.header << " has no function " << entry);
}

TEST_CASE("docs/c-api.md: the table has each C function, and names no other") {
    std::set<std::string> declared;
    for (const auto& [header, text] : installed_headers(true))
        for (const std::string& name : c_functions(text))
            if (!name.ends_with("_init"))
                declared.insert(name);
    std::set<std::string> named;
    for (const Row& row : read_table())
        named.insert(row.c.begin(), row.c.end());
    for (const std::string& name : declared)
        CHECK_MESSAGE(named.contains(name), "docs/c-api.md lacks " << name);
    for (const std::string& name : named)
        CHECK_MESSAGE(declared.contains(name), "no C header declares " << name);
}

TEST_CASE("C headers: for each macro that sets a struct there is a function that does the same") {
    for (const auto& installed : installed_headers(true)) {
        const std::string& header = installed.first;
        const std::string& text = installed.second;
        if (header == "format/fardel_types.h")  // its two functions are in libfardel.so
            continue;
        const Names functions = c_functions(text);
        for (const std::string& name : structs_with_init(text))
            CHECK_MESSAGE(std::ranges::find(functions, name + "_init") != functions.end(), header << ": " << name);
    }
}

}  // namespace fardel::tests::public_functions_test
