package pagemap

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
)

const hostileName = "a\x1b[2J\x9b\u202e|`\n"

// layouts is a page source of one layout.
type layouts struct{ model.Layout }

func (l *layouts) Len() int                                         { return 1 }
func (l *layouts) Info(int) model.LayoutInfo                        { return model.LayoutInfo{At: 7} }
func (l *layouts) Open(context.Context, int) (*model.Layout, error) { return &l.Layout, nil }

// manyPages has a name that would control a terminal, and more pages than fit a screen.
func manyPages() (*model.Profile, *model.Layout) {
	const pages = 100_000
	pt := model.PageType{Name: hostileName, Uniform: 64, Start: make([]uint32, pages+1)}
	for i := range pages {
		pt.Runs = append(pt.Runs, byte(i%9))
		pt.Start[i+1] = uint32(len(pt.Runs))
		if i%9 < 8 {
			pt.Runs = append(pt.Runs, byte(8-i%9))
			pt.Start[i+1]++
		}
	}
	src := &layouts{model.Layout{Types: []model.PageType{pt}}}
	return &model.Profile{Meta: model.Meta{Name: hostileName}, Pages: src, Timeline: &model.Timeline{Series: []model.Series{{Layouts: 1}}}}, &src.Layout
}

func TestLargeLayoutsFitAMap(t *testing.T) {
	p, l := manyPages()
	for _, ascii := range []bool{false, true} {
		var out bytes.Buffer
		if err := Write(&out, report.NewPagesReport(p, 0, l, 1), l, 0, cells.Style{ASCII: ascii}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "page "); n > mapRows+1 || !strings.Contains(out.String(), "1 cell = 4 pages") {
			t.Errorf("%d lines:\n%.500s", n, out.String())
		}
		for line := range strings.Lines(out.String()) {
			drawn := strings.HasPrefix(strings.TrimLeft(line, " "), "page ")
			if ascii && drawn && strings.ContainsFunc(line, func(c rune) bool { return c >= 0x7f }) {
				t.Fatalf("characters outside ASCII: %q", line)
			}
			if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(c rune) bool { return unicode.In(c, unicode.Cc, unicode.Cf) }) {
				t.Fatalf("control characters: %q", line)
			}
		}
	}
}
