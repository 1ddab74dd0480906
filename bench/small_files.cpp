#include "small_files.h"

#include <fardel/format/bundle_writer.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace fardel::bench {
namespace {

class SmallFileStream : public BlobStream {
public:
    explicit SmallFileStream(std::uint32_t index) : bytes_(small_file(index)) {}
    Result<std::size_t> read(std::span<std::byte> out) override {
        const std::size_t count = std::min(out.size(), bytes_.size() - at_);
        std::memcpy(out.data(), bytes_.data() + at_, count);
        at_ += count;
        return count;
    }

private:
    std::string bytes_;
    std::size_t at_ = 0;
};

class SmallFileBlob : public BlobSource {
public:
    explicit SmallFileBlob(std::uint32_t index) : index_(index) {}
    Result<std::unique_ptr<BlobStream>> open() const override {
        return std::unique_ptr<BlobStream>(std::make_unique<SmallFileStream>(index_));
    }

private:
    std::uint32_t index_;
};

std::string path_of(const Scene& scene, std::uint32_t count, const std::string& ending) {
    return fmt::format("{}/small-files-{}{}", scene.scratch, count, ending);
}

void say_making(const std::string& path) { fmt::print(stderr, "making {} …\n", path); }

// A regular file's header as POSIX ustar has it.
std::array<char, 512> tar_header(const std::string& name, std::size_t size) {
    std::array<char, 512> header{};
    const auto put = [&](std::size_t at, const std::string& text) {
        std::memcpy(header.data() + at, text.data(), text.size());
    };
    put(0, name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, fmt::format("{:011o}", size));
    put(136, "00000000000");
    put(148, "        ");
    put(156, "0");
    put(257, std::string("ustar\0"
                         "00",
                         8));
    unsigned sum = 0;
    for (const char byte : header)
        sum += static_cast<unsigned char>(byte);
    put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
    return header;
}

void write_tar(std::FILE* out, std::uint32_t count) {
    static constexpr std::array<char, 1024> kZeros{};
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string bytes = small_file(i);
        const auto header = tar_header(made_up_name(i), bytes.size());
        std::fwrite(header.data(), 1, header.size(), out);
        std::fwrite(bytes.data(), 1, bytes.size(), out);
        std::fwrite(kZeros.data(), 1, (512 - bytes.size() % 512) % 512, out);
    }
    std::fwrite(kZeros.data(), 1, kZeros.size(), out);
}

}  // namespace

std::string small_file(std::uint32_t index) {
    std::uint64_t state = index * 0x9e3779b97f4a7c15u + 1;
    const auto random = [&] {  // splitmix64
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    };
    const std::string name = made_up_name(index);
    std::string bytes = fmt::format(
        "material \"{0}\"\n{{\n    diffuse  {0}_d.tga\n    normal   {0}_n.tga\n    specular {0}_s.tga\n    surface  "
        "metal, footsteps, nomarks\n    weights  ",
        name);
    const std::size_t size = bytes.size() + 300 + random() % 1000;
    while (bytes.size() < size) {
        std::uint64_t bits = random();
        for (int i = 0; i < 10; ++i, bits >>= 6)
            bytes.push_back(static_cast<char>('0' + (bits & 63)));
    }
    return bytes + "\n}\n";
}

std::string small_files_bundle(const Scene& scene, std::uint32_t count) {
    const std::string path = path_of(scene, count, ".fardel");
    if (std::filesystem::exists(path))
        return path;
    say_making(path);
    BundlePlan plan;
    plan.metadata.push_back({.key = "name", .value = std::string("small-files")});
    plan.assets.reserve(count);
    plan.names.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name = made_up_name(i);
        plan.assets.push_back(
            {.source = std::make_shared<SmallFileBlob>(i), .key = name, .content_type = "image/x-tga"});
        plan.names.push_back({.name = must(AssetName::parse(name)), .variants = {{.asset = i}}});
    }
    write_signed(plan, path, {});
    return path;
}

std::string small_files_folder(const Scene& scene, std::uint32_t count) {
    const std::string folder = path_of(scene, count, "");
    if (std::filesystem::exists(folder))
        return folder;
    say_making(folder);
    const std::string staging = folder + ".part";
    std::filesystem::remove_all(staging);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::filesystem::path path = staging + "/" + made_up_name(i);
        if (i % 1000 == 0)
            std::filesystem::create_directories(path.parent_path());
        const std::string bytes = small_file(i);
        std::ofstream file(path, std::ios::binary);
        if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
            fail(Error(ErrorCode::io, path.string() + ": cannot be written"));
    }
    std::filesystem::rename(staging, folder);
    return folder;
}

std::string small_files_zip(const Scene& scene, std::uint32_t count) {
    const std::string path = path_of(scene, count, ".zip");
    if (std::filesystem::exists(path))
        return path;
    const std::string folder = small_files_folder(scene, count);
    say_making(path);
    run_command(fmt::format("cd '{}' && rm -f '{}.part.zip' && zip -q -r '{}.part.zip' . && mv '{}.part.zip' '{}'",
                            folder, path, path, path, path));
    return path;
}

std::string small_files_squashfs(const Scene& scene, std::uint32_t count, const std::string& label,
                                 const std::string& options) {
    const std::string path = path_of(scene, count, "-" + label + ".squashfs");
    if (std::filesystem::exists(path))
        return path;
    say_making(path);
    const std::string command = fmt::format(
        "rm -f '{0}.part' && mksquashfs - '{0}.part' -tar -quiet -no-progress -no-duplicates {1} && mv '{0}.part' "
        "'{0}'",
        path, options);
    std::FILE* pipe = ::popen(command.c_str(), "w");
    if (!pipe)
        fail(Error(ErrorCode::io, command + ": cannot be started"));
    write_tar(pipe, count);
    if (::pclose(pipe) != 0)
        fail(Error(ErrorCode::io, command + ": failed"));
    return path;
}

}  // namespace fardel::bench
