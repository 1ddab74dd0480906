// A stranger's program: mounts the bundle, folder or archive at a path and prints the content of its hello.txt.
#include <fardel/vfs/vfs.h>

#include <cstdio>

int main(int count, char** arguments) {
    if (count != 2)
        return 2;
    fardel::Vfs vfs;
    fardel::MountOptions options;
    options.allow_unsigned = true;
    if (const auto mounted = vfs.mount(arguments[1], options); !mounted) {
        std::puts(mounted.error().text().c_str());
        return 1;
    }
    const auto file = vfs.open("/hello.txt");
    const auto bytes = file ? file->read_all() : fardel::Result<std::vector<std::byte>>(file.error());
    if (!bytes) {
        std::puts(bytes.error().text().c_str());
        return 1;
    }
    std::fwrite(bytes->data(), 1, bytes->size(), stdout);
}
