package all

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// endless is a text that goes on with a repeated part and never ends.
type endless struct {
	head string
	part string // repeated; its length is a power of two
	at   int
}

// Read implements [io.Reader].
func (e *endless) Read(p []byte) (n int, err error) {
	n = copy(p, e.head)
	if e.head = e.head[n:]; n > 0 {
		return n, nil
	}
	for n < len(p) {
		k := copy(p[n:], e.part[e.at:])
		n, e.at = n+k, (e.at+k)%len(e.part)
	}
	return n, nil
}

// repeated returns a part of 256 KiB that repeats unit, padded with spaces to a power of two.
func repeated(unit string) string {
	for n := len(unit); n&(n-1) != 0; n++ {
		unit += " "
	}
	return strings.Repeat(unit, 1<<18/len(unit))
}

// memory returns the bytes of the heap in use.
func memory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// TestEndlessJSON reads JSON that goes on without end in a string, a number or an array, from a pipe. Reading ends at a
// limit, which is told, and takes no more memory than allowed; readers that need the end of their input, and those that
// skip what goes on, read until the disk has no room for a copy of the pipe, or it has become far too large. Interrupted, all end at once.
func TestEndlessJSON(t *testing.T) {
	if testing.Short() || modeltest.UnderRace {
		t.Skip("it takes long")
	}
	mlyze := make([]byte, 256)
	copy(mlyze, "MTRC\x01\x00\x00\x00")
	binary.LittleEndian.PutUint32(mlyze[16:], 1<<32-1)
	node := `{"callFrame":{"functionName":"f","scriptId":"0","url":"","lineNumber":1,"columnNumber":1},"selfSize":1,"id":1,"children":[]},`
	speed := `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},`
	v8 := `{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[["hidden","array"],"string","number","number","number"],` +
		`"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element"],"string_or_number","node"]},"node_count":1,"edge_count":1},`
	ruby := `{"type":"ROOT", "root":"vm", "references":[]}` + "\n"
	python := `{"format":"memtui-pydump","version":1}` + "\n"
	spaa := `{"type":"header","format":"spaa","version":"1.0","frame_order":"leaf_to_root","events":[{"name":"a","kind":"x"}]}` + "\n"
	for _, c := range []struct {
		format, kind, head, part string
	}{
		{"speedscope", "string", speed + `"name":"`, "x"},
		{"speedscope", "array", speed + `"profiles":[{"type":"sampled","name":"a","unit":"bytes","startValue":0,"endValue":9,"samples":[`, "[0],"},
		{"speedscope", "events", speed + `"profiles":[{"type":"evented","name":"a","unit":"bytes","startValue":0,"endValue":9,"events":[`, `{"type":"O","at":0,"frame":0},`},
		{"speedscope", "frames", `{"shared":{"frames":[`, `{"name":"a"},`},
		{"speedscope", "profiles", speed + `"profiles":[`, `{"type":"sampled","name":"a","unit":"bytes","startValue":0,"endValue":9,"samples":[[0]],"weights":[1]},`},
		{"speedscope", "number", speed + `"activeProfileIndex":`, "1"},
		{"v8-cpuprofile", "string", `{"timeDeltas":[],"nodes":[{"id":1,"callFrame":{"functionName":"`, "x"},
		{"v8-cpuprofile", "times", `{"nodes":[],"timeDeltas":[`, "1,"},
		{"v8-cpuprofile", "samples", `{"nodes":[],"timeDeltas":[],"samples":[`, "1,"},
		{"v8-cpuprofile", "nodes", `{"timeDeltas":[],"nodes":[`, strings.Replace(node, "selfSize", "hitCount", 1)},
		{"v8-cpuprofile", "children", `{"nodes":[{"id":1,"callFrame":{},"children":[`, "2,"},
		{"v8-cpuprofile", "number", `{"nodes":[],"timeDeltas":[],"startTime":`, "1"},
		{"v8-heapprofile", "string", `{"head":{"selfSize":1,"callFrame":{"functionName":"`, "x"},
		{"v8-heapprofile", "array", `{"head":{"callFrame":{},"selfSize":1,"id":1,"children":[`, node},
		{"v8-heapprofile", "nested", `{"head":{"callFrame":{},"selfSize":1,"id":1,"children":[`, `{"callFrame":{},"selfSize":1,"children":[`},
		{"v8-heapprofile", "number", `{"head":{"callFrame":{},"selfSize":`, "1"},
		{"heapsnapshot", "string", v8 + `"nodes":[0,0,1,1,0],"edges":[],"strings":["`, "x"},
		{"heapsnapshot", "array", v8 + `"nodes":[`, "0,0,1,1,0,"},
		{"heapsnapshot", "edges", v8 + `"nodes":[0,0,1,1,0],"edges":[`, "0,0,0,"},
		{"heapsnapshot", "strings", v8 + `"nodes":[0,0,1,1,0],"edges":[],"strings":[`, `"",`},
		{"heapsnapshot", "number", v8 + `"nodes":[`, "1"},
		{"heapsnapshot", "head", `{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],"node_types":[[`, `"a",`},
		{"memdump-json", "string", `[{"id":"a","name":"`, "x"},
		{"memdump-json", "array", `[{"id":"a","name":"b","visible":true,"data":[`, `{"timestamp":1,"value":1},`},
		{"memdump-json", "number", `[{"id":"a","name":"b","data":[{"timestamp":1,"value":`, "1"},
		{"spaa", "string", spaa + `{"type":"dso","id":1,"name":"`, "x"},
		{"spaa", "array", spaa + `{"type":"stack","id":"a","frames":[`, "1,"},
		{"spaa", "number", spaa + `{"type":"dso","id":`, "1"},
		{"spaa", "lines", spaa, `{"type":"dso","id":1,"name":"a"}` + "\n"},
		{"python-heap", "string", python + `{"address":1,"type":"`, "x"},
		{"python-heap", "array", python + `{"address":1,"type":"list","size":56,"refs":[`, "1,"},
		{"python-heap", "number", python + `{"address":`, "1"},
		{"python-heap", "lines", python, `{"address":1,"type":"list","size":56,"refs":[1]}` + "\n"},
		{"ruby-heap", "string", ruby + `{"address":"0x1","type":"STRING","value":"`, "x"},
		{"ruby-heap", "array", ruby + `{"address":"0x1","type":"ARRAY","references":[`, `"0x1",`},
		{"ruby-heap", "number", ruby + `{"address":"0x1","type":"STRING","memsize":`, "1"},
		{"ruby-heap", "lines", ruby, `{"address":"0x1","type":"STRING","memsize":40}` + "\n"},
		{"mlyze", "string", string(mlyze) + `{"stack_traces":{"`, "x"},
		{"mlyze", "array", string(mlyze) + `{"stack_traces":{"0":[`, `{"file_id":0,"line":1,"func_id":0},`},
		{"mlyze", "number", string(mlyze) + `{"stack_traces":{"0":[{"line":`, "1"},
		{"dhat", "string", `{"dhatFileVersion":2,"cmd":"`, "x"},
		{"dhat", "array", `{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","pps":[`, `{"tb":8,"tbk":1,"fs":[1]},`},
		{"dhat", "number", `{"dhatFileVersion":2,"pid":`, "1"},
	} {
		t.Run(c.format+" "+c.kind, func(t *testing.T) {
			readEndless(t, c.format, waits[c.format] || waits[c.format+" "+c.kind], &endless{head: c.head, part: repeated(c.part)})
		})
	}
}

