package funcname

import "testing"

func TestWithoutSignature(t *testing.T) {
	for name, want := range map[string]string{
		"main":                              "main",
		"close_session(Session*, bool)":     "close_session",
		"void std::vector<…>::f(int) const": "std::vector<…>::f",
		"render[abi:cxx11](int)":            "render",
		"operator new(unsigned long)":       "operator new",
		"a::operator()(int) const":          "a::operator()",
		"a::operator()":                     "a::operator()",
		"(anonymous namespace)::f()":        "(anonymous namespace)::f",
		"main.(*T).Method":                  "main.(*T).Method",
		"<lambda>":                          "<lambda>",
		"f)":                                "f)",
		"()":                                "()",
		"":                                  "",
		"void":                              "void",
		" (":                                " (",
		"<stack 77?>":                       "<stack 77?>",
		"int (*f(int))(long)":               "(*f(int))",
		"a::b(std::map<int, char>)::{lambda()#1}::operator()() const": "a::b(std::map<int, char>)::{lambda()#1}::operator()",
	} {
		if got := WithoutSignature(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

func TestShortenTemplates(t *testing.T) {
	for in, want := range map[string]string{
		"std::map<int, std::vector<x> >::f(int)": "std::map<…>::f(int)",
		"main":                                   "main",
		"operator<<(std::ostream&, foo<int> const&)": "operator<<(std::ostream&, foo<…> const&)",
		"bool operator< <int>(a<b>, c)":              "bool operator< <int>(a<…>, c)",
		"A::operator->() const":                      "A::operator->() const",
		"operator<=><int>(x)":                        "operator<=><int>(x)",
		"<lambda>":                                   "<lambda>",
		"<T as Trait<u8>>::call":                     "<T as Trait<…>>::call",
		"Vec::<u8>::push":                            "Vec::<…>::push",
		"f<(a)->b>::g":                               "f<…>::g",
		"broken<a":                                   "broken<a",
		"a<b<c>":                                     "a<b<…>",
		"x<>":                                        "x<>",
		"std::function<void (int)>::operator()(int) const": "std::function<…>::operator()(int) const",
	} {
		if got := ShortenTemplates(in); got != want {
			t.Errorf("ShortenTemplates(%q) = %q, want %q", in, got, want)
		}
	}
}
