package export

import (
	"testing"

	"github.com/memtui/memtui/model"
)

func TestModule(t *testing.T) {
	for _, c := range []struct {
		file string
		line int64
		want bool
	}{
		{"/lib/libc.so.6", 0, true}, {"/lib/libjq.so", model.NoLine, true}, {"/usr/bin/python3.11", 0, true}, {"/usr/bin/jq", 0, true},
		{"./elf/rtld.c", 0, false}, {"a.cpp", model.NoLine, false}, {"/usr/bin/jq", 7, false}, {"", 0, false},
	} {
		if got := module(model.Frame{File: c.file, Line: c.line}); got != c.want {
			t.Error(c.file, c.line, got)
		}
	}
	if !address("0x7f2a") || address("main") || address("0xylophone") {
		t.Error("addresses")
	}
}
