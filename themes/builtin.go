package themes

import (
	"fmt"
	"strings"
)

// builtin is a theme in the form that users write too; see [Load].
type builtin struct{ name, text string }

// theme builds the theme; a test verifies that no built-in one has an error.
func (b builtin) theme() (*Theme, error) {
	specs := &table{}
	for line := range strings.Lines(b.text) {
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if key == "base" {
			base, err := Get(value)
			if err != nil {
				return nil, err
			}
			specs = base.specs.clone()
		} else if err := specs.set(key, value); err != nil {
			return nil, fmt.Errorf("theme %s: %w", b.name, err)
		}
	}
	return specs.resolve(b.name), nil
}

// plain is the theme that every terminal can show; it cannot be hidden.
const plain = "mono"

// builtins returns the built-in themes, the default first, terminal16 and mono last.
func builtins() []builtin {
	return []builtin{
		{"dark", dark}, {"light", light}, {"high-contrast", highContrast}, {"color-blind", colorBlind},
		{"terminal16", terminal16}, {plain, mono},
	}
}

// dark is gray except for what matters. Text roles keep their contrast on the selection.
const dark = `text = 253 on 234
muted = 248
title = 255 bold
status-bar = 254 on 236
badge = 16 on 221 bold
header = 248
rule = 240
focus = 117
accent = 117 bold
selection = 255 on 237 bold
unfocused = on 236
cursor = 231 on 25
range = on 237
bar = 67
spark = 110
chart-area = 31
chart-band = 117
axis = 246
peak = 215 bold
gain = 114
loss = 210
warning = 221
error = 210 bold
note = 153
mark = 183
gc = 108
match = 16 on 221
flame-selected = 16 on 231 bold
flame-rest = 250 on 238
input = 255 on 236
popup = 253 on 235
hint-key = 117 bold
hint-text = 248
flame = 16 on 173, 16 on 179, 16 on 137, 16 on 180, 16 on 174, 16 on 143, 16 on 216, 16 on 187
heat = 60, 67, 73, 114, 186, 230`

const light = `text = 235 on 255
muted = 240
title = 16 bold
status-bar = 235 on 253
badge = 16 on 221 bold
header = 240
rule = 249
focus = 24
accent = 24 bold
selection = 16 on 253 bold
unfocused = on 254
cursor = 231 on 25
range = on 189
bar = 67
spark = 25
chart-area = 67
chart-band = 25
axis = 240
peak = 94 bold
gain = 22
loss = 124
warning = 58
error = 124 bold
note = 24
mark = 90
gc = 23
match = 16 on 221
flame-selected = 231 on 24 bold
flame-rest = 238 on 252
input = 16 on 231
popup = 235 on 231
hint-key = 24 bold
hint-text = 240
flame = 16 on 222, 16 on 216, 16 on 223, 16 on 186, 16 on 180, 16 on 229, 16 on 215, 16 on 187
heat = 152, 110, 67, 31, 25, 18`

const highContrast = `text = 231 on 16
muted = 252
title = 231 bold
status-bar = 16 on 231 bold
badge = 16 on 226 bold
header = 231 underline
rule = 250
focus = 51 bold
accent = 51 bold
selection = 231 on 18 bold
unfocused = 231 on 236 underline
cursor = 16 on 226
range = on 18
bar = 87
spark = 87
chart-area = 45
chart-band = 231
axis = 252
peak = 226 bold
gain = 120 bold
loss = 217 bold
warning = 227 bold
error = 16 on 217 bold
note = 195
mark = 219
gc = 157
match = 16 on 226 bold
flame-selected = 16 on 231 bold underline
flame-rest = 231 on 236
input = 231 on 18
popup = 231 on 16
hint-key = 51 bold
hint-text = 231
flame = 16 on 222, 16 on 216, 16 on 229, 16 on 180, 16 on 150, 16 on 153
heat = 240, 38, 44, 120, 227, 231`

// colorBlind distinguishes by blue and orange and by brightness, which all common deficiencies preserve.
const colorBlind = `base = dark
gain = 75
loss = 214
warning = 229
error = 16 on 214 bold
mark = 189
gc = 145
peak = 229 bold
flame = 16 on 229, 16 on 110, 16 on 180, 16 on 153, 16 on 137, 16 on 252
heat = 60, 67, 109, 144, 186, 230`

// terminal16 uses the terminal's own colors. They may be anything, so it does not set text and background and uses only
// the first eight.
const terminal16 = `text = default on default
muted = dim
title = bold
status-bar = bold
badge = black on yellow
header = underline
rule = dim
focus = cyan
accent = cyan bold
selection = reverse
unfocused = underline
cursor = reverse
range = white on blue
bar = cyan
spark = cyan
chart-area = cyan
chart-band = cyan bold
axis = dim
peak = yellow bold
gain = green
loss = red
warning = yellow
error = red bold
note = cyan
mark = magenta
gc = green
match = black on yellow
flame-selected = white on red bold
flame-rest = dim
input = underline
popup = default
hint-key = cyan bold
hint-text = dim
flame = black on yellow, black on green, black on cyan, white on blue, white on magenta, black on white
heat = blue, cyan, green, yellow, red`

// mono has no color: without any, tcell draws dark foregrounds reversed.
const mono = `text = default on default
muted = dim
title = bold
status-bar = bold
badge = reverse bold
header = underline
rule = dim
focus = bold
accent = bold
selection = reverse
unfocused = underline
cursor = reverse
range = underline
bar = normal
spark = normal
chart-area = dim
chart-band = bold
axis = dim
peak = bold
gain = bold
loss = bold underline
warning = bold
error = bold underline
note = normal
mark = bold
gc = dim
match = bold underline
flame-selected = reverse bold
flame-rest = dim
input = underline
popup = normal
hint-key = bold
hint-text = dim
flame = underline, underline bold, underline dim, normal, bold, dim
heat = dim, normal, bold`
