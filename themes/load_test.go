package themes

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

func TestLoad(t *testing.T) {
	theme, err := Load("mine", []Line{
		{3, "text", "#eee on 17"},
		{4, "base", "light"},
		{5, "warning", "bright-yellow on default bold underline"},
		{6, "muted", "dim"},
		{7, "flame", "1, 2, 3, 4, 5, 6 on 7"},
		{8, "bar", "normal"},
	})
	if err != nil {
		t.Fatal(err)
	}
	base := tcell.StyleDefault.Foreground(tcell.NewHexColor(0xeeeeee)).Background(tcell.PaletteColor(17))
	light := get(t, "light")
	for r, want := range map[Role]tcell.Style{
		Text:    base,
		Warning: tcell.StyleDefault.Foreground(tcell.PaletteColor(11)).Bold(true).Underline(true),
		Muted:   base.Dim(true),
		Bar:     base,
		Gain:    base.Foreground(tcell.PaletteColor(22)), // of light, on the new ground
		Match:   light.Style(Match),
	} {
		if got := theme.Style(r); got != want {
			t.Errorf("%s is %+v, want %+v", r, got, want)
		}
	}
	if len(theme.Flames()) != 6 || theme.Heat(0) != base.Foreground(tcell.PaletteColor(152)) {
		t.Error("lists are wrong")
	}
	if light.Style(Text) != get(t, "light").Style(Text) || len(light.Flames()) != 8 {
		t.Error("the base changed")
	}
}

func TestLoadErrors(t *testing.T) {
	for value, want := range map[string]string{
		"text = ":                 "a style is missing",
		"text = 1 2":              "a second color",
		"text = 1 on":             "neither a color",
		"text = 1 on 2 on 3":      "neither a color",
		"text = 256":              "neither a color",
		"text = -1":               "neither a color",
		"text = #12345":           "neither a color",
		"text = #12345g":          "neither a color",
		"text = #+12345":          "neither a color",
		"text = bright-":          "neither a color",
		"text = bright-bright":    "neither a color",
		"colour = 3":              "unknown theme role \"colour\"",
		"base = nowhere":          "unknown theme",
		"flame = 1, 2":            "2 styles, at least 6",
		"heat = 1,,2":             "a style is missing",
		"text = on on default":    "neither a color",
		"selection = bold blink ": "\"blink\" is neither",
	} {
		key, v, _ := strings.Cut(value, " = ")
		_, err := Load("mine", []Line{{1, "gain", "2"}, {42, key, v}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "line 42: ") {
			t.Errorf("%q: error %v, want %q", value, err, want)
		}
	}
}

func FuzzParseSpec(f *testing.F) {
	f.Add("#fff on 234 bold")
	f.Add("bright-red on default")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSpec(text)
		if err == nil && (s.hasFg && s.fg != tcell.ColorDefault && !s.fg.Valid() || s.hasBg && s.bg != tcell.ColorDefault && !s.bg.Valid()) {
			t.Fatalf("%q is read as %+v", text, s)
		}
	})
}

func BenchmarkGet(b *testing.B) {
	for b.Loop() {
		if _, err := Get("color-blind"); err != nil {
			b.Fatal(err)
		}
	}
}
