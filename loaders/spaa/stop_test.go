package spaa

import (
	"context"
	"errors"
	"hash/maphash"
	"strings"
	"testing"
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

func TestBlockStops(t *testing.T) {
	p := &parser{ctx: &stopAfter{t.Context(), 3}, seed: maphash.MakeSeed(), units: map[string]string{}}
	var out batch
	lines := strings.Repeat(`{"type":"frame","id":1,"func":"a","dso":1,"kind":"user"}`+"\n", 1<<14)
	if err := p.block([]byte(lines), &out); !errors.Is(err, context.Canceled) || out.lines != 3*askLines {
		t.Errorf("%v after %d lines", err, out.lines)
	}
}
