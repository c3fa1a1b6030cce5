// Package html writes what is known about a file as one page: a single HTML file that needs no network, no server and
// no other file, with charts, a flame graph and tables that can be searched and sorted.
//
// [Write] puts figures into plain data, the page embeds them as JSON, and the small scripts in assets draw them.
// Nothing of a file ever becomes markup: names are cleaned here, travel as JSON strings, and are set as text there. A
// policy in the page forbids every request, and every script but its own.
package html

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/model"
)

// Source is the input of a page. Report and Profile must be about the same file; what a file does not have is nil.
type Source struct {
	Report  *report.Report // its tables are those of the page: build it with as many rows as the page may have
	Profile *model.Profile
	Program string   // who wrote the page: "memtui 1.2"
	Command []string // the command that writes the page again, for its last lines; nil to leave it out

	Trace analysis.Trace // of allocation traces
	At    analysis.Instant
	Range analysis.Range
	Cell  analysis.Cell // the filter of the report

	Selection *weights.Selection // of stack profiles
	Graph     *heapgraph.Graph   // of the chosen heap snapshot
	Layout    *model.Layout      // of memory dumps

	Views    []View    // that draw answers of commands
	Start    string    // the view that is shown first, "" for the overview
	Terminal *Terminal // nil for a page without numbers and keys

	Section string // only this one, by the end of its element's id: "sites"; "" for all
}

// maxBytes is the maximum size of a page: what does not fit is left out, and the page says so.
const maxBytes = 2_000_000

// page is the data of the scripts.
type page struct {
	Title    string    `json:"title"`
	Facts    []string  `json:"facts"` // about the file, for the line below the title
	Scope    []string  `json:"scope"` // the instant, range, snapshot
	Complete bool      `json:"whole"` // the file is complete
	Findings []finding `json:"findings"`
	Cards    []card    `json:"cards"`
	Charts   []chart   `json:"charts"`
	Flames   []*flame  `json:"flames"`
	Grid     *grid     `json:"grid,omitempty"`
	Tables   []*table  `json:"tables"`
	Views    []view    `json:"views,omitempty"`
	Start    string    `json:"start,omitempty"`
	Terminal *Terminal `json:"terminal,omitempty"`
	Cut      []string  `json:"cut"` // what was left out, in words
	Command  string    `json:"command,omitempty"`
	Program  string    `json:"program"`
	Names    []string  `json:"names"`
	Frames   [][3]int  `json:"frames"` // name, file (a name, -1 for none), line (-1 for none)
}

// finding is one sentence worth reading first.
type finding struct {
	Sign  string     `json:"sign"` // "bad", "warn", "good", "info"
	Label string     `json:"label"`
	Name  int        `json:"name"` // -1 for none
	Text  string     `json:"text"`
	Spark []uint64   `json:"spark,omitempty"`
	Row   *model.Row `json:"row,omitempty"` // of the object in a snapshot that it is about
}

// card is one figure.
type card struct {
	Label string `json:"label"`
	Value string `json:"value"`
	Unit  string `json:"unit,omitempty"`
	Note  string `json:"note,omitempty"`
	Exact string `json:"exact,omitempty"`
}

// Write writes the page of src, at most [maxBytes] long. It leaves out more until the page fits, and returns what it
// left out, in words. The errors are those of ctx, of the queries that the page needs, and of w.
func Write(ctx context.Context, w io.Writer, src *Source) (cut []string, err error) {
	return writePage(ctx, w, src, (*builder).report)
}

// writePage writes a page about src whose middle is built by parts.
func writePage(ctx context.Context, w io.Writer, src *Source, parts func(*builder) error) (cut []string, err error) {
	for l := unlimited(); ; l = l.half() {
		p, err := build(ctx, src, l, parts)
		if err != nil {
			return nil, err
		}
		out, err := render(p)
		if err != nil {
			return nil, err
		}
		if len(out) <= maxBytes || l.rows <= 1 {
			_, err = w.Write(out)
			return p.Cut, err
		}
	}
}

// limits limit the parts of a page.
type limits struct {
	rows    int // per table
	frames  int // per stack
	nodes   int // of a flame graph
	depth   int // of a flame graph
	columns int // of a chart
	cells   int // of the page grid
	name    int // bytes of a name
}

// served are the limits of what a server answers: pages ask for more rows where they need them.
func served() limits {
	l := unlimited()
	l.rows = 1 << 30
	return l
}

func unlimited() limits {
	return limits{rows: 200, frames: 64, nodes: 12_000, depth: 250, columns: 2400, cells: 150_000, name: 1000}
}

func (l limits) half() limits {
	return limits{
		rows: max(l.rows/2, 1), frames: max(l.frames/2, 4), nodes: max(l.nodes/2, 50), depth: max(l.depth/2, 8),
		columns: max(l.columns/2, 100), cells: max(l.cells/2, 100), name: max(l.name/2, 60),
	}
}

//go:embed assets
var assets embed.FS

// scripts are joined in this order. Those of a page that asks a server are not in others, which ask for nothing.
func scripts(served bool) []string {
	list := []string{"format.js", "table.js", "chart.js", "flame.js", "grid.js", "areas.js", "source.js"}
	if served {
		list = append(list, "list.js", "live.js")
	}
	return append(list, "main.js")
}

// asset returns the text of an embedded file.
func asset(name string) (string, error) {
	data, err := assets.ReadFile("assets/" + name)
	return string(data), err
}

// shell returns the document without its data, and its style and script.
func shell(served bool) (frame, style, code string, err error) {
	if frame, err = asset("page.html"); err != nil {
		return "", "", "", err
	}
	if style, err = asset("page.css"); err != nil {
		return "", "", "", err
	}
	code = "\"use strict\";\n(() => {\n"
	for _, name := range scripts(served) {
		part, err := asset(name)
		if err != nil {
			return "", "", "", err
		}
		code += part
	}
	return frame, style, code + "})();\n", nil
}

// render returns the complete file.
func render(p *page) ([]byte, error) {
	frame, style, code, err := shell(false)
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	e := json.NewEncoder(&data) // escapes <, > and &: no end tag can be in it
	if err := e.Encode(p); err != nil {
		return nil, fmt.Errorf("the page's data: %w", err)
	}
	parts := strings.NewReplacer(
		"{{policy}}", `<meta http-equiv="Content-Security-Policy" content="`+policy(style, code)+`">`, "{{title}}", html.EscapeString(p.Title),
		"{{style}}", "<style>"+style+"</style>", "{{data}}", strings.TrimSpace(data.String()), "{{script}}", "<script>"+code+"</script>")
	return []byte(parts.Replace(frame)), nil
}

// policy allows the page's own style and script and nothing else: no request, no frame, no form, no other code.
func policy(style, code string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(code) + "; base-uri 'none'; form-action 'none'"
}
