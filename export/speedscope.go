package export

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/memtui/memtui/model"
)

const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

// WriteSpeedscope writes s as a JSON file for speedscope: one profile for each metric that any stack has. The main one
// is first, because speedscope and programs that ignore the active profile show that.
func WriteSpeedscope(ctx context.Context, w io.Writer, s *Stacks) ([]Loss, error) {
	frames, err := newFrameTable(ctx, s)
	if err != nil {
		return nil, err
	}
	j := &speedscope{ctx: ctx, out: bufio.NewWriterSize(w, 1<<16), s: s, frames: frames}
	j.buf = append(j.buf, `{"$schema": "`+speedscopeSchema+`", "exporter": "memtui", "name": `...)
	j.string(s.Profile.Meta.Name)
	j.buf = append(j.buf, `, "shared": {"frames": [`...)
	for i := range j.frames.list {
		if err := j.frame(i); err != nil {
			return nil, err
		}
	}
	j.buf = append(j.buf, `]}, "profiles": [`...)
	if err := j.profile(s.Main); err != nil {
		return nil, err
	}
	for m := range s.Metrics {
		if m == s.Main || !j.any(m) {
			continue
		}
		j.buf = append(j.buf, `, `...)
		if err := j.profile(m); err != nil {
			return nil, err
		}
	}
	j.buf = append(j.buf, `], "activeProfileIndex": 0}`+"\n"...)
	if err := j.flush(); err != nil {
		return nil, err
	}
	return j.lost.list, j.out.Flush()
}

type speedscope struct {
	ctx    context.Context
	out    *bufio.Writer
	buf    []byte
	s      *Stacks
	frames *frameTable
	lost   losses
}

// flush writes buf to out and reports whether the context is done.
func (j *speedscope) flush() error {
	_, err := j.out.Write(j.buf)
	j.buf = j.buf[:0]
	if err == nil {
		err = j.ctx.Err()
	}
	return err
}

func (j *speedscope) string(text string) { j.buf = model.AppendJSONString(j.buf, model.Clean(text)) }

func (j *speedscope) frame(i int) error {
	f := &j.frames.list[i]
	if i > 0 {
		j.buf = append(j.buf, ", "...)
	}
	j.buf = append(j.buf, "\n"+`{"name": `...)
	j.string(f.function)
	if f.file != "" {
		j.buf = append(j.buf, `, "file": `...)
		j.string(f.file)
	}
	if f.line > 0 {
		j.buf = strconv.AppendInt(append(j.buf, `, "line": `...), f.line, 10)
	}
	if f.column > 0 {
		j.buf = strconv.AppendUint(append(j.buf, `, "col": `...), uint64(f.column), 10)
	}
	j.buf = append(j.buf, '}')
	return j.flush()
}

// any reports whether any stack has a weight.
func (j *speedscope) any(metric int) bool {
	return slices.ContainsFunc(j.s.Rows, func(r StackRow) bool { return r.Values[metric].Float64() > 0 })
}

// profile writes one metric: the stacks, and then their weights in the same order.
func (j *speedscope) profile(metric int) error {
	m := j.s.Metrics[metric]
	j.buf = append(j.buf, "\n"+`{"type": "sampled", "name": `...)
	j.string(m.Name)
	j.buf = append(j.buf, `, "unit": "`+speedscopeUnit(m.Unit)+`", "startValue": 0, "samples": [`...)
	var sum model.Amount
	err := j.each(metric, func(r *StackRow) {
		sum.Add(r.Values[metric])
		j.buf = append(j.buf, '[')
		for i, f := range slices.Backward(j.frames.of(r)) {
			j.buf = strconv.AppendInt(j.buf, int64(f), 10)
			if i > 0 {
				j.buf = append(j.buf, ',')
			}
		}
		j.buf = append(j.buf, ']')
	})
	if err != nil {
		return err
	}
	j.buf = append(j.buf, `], "weights": [`...)
	err = j.each(metric, func(r *StackRow) { j.buf = append(j.buf, decimal(amount(r.Values[metric]))...) })
	j.buf = append(j.buf, `], "endValue": `+decimal(sum)+"}"...)
	if sum.Float64() > 1<<53 {
		j.lost.add("the sum of " + m.Name + " is beyond 2^53: speedscope rounds it")
	}
	return err
}

// each calls f with the rows that have a weight, and separates what it appends by commas.
func (j *speedscope) each(metric int, f func(*StackRow)) error {
	first := true
	for i := range j.s.Rows {
		r := &j.s.Rows[i]
		v := r.Values[metric].Float64()
		if v < 0 {
			j.lost.add("a stack with a negative weight was left out")
		}
		if v <= 0 {
			continue
		}
		if !first {
			j.buf = append(j.buf, ',')
		}
		first = false
		f(r)
		if len(j.buf) > 1<<15 {
			if err := j.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// speedscopeUnit returns the format's name of a unit.
func speedscopeUnit(unit string) string {
	switch unit {
	case "bytes", "nanoseconds", "microseconds", "milliseconds", "seconds":
		return unit
	case "ns":
		return "nanoseconds"
	case "us":
		return "microseconds"
	case "ms":
		return "milliseconds"
	case "s":
		return "seconds"
	}
	return "none"
}
