package report

import (
	"context"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// StackWindow holds the weight of one window of time, by the metric of the tables.
type StackWindow struct {
	ID    string     `json:"id"`
	Start model.Time `json:"start_us"`
	End   model.Time `json:"end_us"`
	Value Amount     `json:"value"`

	stacks int
}

// windows fills the table of windows, in the file's order. It has all of them, regardless of the part of the time that
// the other tables cover.
func (out *Stacks) windows(ctx context.Context, s *weights.Selection, n int) error {
	sums, err := s.WindowSums(ctx)
	if err != nil {
		return err
	}
	out.Rows.Windows = len(sums)
	for i, sum := range limit(sums, n) {
		w := &s.Profile.Windows[i]
		out.Windows = append(out.Windows, StackWindow{w.ID, w.Start, w.End, Amount{Amount: sum}, len(w.Record)})
	}
	return nil
}

func (w stackWriter) windows() table {
	list := w.r.Windows
	out := table{
		name: "windows", title: "Windows", more: w.r.Rows.Windows - len(list),
		answer: model.Counted(w.r.Rows.Windows, "window") + " by " + model.Clean(w.metric),
		cols: []col{{titles.Start, number}, {titles.End, number}, {titles.Stacks, number}, {titles.Weight, number},
			{titles.Change, number}, {titles.Window, name}},
	}
	for i, win := range list {
		change := ""
		if i > 0 {
			change = w.change(list[i-1].Value.Amount, win.Value.Amount)
		}
		out.rows = append(out.rows, []string{
			win.Start.In(w.unit), win.End.In(w.unit), w.style.Count(uint64(win.stacks)),
			w.style.Amount(w.r.measure, win.Value.Amount), change, w.name(win.ID),
		})
	}
	return out
}

// change returns the difference between an amount and the previous one.
func (w stackWriter) change(before, after model.Amount) string {
	switch before.Compare(after) {
	case -1:
		return "+" + w.style.Amount(w.r.measure, after.Minus(before))
	case 1:
		return "-" + w.style.Amount(w.r.measure, before.Minus(after))
	}
	return "0"
}
