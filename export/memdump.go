package export

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
)

// errNoDump is the error for files that are not memory dumps.
var errNoDump = errors.New("only memory dumps can be written as memory dumps")

// dumpReader reads a profile once more, point by point.
type dumpReader struct {
	p    *model.Profile
	lost *losses
}

// points calls yield with every point and its layout, nil for none.
func (d dumpReader) points(ctx context.Context, yield func(*model.PointRecord, *model.Layout) error) error {
	return d.p.Timeline.Points.Points(ctx, func(r *model.PointRecord) error {
		if r.Layout == model.NoLayout || d.p.Pages == nil || r.Layout >= d.p.Pages.Len() {
			return yield(r, nil)
		}
		l, err := d.p.Pages.Open(ctx, r.Layout)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			d.lost.add("a page layout cannot be read: " + err.Error())
			return yield(r, nil)
		}
		for _, q := range l.Problems {
			d.lost.add("the bits of a damaged page layout were written, some perhaps wrong: " + q.Message)
		}
		if d.p.Meta.Format == "memdump-json" {
			d.digits(l)
		}
		return yield(r, l)
	})
}

// digits records losses of decimal numbers that 32 bits cannot represent: as far as can be known, those with many
// digits.
func (d dumpReader) digits(l *model.Layout) {
	const most = len("0.123456")
	for i := range l.Types {
		for _, share := range l.Types[i].Occupancy {
			if share >= 0 && len(strconv.FormatFloat(float64(share), 'f', -1, 32)) > most {
				d.lost.add("an occupancy may have more digits than the seven that are kept")
				return
			}
		}
	}
}

// Sections and flags of .mb.
const (
	mbHeader      = "MEMD\x02\x00\x01\x00" // version 2, compressed
	stringSection = 1
	seriesSection = 2
	flagMeta      = 1
	flagName      = 2
	flagID        = 4
	noColor       = "#000000"
)

// WriteMB writes the curves and page layouts of p as a .mb file of version 2. Before compression it equals the
// application's output byte for byte. It reads the file of p twice.
func WriteMB(ctx context.Context, w io.Writer, p *model.Profile) ([]Loss, error) {
	if p.Timeline == nil || p.Timeline.Points == nil {
		return nil, errNoDump
	}
	m := &mbWriter{p: p, lost: &losses{}, index: map[string]uint64{}, counts: make([]uint64, len(p.Timeline.Series))}
	if err := m.survey(ctx); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(w, mbHeader); err != nil {
		return nil, err
	}
	z := gzip.NewWriter(w)
	z.OS = 3 // as the application
	m.out = bufio.NewWriter(z)
	if err := m.body(ctx); err != nil {
		return nil, err
	}
	if err := m.out.Flush(); err != nil {
		return nil, err
	}
	return m.lost.list, z.Close()
}

type mbWriter struct {
	p       *model.Profile
	lost    *losses
	index   map[string]uint64 // of strings
	strings []string          // in order of first use
	counts  []uint64          // points by series
	out     *bufio.Writer     // its first error is kept and returned by Flush
	buf     []byte
}

// intern numbers a string.
func (m *mbWriter) intern(s string) {
	if _, ok := m.index[s]; !ok {
		m.index[s] = uint64(len(m.strings))
		m.strings = append(m.strings, s)
	}
}

func (m *mbWriter) color(s *model.Series) string {
	if s.Color == "" {
		return noColor
	}
	return s.Color
}

// survey collects strings and counts points: both come first.
func (m *mbWriter) survey(ctx context.Context) error {
	next := 0
	begin := func(to int) {
		for ; next <= to; next++ {
			s := &m.p.Timeline.Series[next]
			m.intern(s.Name)
			m.intern(m.color(s))
		}
	}
	err := dumpReader{m.p, m.lost}.points(ctx, func(r *model.PointRecord, l *model.Layout) error {
		begin(r.Series)
		m.counts[r.Series]++
		if r.HasName {
			m.intern(r.Name)
		}
		if r.HasEvent {
			m.intern(r.Event)
		}
		if l != nil {
			for i := range l.Types {
				m.intern(l.Types[i].Name)
			}
		}
		return nil
	})
	if err == nil {
		begin(len(m.p.Timeline.Series) - 1)
	}
	return err
}

func (m *mbWriter) uvarint(n uint64) {
	m.buf = binary.AppendUvarint(m.buf[:0], n)
	m.out.Write(m.buf)
}

