package heaptrack

import (
	"testing"

	"github.com/memtui/memtui/loaders"
)

func TestSniff(t *testing.T) {
	for _, name := range samples(t) {
		if got := sniff(sample(t, name)[:1000]); got != loaders.Sure {
			t.Errorf("%s: %v", name, got)
		}
	}
	for text, want := range map[string]loaders.Confidence{
		"v 10400 3\n":                      loaders.Sure,
		"v 10400 3\r\nX ls\r\n":            loaders.Sure,
		"v 1\nt 2\n":                       loaders.No, // a Wavefront object begins so
		"v 1.0 2.0 3.0\nv 1.0 2.0 3.0\n":   loaders.No,
		"v 10400 3\nhello\n":               loaders.No,
		"- add\n- bad\n- dead\n- beef\n":   loaders.No,
		"+ a b c\nsome prose follows it\n": loaders.No,
		"a 1 2\nb 1 2\n":                   loaders.No,
		"x is a letter\nX is one\nm is\n":  loaders.No,
		"# a title\n\n# another\n":         loaders.No,
		"main;f;g 10\nmain;f 2\n":          loaders.No,
		"x /bin/ab\nX ab\nt 1 0\nt 2 1\n":  loaders.Maybe,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
