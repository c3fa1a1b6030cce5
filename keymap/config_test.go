package keymap

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseConfig(t *testing.T) {
	got, err := ParseConfig(strings.NewReader("\ufeff# mine\r\n theme=night \r\nmouse = off\n\n" +
		"bind = global.find = /\nunbind = table.sort\n" +
		"[theme night]\nbase = dark\n  # muted\nmuted = #888 on default dim\n[ theme day ]\nbase = light"))
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Settings: []Line{{2, "theme", "night"}, {3, "mouse", "off"}},
		Bindings: []Line{{5, "bind", "global.find = /"}, {6, "unbind", "table.sort"}},
		Themes: []ThemeLines{
			{"night", 7, []Line{{8, "base", "dark"}, {10, "muted", "#888 on default dim"}}},
			{"day", 11, []Line{{12, "base", "light"}}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		"\nhello":                        "line 2: not of the form key = value",
		"theme =":                        "line 1: not of the form",
		"= x":                            "line 1: not of the form",
		"a b = c":                        "line 1: not of the form",
		"theme = a\ntheme = b":           "line 2: theme is already on line 1",
		"[theme]":                        "line 1: not of the form [theme NAME]",
		"[theme a":                       "line 1: not of the form",
		"[keys x]":                       "line 1: not of the form",
		"[theme a]\n[theme a]":           "line 2: theme a is already on line 1",
		"[theme a]\nx = 1\nx = 2":        "line 3: x is already on line 2",
		"a=1\n\x00\n":                    "line 2:",
		strings.Repeat("x", maxConfig+5): "token too long",
		strings.Repeat("x = 1\n", 2e5):   "larger than",
	} {
		if _, err := ParseConfig(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %.200v, want %q", text, err, want)
		}
	}
	_, err := ParseConfig(strings.NewReader(strings.Repeat("?\n", 1000)))
	if n := strings.Count(err.Error(), "\n"); n > maxConfigErrors {
		t.Errorf("%d lines of errors", n)
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("theme = dark\n[theme x]\ntext = 1 on 2\n")
	f.Add("bind = global.quit x\nunbind = tree.toggle")
	f.Fuzz(func(t *testing.T, text string) {
		c, _ := ParseConfig(strings.NewReader(text))
		for _, l := range c.Settings {
			if l.Number < 1 || l.Key == "" || l.Value == "" {
				t.Fatalf("bad line %+v", l)
			}
		}
		if err := Default().Merge(c.Bindings); err != nil && !strings.Contains(err.Error(), "line ") &&
			!strings.Contains(err.Error(), "must keep") {
			t.Fatalf("error without a line: %v", err)
		}
	})
}
