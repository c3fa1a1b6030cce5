package memtest

import (
	"testing"

	"github.com/memtui/memtui/themes"
)

// Every role has a name of its own, in front and, where it brings one, as a background.
func TestRoleNames(t *testing.T) {
	theme, err := RoleTheme()
	if err != nil {
		t.Fatal(err)
	}
	for r := range themes.RoleCount {
		want := r.String()
		if r == themes.Text {
			want = ""
		}
		if got := RoleName(theme.Style(r)); got != want {
			t.Errorf("%v is %q", r, got)
		}
	}
	for want, style := range map[string]string{
		"gain on selection":       RoleName(theme.Over(themes.Gain, themes.Selection)),
		"muted bold":              RoleName(theme.Style(themes.Muted).Bold(true)),
		"heat 5":                  RoleName(theme.Heat(1)),
		"flame 3":                 RoleName(theme.Flame(11)),
		"text on range underline": RoleName(theme.Over(themes.Text, themes.RangeMark).Underline(true)),
	} {
		if style != want {
			t.Errorf("%q, want %q", style, want)
		}
	}
}
