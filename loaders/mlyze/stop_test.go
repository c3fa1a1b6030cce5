package mlyze

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"

	"github.com/memtui/memtui/loaders"
)

// stopAfter is a context that is done once its error has been asked for n times.
type stopAfter struct {
	context.Context
	n int
}

func (s *stopAfter) Err() error {
	if s.n--; s.n < 0 {
		return context.Canceled
	}
	return nil
}

func TestMetadataStops(t *testing.T) {
	for name, text := range map[string]string{
		"values":  `{"other": [` + strings.Repeat("[],", 1<<20),
		"stacks":  `{"stack_traces": {` + strings.Repeat(`"1": [],`, 1<<19),
		"blank":   `{"other": ` + strings.Repeat(" ", 1<<22),
		"escapes": `{"functions": {"1": "` + strings.Repeat(`\n`, 1<<21) + `"`,
		"number":  `{"other": ` + strings.Repeat("1", 1<<22),
	} {
		got := parseMetadata(&stopAfter{t.Context(), 2}, []byte(text), 0, &findings{}, nil)
		if got.broken != "reading was stopped" {
			t.Errorf("%s: %q at %d of %d", name, got.broken, got.end, len(text))
		}
		if got.end > 64*model.AskEvery {
			t.Errorf("%s: stopped only after %d bytes", name, got.end)
		}
	}
}

func TestSearchStops(t *testing.T) {
	for name, fill := range map[string]byte{"zeros": 0, "no event": 0xff} {
		src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(bytes.Repeat([]byte{fill}, 8<<20)))
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		src.Range(t.Context(), 0, 8<<20) // so that all of it is there
		in := newBlocks(t.Context(), src, 0, blockSize)
		var j judge
		if err := j.resync(&stopAfter{t.Context(), 1}, in, 0, 0, 0); !errors.Is(err, context.Canceled) || in.offset() > 64*model.AskEvery {
			t.Errorf("%s: %v at %d", name, err, in.offset())
		}
	}
}

func TestStacksStop(t *testing.T) {
	tables := parseMetadata(t.Context(), []byte(someTables), 0, &findings{}, nil)
	if _, _, err := tables.buildStacks(&stopAfter{t.Context(), 0}, loaders.FrameOrderAuto, &findings{}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
