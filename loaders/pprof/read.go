package pprof

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// reader reads one profile.
type reader struct {
	*weighted.Reading

	tables  tables
	sums    sums
	metrics []model.MetricID // by sample type; a type without one is left out
	known   []bool
	steps   int
	unnamed int64    // locations that are shown as addresses
	missing location // replaces those that the file does not define

	leafFirst []model.FrameID // of the current sample
	values    []int64
	labels    []model.Label
}

func newReader(of *weighted.Reading) *reader {
	r := &reader{
		Reading: of,
		tables:  tables{strings: nil, mappings: map[uint64]mapping{}, functions: map[uint64]function{}, locations: map[uint64]*location{}},
		sums:    sums{at: map[recordKey]int{}},
	}
	r.Profile.SourceTool = "pprof"
	r.LeafFirst(true)
	r.Meta.FrameNote = "leaf first: as the format says"
	return r
}

// read reads the complete file in two passes: tables first, then samples.
func (r *reader) read() error {
	r.Anywhere()
	data, err := r.Src.Range(r.Ctx, 0, 1<<62)
	if err != nil {
		return err
	}
	return r.Src.Guard(func() error {
		end, err := r.pass(data, 0, func(m *message) error { r.take(m); return nil })
		if err != nil {
			return err
		}
		r.begin()
		_, err = r.pass(data[:end], 0.5, func(m *message) error {
			if m.number == fieldSample {
				return r.sample(m.inner())
			}
			return nil
		})
		r.Lost += int64(len(data) - end)
		r.emit()
		return err
	})
}

// pass calls f with every field of the profile, and returns where it ended: at the end, or at damage. worked is the
// share of the work before it; it is half of all.
func (r *reader) pass(data []byte, worked float64, f func(*message) error) (end int, err error) {
	m := message{b: data}
	for n := 1; m.next(); n++ {
		if wire, known := wireOf(m.number); known && m.wire != wire && !(m.number == fieldComment && m.wire == wireBytes) {
			m.fail(fmt.Sprintf("field %d has the wire type %d", m.number, m.wire))
			break
		}
		if err := f(&m); err != nil {
			return m.start, err
		}
		if n%model.AskEvery == 0 {
			r.Src.Works(worked + float64(m.at)/float64(len(data))/2)
			if err := r.Ask(); err != nil {
				return m.start, err
			}
		}
	}
	if m.wrong != "" {
		r.damaged(&m, m.wrong+": nothing after it can be read")
	}
	return m.at, nil
}

// damaged reports an invalid field. Both passes meet it: it is reported once.
func (r *reader) damaged(m *message, wrong string) {
	if at := m.offset(); r.tables.samples == 0 || !r.reported(at) {
		r.Say(model.Error, "field", at, 0, "%s", wrong)
	}
}

// reported reports whether damage at an offset was reported.
func (r *reader) reported(at int64) bool {
	for _, p := range r.Problems() {
		if p.Code == "field" && p.Offset == at {
			return true
		}
	}
	return false
}

// checkComplete reports a message that could not be read to its end.
func (r *reader) checkComplete(m *message) {
	if m.wrong != "" {
		r.damaged(m, m.wrong)
	}
}

// begin creates metrics and the event, once all names are known.
func (r *reader) begin() {
	t := &r.tables
	e := model.ProfileEvent{Name: r.name(t.period.name, 0), TracksFrees: r.has("inuse_space") || r.has("inuse_objects")}
	switch {
	case e.Name == "":
		e.Name = r.Src.Name()
	case e.Name == "space" && e.TracksFrees: // the Go runtime's period of heap profiles
		e.Name = "heap"
	}
	if e.TracksFrees || r.has("alloc_space") {
		e.Kind = "allocation"
	}
	if t.periodValue > 0 {
		e.Mode = "every " + r.period("")
		e.SamplePeriod, e.PeriodUnit = float64(t.periodValue), r.name(t.period.unit, 0)
	}
	for i, v := range t.types {
		name := r.name(v.name, 0)
		if name == "" {
			name = "value " + strconv.Itoa(i+1)
		}
		id, ok := r.Metric(model.ProfileMetric{Name: name, Unit: r.name(v.unit, 0)})
		r.metrics, r.known = append(r.metrics, id), append(r.known, ok)
	}
	if primary, ok := r.primary(); ok {
		e.Primary, e.PrimaryName = r.metrics[primary], r.Profile.Metrics[r.metrics[primary]].Name
	}
	if len(t.types) == 0 {
		r.Say(model.Error, "sample-type", 0, 0, "there is no sample type: the meaning of the values is unknown")
	}
	r.Event(e)
	r.clock()
	r.facts()
}

