package ask

import (
	"slices"

	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
)

// Terminal returns the screens that a file offers, and the keys of what works everywhere, for pages that have the same.
func Terminal(keys *keymap.Map, p *model.Profile) *html.Terminal {
	out := &html.Terminal{Screens: []html.Screen{}, Keys: map[string][]string{}}
	named := func(a keymap.Action) (list []string) {
		for _, c := range keys.Keys(a, keymap.ScopeGlobal) {
			list = append(list, c.String())
		}
		return list
	}
	for _, b := range keys.Bindings() {
		if b.Scope == keymap.ScopeGlobal && len(b.Keys) > 0 {
			out.Keys[string(b.Action)] = named(b.Action)
		}
	}
	numbers := []keymap.Action{keymap.Screen1, keymap.Screen2, keymap.Screen3, keymap.Screen4, keymap.Screen5, keymap.Screen6,
		keymap.Screen7, keymap.Screen8, keymap.Screen9}
	for i, s := range views.ScreenNames(p) {
		own := named(s.Action)
		if i < len(numbers) {
			own = slices.Concat(named(numbers[i]), own)
		}
		out.Screens = append(out.Screens, html.Screen{Action: string(s.Action), Name: s.Name, Keys: own})
	}
	return out
}
