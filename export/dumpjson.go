package export

import (
	"bufio"
	"context"
	"encoding/hex"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/memtui/memtui/model"
)

// WriteDumpJSON writes the curves and page layouts of p as JSON of the Memory Dump application, a point per line.
func WriteDumpJSON(ctx context.Context, w io.Writer, p *model.Profile) ([]Loss, error) {
	if p.Timeline == nil || p.Timeline.Points == nil {
		return nil, errNoDump
	}
	j := &jsonWriter{p: p, out: bufio.NewWriter(w), lost: &losses{}}
	j.out.WriteString("[")
	next, first := 0, true
	err := dumpReader{p, j.lost}.points(ctx, func(r *model.PointRecord, l *model.Layout) error {
		for ; next <= r.Series; next++ {
			j.begin(next)
			first = true
		}
		if !first {
			j.out.WriteByte(',')
		}
		first = false
		j.point(r, l)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for ; next < len(p.Timeline.Series); next++ {
		j.begin(next)
	}
	if next > 0 {
		j.out.WriteString("\n  ]}")
	}
	j.out.WriteString("\n]\n")
	return j.lost.list, j.out.Flush()
}

type jsonWriter struct {
	p    *model.Profile
	out  *bufio.Writer // its first error is kept and returned by Flush
	lost *losses
	buf  []byte
}

// begin starts a series, and ends the one before.
func (j *jsonWriter) begin(i int) {
	s := &j.p.Timeline.Series[i]
	if i > 0 {
		j.out.WriteString("\n  ]},")
	}
	j.buf = append(j.buf[:0], "\n {"...)
	if s.ID != "" {
		j.text(`"id": `, s.ID)
		j.buf = append(j.buf, ", "...)
	}
	j.text(`"name": `, s.Name)
	if s.Color != "" {
		j.text(`, "color": `, s.Color)
	}
	if s.HasVisible {
		j.buf = strconv.AppendBool(append(j.buf, `, "visible": `...), s.Visible)
	}
	j.buf = append(j.buf, `, "data": [`...)
	j.out.Write(j.buf)
}

// text appends a member that is a string.
func (j *jsonWriter) text(before, s string) {
	if !utf8.ValidString(s) {
		j.lost.add("a name is not valid UTF-8: invalid bytes were replaced")
	}
	j.buf = model.AppendJSONString(append(j.buf, before...), s)
}

// number appends a number so that reading it gives the same one. JSON cannot represent NaN.
func (j *jsonWriter) number(f float64, bits int) {
	switch {
	case math.IsNaN(f):
		j.lost.add("a time or value is not a number: null was written")
		j.buf = append(j.buf, "null"...)
	case math.IsInf(f, 0):
		sign := ""
		if f < 0 {
			sign = "-"
		}
		j.buf = append(append(j.buf, sign...), "1e999"...) // reads as infinite
	case math.Abs(f) < 1e21 && (f == 0 || math.Abs(f) >= 1e-6):
		j.buf = strconv.AppendFloat(j.buf, f, 'f', -1, bits)
	default:
		j.buf = strconv.AppendFloat(j.buf, f, 'e', -1, bits)
	}
}

func (j *jsonWriter) point(r *model.PointRecord, l *model.Layout) {
	j.buf = append(j.buf[:0], "\n   {\"timestamp\": "...)
	j.number(r.Time, 64)
	j.buf = append(j.buf, `, "value": `...)
	j.number(r.Value, 64)
	if r.HasName {
		j.text(`, "name": `, r.Name)
	}
	if r.ID != "" {
		j.text(`, "pointId": `, r.ID)
	}
	if r.HasMeta {
		j.buf = append(j.buf, `, "meta": {`...)
		if r.HasEvent {
			j.text(`"event": `, r.Event)
		}
		if l != nil {
			if r.HasEvent {
				j.buf = append(j.buf, ", "...)
			}
			j.layout(l)
		}
		j.buf = append(j.buf, '}')
	}
	j.out.Write(append(j.buf, '}'))
}

func (j *jsonWriter) layout(l *model.Layout) {
	j.buf = append(j.buf, `"memory": {"pageTypes": [`...)
	for i := range l.Types {
		t := &l.Types[i]
		if i > 0 {
			j.buf = append(j.buf, ", "...)
		}
		j.text(`{"name": `, t.Name)
		if t.Uniform != 0 {
			j.buf = strconv.AppendUint(append(j.buf, `, "uniformPageSize": `...), t.Uniform, 10)
		}
		j.buf = append(j.buf, `, "pages": [`...)
		for page := range t.Len() {
			if page > 0 {
				j.buf = append(j.buf, ", "...)
			}
			j.page(t, page)
			if len(j.buf) > 1<<16 {
				j.out.Write(j.buf)
				j.buf = j.buf[:0]
			}
		}
		j.buf = append(j.buf, "]}"...)
	}
	j.buf = append(j.buf, "]}"...)
}

func (j *jsonWriter) page(t *model.PageType, page int) {
	j.buf = strconv.AppendUint(append(j.buf, `{"size": `...), t.Size(page), 10)
	if t.Size(page) > 1<<53 {
		j.lost.add("the size of a page is too large to be exact in JSON programs")
	}
	if t.Occupancy != nil && t.Occupancy[page] >= 0 {
		j.buf = append(j.buf, `, "occupancy": `...)
		j.number(float64(t.Occupancy[page]), 32)
	}
	if t.Known == nil || t.Known[page] {
		j.buf = append(j.buf, `, "bitmap": "`...)
		j.buf = hex.AppendEncode(j.buf, pageRuns(t, page))
		j.buf = append(j.buf, '"')
	}
	j.buf = append(j.buf, '}')
}
