package mlyze

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// BenchmarkMetadata reads the metadata of the trace that MEMTUI_BENCH_TRACE names, or of the small one.
func BenchmarkMetadata(b *testing.B) {
	path := os.Getenv("MEMTUI_BENCH_TRACE")
	if path == "" {
		path = "../../testdata/small_kvleak.mlyze"
	}
	file, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	data := file[headerSize:][:binary.LittleEndian.Uint32(file[offLength:])]
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for range b.N {
			parseMetadata(context.Background(), data, headerSize, &findings{}, nil)
		}
	})
	b.Run("stacks", func(b *testing.B) {
		t := parseMetadata(context.Background(), data, headerSize, &findings{}, nil)
		b.SetBytes(int64(len(data)))
		for range b.N {
			t.buildStacks(context.Background(), loaders.FrameOrderAuto, &findings{}, nil)
		}
	})
}

// BenchmarkReplay replays a whole file through the event source, reading included.
func BenchmarkReplay(b *testing.B) {
	path := os.Getenv("MEMTUI_BENCH_TRACE")
	if path == "" {
		path = "../../testdata/small_kvleak.mlyze"
	}
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	var store model.Store
	if err := load(context.Background(), src, loaders.Options{}, &store); err != nil {
		b.Fatal(err)
	}
	begin, size := store.Current().Allocations.Extent()
	b.SetBytes(size - begin)
	events := 0
	for b.Loop() {
		err = store.Current().Allocations.Replay(context.Background(), func(batch *model.EventBatch) error {
			events += len(batch.Events)
			return nil
		})
		if err != nil && err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
