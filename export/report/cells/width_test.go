package cells

import "testing"

func TestFitEnds(t *testing.T) {
	for n, want := range map[int]string{20: "/srv/app/shop.rb:11", 19: "/srv/app/shop.rb:11", 12: "/srv/….rb:11", 2: "…1", 1: "…", 0: ""} {
		if got := FitEnds("/srv/app/shop.rb:11", n, "…"); got != want || Width(got) > n {
			t.Errorf("in %d it is %q, want %q", n, got, want)
		}
	}
}

func TestFitName(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		want string
	}{
		{"runtime/debug.FreeOSMemory", 26, "runtime/debug.FreeOSMemory"},
		{"github.com/a/b/internal/cli.(*app).run", 20, "…cli.(*app).run"},
		{"github.com/a/b/internal/cli.(*app).run", 10, "…cli.(*ap…"},
		{"std::vector<a/b>::push_back", 14, "std::vector<a…"},
		{"GET /orders/list", 10, "GET /orde…"},
		{"/usr/", 3, "/u…"},
	} {
		if got := FitName(c.name, c.n, "…"); got != c.want {
			t.Errorf("%q in %d is %q, want %q", c.name, c.n, got, c.want)
		}
	}
}
