package all

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/memtui/memtui/internal/memtest/hostile"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// samples has a small real file of each format, below loaders. A new format needs one, and is tried with it.
var samples = map[string]string{
	"mlyze": "../testdata/small_kvleak.mlyze", "mvmheap": "mvmheap/testdata/cut.mvmheap", "hprof": "hprof/testdata/id4.hprof.zst",
	"spaa": "../internal/demo/samples/python.spaa.zst", "memdump-mb": "memdump/testdata/small.mb", "memdump-json": "memdump/testdata/small.json",
	"jemalloc-heap": "heaptext/testdata/sampled4096.f.heap", "tcmalloc-heap": "heaptext/testdata/tcmalloc.profile.0001.heap",
	"go-heap-text": "heaptext/testdata/go.debug1.txt", "massif": "valgrind/testdata/massif.default.out", "dhat": "valgrind/testdata/dhat.shop.json",
	"memcheck": "valgrind/testdata/memcheck.xml", "sanitizer": "sanitizer/testdata/lsan.txt", "perf-script": "perfscript/testdata/perf.script.txt",
	"heaptrack": "heaptrack/testdata/shop.zst", "pprof": "pprof/testdata/go.heap.pb.gz", "speedscope": "speedscope/testdata/shop.speedscope.json",
	"v8-heapprofile": "v8profile/testdata/shop.heapprofile", "v8-cpuprofile": "v8profile/testdata/shop.cpuprofile",
	"folded": "folded/testdata/heaptrack.peak.folded", "heapsnapshot": "v8heap/testdata/chrome1.heapsnapshot.zst",
	"ruby-heap": "rubyheap/testdata/shop1.json.zst", "python-heap": "pyheap/testdata/shop1.pydump.zst",
}

// sampleOf returns the sample of a format, decompressed.
func sampleOf(t *testing.T, f loaders.Format) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", samples[f.Name]))
	if err != nil {
		t.Fatalf("%s has no sample: %v", f.Name, err)
	}
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if data, err = src.Range(t.Context(), 0, 8<<20); err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(data)
}

// TestHostileVersions tries the sample of every format cut, followed by what a few kilobytes decompress to without end,
// and with hardly any memory. Each must end, and say what is wrong.
func TestHostileVersions(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	rest := z.EncodeAll(make([]byte, 300<<20), nil) // more than is read without being asked
	for _, f := range Formats() {
		t.Run(f.Name, func(t *testing.T) {
			data := sampleOf(t, f)
			if f.Sniff(data[:min(len(data), loaders.SniffLength)]) == loaders.No {
				t.Fatal("its sample is not recognized")
			}
			cuts := 12
			if modeltest.UnderRace {
				cuts = 2
			}
			for i := range cuts {
				cut := data[:1+i*(len(data)-1)/cuts]
				if _, err := hostile.Try(t.Context(), f, cut); err != nil {
					t.Errorf("cut at byte %d: %v", len(cut), err)
				}
			}
			if !modeltest.UnderRace {
				bomb := append(z.EncodeAll(data, nil), rest...)
				p, err := hostile.Read(t.Context(), f, bomb)
				if err == nil && p.Complete && len(p.Problems) == 0 {
					t.Errorf("%d bytes that decompress to %d are read as if nothing was wrong", len(bomb), len(data)+300<<20)
				}
				valid(t, p, err)
			}
			p, err := hostile.Read(model.WithBudget(t.Context(), model.NewBudget(1<<20)), f, data)
			valid(t, p, err)
		})
	}
}

// valid expects a valid profile, or an error that is no defect of the program.
func valid(t *testing.T, p *model.Profile, err error) {
	t.Helper()
	if model.Internal(err) || p == nil && err == nil {
		t.Error("neither a profile nor an error of the file:", err)
	}
	if p != nil {
		for _, err := range modeltest.Check(p) {
			t.Error(err)
		}
	}
}
