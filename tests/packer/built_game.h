// A project in its own scratch folder, built by the program.
#pragma once

#include "program.h"
#include "scratch.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

namespace fardel::tests {

class BuiltGame {
public:
    explicit BuiltGame(std::string_view project) { write("fardel.toml", project); }

    std::string path(std::string_view name = "") const { return scratch_->path("game/" + std::string(name)); }
    void write(const std::string& name, std::string_view text) const { scratch_->write("game/" + name, text); }
    void write_program(const std::string& name, std::string_view text) const {
        write(name, text);
        std::filesystem::permissions(path(name), std::filesystem::perms::owner_exec,
                                     std::filesystem::perm_options::add);
    }
    std::string read(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void replace(const std::string& name, std::string_view from, std::string_view to) const {
        std::string text = read(name);
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        write(name, text.replace(at, from.size(), to));
    }
    Outcome run_build(const Arguments& more = {}) const {
        Arguments words{"build", path(), "--level", "1", "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    nlohmann::json build(const Arguments& more = {}) const {
        const Outcome outcome = run_build(more);
        CAPTURE(outcome.err);
        REQUIRE(outcome.exit_code == 0);
        return nlohmann::json::parse(outcome.out);
    }
    std::string bundle() const { return read("game.fardel"); }
    // Returns the bundle that a build of the sources alone gives.
    std::string clean_bundle() const {
        const ScratchFolder other;
        std::filesystem::copy(path(), other.path("game"),
                              std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
        std::filesystem::remove_all(other.path("game/.fardel"));
        std::filesystem::remove(other.path("game/game.fardel"));
        run_well({"build", other.path("game"), "--level", "1"});
        std::ifstream file(other.path("game/game.fardel"), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::string cat(const std::string& name) const { return run_well({"cat", path("game.fardel"), name}); }
    // Waits until the files are old enough that a build remembers them.
    static void grow_old() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

private:
    std::unique_ptr<ScratchFolder> scratch_ =
        std::make_unique<ScratchFolder>();  // so that a function can return a game
};

}  // namespace fardel::tests
