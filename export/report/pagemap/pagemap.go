// Package pagemap draws page layouts as grids of characters.
package pagemap

import (
	"fmt"
	"io"
	"strings"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/dump"
	"github.com/memtui/memtui/model"
)

// mapCells is the width of the grid. mapRows is the default maximum number of its lines.
const (
	mapCells = 64
	mapRows  = 512
)

// Write draws the layout of r as a grid in the file's order. Each cell represents perCell pages; 0 selects the
// fewest that fit on a few screens.
func Write(w io.Writer, r *report.Report, l *model.Layout, perCell int, style cells.Style) error {
	if perCell <= 0 {
		perCell = 1
		for n := r.Pages.FullPages + r.Pages.EmptyPages + r.Pages.PartialPages; n/perCell > mapCells*mapRows; {
			perCell *= 2
		}
	}
	t := report.NewReportWriter(w, r, style)
	t.Head()
	for i := range l.Types {
		grid(t, &l.Types[i], &r.Pages.Types[i], perCell)
	}
	g := cells.Fills(style.ASCII)
	cell := "1 cell = " + model.Counted(perCell, "page")
	t.Line()
	t.Line(" ", t.Style.Dim(fmt.Sprintf("%s full  %s >= 75 %%  %s >= 25 %%  %s less  %s empty  %s", g[4], g[3], g[2], g[1], g[0], cell)))
	t.Problems()
	return t.Flush()
}

// grid draws the pages of a type.
func grid(t *report.TextWriter, p *model.PageType, f *dump.PageType, perCell int) {
	answer := fmt.Sprintf("%s occupied · %d empty · %d full · %s",
		t.Style.Share(f.OccupiedBits, f.OccupiedBits+f.FreeBits), f.EmptyPages, f.FullPages, model.Counted(f.Pages, "page"))
	if f.Pages == 0 {
		answer = "no pages"
	}
	t.Title(report.OrUnnamed(f.Name), t.Style.Text(answer))
	fills, glyphs := pages.Fills(p), cells.Fills(t.Style.ASCII)
	for from := 0; from < len(fills); from += mapCells * perCell {
		var row strings.Builder
		for i := from; i < min(from+mapCells*perCell, len(fills)); i += perCell {
			row.WriteString(glyphs[pages.MixFills(fills[i:min(i+perCell, len(fills))]).Level()])
		}
		t.Line(cells.Pad(fmt.Sprintf("page %d", from), 15, true), " ", row.String())
	}
}
