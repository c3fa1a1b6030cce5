package speedscope

import (
	"fmt"
	"math"
	"strings"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// reader reads one file.
type reader struct {
	*weighted.Reading
	*json.Cursor
	frames []model.FrameID
	weight model.MetricID
	units  map[string]bool
	names  map[string]bool // of events
	steps  int
	err    error
	number int      // profiles that were read
	events []uint16 // of each the event, as many as there can be events
	end    model.Time
}

// unit is the unit of a profile's values.
type unit struct {
	name   string  // as in the file
	micros float64 // microseconds per unit; 0 if it is not a time
}

func unitOf(name string) unit {
	return unit{name, map[string]float64{"nanoseconds": 1e-3, "microseconds": 1, "milliseconds": 1e3, "seconds": 1e6}[name]}
}

func newReader(of *weighted.Reading) *reader {
	r := &reader{Reading: of, units: map[string]bool{}, names: map[string]bool{}}
	r.weight, _ = r.Metric(model.ProfileMetric{Name: "weight"})
	r.Meta.FrameNote = "root first: as the format says"
	return r
}

// read reads frames first, then profiles: they may be in any order.
func (r *reader) read() error {
	r.Anywhere()
	r.Cursor = r.JSON(r.Ctx)
	r.Loose = true
	r.members(func(name string) bool {
		if name == "shared" {
			r.shared()
			return false
		}
		r.Value()
		return true
	})
	if err := r.failed(); err != nil {
		return err
	}
	if r.frames == nil {
		r.Say(model.Error, "frames", 0, 1, "there is no list of frames")
	}
	r.Cursor = r.JSON(r.Ctx)
	active := uint64(0)
	r.members(func(name string) bool {
		switch name {
		case "profiles":
			r.profiles()
		case "name", "exporter":
			if r.Value() == json.String {
				r.Fact(name, strings.ToUpper(name[:1])+name[1:], model.KeptName(string(r.Text())))
			}
		case "activeProfileIndex":
			k := r.Value()
			if n, ok := json.Uint(r.Text()); k == json.Number && ok {
				active = n
			}
		default:
			r.Value()
		}
		return r.err == nil
	})
	if active < uint64(len(r.events)) {
		r.Profile.Shown = r.events[active]
	}
	r.Unread(r.Cursor)
	if len(r.units) > 1 {
		r.Say(model.Note, "units", model.NoOffset, 0, "profiles are in different units: figures are shown without one")
	}
	r.Profile.Start, r.Profile.End = model.NoTime, model.NoTime
	if r.end > 0 {
		r.Profile.Start, r.Profile.End = 0, r.end
	}
	return r.failed()
}

func (r *reader) failed() error {
	if r.err != nil {
		return r.err
	}
	return r.Cursor.Err()
}

// members calls f with the names of the next object, whose values f reads; until it returns false.
func (r *reader) members(f func(name string) bool) {
	if r.Next() != '{' {
		if !r.Dead() {
			at, line := r.At()
			r.Say(model.Error, "json", at, line, "an object is missing")
			r.Stop()
		}
		return
	}
	for first := true; ; {
		name, ok := r.Member(&first)
		if !ok || !f(string(name[:min(len(name), 64)])) {
			return
		}
	}
}

// object is members for a value that may be something else, which is skipped; ok is false then.
func (r *reader) object(f func(name string)) (ok bool) {
	if r.Peek() != '{' {
		r.Value()
		return false
	}
	r.members(func(name string) bool { f(name); return true })
	return true
}

// array calls f for each element of the next array, which f reads. Anything else is skipped; ok is false then.
func (r *reader) array(f func()) (ok bool) {
	if r.Peek() != '[' {
		r.Value()
		return false
	}
	r.Next()
	for first := true; r.Element(&first); {
		f()
		if r.steps++; r.steps%model.AskEvery == 0 && r.err == nil {
			r.err = r.Ask()
		}
		if r.err != nil {
			r.Stop()
		}
	}
	return true
}

func (r *reader) shared() {
	r.object(func(name string) {
		if name != "frames" {
			r.Value()
			return
		}
		r.frames = []model.FrameID{}
		r.array(r.frame)
	})
}

// frame reads one of the shared frames.
func (r *reader) frame() {
	f := weighted.Frame{Line: model.NoLine}
	r.object(func(name string) {
		k := r.Value()
		switch {
		case name == "name" && k == json.String:
			f.Function = string(r.Text())
		case name == "file" && k == json.String:
			f.File = string(r.Text())
		case name == "line" && k == json.Number:
			if n, ok := json.Int(r.Text()); ok && n > 0 {
				f.Line = n
			}
		case name == "col" && k == json.Number:
			if n, ok := json.Uint(r.Text()); ok {
				f.Column = uint32(min(n, math.MaxUint32))
			}
		}
	})
	if f.Line == model.NoLine {
		f.Column = 0
	}
	r.frames = append(r.frames, r.Frame(f))
}

func (r *reader) profiles() {
	r.array(func() {
		at, line := r.Offset(), r.Line()
		p := profile{r: r, at: map[model.NodeID]int{}}
		p.read()
		known := len(r.Profile.Events)
		switch {
		case r.err != nil || r.Dead():
			p.add() // the readable part
		case p.wrong() != "":
			name := ""
			if p.name != "" {
				name = fmt.Sprintf(" %q", model.KeptName(p.name))
			}
			r.Say(model.Error, "profile", at, line, "profile%s is rejected: %s", name, p.wrong())
		default:
			p.add()
		}
		r.number++
		if len(r.Profile.Events) > known { // one that was rejected has the place of the next, which is shown for it
			known = len(r.Profile.Events) - 1
		}
		if len(r.events) < int(model.NoEvent) {
			r.events = append(r.events, uint16(known))
		}
		r.Publish()
	})
}