func (m *mbWriter) body(ctx context.Context) error {
	m.out.WriteByte(stringSection)
	m.uvarint(uint64(len(m.strings)))
	for _, s := range m.strings {
		m.uvarint(uint64(len(s)))
		m.out.WriteString(s)
	}
	m.out.WriteByte(seriesSection)
	m.uvarint(uint64(len(m.counts)))
	next := 0
	err := dumpReader{m.p, &losses{}}.points(ctx, func(r *model.PointRecord, l *model.Layout) error {
		for ; next <= r.Series; next++ {
			m.series(next)
		}
		m.point(r, l)
		return nil
	})
	for ; next < len(m.counts); next++ {
		m.series(next)
	}
	return err
}

func (m *mbWriter) series(i int) {
	s := &m.p.Timeline.Series[i]
	m.id(s.ID)
	m.uvarint(m.index[s.Name])
	m.uvarint(m.index[m.color(s)])
	if s.Color == "" {
		m.lost.add("a curve has no color: " + noColor + " was written")
	}
	if !s.HasVisible {
		m.lost.add("a curve has no visibility: it was written as visible")
	}
	visible := byte(0)
	if s.Visible || !s.HasVisible {
		visible = 1
	}
	m.out.WriteByte(visible)
	m.uvarint(m.counts[i])
}

// id writes 16 bytes, zeros for none.
func (m *mbWriter) id(text string) {
	var id [16]byte
	if text != "" && !parseUUID(&id, text) {
		id = [16]byte{}
		m.lost.add("an id is not a UUID: it was left out")
	}
	m.out.Write(id[:])
}

func parseUUID(id *[16]byte, text string) bool {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return false
	}
	n, err := hex.Decode(id[:], []byte(strings.ReplaceAll(text, "-", "")))
	return err == nil && n == len(id)
}

func (m *mbWriter) point(r *model.PointRecord, l *model.Layout) {
	var fixed [16]byte
	binary.LittleEndian.PutUint64(fixed[:], math.Float64bits(r.Time))
	binary.LittleEndian.PutUint64(fixed[8:], math.Float64bits(r.Value))
	m.out.Write(fixed[:])
	flags := byte(0)
	if r.HasMeta {
		flags |= flagMeta
	}
	if r.HasName {
		flags |= flagName
	}
	if r.ID != "" {
		flags |= flagID
	}
	m.out.WriteByte(flags)
	if r.HasName {
		m.uvarint(m.index[r.Name])
	}
	if r.ID != "" {
		m.id(r.ID)
	}
	if !r.HasMeta {
		return
	}
	event := uint64(0)
	if r.HasEvent {
		event = m.index[r.Event] + 1
	}
	m.uvarint(event)
	if l == nil {
		m.out.WriteByte(0)
		return
	}
	m.out.WriteByte(1)
	m.layout(l)
}

func (m *mbWriter) layout(l *model.Layout) {
	m.uvarint(uint64(len(l.Types)))
	for i := range l.Types {
		t := &l.Types[i]
		m.uvarint(m.index[t.Name])
		m.uvarint(t.Uniform)
		m.uvarint(uint64(t.Len()))
		for page := range t.Len() {
			if t.Uniform == 0 {
				m.uvarint(t.Sizes[page])
			}
			share := float32(-1)
			if t.Occupancy != nil {
				share = t.Occupancy[page]
			}
			m.buf = binary.LittleEndian.AppendUint32(m.buf[:0], math.Float32bits(share))
			m.out.Write(m.buf)
			runs := pageRuns(t, page)
			m.uvarint(uint64(len(runs)))
			m.out.Write(runs)
		}
	}
}

// pageRuns returns the runs of a page as the application writes them: those of the file, or if they end early after a
// free one, or there are none, the complete runs that they imply.
func pageRuns(t *model.PageType, page int) []byte {
	runs := t.RunsOf(page)
	left, free := t.Bits(page), true
	for data := runs; len(data) > 0; free = !free {
		run, n := model.RunLength(data)
		if n == 0 {
			return runs // cut: it means the same there
		}
		data = data[n:]
		left -= min(left, run)
	}
	if left == 0 || !free {
		return runs
	}
	var out []byte
	occupied := true
	pages.EachPageRun(t, page, func(on bool, n uint64) {
		if on != occupied {
			out = binary.AppendUvarint(out, 0)
		}
		out = binary.AppendUvarint(out, n)
		occupied = !on
	})
	return out
}
