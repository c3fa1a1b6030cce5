package views

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// The commands of the palette mean what the model's parser says, as do the flags of the command line.
func TestTimesOfCommands(t *testing.T) {
	modeltest.Plain(t)
	u := openKvleak(t, 80, 24, colorCaps)
	peak, _, err := u.app.Trace.Peak(t.Context(), analysis.FullRange)
	if err != nil {
		t.Fatal(err)
	}
	end, accepted := u.app.state.Status.Duration, 0
	for _, text := range modeltest.TimeTexts(rand.New(rand.NewPCG(5, 6)), 100) {
		u.sim.Do(func() {
			u.app.emit(state.MoveTo{At: analysis.At(7)})
			u.app.emit(state.ClearRange{})
			u.app.emit(state.SetMinAge{})
		})
		m, wrong := model.ParseMoment(text)
		axis := model.Axis{End: end, Peak: peak.Time}
		want, outside := m.In(axis)
		wrong = cmp.Or(wrong, outside, axis.Check(want))
		if err := u.run("at " + text); (err == nil) != (wrong == nil) {
			t.Errorf(":at %s: %v, not %v", text, err, wrong)
		}
		age, notAge := model.ParseLength(text)
		if err := u.run("min-age " + text); (err == nil) != (notAge == nil) || err == nil && u.app.state.MinAge != age.Of(end) {
			t.Errorf(":min-age %s: %v, not %v: %d", text, err, notAge, u.app.state.MinAge)
		}
		if wrong != nil {
			continue
		}
		accepted++
		if got := u.app.state.Now(); got != want {
			t.Errorf(":at %s is %d, not %d", text, got, want)
		}
		if err := u.run("range " + text + ".." + text); err != nil || u.app.state.Range != state.Between(want, want) {
			t.Errorf(":range %s..%[1]s is %+v, %v, not %d", text, u.app.state.Range, err, want)
		}
		if err := u.run("a " + text); text != "0" && (err != nil || min(u.app.state.Compare.Marks[state.SideA].At.T, end) != want) {
			t.Errorf(":a %s is %+v, %v, not %d", text, u.app.state.Compare.Marks[state.SideA], err, want)
		}
	}
	if accepted < 30 {
		t.Errorf("only %d texts are times in it", accepted)
	}
}

func TestRangeCommand(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	for _, text := range []string{"range 10ms", "range 10ms x", "range x 10ms", "range 1s..2s", "range ..x", "range 20ms..10ms", "range 20ms 10ms"} {
		if u.run(text) == nil {
			t.Errorf(":%s is accepted", text)
		}
	}
	peak, _, _ := u.app.Trace.Peak(t.Context(), analysis.FullRange)
	for text, want := range map[string]analysis.Range{
		"range 10ms 20ms": state.Between(10_000, 20_000), "range 10ms..20ms": state.Between(10_000, 20_000),
		"range peak end": state.Between(peak.Time, u.app.state.Status.Duration), "range ..peak": state.Between(0, peak.Time),
	} {
		if err := u.run(text); err != nil || u.app.state.Range != want {
			t.Errorf(":%s is %+v, %v, not %+v", text, u.app.state.Range, err, want)
		}
	}
	if err := u.run("range 50ms 10ms"); err == nil || err.Error() != "the range ends at 10.0 ms, before it begins at 50.0 ms" {
		t.Errorf("it is not refused as --from and --to are: %v", err)
	}
	u = openDump(t, 80, 24, colorCaps)
	if err := u.run("range 0% peak"); err == nil || !strings.Contains(err.Error(), "only a trace has a peak") {
		t.Errorf("the range up to the peak of a dump: %v", err)
	}
}

// A command is also known by the name of its flag, and its argument by the words of the command line.
func TestCommandsKnowFlags(t *testing.T) {
	modeltest.Plain(t)
	texts := map[string][]string{"cost": {"live", "live_bytes", "count", "alloc_count", "leaked_bytes", "nonsense"}, "around": {"main", "/^m/", "/(/"}, "from": {"main", "/^m/", "/(/"}}
	for _, c := range commands() {
		if c.flag == "" {
			continue
		}
		if !strings.Contains(c.help, "--"+c.flag) || len(texts[c.name]) == 0 {
			t.Errorf(":%s: %q does not name --%s, or there is nothing to try", c.name, c.help, c.flag)
		}
		for _, text := range texts[c.name] {
			one, other := openKvleak(t, 80, 24, colorCaps), openKvleak(t, 80, 24, colorCaps)
			errs := [2]error{one.run(c.name + " " + text), other.run(c.flag + " " + text)}
			if (errs[0] == nil) != (errs[1] == nil) || one.app.state.Cost != other.app.state.Cost || one.app.state.Filters != other.app.state.Filters {
				t.Errorf(":%s %s: %v, but :%s: %v", c.name, text, errs[0], c.flag, errs[1])
			}
			if fails := text == "nonsense" || text == "/(/"; fails != (errs[0] != nil) {
				t.Errorf(":%s %s: %v", c.name, text, errs[0])
			}
		}
	}
	for c := range analysis.CostCountOf {
		for _, text := range []string{c.String(), state.CostKey(c)} {
			u := openKvleak(t, 80, 24, colorCaps)
			if err := u.run("by " + text); err != nil || u.app.state.Cost != c {
				t.Errorf(":by %s: %v, %v", text, u.app.state.Cost, err)
			}
		}
	}
	u := openKvleak(t, 80, 24, colorCaps)
	for _, text := range []string{"from 10ms", "to 20ms"} {
		if err := u.run(text); err != nil {
			t.Errorf(":%s: %v", text, err)
		}
	}
	if want := state.Between(10_000, 20_000); u.app.state.Range != want || u.app.state.Filters != "" {
		t.Errorf("the range is %+v, not %+v", u.app.state.Range, want)
	}
}
