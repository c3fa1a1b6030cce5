package speedscope

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/internal/memtest/hostile"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

func sample(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/shop.speedscope.json")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// totals says what each event weighs: "NAME WEIGHT, ".
func totals(p *model.Profile) (out string) {
	sums := make([]model.Amount, len(p.Weights.Events))
	for r, e := range p.Weights.Records.Event {
		n, _ := p.Weights.Records.Weights.Get(r, 0)
		sums[e].Add(n)
	}
	for e, sum := range sums {
		out += fmt.Sprintf("%s %v, ", p.Weights.Events[e].Name, sum)
	}
	return out
}

// The sums are those of an independent program; the same tree as samples and as events is the same profile.
func TestSample(t *testing.T) {
	r := hostile.Open(t, Format(), sample(t))
	if r.Err != nil || r.Sniffed != loaders.Sure || !r.Valid() || !r.Profile.Complete {
		t.Fatal(r.Err, r.Violations)
	}
	if got := totals(r.Profile); got != "heap, sampled 322312, heap, evented 322312, seconds 0.75, " {
		t.Error(got)
	}
	w := r.Profile.Weights
	if w.Metrics[0].Name != "weight" || w.Metrics[0].Unit != "" || w.End != 750_000 || len(w.Samples) != 1 || w.Samples[0].Len() != 3 {
		t.Errorf("%+v, end %v, %d chunks", w.Metrics, w.End, len(w.Samples))
	}
	if s := w.Samples[0].At(2); s.Time != 375_000 || s.Period != 0.375 {
		t.Errorf("%+v", s)
	}
	byEvent := map[uint16]map[model.NodeID]string{}
	for i, n := range w.Records.Node {
		e := w.Records.Event[i]
		if byEvent[e] == nil {
			byEvent[e] = map[model.NodeID]string{}
		}
		weight, _ := w.Records.Weights.Get(i, 0)
		byEvent[e][n] = fmt.Sprint(weight.Float64())
	}
	if len(byEvent[0]) != 98 || fmt.Sprint(byEvent[0]) != fmt.Sprint(byEvent[1]) {
		t.Errorf("%d and %d stacks", len(byEvent[0]), len(byEvent[1]))
	}
}

const frames = `{"frames":[{"name":"a","file":"a.c","line":3,"col":4},{"name":"b"}]}`

// A bad profile is rejected, and the ones beside it are shown; members stand in any order.
func TestBadProfiles(t *testing.T) {
	good := `{"weights":[1,2.5],"samples":[[0],[0,1]],"unit":"none","name":"good","type":"sampled"}`
	for why, bad := range map[string]string{
		"2 samples and 1 weights":  `{"type":"sampled","unit":"none","samples":[[0],[1]],"weights":[1]}`,
		"it names frame 2":         `{"type":"sampled","unit":"none","samples":[[2]],"weights":[1]}`,
		"it names frame -1":        `{"type":"sampled","unit":"none","samples":[[-1]],"weights":[1]}`,
		"a sample is not a list":   `{"type":"sampled","unit":"none","samples":[7],"weights":[1]}`,
		"a weight is not a number": `{"type":"sampled","unit":"none","samples":[[0]],"weights":["x"]}`,
		"its type is neither":      `{"type":"other","unit":"none"}`,
		"frames are open":          `{"type":"evented","unit":"none","events":[{"type":"O","at":0,"frame":0}]}`,
		"not the innermost":        `{"type":"evented","unit":"none","events":[{"type":"O","at":0,"frame":0},{"type":"O","at":1,"frame":1},{"type":"C","at":2,"frame":0}]}`,
		"none is open":             `{"type":"evented","unit":"none","events":[{"type":"C","at":0,"frame":0}]}`,
		"follows one at":           `{"type":"evented","unit":"none","events":[{"type":"O","at":5,"frame":0},{"type":"C","at":4,"frame":0}]}`,
		"lacks type, at or frame":  `{"type":"evented","unit":"none","events":[{"type":"O","frame":0}]}`,
		"not an object":            `7`,
	} {
		for _, text := range []string{
			`{"shared":` + frames + `,"profiles":[` + bad + `,` + good + `]}`,
			`{"profiles":[` + good + `,` + bad + `],"exporter":"x","shared":` + frames + `}`,
		} {
			r := hostile.Open(t, Format(), []byte(text))
			if r.Err != nil || r.Valid() || totals(r.Profile) != "good 3.5, " || !strings.Contains(fmt.Sprint(r.Violations), why) {
				t.Errorf("%s: %v %+v", bad, r.Err, r.Violations)
			}
		}
	}
}

// Time in which no frame is open is nobody's; profiles of one name stay apart; frames have places.
func TestEvented(t *testing.T) {
	one := `{"type":"evented","name":"x","unit":"milliseconds","events":[{"type":"O","at":10,"frame":0},{"type":"O","at":12,"frame":1},{"type":"C","at":12.5,"frame":1},{"type":"C","at":13,"frame":0},{"type":"O","at":20,"frame":1},{"type":"C","at":21,"frame":1}]}`
	r := hostile.Open(t, Format(), []byte(`{"shared":`+frames+`,"profiles":[`+one+`,`+one+`]}`))
	if r.Err != nil || totals(r.Profile) != "x 4, x (2) 4, " {
		t.Fatal(r.Err, totals(r.Profile))
	}
	if w := r.Profile.Weights; w.Metrics[0].Unit != "milliseconds" || w.End != 11_000 || w.Samples[0].At(3).Time != 10_000 {
		t.Errorf("%+v %v", w.Metrics, w.End)
	}
	if f := hostile.Stacks(r.Profile)[0].Frames[0]; f.File != "a.c" || f.Line != 3 {
		t.Errorf("%+v", f)
	}
}

func TestDamage(t *testing.T) {
	hostile.Hurt(t, Format(), sample(t), func(int) bool { return true })
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]loaders.Confidence{
		`{"version":"0.0.1","shared":{"frames":[]}`: loaders.Maybe, `{"a":1}`: loaders.No, ``: loaders.No, `[{"frames":1}]`: loaders.No, "a;b 3": loaders.No,
		`{"exporter":"speedscope@1.5.0"`: loaders.Sure,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzOpen opens any text, as a file and as one profile of a file.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"type":"sampled","unit":"seconds","samples":[[0,1]],"weights":[1.5]}`))
	f.Add([]byte(`{"type":"evented","unit":"none","events":[{"type":"O","at":0,"frame":0},{"type":"C","at":4,"frame":0}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 1<<14 {
			hostile.Open(t, Format(), b)
			hostile.Open(t, Format(), []byte(`{"shared":`+frames+`,"profiles":[`+string(b)+`]}`))
		}
	})
}

