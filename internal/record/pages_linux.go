package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/memtui/memtui/model"
)

// The curves of a process, in the order of a dump's series, and what each is called in /proc/PID/status.
var statusSeries = []struct{ name, key string }{
	{"RSS", "VmRSS:"}, {"Anon", "RssAnon:"}, {"File", "RssFile:"}, {"Swap", "VmSwap:"},
}

// The kinds of mappings that layouts tell apart.
var mappingKinds = []string{"Heap", "Anon", "File", "Stack", "Code"}

const pageOfCode = 4 // its number

// The intervals of cheap values, and the part of the time that expensive ones may take.
const (
	everyPoint   = 100 * time.Millisecond
	everyLayout  = 5 * time.Second
	everyMoved   = time.Second // where RSS moved by one part of partMoved
	partMoved    = 20
	everySum     = time.Second
	partOfSum    = 100
	partOfLayout = 200
	partOfCopy   = 50
)

// watcher looks at one process.
type watcher struct {
	o      PageOptions
	d      dump
	pss    int                                          // index of the series, -1 for none
	due    struct{ sum, layout, moved, copy time.Time } // moved: a layout, where RSS is another one
	grown  uint64                                       // RSS at the last layout
	noSum  bool
	noPage bool
}

// Pages watches a process until it ends, ctx is done, or the limit is over, and writes a memory dump. It asks nothing of
// the process but holds its map of memory for reading while it looks.
func Pages(ctx context.Context, o PageOptions) (points, layouts int, err error) {
	if err := syscall.Kill(o.PID, 0); errors.Is(err, syscall.ESRCH) {
		return 0, 0, fmt.Errorf("no process %d", o.PID)
	}
	if err := vacant(o.Output, o.Overwrite); err != nil {
		return 0, 0, err
	}
	o.Log("watching process %d; its pages are shown by units of 64 KiB: what is occupied is resident, holes are mapped, but not resident; end with Ctrl-C", o.PID)
	if o.Every == 0 {
		o.Every = everyPoint
	}
	if o.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Limit)
		defer cancel()
	}
	w := &watcher{o: o, pss: len(statusSeries), d: dump{began: time.Now()}}
	for _, s := range statusSeries {
		w.d.series = append(w.d.series, dumpSeries{name: s.name})
	}
	w.d.series = append(w.d.series, dumpSeries{name: "PSS"})
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	for w.look() {
		if err := w.copyIfDue(); err != nil {
			return w.points(), len(w.d.pages), err
		}
		select {
		case <-tick.C:
			continue
		case <-ctx.Done():
		}
		break
	}
	if w.points() == 0 {
		return 0, 0, fmt.Errorf("process %d has no memory that can be seen", o.PID)
	}
	return w.points(), len(w.d.pages), w.d.write(w.o.Output)
}

func (w *watcher) points() int { return len(w.d.series[0].times) }

// look adds what is due, and reports whether the process still has memory.
func (w *watcher) look() bool {
	now := time.Now()
	status, err := os.ReadFile(w.proc("status"))
	rss, ok := rollup(status, statusSeries[0].key)
	if err != nil || !ok || rss == 0 { // a process that has ended and waits for its parent has none
		return false
	}
	point := 0
	for i, s := range statusSeries {
		v, ok := rollup(status, s.key)
		if !ok {
			continue
		}
		at := w.d.add(i, now, v)
		if i == 0 {
			point = at
		}
	}
	if !w.noSum && !now.Before(w.due.sum) {
		w.sum(now)
	}
	moved := rss > w.grown+w.grown/partMoved || rss < w.grown-w.grown/partMoved
	if !w.noPage && (!now.Before(w.due.layout) || w.o.Every >= everySum || moved && !now.Before(w.due.moved)) {
		w.layout(now, point, rss)
	}
	return true
}

func (w *watcher) sum(now time.Time) {
	v, ok := proportionalBytes(w.o.PID)
	if !ok {
		w.noSum = true
		w.o.Log("PSS is not recorded: only the user of process %d and root may see it", w.o.PID)
		return
	}
	w.d.add(w.pss, now, v)
	w.due.sum = now.Add(max(everySum, partOfSum*time.Since(now)))
}

