package suspects

import (
	"fmt"
	"strings"
	"testing"
)

// Of what holds each other only the crowd inside is told, however much else its owners' types hold elsewhere.
func TestOwnersOfTheSuspectAreNotToldToo(t *testing.T) {
	m := newMaker()
	m.entries(everyday)
	loader := m.add(0, "", "vm.Loader", 64)
	list := m.add(loader, "classes", "lang.List", 64)
	cache := m.add(m.add(list, "", "lang.List", 4096), "SESSIONS", "shop.SessionCache", 64)
	table := m.add(cache, "", "lang.Table", 4096)
	for range 2000 {
		m.add(m.add(table, "", "shop.Session", 120), "name", "lang.Text", 500)
	}
	shop := m.add(0, "", "shop.Shop", 64)
	for range 95 {
		m.add(m.add(shop, "", "lang.List", 64), "", "lang.Bytes", 5000)
	}
	suspects := found(t, 0, m)
	wantFirst(t, suspects, "once: 2,000 Session (1.18 MiB, 71.5 % of the heap) are held by one SessionCache")
	for _, s := range suspects[1:] {
		if s.Name == "List" && s.Count < crowd || s.Row == list {
			t.Error(evidence(suspects))
		}
	}
}

// That a program holds its heap is no news, nor what is somewhere below it.
func TestWhatHoldsEverythingIsNoPlace(t *testing.T) {
	m := newMaker()
	m.entries(everyday)
	global := m.add(0, "", "js.global", 400)
	for i := range 40 {
		part := m.add(global, fmt.Sprintf("part%d", i), "app.Part", 96)
		for range 100 {
			m.add(m.add(part, "", "js.Closure", 200), "", "js.Context", 200)
		}
	}
	table := m.add(m.add(global, "cache", "shop.SessionCache", 64), "table", "lang.Table", 4096)
	for range 2000 {
		m.add(m.add(table, "", "shop.Session", 120), "name", "lang.Text", 400)
	}
	list := found(t, 0, m)
	wantFirst(t, list, "once: 2,000 Session (1016 KiB, 39.2 % of the heap) are held by one SessionCache through `table`")
	for _, s := range list {
		if s.Name == "global" || s.Owner == "global" {
			t.Error(evidence(list))
		}
	}
}

// An array or a collection is not the owner of what it holds: that is the field that leads there, although what has the
// field holds much else.
func TestContainersAreNamedByTheirField(t *testing.T) {
	for _, c := range []struct {
		chain []string // "name type" from the shop down to what holds the sessions
		want  string
	}{
		{[]string{"sparse Object[]"}, "one Shop through `sparse`"},
		{[]string{"open HashMap", "table HashMap$Node[]"}, "one Shop through `open`"},
		{[]string{"open Array", "elements Object[]", "7 Array"}, "one Shop through `open`"},
		{[]string{"sessions SessionCache", "table HashMap"}, "one SessionCache through `table`"},
		{[]string{"12 Array"}, "one Array"}, // nothing has a name for it
		{[]string{"store SessionCache", " Hash", "sessions Hash"}, "one SessionCache through `sessions`"},
		{[]string{"store SessionCache", "__dict__ Hash", "sessions Hash"}, "one SessionCache through `sessions`"},
		{[]string{"store SessionCache", "__dict__ Hash"}, "one SessionCache through `__dict__`"},
		{[]string{" Hash", "open Hash"}, "one Shop through `open`"},
	} {
		m := newMaker()
		m.entries(everyday)
		shop := m.add(0, "", "shop.Shop", 64)
		m.add(shop, "pictures", "lang.Bytes", 1<<20)
		at := shop
		for _, step := range c.chain {
			name, typ, _ := strings.Cut(step, " ")
			at = m.add(at, name, typ, 512)
		}
		for range 2000 {
			m.add(m.add(at, "", "shop.Session", 120), "name", "lang.Text", 500)
		}
		list := found(t, 0, m)
		text := evidence(list)
		if i := strings.Index(text, "2,000 Session"); i < 0 || !strings.Contains(text[i:], "are held by "+c.want) || strings.Contains(text[i:], "are held by "+c.want+" through") {
			t.Errorf("%q: %s, want %s", c.chain, text, c.want)
		}
	}
}