// period returns the distance of two samples, see [periodOf].
func (r *reader) period(one string) string {
	return periodOf(r.tables.periodValue, r.name(r.tables.period.unit, 0), one)
}

// periodOf renders a number of units: "512 KiB", "10000000 nanoseconds"; for a single one, one and the name of the unit: "byte", "1 byte".
func periodOf(n int64, unit, one string) string {
	if n == 1 {
		return one + strings.TrimSuffix(unit, "s")
	}
	if unit == "bytes" && n > 0 {
		return model.Bytes(n).String()
	}
	return strconv.FormatInt(n, 10) + " " + unit
}

func (r *reader) has(typ string) bool {
	for _, v := range r.tables.types {
		if v.name < uint64(len(r.tables.strings)) && r.tables.strings[v.name] == typ {
			return true
		}
	}
	return false
}

// primary returns the sample type that is shown first: the one that the file names, otherwise the last.
func (r *reader) primary() (i int, ok bool) {
	i = len(r.tables.types) - 1
	want := r.name(r.tables.defaultType, 0)
	if want == "" {
		return i, i >= 0 && r.known[i]
	}
	for j, v := range r.tables.types {
		if r.name(v.name, 0) == want {
			return j, r.known[j]
		}
	}
	r.Say(model.Error, "sample-type", 0, 0, "the default sample type %q is not among the sample types", model.KeptName(want))
	return i, i >= 0 && r.known[i]
}

// clock sets the times of the profile. A profile of one moment has a time and no duration.
func (r *reader) clock() {
	t := &r.tables
	if t.time > 0 {
		r.Meta.Start, r.Meta.HasStart = uint64(t.time/1000), true
		r.Profile.StartSeconds = float64(t.time) / 1e9
	}
	if t.duration > 0 {
		r.Profile.Start, r.Profile.End = 0, model.Time(t.duration/1000)
	}
}

// facts adds the facts that only these files state.
func (r *reader) facts() {
	t := &r.tables
	types := ""
	for i, v := range t.types {
		if types += ", " + r.name(v.name, 0) + " (" + r.name(v.unit, 0) + ")"; i == 15 {
			types += ", …"
			break
		}
	}
	r.Fact("sample_types", "Sample types", trimComma(types))
	r.Fact("default_sample_type", "Default sample type", r.name(t.defaultType, 0))
	if t.hasPeriod && t.periodValue != 0 {
		r.Fact("period", "Period", r.period("1 ")+" of "+r.name(t.period.name, 0))
	}
	if t.duration > 0 {
		r.Fact("duration", "Duration", time.Duration(t.duration).String())
	}
	for _, c := range t.comments[:min(len(t.comments), 20)] {
		r.Fact("comment", "Comment", r.name(c, 0))
	}
	r.Fact("drop_frames", "Frames to drop (not applied)", r.name(t.drop, 0))
	r.Fact("keep_frames", "Frames to keep (not applied)", r.name(t.keep, 0))
	r.Fact("doc_url", "Documentation", r.name(t.docURL, 0))
	r.Count("samples", "Samples in the file", t.samples)
}

func trimComma(list string) string {
	if len(list) > 2 {
		return list[2:]
	}
	return ""
}

// emit converts the sums to records.
func (r *reader) emit() {
	n := len(r.tables.types)
	for i, k := range r.sums.keys {
		for j, v := range r.sums.values[i*n : (i+1)*n] {
			if !r.known[j] {
				continue
			}
			weight := model.Unsigned(uint64(v))
			if v < 0 {
				weight = model.Signed(v)
			}
			r.Weigh(r.metrics[j], weight)
		}
		r.Add(weighted.Record{Node: k.node, Thread: k.thread, CPU: model.NoCPU, Labels: k.labels, Offset: r.sums.offset[i]})
	}
	r.sums = sums{}
	if r.unnamed > 0 {
		r.Say(model.Note, "unresolved", model.NoOffset, 0,
			"%s locations have no names in the file: they are shown as addresses", model.Group(uint64(r.unnamed)))
	}
}
