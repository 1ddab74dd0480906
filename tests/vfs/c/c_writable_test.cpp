// The functions of fardel.h about a folder of the game's own.
#include <fardel/vfs/fardel.h>

#include "kit/files.h"
#include "kit/test.h"

#include <array>
#include <cstring>

namespace fardel::tests::c_writable_test {

void note_entry(void* context, const fardel_writable_entry* entry) {
    REQUIRE(entry->struct_size == sizeof *entry);
    CHECK((entry->is_folder != 0 || entry->modified_s > 1'600'000'000));
    *static_cast<std::string*>(context) +=
        std::string(entry->name) + (entry->is_folder != 0 ? "/ " : ":" + std::to_string(entry->size_bytes) + " ");
}

TEST_CASE("C API: a game saves, reads, lists and removes") {
    const ScratchFolder scratch;
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_writable* folder = nullptr;
    REQUIRE(fardel_writable_open(scratch.path("game").c_str(), 100, 0, &folder, &error) == FARDEL_OK);
    REQUIRE(fardel_writable_write(folder, "saves/1", "level 1", 7, &error) == FARDEL_OK);
    REQUIRE(fardel_writable_write(folder, "empty", nullptr, 0, &error) == FARDEL_OK);

    std::array<char, 16> text{};
    std::size_t size = 0;
    CHECK(fardel_writable_read(folder, "saves/1", text.data(), 3, &size, &error) == FARDEL_ERROR_LIMIT);
    CHECK(size == 7);
    CHECK(text[0] == '\0');
    REQUIRE(fardel_writable_read(folder, "saves/1", text.data(), text.size(), &size, &error) == FARDEL_OK);
    CHECK(std::string(text.data()) == "level 1");
    CHECK(fardel_writable_read(folder, "empty", nullptr, 0, &size, &error) == FARDEL_OK);
    CHECK(size == 0);
    CHECK(fardel_writable_read(folder, "saves/2", text.data(), text.size(), nullptr, &error) == FARDEL_ERROR_MISSING);

    std::string found;
    REQUIRE(fardel_writable_list(folder, nullptr, note_entry, &found, &error) == FARDEL_OK);
    CHECK(found == "empty:0 saves/ ");
    found.clear();
    REQUIRE(fardel_writable_stat(folder, "saves/1", note_entry, &found, &error) == FARDEL_OK);
    CHECK(found == "1:7 ");
    REQUIRE(fardel_writable_stat(folder, "saves/2", note_entry, &found, &error) == FARDEL_OK);
    CHECK(found == "1:7 ");

    std::uint64_t bytes = 0, files = 0;
    REQUIRE(fardel_writable_use(folder, &bytes, &files, &error) == FARDEL_OK);
    CHECK(bytes == 7);
    CHECK(files == 3);
    CHECK(fardel_writable_write(folder, "shot", std::string(94, 'x').c_str(), 94, &error) == FARDEL_ERROR_NO_SPACE);
    CHECK(std::string(error.text).find("quota") != std::string::npos);
    CHECK(fardel_writable_write(folder, "../out", "x", 1, &error) == FARDEL_ERROR_MALFORMED);

    std::int32_t removed = -1;
    REQUIRE(fardel_writable_remove(folder, "saves/1", &removed, &error) == FARDEL_OK);
    CHECK(removed == 1);
    REQUIRE(fardel_writable_remove(folder, "saves/1", &removed, &error) == FARDEL_OK);
    CHECK(removed == 0);
    fardel_writable_close(folder);
    fardel_writable_close(nullptr);
}

TEST_CASE("C API: a file is written in parts and replaced at the end") {
    const ScratchFolder scratch;
    fardel_writable* folder = nullptr;
    REQUIRE(fardel_writable_open(scratch.path("game").c_str(), 0, 0, &folder, nullptr) == FARDEL_OK);
    fardel_writable_file* file = nullptr;
    REQUIRE(fardel_writable_create(folder, "shot", &file, nullptr) == FARDEL_OK);
    REQUIRE(fardel_writable_append(file, "pic", 3, nullptr) == FARDEL_OK);
    REQUIRE(fardel_writable_append(file, "ture", 4, nullptr) == FARDEL_OK);
    CHECK_FALSE(fs::exists(scratch.path("game/shot")));
    REQUIRE(fardel_writable_commit(file, nullptr) == FARDEL_OK);
    CHECK(fardel_writable_commit(file, nullptr) == FARDEL_ERROR_CONFLICT);
    fardel_writable_file_close(file);
    CHECK(scratch.read("game/shot") == "picture");
    REQUIRE(fardel_writable_create(folder, "shot", &file, nullptr) == FARDEL_OK);
    fardel_writable_file_close(file);
    CHECK(scratch.read("game/shot") == "picture");
    fardel_writable_file_close(nullptr);
    fardel_writable_close(folder);
}

TEST_CASE("C API: null pointers are refused by the functions of writable folders") {
    const ScratchFolder scratch;
    fardel_writable* folder = nullptr;
    CHECK(fardel_writable_open(nullptr, 0, 0, &folder, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_open("x", 0, 0, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    REQUIRE(fardel_writable_open(scratch.path("game").c_str(), 0, 0, &folder, nullptr) == FARDEL_OK);
    std::string found;
    CHECK(fardel_writable_write(folder, "a", nullptr, 1, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_write(nullptr, "a", "x", 1, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_read(folder, "a", nullptr, 1, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_stat(folder, "a", nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_stat(folder, nullptr, note_entry, &found, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_list(folder, nullptr, nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_remove(folder, nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_use(nullptr, nullptr, nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_create(folder, "a", nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_append(nullptr, "a", 1, nullptr) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_writable_commit(nullptr, nullptr) == FARDEL_ERROR_ARGUMENT);
    fardel_writable_close(folder);
}

TEST_CASE("C API: the user's folder for a game is written to the caller's buffer") {
    std::array<char, 1024> path{};
    std::size_t size = 0;
    CHECK(fardel_user_data_folder("Studio", "a/b", path.data(), path.size(), &size, nullptr) == FARDEL_ERROR_MALFORMED);
    const fardel_code code = fardel_user_data_folder("Studio", "Game", path.data(), path.size(), &size, nullptr);
    if (code == FARDEL_ERROR_MISSING)
        return;  // this user has no home
    REQUIRE(code == FARDEL_OK);
    CHECK(std::string(path.data()).ends_with("/Studio/Game"));
    CHECK(size == std::strlen(path.data()) + 1);
    CHECK(fardel_user_data_folder("Studio", "Game", path.data(), 3, &size, nullptr) == FARDEL_ERROR_LIMIT);
}

}  // namespace fardel::tests::c_writable_test