// waits lists what is read until the input ends.
var waits = map[string]bool{
	"speedscope events": true, "spaa string": true, "spaa array": true, "spaa number": true,
	"heapsnapshot": true, "python-heap": true, "ruby-heap": true,
}

func readEndless(t *testing.T, format string, waits bool, r io.Reader) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	const limit = 32 << 20
	budget := model.NewBudget(limit)
	ctx, cancel := context.WithCancel(model.WithBudget(t.Context(), budget))
	defer cancel()
	src, err := loaders.OpenSource(ctx, "-", r)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	f, err := loaders.Detect(src, Formats())
	if err != nil || f.Name != format {
		t.Fatal("read as", f.Name, err)
	}
	runtime.GC()
	store, done, before := &model.Store{}, make(chan error, 1), memory()
	var interrupted, stopped time.Time
	go func() {
		err := f.Load(ctx, src, loaders.Options{}, store)
		if p := store.Current(); err == nil && p != nil && p.Heaps != nil {
			_, err = p.Heaps.Open(ctx, 0, nil)
		}
		stopped = time.Now()
		done <- err
	}()
	interrupt, most := time.After(300*time.Millisecond), int64(0)
	if !waits {
		interrupt = nil
	}
	for {
		select {
		case err := <-done:
			said := fmt.Sprint(err, src.Problems())
			if p := store.Current(); p != nil {
				for _, q := range p.Problems {
					said += "\n" + q.Message
				}
			}
			if most > 3*limit {
				t.Errorf("%d MiB are in memory", most>>20)
			}
			if interrupted.IsZero() && !strings.Contains(said, "limit of") && !strings.Contains(said, "--max-memory") {
				t.Error("no limit is told: ", said)
			}
			if took := stopped.Sub(interrupted); !interrupted.IsZero() && took > 100*time.Millisecond {
				t.Errorf("it ended %v after it was interrupted", took)
			}
			return
		case <-interrupt:
			interrupted = time.Now()
			cancel()
		case <-time.After(10 * time.Millisecond):
			now := memory() - before
			most = max(most, now)
			budget.Measured(now)
		}
	}
}
