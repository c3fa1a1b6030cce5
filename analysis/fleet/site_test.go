package fleet_test

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
)

// A typed name means the site of that name, or the only one that it may be the beginning or the rest of.
func TestSiteOfATypedName(t *testing.T) {
	all := []fleet.Place{{Function: "EventBus::subscribe()", File: "bus.cpp"}, {Function: "Cache::fetch(int)", File: "cache.cpp"},
		{Function: "Cache::forget()", File: "cache.cpp"}, {Function: "main", File: "a.cpp"}, {Function: "main", File: "b.cpp"}, {Function: "a\x1bb"}}
	for typed, want := range map[string]string{
		"main": "main", "main (b.cpp)": "main (b.cpp)", "EventBus::subscribe": "EventBus::subscribe() (bus.cpp)", "EventBus::subscribe()": "EventBus::subscribe()",
		"Cache::fe": "Cache::fetch(int) (cache.cpp)", "Cache::…(cache.cpp)": "", "Cache::fo...": "Cache::forget() (cache.cpp)", "Cache": "", "a␛": "a\x1bb", "mian": "",
	} {
		got, err := fleet.Sites.Site(typed, all)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v, want %q", typed, got, err, want)
		}
	}
	for typed, want := range map[string]string{"Cache": `"Cache" may be any of Cache::fetch(int) (cache.cpp); Cache::forget() (cache.cpp): give more of it, or its STACK`,
		"EventBus::subsribe()": "did you mean EventBus::subscribe() (bus.cpp)?", "zzzzzzzz": "available: EventBus::subscribe() (bus.cpp), "} {
		if _, err := fleet.Sites.Site(typed, all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", typed, err, want)
		}
	}
}

// What a name may mean is listed by likeness, and what is alike with the largest first.
func TestSitesThatAreMeantAreSorted(t *testing.T) {
	all := []fleet.Place{{Function: "a_grow"}, {Function: "grow_a"}, {Function: "grow_b"}, {Function: "grow_c"}, {}}
	all = fleet.Leading([]fleet.Place{{Function: "grow_c"}, {Function: "grow_c"}, {Function: "grow_b"}}, all)
	if len(all) != 4 {
		t.Fatalf("%v", all)
	}
	_, err := fleet.Sites.Site("grow_", all)
	if err == nil || !strings.Contains(err.Error(), "may be any of grow_c; grow_b; grow_a: ") {
		t.Errorf("%v", err)
	}
	if _, err = fleet.Sites.Site("zzzz", all); err == nil || !strings.Contains(err.Error(), "available: grow_c, grow_b, a_grow") {
		t.Errorf("%v", err)
	}
}
