package html

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// Sections of pages that are not those of tables.
const (
	sectionOverview = "overview" // findings and figures
	sectionTimeline = "timeline"
	sectionFlame    = "flame-graph"
	sectionPages    = "pages"
)

// Shell returns the document that asks a server for its data, and the style and script that it loads: page.css and
// page.js.
func Shell(title string) (document []byte, files map[string][]byte, err error) {
	frame, style, code, err := shell(true)
	if err != nil {
		return nil, nil, err
	}
	parts := strings.NewReplacer("{{policy}}", "", "{{title}}", title, "{{style}}", `<link rel="stylesheet" href="page.css"><link rel="icon" href="data:,">`,
		"{{data}}", "null", "{{script}}", `<script src="page.js"></script>`)
	return []byte(parts.Replace(frame)), map[string][]byte{"page.css": []byte(style), "page.js": []byte(code)}, nil
}

// Answer writes the data of a page about src, or of one section, as JSON. Unlike in a page, tables have all rows of the
// report. The errors are those of [Write].
func Answer(ctx context.Context, w io.Writer, src *Source) error {
	return answer(ctx, w, src, (*builder).report)
}

// AnswerDiff writes the data of the page of a comparison, as [Answer] does for a file.
func AnswerDiff(ctx context.Context, w io.Writer, src *DiffSource) error {
	return answer(ctx, w, src.page(), src.fill)
}

func answer(ctx context.Context, w io.Writer, src *Source, parts func(*builder) error) error {
	p, err := build(ctx, src, served(), parts)
	if err != nil {
		return err
	}
	if src.Section != "" {
		p.only(src.Section)
	}
	return json.NewEncoder(w).Encode(p)
}

// TablesOf returns the tables of a report about a trace that a section shows; nil for all.
func TablesOf(section string) []string {
	switch section {
	case sectionOverview:
		return []string{"findings", "leaks", "curve"}
	case sectionTimeline:
		return []string{"curve"}
	case sectionFlame:
		return []string{"none"} // it asks the trace itself
	case "sites":
		return []string{"findings", "sites", "live_sites", "peak_sites", "groups"}
	case "leaks":
		return []string{"findings", "leaks", "late_freed"}
	case "functions", "threads", "markers":
		return []string{section}
	case "remarks":
		return []string{"none"}
	case "blocks":
		return []string{"sizes", "lifetimes"}
	}
	return nil
}

// wants reports whether a section is to be built. Those that cost little are built anyway.
func (b *builder) wants(section string) bool {
	return b.src.Section == "" || b.src.Section == section || section == sectionTimeline && b.src.Section == sectionOverview
}

// only leaves out all sections but one. The overview keeps the charts: the first one is always shown.
func (p *page) only(section string) {
	if section != sectionOverview {
		p.Findings, p.Cards = []finding{}, []card{}
		if section != sectionTimeline {
			p.Charts = []chart{}
		}
	}
	if section != sectionPages {
		p.Grid = nil
	}
	p.Views = slices.DeleteFunc(p.Views, func(v view) bool { return v.ID != section })
	p.Flames = slices.DeleteFunc(p.Flames, func(f *flame) bool { return idOf(f.Title) != section })
	p.Tables = slices.DeleteFunc(p.Tables, func(t *table) bool { return p.sectionOf(t) != section })
}

// sectionOf returns the section of a table: that of its group, or its own.
func (p *page) sectionOf(t *table) string {
	if t.Group != t.ID {
		return idOf(t.Group)
	}
	for _, other := range p.Tables {
		if other != t && other.Group == t.Group {
			return idOf(t.Group)
		}
	}
	return idOf(t.Title)
}

// idOf returns a title as the page's script makes an element's id of it.
func idOf(title string) string {
	var out strings.Builder
	gap := false
	for _, r := range strings.ToLower(title) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap && out.Len() > 0 {
				out.WriteByte('-')
			}
			gap = false
			out.WriteRune(r)
		} else {
			gap = true
		}
	}
	return out.String()
}
