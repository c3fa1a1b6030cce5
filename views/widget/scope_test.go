package widget

import "testing"

func TestShortenScopes(t *testing.T) {
	for _, c := range []struct {
		name string
		w    int
		want string
	}{
		{"a::b::c", 7, "a::b::c"},
		{"std::vector<…>::push_back", 24, "…vector<…>::push_back"},
		{"std::vector<a::b>::push_back", 12, "…push_back"},
		{"no_scope_here", 8, "no_s…ere"},
		{"a::much_too_long_for_this", 8, "a::m…his"},
		{"a::", 2, "a…"},
		{"github.com/a/b/internal/cli.(*app).run", 18, "…cli.(*app).run"},
		{"github.com/a/b/internal/cli.(*app).run", 10, "cli.(….run"},
		{"a.f[github.com/a/b.T].g", 12, "a.f[gi….T].g"},
		{"", 0, ""},
		{"open_session › _M_mutate", 21, "open_session › _M_mu…"},
		{"open_session › _M_mutate", 16, "open_session › …"},
		{"open_session › _M_mutate", 13, "open_session…"},
		{"open_session › _M_mutate", 10, "open_sess…"},
		{"kv::Store::put › _M_assign", 17, "…Store::put › _M…"},
		{"kv::Store::put › _M_assign", 8, "…put › …"},
		{"kv::Store::put › _M_assign", 5, "…put…"},
	} {
		if got := ShortenScopes(c.name, c.w); got != c.want || Width(got) > c.w {
			t.Errorf("%q in %d is %q, want %q", c.name, c.w, got, c.want)
		}
	}
}

func FuzzShortenScopes(f *testing.F) {
	f.Add("std::vector<a::b>::f(int)", 9)
	f.Add("a::open › b::_M_mutate", 9)
	f.Fuzz(func(t *testing.T, name string, w int) {
		w = max(0, min(w, 200))
		if got := ShortenScopes(name, w); Width(got) > w {
			t.Fatalf("%q in %d is %q", name, w, got)
		}
	})
}
