function love.conf(t)
    t.identity = "fardel-sample"
    t.version = "11.4"
    t.window.title = "A game out of a bundle"
    t.window.width, t.window.height = 320, 240
    t.window.vsync = 0
    t.modules.audio = false  -- machines that run tests have no sound card; sounds are decoded all the same
    t.modules.joystick = false
end
