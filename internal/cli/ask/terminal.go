package ask

import (
	"slices"

	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
)

// Keys returns the keys of what works everywhere, for pages that have the same, without screens.
func Keys(keys *keymap.Map) *html.Terminal {
	out := &html.Terminal{Screens: []html.Screen{}, Keys: map[string][]string{}}
	for _, b := range keys.Bindings() {
		if b.Scope == keymap.ScopeGlobal && len(b.Keys) > 0 {
			out.Keys[string(b.Action)] = named(keys, b.Action)
		}
	}
	return out
}

// Terminal returns the screens that a file offers with their keys, and [Keys].
func Terminal(keys *keymap.Map, p *model.Profile) *html.Terminal {
	out := Keys(keys)
	numbers := []keymap.Action{keymap.Screen1, keymap.Screen2, keymap.Screen3, keymap.Screen4, keymap.Screen5, keymap.Screen6,
		keymap.Screen7, keymap.Screen8, keymap.Screen9}
	for i, s := range views.ScreenNames(p) {
		own := named(keys, s.Action)
		if i < len(numbers) {
			own = slices.Concat(named(keys, numbers[i]), own)
		}
		out.Screens = append(out.Screens, html.Screen{Action: string(s.Action), Name: s.Name, Keys: own})
	}
	return out
}

// named returns the keys of an action by their names.
func named(keys *keymap.Map, a keymap.Action) (list []string) {
	for _, c := range keys.Keys(a, keymap.ScopeGlobal) {
		list = append(list, c.String())
	}
	return list
}
