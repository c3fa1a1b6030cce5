package html

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/areas"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// View is a view that draws the answer of a command: a page that is served asks for it, others have it.
type View struct {
	ID     string // "treemap", "dominator-areas", "heat", "lifetimes", "source"
	Title  string
	Choice string // which of several of one view: the figure, the name of a source file; "" for the only one
	Of     func(ctx context.Context) (*report.Report, error)
}

// view is a view as the page's script reads it.
type view struct {
	ID     string          `json:"view"`
	Title  string          `json:"title"`
	Choice string          `json:"choice,omitempty"`
	Body   json.RawMessage `json:"body"`
}

// Terminal is how the full-screen program names what the page shows, too.
type Terminal struct {
	Screens []Screen            `json:"screens"` // that the file offers, in their order
	Keys    map[string][]string `json:"keys"`    // of every action that works everywhere
}

// Screen is a screen, the action that opens it, and its keys.
type Screen struct {
	Action string   `json:"action"`
	Name   string   `json:"name"`
	Keys   []string `json:"keys"`
}

// views adds the answers of commands.
func (b *builder) views() error {
	for _, a := range b.src.Views {
		err := b.part(a.Title, func() error {
			r, err := a.Of(b.ctx)
			if err != nil {
				return err
			}
			body, err := b.body(a.Title, r)
			if err == nil {
				b.Views = append(b.Views, view{a.ID, a.Title, a.Choice, body})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// body returns what a page keeps of a report with one table: names are as long as those of other tables.
func (b *builder) body(title string, r *report.Report) (json.RawMessage, error) {
	of := r.Estimated()
	if len(r.Alone) == 1 {
		switch t := r.Alone[0].(type) {
		case *areas.Treemap:
			return b.treemap(title, t, of.Amounts)
		case *areas.Heatmap:
			for i := range t.Rows {
				r := &t.Rows[i]
				r.Name, r.Place = b.brief(r.Name), places.Place{}
			}
			return encode(&struct {
				object.Estimates
				Map *areas.Heatmap `json:"heatmap"`
			}{of, t})
		}
	}
	if l := r.Lines; l != nil {
		b.lines(l)
		return encode(&struct {
			object.Estimates
			Lines *report.SourceLines `json:"lines"`
		}{of, l})
	}
	return json.RawMessage("null"), nil
}

// encode returns JSON as reports have it. The page's encoder escapes what ends a script.
func encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	err := report.WriteJSON(&out, v)
	return out.Bytes(), err
}

// area is a row of a treemap without what its place among the others says.
type area struct {
	Depth  int      `json:"depth"`
	Kind   string   `json:"kind"`
	Name   string   `json:"name"`
	Value  float64  `json:"value"`
	Object *uint64  `json:"object,omitempty"`
	Sides  []uint64 `json:"sides,omitempty"` // before and after, of a comparison
}

// treemap returns the rows of a treemap, and says how many are not among them.
func (b *builder) treemap(title string, t *areas.Treemap, estimates bool) (json.RawMessage, error) {
	rows := make([]area, len(t.Rows))
	for i := range t.Rows {
		r := &t.Rows[i]
		rows[i] = area{Depth: r.Depth, Kind: r.Kind, Name: b.brief(r.Name), Value: r.Value.Float64(), Object: r.Row, Sides: r.Change}
	}
	if n := t.RowCount - len(rows); n > 0 {
		b.cut("%s: %s, which are together as others", title, model.Counted(n, "small part"))
	}
	what := map[string]any{"metric": t.Metric, "unit": t.Unit, object.Estimated: estimates,
		"by": t.By, "all": t.All.Float64(), "rows": rows}
	return json.Marshal(map[string]any{"treemap": what})
}

// lines cleans and shortens the lines of sources.
func (b *builder) lines(l *report.SourceLines) {
	clean := func(s *string) *string {
		if s == nil {
			return nil
		}
		text := b.brief(strings.ReplaceAll(*s, "\t", "    "))
		return &text
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		r.Function, r.File, r.Text = clean(r.Function), clean(r.File), clean(r.Text)
	}
	for i := range l.Files {
		f := &l.Files[i]
		f.File, f.Path, f.Missing = b.brief(f.File), nil, clean(f.Missing)
	}
	l.Name = clean(l.Name)
}
