package join

import (
	"fmt"
	"slices"

	"github.com/memtui/memtui/model"
)

// Profile returns the windows so far as one profile, which does not change when more are added. Times begin at the
// first window. The stacks without a chosen window are those of the last one, as states are never added up; only if
// each file states how long it covers, values that are not states are the sum of all.
func (j *Stacks) Profile() *model.Profile {
	w, s := j.weights, *j.stacks
	w.Metrics, w.Events = slices.Clone(w.Metrics), slices.Clone(w.Events)
	meta := j.meta
	meta.Facts = slices.Clone(meta.Facts)
	first, spans, stated, spread := j.times()
	w.Windows = make([]model.Window, len(j.parts))
	for i := range j.parts {
		part := &j.parts[i]
		win := model.Window{ID: j.windowName(i), Start: part.at - first, Record: part.rows, Weights: part.weights}
		win.End = win.Start + part.length
		if !spread {
			win.Start, win.End = model.Time(i), model.Time(i)
		}
		w.Windows[i], w.End = win, max(w.End, win.End)
		if j.dropped > 0 {
			w.Numbers = append(w.Numbers, part.number)
		}
	}
	if !spread {
		w.AxisUnit = "files"
	}
	w.Records.Weights = j.whole(spans)
	if !j.labeled {
		w.Labels, w.Records.Labels = nil, nil
	}
	w.Counts = model.ProfileCounts{
		DSOs: int64(len(w.DSOs) - 1), Frames: int64(len(s.FrameFunc) - 1), Threads: int64(len(w.Threads) - 1),
		Stacks: int64(w.Records.Len()), Windows: int64(len(w.Windows)),
	}
	s.DSOs, s.FrameDSO = w.DSOs, w.FrameDSO
	meta.Size, meta.Start, meta.HasStart = j.size, uint64(max(first, 0)), stated
	w.StartSeconds = float64(first) / 1e6
	if len(j.parts) > 1 {
		meta.Name = fmt.Sprintf("%s and %s", j.parts[0].name, model.Counted(uint64(len(j.parts)-1), "other file"))
	}
	meta.Facts = append(meta.Facts, model.Fact{Key: "windows", Label: "Windows",
		Value: model.Group(uint64(len(j.parts))), Int: int64(len(j.parts)), HasInt: true})
	return &model.Profile{Meta: meta, Stacks: &s, Weights: &w, Problems: j.assumed(spans, stated, spread), Lost: j.lost, Complete: !j.cut}
}

// copied is the longest time between two files that were copied one after the other: their modification times say
// nothing about the program.
const copied = model.Time(20_000)

// times returns when the first window begins, whether all cover a span of time, whether all state their time, and
// whether any two times differ.
func (j *Stacks) times() (first model.Time, spans, stated, spread bool) {
	spans, stated = len(j.parts) > 0, true
	for i := range j.parts {
		part := &j.parts[i]
		if i == 0 {
			first = part.at
		}
		spans, stated, spread = spans && part.length > 0, stated && part.stated, spread || part.at != first
	}
	if n := model.Time(len(j.parts) - 1); n > 0 && !stated && !spans {
		spread = j.parts[n].at-first > n*copied
	}
	return first, spans, stated, spread || len(j.parts) < 2
}

// windowName returns the name of a file, with the folders that distinguish it from others of that name.
func (j *Stacks) windowName(i int) string {
	own := &j.parts[i]
	if slices.ContainsFunc(j.parts, func(p stacksPart) bool { return p.name == own.name && p.path != own.path }) {
		return inFolder(own.path, own.name)
	}
	return own.name
}

// whole returns the weights of records if no window is chosen.
func (j *Stacks) whole(spans bool) model.WeightTable {
	type weight struct {
		metric model.MetricID
		sum    model.Amount
	}
	sums := make([][]weight, j.weights.Records.Len())
	add := func(part *stacksPart, last bool) {
		for row, r := range part.rows {
			for m, n := range part.weights.All(row) {
				if !last && j.weights.Metrics[m].State() {
					continue
				}
				i := slices.IndexFunc(sums[r], func(w weight) bool { return w.metric == m })
				if i < 0 {
					i = len(sums[r])
					sums[r] = append(sums[r], weight{metric: m})
				}
				sums[r][i].sum.Add(n)
			}
		}
	}
	for i := range j.parts {
		if last := i == len(j.parts)-1; last || spans {
			add(&j.parts[i], last)
		}
	}
	var out model.WeightTable
	for _, row := range sums {
		for _, w := range row {
			out.Add(w.metric, w.sum.Number())
		}
		out.EndRow()
	}
	return out
}

// assumed returns the problems of the files, and the assumptions made to join them.
func (j *Stacks) assumed(spans, stated, spread bool) []model.Problem {
	out := j.problems
	say := func(s model.Severity, code, format string, args ...any) {
		out = model.AddProblem(out, model.Problem{Severity: s, Code: code, Message: fmt.Sprintf(format, args...), Offset: model.NoOffset})
	}
	if len(j.parts) > 1 {
		order := "the times in the files"
		switch {
		case !spread && j.parts[0].at != j.parts[len(j.parts)-1].at:
			order = "when the files were last written, all at about the same time, as if copied: these times are unreliable"
		case !spread:
			order = "their names: their times are unknown"
		case !stated:
			order = "when the files were last written: not all state a time"
		}
		what := "live memory and running totals are never added up; without a window all figures are those of the last file"
		if spans {
			what = "without a window figures are added up, except live memory, which is that of the last file"
		}
		say(model.Note, "windows", "%d files are windows of one profile, in the order of %s; figures of a window are those of its file: %s", len(j.parts), order, what)
	}
	if j.exclusive {
		say(model.Note, "exclusive", "exclusive weights of leaves are left out where several files are one profile")
	}
	if j.dropped > 0 {
		say(model.Warning, "thinned", "%s of earlier times were dropped, every second one, to bound memory",
			model.Counted(j.dropped, "window"))
	}
	return out
}
