package keymap

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	m := Default()
	for _, c := range []struct {
		text   string
		scopes []Scope
		want   string
	}{
		{"nothing to name", nil, "nothing to name"},
		{"{back} clears the filter, {find} changes it.", nil, "Esc clears the filter, / changes it."},
		{"{collapse} goes out", []Scope{ScopeDominators, ScopeGlobal}, "← goes out"},
		{"{dominators.collapse} goes out", nil, "← goes out"},
		{"{leaks} lists them", nil, ":leaks lists them"},
		{"{no-such-action} and {half", nil, "{no-such-action} and {half"},
		{"{{back}}", nil, "{Esc}"},
		{"", nil, ""},
	} {
		if got := m.Text(c.text, c.scopes...); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}

func TestTextNamesRemappedKeys(t *testing.T) {
	m := Default()
	if err := m.Merge([]Line{{Number: 1, Key: "bind", Value: "global.difference F5"}}); err != nil {
		t.Fatal(err)
	}
	if got := m.Text("{difference} shows it"); got != "F5 shows it" {
		t.Error(got)
	}
}

// The help of a key names other keys as the user bound them.
func TestHelpNamesRemappedKeys(t *testing.T) {
	m := Default()
	if err := m.Merge([]Line{{Number: 1, Key: "bind", Value: "global.back Ctrl-G"}}); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, section := range m.Help(ScopeFlame) {
		for _, r := range section.Rows {
			if strings.Contains(r.Help, "Ctrl-G zooms out") {
				found++
			}
		}
	}
	for _, e := range m.Actions(ScopeFlame, ScopeGlobal) {
		if strings.ContainsAny(e.Help, "{}") || strings.Contains(e.Help, "Esc") {
			t.Errorf("%s: %q", e.Action, e.Help)
		}
	}
	for _, r := range m.Records() {
		if strings.Contains(r.Help, "Ctrl-G zooms out") {
			found++
		}
	}
	if found != 4 { // flame graphs in both, pages and the treemap in the table
		t.Errorf("%d sentences name the key", found)
	}
}
