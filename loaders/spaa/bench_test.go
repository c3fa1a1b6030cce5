package spaa

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// benchPath is a file of samples, stacks and frames of about as many MiB as MEMTUI_BENCH_SPAA_MB says.
func benchPath(b *testing.B) string {
	b.Helper()
	size := 16
	if n, err := strconv.Atoi(os.Getenv("MEMTUI_BENCH_SPAA_MB")); err == nil {
		size = n
	}
	path := filepath.Join(b.TempDir(), "bench.spaa")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	writeBench(out, size)
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	return path
}

// writeBench writes a profile as perf leaves them: an eighth of the bytes are frames and stacks, and the stacks share their roots.
func writeBench(w io.Writer, megabytes int) {
	rng := rand.New(rand.NewPCG(1, 2))
	frames, stacks, samples := 120*megabytes, 600*megabytes, 4600*megabytes
	fmt.Fprintln(w, lines()[0])
	fmt.Fprintln(w, lines()[1])
	for i := range frames {
		fmt.Fprintf(w, `{"type":"frame","id":%d,"func":"module::part%d::function_%d","func_resolved":true,"dso":1,"ip":"0x%x","srcline":"src/part%d.rs:%d","inlined":false,"kind":"user"}`+"\n",
			i+1, i%97, i, 0x400000+16*i, i%97, i%1000)
	}
	ids := make([]uint64, stacks)
	for i := range ids {
		ids[i] = rng.Uint64()
		leaf := 1 + rng.IntN(frames)
		fmt.Fprintf(w, `{"type":"stack","id":"0x%016x","frames":[%d`, ids[i], leaf)
		for d := range 18 { // callers further out are shared by more stacks
			fmt.Fprintf(w, ",%d", 1+(i>>(d/2+1))%frames)
		}
		fmt.Fprintf(w, `],"context":{"event":"cycles","pid":42,"tid":%d},"weights":[{"metric":"samples","value":%d},{"metric":"period","value":%d}],"exclusive":{"frame":%d,"weights":[{"metric":"period","value":1}]}}`+"\n",
			42+i%8, i, 1000*i, leaf)
	}
	for i := range samples {
		fmt.Fprintf(w, `{"type":"sample","timestamp":%d.%06d,"pid":42,"tid":%d,"cpu":%d,"event":"cycles","period":%d,"stack_id":"0x%016x","context":{}}`+"\n",
			100+i/1000000, i%1000000, 42+i%8, i%16, 1000000+rng.IntN(1000), ids[rng.IntN(stacks)])
	}
}

func benchSource(b *testing.B, path string) *loaders.Source {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	return openFile(b, path)
}

// BenchmarkLoad reads a file into the model.
func BenchmarkLoad(b *testing.B) {
	src := benchSource(b, benchPath(b))
	for b.Loop() {
		var store model.Store
		if err := load(context.Background(), src, loaders.Options{}, &store); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse takes all records apart and keeps nothing: what other readers of JSON are compared with.
func BenchmarkParse(b *testing.B) {
	src := benchSource(b, benchPath(b))
	for b.Loop() {
		n := 0
		if err := each(context.Background(), src, false, func(k *block) error { n += len(k.out.samples); return nil }); err != nil || n == 0 {
			b.Fatal(err)
		}
	}
}

// BenchmarkValidate applies every rule.
func BenchmarkValidate(b *testing.B) {
	src := benchSource(b, benchPath(b))
	for b.Loop() {
		if err := validate(context.Background(), src, func(loaders.Violation) {}); err != nil {
			b.Fatal(err)
		}
	}
}

// eachMapped calls f for every line of a mapped file.
func eachMapped(b *testing.B, f func([]byte)) {
	path := benchPath(b)
	src := benchSource(b, path)
	data, err := src.Range(0, src.Size())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for rest := data; len(rest) > 0; {
			i := bytes.IndexByte(rest, '\n')
			f(rest[:i])
			rest = rest[i+1:]
		}
	}
}

// BenchmarkNewlines is the floor: it only looks for ends of lines.
func BenchmarkNewlines(b *testing.B) {
	n := 0
	eachMapped(b, func([]byte) { n++ })
}

// BenchmarkEncodingJSON decodes samples with the standard library, and nothing else.
func BenchmarkEncodingJSON(b *testing.B) {
	eachMapped(b, func(line []byte) {
		var r struct {
			Type      string
			Timestamp float64
			PID, TID  int
			Event     string
			Period    uint64
			StackID   string `json:"stack_id"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			b.Fatal(err)
		}
	})
}
