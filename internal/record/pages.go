package record

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/model"
)

// PageOptions are how a process is watched from outside.
type PageOptions struct {
	PID       int
	Output    string
	Every     time.Duration // between points, 0 for the usual
	Limit     time.Duration // 0 for as long as the process lives
	Layouts   int           // kept at most: where there are more, every second goes
	Overwrite bool          // replace Output if it exists
	Log       func(format string, args ...any)
}

// dump is a memory dump that grows. Its points and layouts are kept in memory, and written with every copy.
type dump struct {
	began  time.Time
	series []dumpSeries
	pages  []packed
}

// dumpSeries is a curve of a dump.
type dumpSeries struct {
	name    string
	times   []float64 // µs since 1970
	values  []float64
	layouts map[int]int // by point: index of pages
}

// packed is a layout at a point.
type packed struct {
	at     float64
	series int
	point  int
	layout *model.Layout
}

func (d *dump) add(series int, at time.Time, value uint64) (point int) {
	s := &d.series[series]
	s.times, s.values = append(s.times, float64(at.UnixMicro())), append(s.values, float64(value))
	return len(s.times) - 1
}

func (d *dump) addLayout(series, point int, l *model.Layout) {
	s := &d.series[series]
	if s.layouts == nil {
		s.layouts = map[int]int{}
	}
	s.layouts[point] = len(d.pages)
	d.pages = append(d.pages, packed{s.times[point], series, point, l})
}

// thin removes every second layout. The points stay.
func (d *dump) thin() {
	keep := d.pages[:0]
	for i, p := range d.pages {
		if i%2 == 0 {
			d.series[p.series].layouts[p.point] = len(keep)
			keep = append(keep, p)
			continue
		}
		delete(d.series[p.series].layouts, p.point)
	}
	clear(d.pages[len(keep):])
	d.pages = keep
}

// write replaces the file at a path by one that is whole.
func (d *dump) write(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-")
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	_, err = export.WriteMB(context.Background(), out, d.profile())
	err = errors.Join(err, out.Flush(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// profile returns the dump as one that was read.
func (d *dump) profile() *model.Profile {
	t := &model.Timeline{Start: d.began.UnixMicro(), Points: d}
	for i := range d.series {
		t.Series = append(t.Series, model.Series{Name: d.series[i].name, Layouts: len(d.series[i].layouts)})
	}
	return &model.Profile{Timeline: t, Pages: d}
}

// Points yields every point.
func (d *dump) Points(ctx context.Context, yield func(*model.PointRecord) error) error {
	for i := range d.series {
		s := &d.series[i]
		for k := range s.times {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r := model.PointRecord{Series: i, Time: s.times[k], Value: s.values[k], Layout: model.NoLayout}
			if l, ok := s.layouts[k]; ok {
				r.Layout, r.HasMeta = l, true
			}
			if err := yield(&r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Len returns the number of layouts.
func (d *dump) Len() int { return len(d.pages) }

// Info states where a layout belongs.
func (d *dump) Info(i int) model.LayoutInfo {
	p := d.pages[i]
	return model.LayoutInfo{Series: p.series, Point: uint32(p.point), At: model.Time(p.at) - model.Time(d.began.UnixMicro())}
}

// Open returns a layout.
func (d *dump) Open(_ context.Context, i int) (*model.Layout, error) { return d.pages[i].layout, nil }

// chunk is the size of the pages of a layout, and the words of a bitmap are of 8 bytes.
const (
	chunk    = 64 << 10
	wordSize = 8
)

// packer makes a kind of pages from what is resident.
type packer struct {
	model.PageType
	resident []bool // of the chunk so far, by page of the machine
	any      bool
}

// page adds a page of the machine to the chunk.
func (p *packer) page(resident bool) {
	p.resident = append(p.resident, resident)
	p.any = p.any || resident
}

// end completes a chunk of which pages of size bytes were added; those that are missing are not resident. A chunk
// without a resident page is left out.
func (p *packer) end(size uint64) {
	if p.any {
		if p.Start == nil {
			p.Start, p.Uniform = []uint32{0}, chunk
		}
		for uint64(len(p.resident))*size < chunk {
			p.resident = append(p.resident, false)
		}
		run, occupied := uint64(0), true
		for _, r := range p.resident {
			if r != occupied {
				p.Runs = binary.AppendUvarint(p.Runs, run)
				run, occupied = 0, r
			}
			run += size / wordSize
		}
		p.Runs = binary.AppendUvarint(p.Runs, run)
		p.Start = append(p.Start, uint32(len(p.Runs)))
	}
	p.resident, p.any = p.resident[:0], false
}
