package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/objects"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/model"
)

type heapFindCmd struct {
	heapFiles
	Type   string   `placeholder:"TEXT" help:"Part of the type's name."`
	Repr   string   `placeholder:"TEXT" help:"${reprhelp}"`
	Where  []string `sep:"none" placeholder:"AXIS=TEXT" help:"Part of another property of the type; ${axes}."`
	Name   string   `placeholder:"TEXT" help:"Part of the name of the type or frame."`
	Kind   string   `enum:"${rowkinds}," default:"" placeholder:"KIND" help:"Only objects of this kind: ${rowkinds}."`
	Exact  bool     `help:"Match the complete name or text, case-sensitive."`
	Text   string   `placeholder:"TEXT" help:"Part of the object's text, such as a string's, where files hold it."`
	Filter string   `placeholder:"FILTER" help:"Filter of objects, as on the screens: type:Session retained>1M .open=true .user.name~^bob text~^abc. A plain word is part of the type or of the name of a row; type: is part of the type only, as --type is."`
	Per    string   `placeholder:"KEY" help:"Count the objects found by an axis, by kind, by a field such as .user.name, or by their text; the last two need --values."`
	Values bool     `help:"Also print the texts of the objects found. They may be secrets."`
}

// Run lists the rows that match all flags, in their order, or largest first with --by bytes.
func (c *heapFindCmd) Run(ctx context.Context, a *app) error {
	if c.Type+c.Name+c.Repr+c.Text+c.Filter+c.Per == "" && len(c.Where) == 0 {
		if last := c.File[len(c.File)-1]; len(c.File) > 1 && !exists(a.target(last).path) {
			return fail.Usage(fmt.Errorf("heap find: unexpected argument %s; for a type, give --type %s", model.Clean(last), arg.ShellWord(last)))
		}
		return fail.Usage(errors.New("heap find: give --type, --name, --where, --text or --filter"))
	}
	if objects.Secret(c.Per) && !c.Values {
		return fail.Usage(errors.New("--per " + c.Per + " prints values, which may be secrets: give --values, too"))
	}
	if err := a.checkKey([]string{"row", "bytes"}); err != nil {
		return err
	}
	graph := graphMaker(noGraph)
	if strings.Contains(c.Filter, "retained") || strings.Contains(c.Filter, "rows") {
		graph = dominators
	}
	return a.heapLook(ctx, c.File, graph, func(h heapLook) error {
		q, err := c.question(h.src)
		if err != nil {
			return err
		}
		if c.Per == "" && a.flags.By != "bytes" {
			q.Limit = a.flags.Limit
		}
		chooser := objects.Chooser{Source: h.src, Snapshot: h.at, Heap: h.h, Graph: h.g}
		found, err := chooser.Find(ctx, q, nil)
		if err != nil {
			return err
		}
		if h.r.FoundAll = &found.Total; found.Total == 0 {
			text, like := c.nothing(h.h)
			if _, hasTexts := model.HeapFacet[model.HeapTexts](h.src); hasTexts && c.Text == "" && !strings.Contains(c.Filter, objects.TextField+"~") {
				text += "; --text searches the texts of strings"
			}
			fmt.Fprintf(a.env.Stderr, "memtui: warning: heap find: %s\n", text)
			if like != nil {
				h.r.NoMatch = append(h.r.NoMatch, places.Unmatched{Filter: "type " + c.Type, Near: like})
			}
		}
		if c.Per != "" {
			groups, err := chooser.Count(ctx, found.Rows, c.Per, nil)
			if a.flags.Limit > 0 && len(groups) > a.flags.Limit {
				groups = groups[:a.flags.Limit]
			}
			h.r.FoundBy = make([]members.Found, len(groups))
			for i, g := range groups {
				h.r.FoundBy[i] = members.NewFound(g.Value, objects.ValueText(h.h.Schema, c.Per, g.Value), g.Count, g.Bytes)
			}
			return err
		}
		h.r.Found = report.NewHeapRows(h.h, found.Rows, a.flags.By == "bytes", a.flags.Limit)
		if c.Values {
			return report.Say(ctx, h.r.Found, h.src, h.at, h.h)
		}
		return nil
	})
}

// exists reports whether there is a file of a name.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// nothing returns the message that no row was found. If no object has the type, like has similar names, else it is nil.
func (c *heapFindCmd) nothing(h *model.Heap) (text string, like []string) {
	if c.Type != "" && c.Filter+c.Name+c.Repr+c.Text == "" && len(c.Where) == 0 {
		if ids, like := heapgraph.TypesNamed(h, c.Type, near.Names); len(ids) == 0 {
			return pick.NoType(c.Type, like), append([]string{}, like...)
		}
	}
	if roots := pick.Roots(h, c.Type); roots > 0 {
		return fmt.Sprintf("of the type %s are %s, which are no objects: heap types counts them", c.Type, model.Counted(roots, "root")), nil
	}
	return "no object matches all conditions", nil
}

// question returns what to look for in a file.
func (c *heapFindCmd) question(src model.HeapSource) (q objects.Question, err error) {
	if q.Query, err = c.query(src.Schema()); err != nil {
		return q, err
	}
	if q.Filter, err = c.filter(src); err != nil {
		return q, err
	}
	if c.Per != "" {
		if err := objects.CheckKey(src, c.Per); err != nil {
			return q, fail.Usage(fmt.Errorf("--per: %w", err))
		}
	}
	return q, nil
}

// filter returns the additional filter, nil for none.
func (c *heapFindCmd) filter(src model.HeapSource) (*analysis.Filter, error) {
	var f *analysis.Filter
	if c.Filter != "" {
		parsed, err := analysis.ParseFilter(c.Filter, objects.Fields(src)...)
		if err != nil {
			return nil, fail.Usage(fmt.Errorf("--filter: %w", err))
		}
		f = parsed
	}
	_, hasText := model.HeapFacet[model.HeapTexts](src)
	switch {
	case c.Text != "" && !hasText:
		return nil, fail.Usage(errors.New("--text: files of this format do not hold the texts of objects"))
	case c.Text != "":
		f = f.And(analysis.PartFilter(objects.TextField, c.Text, c.Exact))
	}
	return f, nil
}

// query returns what to look for in the words of the file's format.
func (c *heapFindCmd) query(s *model.HeapSchema) (heapgraph.Query, error) {
	q := heapgraph.Query{Type: c.Type, Name: c.Name, Exact: c.Exact, On: map[int]string{}}
	if c.Kind != "" {
		k, ok := s.KindNamed(c.Kind)
		if !ok {
			return q, fail.Usage(fmt.Errorf("--kind: unknown kind %q%s", c.Kind, near.Available(c.Kind, strings.Split(kindsOf(s), ","))))
		}
		q.Kinds = model.KindsOf(k)
	}
	for _, where := range c.Where {
		key, text, _ := strings.Cut(where, "=")
		axis, ok := s.AxisNamed(key)
		if !ok {
			return q, fail.Usage(fmt.Errorf("--where: unknown axis %q%s", key, near.Available(key, uses.AxisKeys(s.Axes))))
		}
		q.On[axis] = text
	}
	if c.Repr == "" {
		return q, nil
	}
	axis, ok := s.AxisNamed(uses.FlagAxis)
	if !ok {
		return q, fail.Usage(fmt.Errorf("--%s: the types of this format have none; --where takes %s", uses.FlagAxis,
			strings.Join(uses.AxisKeys(s.Axes), ", ")))
	}
	q.On[axis] = c.Repr
	return q, nil
}
