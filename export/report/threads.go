package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// HeapThread is a thread of the program at the time of the snapshot.
type HeapThread struct {
	n, most  int               // in the file's order; the frames that text shows, 0 for all
	Name     string            `json:"name"`
	ID       string            `json:"id"`
	Row      *model.Row        `json:"row,omitzero"`            // its object
	Retained *uint64           `json:"retained_bytes,omitzero"` // by it alone, including what its frames hold
	Locals   int               `json:"local_count"`
	Frames   []HeapThreadFrame `json:"frames"` // the innermost first
}

// HeapThreadFrame is a call with the objects that it holds.
type HeapThreadFrame struct {
	Function string      `json:"function"` // "" for what the thread holds outside of calls
	File     *string     `json:"file,omitzero"`
	Line     *int64      `json:"line,omitzero"`
	Locals   []HeapLocal `json:"locals"`
}

// HeapLocal is an object that a call holds.
type HeapLocal struct {
	Name *string   `json:"name,omitzero"` // of the variable
	Row  model.Row `json:"row"`
	members.ID
	Label    string  `json:"label"`
	Retained *uint64 `json:"retained_bytes,omitzero"` // by the object alone
}

// threadRow is a row of CSV: a local variable, or a frame without any.
type threadRow struct {
	Thread   string     `json:"thread"`
	ID       string     `json:"id"`
	Frame    int        `json:"frame"`
	Function string     `json:"function"`
	File     *string    `json:"file"`
	Line     *int64     `json:"line"`
	Row      *model.Row `json:"row"`
	Label    string     `json:"label"`
	Retained *uint64    `json:"retained_bytes"`
}

// SetThreads adds at most n threads of a snapshot, or all if n is 0. Those that retain most come first.
func (r *Report) SetThreads(g *heapgraph.Graph, list []heapgraph.Thread, n int) {
	retained := func(row model.Row) *uint64 {
		if row == model.RootRow || !g.HasDominators() || !g.Heap.Has(row) {
			return nil
		}
		return &g.Retained[row]
	}
	out := []HeapThread{}
	for i := range list {
		t := &list[i]
		x := HeapThread{n: i, most: n, Name: t.Name, ID: t.ID, Retained: t.Retained, Frames: []HeapThreadFrame{}}
		if t.Row != model.RootRow {
			x.Row = &t.Row
		}
		for _, f := range t.Frames {
			frame := HeapThreadFrame{Function: f.Function, Locals: []HeapLocal{}}
			if f.File != "" {
				frame.File = &f.File
			}
			if f.Line != model.NoLine {
				frame.Line = &f.Line
			}
			for _, l := range f.Locals {
				if !g.Heap.Has(l.Row) {
					continue
				}
				local := HeapLocal{Row: l.Row, ID: members.NewID(g.Heap, l.Row), Label: heapgraph.Label(g.Heap, l.Row),
					Retained: retained(l.Row)}
				if l.Name != "" {
					local.Name = &l.Name
				}
				frame.Locals = append(frame.Locals, local)
			}
			x.Locals += len(frame.Locals)
			x.Frames = append(x.Frames, frame)
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b HeapThread) int { return cmp.Compare(orZero(b.Retained), orZero(a.Retained)) })
	r.Heap.Threads, r.Heap.Counts = limit(out, n), &HeapLengths{Threads: new(len(out))}
	if !g.HasDominators() {
		r.Heap.left = append(r.Heap.left, "retained_bytes")
	}
}

// SetCalls adds at most n functions and lines that threads run, or all if n is 0: frames of a format where they are no rows.
func (r *Report) SetCalls(list []model.HeapThread, n int) {
	calls := heapgraph.Calls(list)
	r.Heap.Frames, r.Heap.Counts, r.Heap.running = []HeapFrame{}, &HeapLengths{Frames: new(len(calls))}, len(list)
	for _, c := range limit(calls, n) {
		r.Heap.Frames = append(r.Heap.Frames, newHeapFrame(r.Heap.schema, c, nil))
	}
}

// orZero returns what is known, the zero value for nothing.
func orZero[T any](known *T) (v T) {
	if known != nil {
		v = *known
	}
	return v
}

// threadRows returns the rows for CSV.
func (h *Heap) threadRows() (list []threadRow) {
	for _, t := range h.Threads {
		for i, f := range t.Frames {
			row := threadRow{Thread: t.Name, ID: t.ID, Frame: i, Function: f.Function, File: f.File, Line: f.Line}
			if len(f.Locals) == 0 {
				list = append(list, row)
			}
			for _, l := range f.Locals {
				row.Row, row.Label, row.Retained = &l.Row, l.Label, l.Retained
				list = append(list, row)
			}
		}
	}
	return list
}

// threads returns a table of all threads, and one for each thread with its frames and what they hold.
func (w heapWriter) threads() (list []table) {
	all := table{
		name: "threads", title: "Threads", cols: []col{{titles.Retained, number}, {titles.Share, number},
			{titles.Locals, number}, {titles.Depth, number}, {titles.Row, number}, {titles.Thread, name}},
	}
	n := w.length(func(c *HeapLengths) *int { return c.Threads })
	all.answer, all.more = model.Counted(n, "thread"), n-len(w.h.Threads)
	for i := range w.h.Threads {
		t := &w.h.Threads[i]
		share, row := "", ""
		if t.Retained != nil {
			share = w.style.Share(*t.Retained, w.total())
		}
		if t.Row != nil {
			row = fmt.Sprint(*t.Row)
		}
		all.rows = append(all.rows, []string{w.bytes(t.Retained), share, w.style.Count(uint64(t.Locals)),
			w.style.Count(uint64(len(t.Frames))), row, w.threadName(t)})
	}
	list = append(list, all)
	for i := range w.h.Threads {
		list = append(list, w.thread(&w.h.Threads[i]))
	}
	return list
}

func (w heapWriter) threadName(t *HeapThread) string {
	of := model.HeapThread{Name: t.Name, ID: t.ID}
	return w.name(of.Title(t.n))
}

// thread returns a table of the innermost frames of one thread, with what each holds below it.
func (w heapWriter) thread(t *HeapThread) table {
	frames := limit(t.Frames, t.most)
	out := table{
		name: "thread", title: "Thread " + w.threadName(t), answer: model.Counted(len(t.Frames), "frame"),
		cols: []col{{titles.Retained, number}, {titles.Row, number}, {titles.What, name}, {titles.Where, where}},
		more: len(t.Frames) - len(frames),
	}
	for _, f := range frames {
		function, at := w.name(f.Function), ""
		if function == "" {
			function = "held by the thread"
		}
		if f.File != nil {
			at = model.Clean(*f.File)
			if f.Line != nil {
				at += fmt.Sprintf(":%d", *f.Line)
			}
		}
		out.rows = append(out.rows, []string{"", "", function, at})
		for _, l := range f.Locals {
			label := w.name(l.Label)
			if l.Name != nil {
				label = w.name(*l.Name) + " = " + label
			}
			out.rows = append(out.rows, []string{w.bytes(l.Retained), fmt.Sprint(l.Row), "  " + label, ""})
		}
	}
	return out
}
