-- A game whose content is in a bundle: draws a picture, decodes a sound, shows the text of a mod above it.
--
--     love samples/love BUNDLE POLICY MOD PICTURE      PICTURE: the file for a picture of the screen; then it ends

local fardel = require("fardel")

local vfs, hero, text, picture

-- Without this, LÖVE shows the error on a screen of its own until somebody closes it.
function love.errorhandler(message)
    io.stderr:write(message, "\n")
    return function() return 1 end
end

function love.load(arguments)
    local bundle, policy, mod
    bundle, policy, mod, picture = unpack(arguments)
    vfs = assert(fardel.new())
    assert(vfs:mount(bundle, {policy = policy}))
    hero = love.graphics.newImage(assert(vfs:file_data("/images/hero.png")))
    hero:setFilter("nearest")
    local coin = love.sound.newSoundData(assert(vfs:file_data("/sounds/coin.wav")))
    print(("coin.wav: %d samples at %d Hz"):format(coin:getSampleCount(), coin:getSampleRate()))

    -- A mod above the game replaces the text, and only that.
    print("text: " .. assert(vfs:read("/text.txt")))
    local number = assert(vfs:mount(mod, {policy = policy, priority = 1}))
    text = assert(vfs:read("/text.txt"))
    print("text with the mod: " .. text)
    assert(vfs:unmount(number))
    print("tainted: " .. tostring(vfs:is_tainted()))
end

function love.draw()
    love.graphics.clear(0x20 / 255, 0x40 / 255, 0x60 / 255)
    love.graphics.draw(hero, 10, 20)
    love.graphics.print(text, 10, 210)
    love.graphics.captureScreenshot(function(screen)
        local file = assert(io.open(picture, "wb"))
        file:write(screen:encode("png"):getString())
        file:close()
        love.event.quit()
    end)
end
