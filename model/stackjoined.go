package model

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// State reports whether values describe a moment, such as live bytes: values of several moments are never added up.
func (m *ProfileMetric) State() bool {
	for _, prefix := range []string{"live_", "inuse", "in_use", "leaked_"} {
		if strings.HasPrefix(m.Name, prefix) {
			return true
		}
	}
	return m.NoSum() || slices.Contains([]string{"space", "objects", "goroutine", "threadcreate"}, m.Name)
}

// Profile returns the windows so far as one profile, which does not change when more are added. Times begin at the
// first window. The stacks without a chosen window are those of the last one, as states are never added up; only if
// each file states how long it covers, values that are not states are the sum of all.
func (j *StackJoin) Profile() *Profile {
	w, s := j.weights, *j.stacks
	w.Metrics, w.Events = slices.Clone(w.Metrics), slices.Clone(w.Events)
	meta := j.meta
	meta.Facts = slices.Clone(meta.Facts)
	first, spans, stated, spread := j.times()
	w.Windows = make([]Window, len(j.parts))
	for i := range j.parts {
		part := &j.parts[i]
		win := Window{ID: j.windowName(i), Start: part.at - first, Record: part.rows, Weights: part.weights}
		win.End = win.Start + part.length
		if !spread {
			win.Start, win.End = Time(i), Time(i)
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
	w.Counts = ProfileCounts{
		DSOs: int64(len(w.DSOs) - 1), Frames: int64(len(s.FrameFunc) - 1), Threads: int64(len(w.Threads) - 1), Stacks: int64(w.Records.Len()), Windows: int64(len(w.Windows)),
	}
	s.DSOs, s.FrameDSO = w.DSOs, w.FrameDSO
	meta.Size, meta.Start, meta.HasStart = j.size, uint64(max(first, 0)), stated
	w.StartSeconds = float64(first) / 1e6
	if len(j.parts) > 1 {
		meta.Name = fmt.Sprintf("%s and %s", j.parts[0].name, Counted(uint64(len(j.parts)-1), "other file"))
	}
	meta.Facts = append(meta.Facts, Fact{Key: "windows", Label: "Windows", Value: Group(uint64(len(j.parts))), Int: int64(len(j.parts)), HasInt: true})
	return &Profile{Meta: meta, Stacks: &s, Weights: &w, Problems: j.assumed(spans, stated, spread), Lost: j.lost, Complete: !j.cut}
}

// copied is the longest time between two files that were copied one after the other: their modification times say
// nothing about the program.
const copied = Time(20_000)

// times returns when the first window begins, whether all cover a span of time, whether all state their time, and
// whether any two times differ.
func (j *StackJoin) times() (first Time, spans, stated, spread bool) {
	spans, stated = len(j.parts) > 0, true
	for i := range j.parts {
		part := &j.parts[i]
		if i == 0 {
			first = part.at
		}
		spans, stated, spread = spans && part.length > 0, stated && part.stated, spread || part.at != first
	}
	if n := Time(len(j.parts) - 1); n > 0 && !stated && !spans {
		spread = j.parts[n].at-first > n*copied
	}
	return first, spans, stated, spread || len(j.parts) < 2
}

// windowName returns the name of a file, with the folders that distinguish it from others of that name.
func (j *StackJoin) windowName(i int) string {
	own := &j.parts[i]
	if slices.ContainsFunc(j.parts, func(p stackPart) bool { return p.name == own.name && p.path != own.path }) {
		return filepath.Join(filepath.Base(filepath.Dir(own.path)), own.name)
	}
	return own.name
}

// whole returns the weights of records if no window is chosen.
func (j *StackJoin) whole(spans bool) WeightTable {
	type weight struct {
		metric MetricID
		sum    Amount
	}
	sums := make([][]weight, j.weights.Records.Len())
	add := func(part *stackPart, last bool) {
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
	var out WeightTable
	for _, row := range sums {
		for _, w := range row {
			out.Add(w.metric, w.sum.Number())
		}
		out.EndRow()
	}
	return out
}

// assumed returns the problems of the files, and the assumptions made to join them.
func (j *StackJoin) assumed(spans, stated, spread bool) []Problem {
	out := j.problems
	say := func(s Severity, code, format string, args ...any) {
		out = AddProblem(out, Problem{Severity: s, Code: code, Message: fmt.Sprintf(format, args...), Offset: NoOffset})
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
		say(Note, "windows", "%d files are windows of one profile, in the order of %s; figures of a window are those of its file: %s", len(j.parts), order, what)
	}
	if j.exclusive {
		say(Note, "exclusive", "exclusive weights of leaves are left out where several files are one profile")
	}
	if j.dropped > 0 {
		say(Warning, "thinned", "%s of earlier times were dropped, every second one, to bound memory", Counted(j.dropped, "window"))
	}
	return out
}
