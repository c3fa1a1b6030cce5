package keymap

import (
	"reflect"
	"strings"
	"testing"
)

func merge(t *testing.T, text string) (*Map, error) {
	t.Helper()
	c, err := ParseConfig(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	m := Default()
	return m, m.Merge(c.Bindings)
}

func does(t *testing.T, m *Map, key string, scopes ...Scope) Action {
	t.Helper()
	c, err := parseChord(key)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := m.Lookup(c, scopes...)
	return a
}

func TestMerge(t *testing.T) {
	m, err := merge(t, "bind = global.quit Ctrl-Q F10\n"+
		"bind = global.peak P\nbind = global.peak-in-range p\n"+ // swapped
		"unbind = tree.collapse Left\n"+
		"unbind = table.sort\n"+
		"bind = leaks.series F5\n"+ // a scope where it was not
		"bind = global.leaks F4\n"+
		"bind = tree.toggle q\n") // a special scope may hide a general key
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key   string
		scope Scope
		want  Action
	}{
		{"q", ScopeGlobal, ""}, {"Ctrl-Q", ScopeGlobal, Quit}, {"Ctrl-C", ScopeGlobal, ""}, {"p", ScopeGlobal, PeakInRange},
		{"P", ScopeGlobal, Peak}, {"s", ScopeTable, ""}, {"Left", ScopeTree, ""}, {"F5", ScopeLeaks, Series},
		{"F5", ScopeGlobal, ""}, {"F4", ScopeGlobal, ShowLeaks}, {"q", ScopeTree, Toggle},
	} {
		if got := does(t, m, c.key, c.scope); got != c.want {
			t.Errorf("%s in %s does %q, want %q", c.key, c.scope, got, c.want)
		}
	}
	if got := line(m.Hints(79, ScopeTable, ScopeGlobal)); !strings.HasSuffix(got, "^Q") {
		t.Errorf("the footer says %q", got)
	}
}

// Actions that are spelled differently now keep their former names in users' files.
func TestMergeFormerNames(t *testing.T) {
	m, err := merge(t, "bind = timeline.maximise F8\nbind = comparison.normalise F9\n")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := does(t, m, "F8", ScopeTimeline), does(t, m, "F9", ScopeComparison); a != Maximize || b != Normalize {
		t.Errorf("the keys do %q and %q", a, b)
	}
}

func TestMergeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"\nbind = global.quit":                   "line 2: bind needs",
		"bind = quit x":                          "line 1: \"quit\" does not begin with a scope",
		"bind = nowhere.quit x":                  "line 1: \"nowhere.quit\" does not begin",
		"bind = global.fly x":                    "line 1: unknown action \"fly\"",
		"bind = global.quit Ctrl-I":              "line 1: \"Ctrl-I\": a terminal sends the same for Tab",
		"#\nbind = global.peak q":                "line 2: q already does global.peak, it cannot do quit too",
		"bind = input.cancel x":                  "line 1: x cannot be a key while typing",
		"bind = global.peak F9\nunbind = x.y":    "line 2:",
		"unbind = global.quit":                   "global.quit must keep a key",
		"bind = global.up F7\nbind = tree.up F7": "",
	} {
		m, err := merge(t, text)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
		if !reflect.DeepEqual(m.Bindings(), Default().Bindings()) {
			t.Errorf("%q: the table changed in spite of the error", text)
		}
	}
	if err := Default().Merge([]Line{{Number: 7, Key: "rebind", Value: "global.quit x"}}); err == nil {
		t.Error("rebind is accepted")
	}
}
