package mangled

import (
	"strings"
	"testing"
)

func TestDemangle(t *testing.T) {
	for raw, want := range map[string]string{
		"main":                    "main",
		"_ZN4shop7Session4openEi": "shop::Session::open(int)",
		"_Z3foov.cold":            "foo() [clone .cold]",
		"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE": "core::fmt::Formatter::pad",
		"_RNvCskwGfYPst2Cb_3foo16example_function":       "foo::example_function",
		"_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo": "<mycrate::Example>::foo",
		"_ZW1A":                                "_ZW1A",
		"_ZZZZ":                                "_ZZZZ",
		"_Z" + strings.Repeat("N", maxMangled): "_Z" + strings.Repeat("N", maxMangled),
	} {
		if got := Demangle(raw); got != want {
			t.Errorf("%.60s: %.60s, want %.60s", raw, got, want)
		}
	}
}

// FuzzDemangle reads any name.
func FuzzDemangle(f *testing.F) {
	for _, s := range []string{"_ZN4shop7Session4openEi", "_RNvCskwGfYPst2Cb_3foo16example_function", "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got := Demangle(name); len(got) > max(len(name), 1<<(MaxDemangled+1)) {
			t.Errorf("%d bytes of %d", len(got), len(name))
		}
	})
}
