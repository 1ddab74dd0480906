// Content classes through C; class_limit_test.cpp has C++. A137.
#include <fardel/vfs/fardel.h>

#include "kit/bundles.h"
#include "kit/files.h"
#include "kit/ids.h"
#include "vfs/hostile_bundle.h"

#include <cstring>

namespace fardel::tests::c_classes_test {

class CVfs {
public:
    CVfs() { REQUIRE(fardel_vfs_create(nullptr, &vfs_, nullptr) == FARDEL_OK); }
    ~CVfs() { fardel_vfs_destroy(vfs_); }
    CVfs(const CVfs&) = delete;
    CVfs& operator=(const CVfs&) = delete;
    operator fardel_vfs*() const { return vfs_; }  // NOLINT: the C functions expect the raw pointer

    // The code of fardel_open(). A file that opens despite its class is closed.
    fardel_code open(const std::string& path) const {
        fardel_file* file = nullptr;
        const fardel_code code = fardel_open(vfs_, path.c_str(), &file, nullptr);
        CHECK((file != nullptr) == (code == FARDEL_OK));
        fardel_close(file);
        return code;
    }

private:
    fardel_vfs* vfs_ = nullptr;
};

fardel_code read_memory(void* bytes, uint64_t offset, void* buffer, size_t size_bytes, fardel_error*) {
    const Bytes& all = *static_cast<const Bytes*>(bytes);
    std::memcpy(buffer, all.data() + offset, size_bytes);
    return FARDEL_OK;
}

TEST_CASE("class limit, C: however a bundle is mounted with a policy, what is no data is denied at every path") {
    const ScratchFolder scratch;
    Author painter;
    Bytes bundle = hostile_bundle(painter);
    const std::string text = limiting_policy_text(painter.key());
    const std::string path = scratch.write("policy", text);
    const std::string file = scratch.write("x.fardel", bundle);
    for (const std::string how : {"file", "memory", "reader", "replace"}) {
        for (const bool from_text : {false, true}) {
            CAPTURE(how);
            CAPTURE(from_text);
            const CVfs vfs;
            fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
            (from_text ? options.policy_text : options.policy_path) = from_text ? text.c_str() : path.c_str();
            fardel_reader reader = FARDEL_READER_INIT;
            reader.context = &bundle;
            reader.size_bytes = bundle.size();
            reader.read_at = read_memory;
            fardel_code mounted = FARDEL_OK;
            if (how == "file")
                mounted = fardel_mount_file(vfs, file.c_str(), &options, nullptr, nullptr);
            else if (how == "memory")
                mounted = fardel_mount_memory(vfs, bundle.data(), bundle.size(), &options, nullptr, nullptr);
            else if (how == "reader")
                mounted = fardel_mount_reader(vfs, &reader, &options, nullptr, nullptr);
            else
                mounted =
                    fardel_replace_readers(vfs, nullptr, 0, &reader, 1, &options, nullptr, nullptr, nullptr, nullptr);
            REQUIRE(mounted == FARDEL_OK);
            const std::string inside = "/bundles/" + bundle_id_of(bundle).hex() + "/";
            CHECK(vfs.open("/good.tga") == FARDEL_OK);
            CHECK(vfs.open("/assets/" + id_of(kTarga).hex()) == FARDEL_OK);
            for (const std::string& name : kHostileNames) {
                CAPTURE(name);
                CHECK(vfs.open(name) == FARDEL_ERROR_DENIED);
                CHECK(vfs.open(inside + name) == FARDEL_ERROR_DENIED);
            }
            for (const std::string& content : {kElf, kQvm, real_script(), real_shared_object()})
                CHECK(vfs.open("/assets/" + id_of(content).hex()) == FARDEL_ERROR_DENIED);
            CHECK(vfs.open(inside + "hidden.tga") == FARDEL_ERROR_DENIED);

            fardel_file* note = nullptr;
            REQUIRE(fardel_open(vfs, "/note.txt", &note, nullptr) == FARDEL_OK);
            fardel_file* opened = nullptr;
            CHECK(fardel_open_from(vfs, note, "hidden.tga", &opened, nullptr) == FARDEL_ERROR_DENIED);
            CHECK(fardel_open_any_from(vfs, note, "hidden", "png,tga", &opened, nullptr) == FARDEL_ERROR_DENIED);
            CHECK(fardel_open_any(vfs, "qvm", "png,tga", &opened, nullptr) == FARDEL_ERROR_DENIED);
            CHECK(opened == nullptr);
            fardel_close(note);
        }
    }
}

TEST_CASE("class limit, C: a name of code refuses the mount, and the message names it") {
    Author painter;
    const Bytes bundle = bundle_with_qvm(painter);
    const std::string text = limiting_policy_text(painter.key());
    const CVfs vfs;
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.policy_text = text.c_str();
    fardel_error error = FARDEL_ERROR_INIT;
    CHECK(fardel_mount_memory(vfs, bundle.data(), bundle.size(), &options, nullptr, &error) == FARDEL_ERROR_DENIED);
    CHECK(std::string(error.text).find("vm/ui.qvm") != std::string::npos);
    CHECK(vfs.open("/vm/ui.qvm") == FARDEL_ERROR_MISSING);
}

}  // namespace fardel::tests::c_classes_test
