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

func TestShortenType(t *testing.T) {
	for _, c := range []struct {
		name string
		w    int
		want string
	}{
		{"java.util.HashMap", 17, "java.util.HashMap"},
		{"java.util.concurrent.ConcurrentHashMap$Node[]", 26, "…ConcurrentHashMap$Node[]"},
		{"java.util.concurrent.ConcurrentHashMap$Node[]", 16, "Concurre…$Node[]"},
		{"java.lang.Object[] #23,928", 18, "…Object[] #23,928"},
		{"leak.Shop$SessionCache (class) #31", 18, "Shop$Sess…ass) #31"},
		{"Gem::Specification (class)", 24, "…Specification (class)"},
		{"__main__.Session", 10, "…Session"},
		{"system / Context.x", 10, "syste…xt.x"},
		{"Map<a.b.C, d.E>", 10, "Map<a…d.E>"},
		{"a.x.b.Type", 7, "…b.Type"},
		{"1,000 × java.util.HashMap", 16, "1,000 × …HashMap"},
		{"▸ java.util.HashMap #1", 14, "▸ …HashMap #1"},
		{"/srv/web.app/shop.rb:31 new", 14, "/srv/we…31 new"},
		{"1,000 × x", 6, "1,000…"},
		{"global › SessionCache › Map › (array)", 19, "global ›… › (array)"},
		{"abc › java.util.HashMap", 9, "…HashMap"},
		{"a › b", 2, "b"},
		{"plain_long_name", 8, "plai…ame"},
		{"a.", 1, "…"},
	} {
		if got := ShortenType(c.name, c.w); got != c.want || Width(got) > c.w {
			t.Errorf("%q in %d is %q, want %q", c.name, c.w, got, c.want)
		}
	}
}

func FuzzShortenType(f *testing.F) {
	f.Add("java.util.Map$Node[] #1", 9)
	f.Fuzz(func(t *testing.T, name string, w int) {
		w = max(0, min(w, 200))
		if got := ShortenType(name, w); Width(got) > w {
			t.Fatalf("%q in %d is %q", name, w, got)
		}
	})
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