func (w *watcher) layout(now time.Time, point int, rss uint64) {
	l, err := layoutOf(w.o.PID)
	if err != nil {
		w.noPage = true
		w.o.Log("page layouts are not recorded: only the user of process %d and root may see them", w.o.PID)
		return
	}
	w.d.addLayout(0, point, l)
	cost := time.Since(now)
	w.grown, w.due.moved = rss, now.Add(max(everyMoved, partOfLayout*cost))
	w.due.layout = now.Add(max(everyLayout, partOfLayout*cost))
	if len(w.d.pages) > w.o.Layouts {
		w.d.thin()
	}
}

func (w *watcher) proc(name string) string { return fmt.Sprintf("/proc/%d/%s", w.o.PID, name) }

// copyIfDue writes the file now and then, so that there is one however recording ends.
func (w *watcher) copyIfDue() error {
	now := time.Now()
	if now.Before(w.due.copy) {
		return nil
	}
	err := w.d.write(w.o.Output)
	w.due.copy = now.Add(max(everyLayout, partOfCopy*time.Since(now)))
	return err
}

// layoutOf returns what is resident of a process, by kind of mapping.
func layoutOf(pid int) (*model.Layout, error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	pagemap, err := os.Open(fmt.Sprintf("/proc/%d/pagemap", pid))
	if err != nil {
		return nil, err
	}
	defer pagemap.Close()
	kinds := make([]packer, len(mappingKinds))
	r := residency{f: pagemap, size: uint64(os.Getpagesize()), buf: make([]byte, 1<<16)}
	for line := range bytes.Lines(maps) {
		m, ok := parseMapping(string(line))
		if !ok {
			continue
		}
		if err := r.add(&kinds[m.kind], m.from, m.to); err != nil {
			return nil, err
		}
	}
	l := &model.Layout{}
	for i := range kinds {
		kinds[i].Name = mappingKinds[i]
		l.Types = append(l.Types, kinds[i].PageType)
	}
	return l, nil
}

// mapping is a line of /proc/PID/maps.
type mapping struct {
	from, to uint64
	kind     int // of mappingKinds
	name     string
}

// parseMapping reads a line. Device memory and what the kernel itself maps are none of the program's.
func parseMapping(line string) (m mapping, ok bool) {
	f := strings.Fields(line)
	if len(f) < 5 {
		return m, false
	}
	from, to, _ := strings.Cut(f[0], "-")
	var err, err2 error
	m.from, err = strconv.ParseUint(from, 16, 64)
	m.to, err2 = strconv.ParseUint(to, 16, 64)
	if len(f) > 5 {
		m.name = strings.Join(f[5:], " ")
	}
	name := m.name
	switch {
	case err != nil || err2 != nil || m.to <= m.from || name == "[vsyscall]" || name == "[vvar]" ||
		strings.HasPrefix(name, "/dev/") && name != "/dev/zero":
		return m, false
	case name == "[heap]":
		m.kind = 0
	case strings.HasPrefix(name, "[stack"):
		m.kind = 3
	case len(f[1]) > 2 && f[1][2] == 'x':
		m.kind = pageOfCode
	case name == "" || strings.HasPrefix(name, "[anon") || name == "/dev/zero":
		m.kind = 1
	default:
		m.kind = 2
	}
	return m, true
}

// residency reads which pages are in memory.
type residency struct {
	f    *os.File
	size uint64 // of a page
	buf  []byte
}

// add adds the pages of a mapping, in chunks of its own.
func (r *residency) add(to *packer, from, end uint64) error {
	pages := (end - from) / r.size
	per := int(chunk / r.size)
	filled := 0
	for done := uint64(0); done < pages; {
		n := min(pages-done, uint64(len(r.buf)/8))
		got, err := r.f.ReadAt(r.buf[:8*n], int64((from/r.size+done)*8))
		if errors.Is(err, fs.ErrPermission) || got < 8 {
			if got < 8 && !errors.Is(err, fs.ErrPermission) {
				break // the mapping is gone
			}
			return err
		}
		for i := 0; i+8 <= got; i += 8 {
			to.page(binary.LittleEndian.Uint64(r.buf[i:])>>63 == 1)
			if filled++; filled == per {
				to.end(r.size)
				filled = 0
			}
		}
		done += uint64(got / 8)
	}
	if filled > 0 {
		to.end(r.size)
	}
	return nil
}
