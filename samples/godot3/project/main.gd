# Draws a picture of the game, prints its text, and saves what is on the screen:
#
#     godot3-runner --path MOUNT PICTURE
extends Node2D

var hero = ImageTexture.new()
var frames = 0

func _ready():
	var image = Image.new()
	if image.load("res://images/hero.png") != OK:
		get_tree().quit(1)
		return
	hero.create_from_image(image, 0)
	var file = File.new()
	if file.open("res://text.txt", File.READ) == OK:
		print("text: ", file.get_line())

func _draw():
	draw_texture(hero, Vector2(10, 20))

func _process(_seconds):
	frames += 1
	if frames == 5:
		var screen = get_viewport().get_texture().get_data()
		screen.flip_y()
		screen.save_png(OS.get_cmdline_args()[-1])
		get_tree().quit()
