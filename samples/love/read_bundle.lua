-- fardel.lua without LÖVE: compares what it reads with the files that were packed.
--
--     luajit read_bundle.lua BUNDLE POLICY MOD FOLDER

local fardel = require("fardel")
local ffi = require("ffi")

local bundle, policy, mod, folder = unpack(arg)

local function content_of(path)
    local file = assert(io.open(path, "rb"))
    local content = file:read("*a")
    file:close()
    return content
end

local vfs = assert(fardel.new())
local mount, text, word = vfs:mount(bundle)
assert(mount == nil and word == "untrusted" and text:find("game.fardel", 1, true), text)
assert(vfs:mount(bundle, {policy = policy, label = "the game"}))

-- Every file, however it is asked for.
assert(table.concat(assert(vfs:list("/images")), " ") == "hero.png")
assert(table.concat(assert(vfs:list("/")), " ") == "assets/ bundles/ images/ sounds/ text.txt")
for _, path in ipairs({"images/hero.png", "sounds/coin.wav", "text.txt"}) do
    local expected = content_of(folder .. "/" .. path)
    assert(vfs:read(path) == expected, path)
    local file = assert(vfs:open(path:gsub("%.%w+$", ""), "png,wav,txt"))
    assert(file.size == #expected)
    local memory = ffi.new("char[?]", 16)
    assert(file:read_into(memory, 16, 2) == math.min(16, #expected - 2))
    assert(ffi.string(memory, 3) == expected:sub(3, 5))
    assert(vfs:read("/assets/" .. file:asset()) == expected)
    file:close()
end

-- What fails says so.
local nothing
nothing, text, word = vfs:read("/no such file")
assert(nothing == nil and word == "missing" and text:find("no such file", 1, true))
assert(select(3, vfs:list("/text.txt")) == "missing")
assert(select(3, vfs:unmount(12345)) == "missing")
assert(select(3, vfs:prefer("=")) == "malformed")
assert(select(3, vfs:prefer("lang=fr", 12345)) == "missing")
assert(vfs:prefer("lang=fr"))
assert(not pcall(vfs.exists, vfs, "text.txt\0.png"))
assert(not pcall(vfs.mount, vfs, bundle, {polcy = policy}))
assert(not vfs:exists("/no such file") and vfs:exists("text.txt") and not vfs:is_tainted())

-- A mod above, and a file that outlives it.
local number = assert(vfs:mount(mod, {policy = policy, priority = 1, preference = "lang=fr", require_dependencies = true}))
local file = assert(vfs:open("/text.txt"))
assert(vfs:unmount(number))
vfs:close()
collectgarbage()
assert(file:read() == "a mod\n")
print("read_bundle: success with libfardel " .. fardel.version())
