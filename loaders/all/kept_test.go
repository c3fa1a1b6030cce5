package all

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// enough is how many references make a snapshot worth keeping.
const enough = 1 << 20

// larger says how the sample of a format gets an object with so many references to one that is there.
var larger = map[string]func(t *testing.T, b []byte, h *model.Heap) []byte{
	"ruby-heap": func(_ *testing.T, b []byte, h *model.Heap) []byte {
		to := strings.Repeat(`,"`+h.IDText(model.Row(h.Len()-1))+`"`, enough)
		return append(b, `{"address":"0x1", "type":"ARRAY", "references":[`+to[1:]+"]}\n"...)
	},
	"python-heap": func(_ *testing.T, b []byte, h *model.Heap) []byte {
		to := strings.Repeat(","+strconv.FormatUint(h.IDs[h.Len()-1], 10), enough)
		return append(b, `{"address":1, "type":"list", "size":56, "refs":[`+to[1:]+"]}\n"...)
	},
	"heapsnapshot": func(t *testing.T, b []byte, _ *model.Heap) []byte {
		head, rest, ok := strings.Cut(string(b), `"nodes":[`)
		nodes, rest, ok2 := strings.Cut(rest, "]")
		between, rest, ok3 := strings.Cut(rest, `"edges":[`)
		edges, rest, ok4 := strings.Cut(rest, "]")
		last := strings.Split(strings.TrimSpace(nodes), ",")
		at := len(last) - 2 // of type, name, id, self_size, edge_count, detachedness
		n, err := strconv.Atoi(last[at])
		if !ok || !ok2 || !ok3 || !ok4 || err != nil || !strings.Contains(head, `"edge_count","detachedness"]`) {
			t.Fatal("another arrangement of columns")
		}
		last[at] = strconv.Itoa(n + enough)
		return []byte(head + `"nodes":[` + strings.Join(last, ",") + "]" + between + `"edges":[` + edges + strings.Repeat(",1,0,0", enough) + "]" + rest)
	},
	"hprof": func(_ *testing.T, b []byte, h *model.Heap) []byte {
		const array, header = 0x22, 9 // ids of 4 bytes; the heap is the last record
		u4, last := binary.BigEndian.AppendUint32, 0
		for at := bytes.IndexByte(b, 0) + 1 + 4 + 8; at < len(b); at += header + int(binary.BigEndian.Uint32(b[at+5:])) {
			last = at
		}
		class := uint32(h.IDs[1])
		b = append(u4(u4(u4(u4(append(b, array), 7), 0), enough), class), bytes.Repeat(u4(nil, class), enough)...)
		binary.BigEndian.PutUint32(b[last+5:], uint32(len(b)-last-header))
		return b
	},
}

// TestContentsOfKeptSnapshots reads the same contents from a snapshot that this run or an earlier one has kept as from
// one that stays in memory.
func TestContentsOfKeptSnapshots(t *testing.T) {
	modeltest.Plain(t)
	for _, f := range Formats() {
		if f.Heap == nil || f.Name == "mvmheap" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			data := sampleOf(t, f)
			_, small := opened(t, f, data, nil)
			data = larger[f.Name](t, data, small)
			keeper := &modeltest.Keeper{T: t}
			src, h := opened(t, f, data, nil)
			want := contentsOf(t, src, h)
			for n := range 2 {
				src, h := opened(t, f, data, keeper)
				if got, taken := keeper.String(), fmt.Sprintf("1 files, %d taken, 0 discarded", n+1); got != taken || h.From == nil {
					t.Fatalf("%s, want %s, and columns that are in the file", got, taken)
				}
				got := contentsOf(t, src, h)
				for i := range want {
					if i >= len(got) || got[i] != want[i] {
						t.Fatalf("%.300s, want %.300s", got[min(i, len(got)-1)], want[i])
					}
				}
			}
			if len(want) < 100 {
				t.Errorf("%d things only", len(want))
			}
		})
	}
}

// opened opens the first snapshot of a file.
func opened(t *testing.T, f loaders.Format, data []byte, keeper *modeltest.Keeper) (model.HeapSource, *model.Heap) {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	opt, store := loaders.Options{}, &model.Store{}
	if keeper != nil {
		opt.Kept = keeper
	}
	if err := f.Load(t.Context(), src, opt, store); err != nil {
		t.Fatal(err)
	}
	heaps := store.Current().Heaps
	h, err := heaps.Open(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return heaps, h
}

// contentsOf lists what a source tells of a snapshot beside its graph: of every 40th row, and of all threads.
func contentsOf(t *testing.T, src model.HeapSource, h *model.Heap) (list []string) {
	t.Helper()
	ctx := t.Context()
	list = append(list, fmt.Sprintf("%+v", src.Info(0)))
	for r := 0; r < h.Len(); r += 40 {
		row := model.Row(r)
		if x, ok := model.HeapFacet[model.HeapContents](src); ok {
			fields, total, err := x.Fields(ctx, 0, h, row, 0, 5)
			list = append(list, fmt.Sprint(r, fields, total, err))
		}
		if x, ok := model.HeapFacet[model.HeapTexts](src); ok {
			text, whole, ok, err := x.Text(ctx, 0, h, row, 100)
			list = append(list, fmt.Sprint(r, text, whole, ok, err))
		}
	}
	if x, ok := model.HeapFacet[model.HeapThreads](src); ok {
		threads, err := x.Threads(ctx, 0, h)
		if len(threads) == 0 || err != nil {
			t.Errorf("no threads: %v", err)
		}
		list = append(list, fmt.Sprintf("%+v %v", threads, err))
	}
	if x, ok := model.HeapFacet[model.HeapWaste](src); ok {
		n, bytes := 0, 0
		err := x.Texts(ctx, 0, h, func(s *model.HeapText) error { n, bytes = n+1, bytes+len(s.Content); return nil })
		list = append(list, fmt.Sprint(n, bytes, err))
		n = 0
		err = x.Collections(ctx, 0, h, func(*model.HeapCollection) error { n++; return nil })
		list = append(list, fmt.Sprint(n, err))
	}
	return list
}
