package cli

import (
	"cmp"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// Flags mean what the model's parser says, as do the commands of the palette.
func TestTimesOfFlags(t *testing.T) {
	modeltest.Plain(t)
	const duration, peak = 75989, 60988
	accepted := 0
	for _, text := range modeltest.TimeTexts(rand.New(rand.NewPCG(5, 6)), 100) {
		a := parserOf([]string{"report", "--at=" + text, "--from=" + text, "--to=" + text, "x"}, nil)
		_, err := a.parse()
		want, wrong := model.ParseMoment(text)
		if (err == nil) != (wrong == nil) {
			t.Errorf("--at %s: %v, not %v", text, err, wrong)
		}
		if err != nil {
			continue
		}
		accepted++
		axis := model.Axis{End: duration, Peak: peak}
		at, err := arg.TimeIn(a.flags.At, axis)
		in, outside := want.In(axis)
		if wrong := cmp.Or(outside, axis.Check(in)); (err == nil) != (wrong == nil) || err == nil && at != in {
			t.Errorf("--at %s is %d, %v, not %d, %v", text, at, err, in, wrong)
		}
		if a.flags.From.Moment != want || a.flags.To.Moment != want {
			t.Errorf("--from %s --to %[1]s are %s and %s", text, a.flags.From, a.flags.To.Moment)
		}
		_, err = parserOf([]string{"report", "--min-age=" + text, "x"}, nil).parse()
		if _, wrong := model.ParseLength(text); (err == nil) != (wrong == nil) {
			t.Errorf("--min-age %s: %v, not %v", text, err, wrong)
		}
	}
	if accepted < 50 {
		t.Errorf("only %d texts are times", accepted)
	}
}

func TestSizesOfFlagsAreSigned(t *testing.T) {
	for text, want := range map[string]arg.Bytes{"4096": 4096, "1.5 MiB": 3 << 19, "8E": math.MaxInt64, "99999E": math.MaxInt64} {
		var got arg.Bytes
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q is %d, want %d (%v)", text, got, want, err)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"report", "report", 0}, {"reprot", "report", 1}, {"rport", "report", 1}, {"", "man", 3}, {"opne", "open", 1}} {
		if got := near.Letters(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q are %d changes, want %d", c.a, c.b, got, c.want)
		}
	}
	if hint := arg.CommandHint([]string{strings.Repeat("x", 1<<20)}, commandNames); hint != "" {
		t.Errorf("a path of a megabyte is no typo%s", hint)
	}
}