// TestActiveProfile expects what the file shows first to be what is shown first, wherever it says so.
func TestActiveProfile(t *testing.T) {
	const frames = `"shared":{"frames":[{"name":"f"}]}`
	profiles := func(types ...string) string {
		var out []string
		for i, kind := range types {
			out = append(out, fmt.Sprintf(`{"type":%q,"name":"p%d","unit":"none","startValue":0,"endValue":1,"samples":[[0]],"weights":[1]}`, kind, i))
		}
		return `"profiles":[` + strings.Join(out, ",") + `]`
	}
	three := profiles("sampled", "sampled", "sampled")
	for _, c := range []struct{ text, want string }{
		{`{` + frames + `,` + three + `}`, "p0"},
		{`{"activeProfileIndex":2,` + frames + `,` + three + `}`, "p2"},
		{`{` + frames + `,` + three + `,"activeProfileIndex":1}`, "p1"},
		{`{` + frames + `,` + three + `,"activeProfileIndex":7}`, "p0"},
		{`{` + frames + `,` + three + `,"activeProfileIndex":"1"}`, "p0"},
		{`{` + frames + `,` + three + `,"activeProfileIndex":-1}`, "p0"},
		{`{"activeProfileIndex":2,` + frames + `,` + profiles("sampled", "strange", "sampled") + `}`, "p2"},
		{`{"activeProfileIndex":1,` + frames + `,` + profiles("sampled", "strange", "sampled") + `}`, "p2"},
		{`{"activeProfileIndex":2,` + frames + `,` + profiles("sampled", "sampled", "strange") + `}`, "p0"},
	} {
		w := hostile.Open(t, Format(), []byte(c.text)).Profile.Weights
		if got := w.Events[weights.DefaultEvent(w)].Name; got != c.want {
			t.Errorf("%s shows %s, want %s", c.text, got, c.want)
		}
	}
}
