package heaptrack

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/loaders"
)

// recording writes a recording of n blocks, most of them freed, as heaptrack writes it, or its interpreter.
func recording(n int, f form) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString("v 10400 3\nX ./program\nI 1000 5bd1f0\n")
	const traces, kinds, most = 200, 600, 50_000
	if f == rawForm {
		b.WriteString("x 9 ./program\n")
	} else {
		b.WriteString("s 7 program\ns 4 work\ni 401000 1 2\n")
	}
	for i := range traces {
		fmt.Fprintf(&b, "t %x %x\n", 1+i*16*int(f&rawForm), i)
	}
	type live struct{ size, trace, kind, addr int }
	all := make([]live, kinds)
	for i := range all {
		all[i] = live{16 + rng.IntN(4096), 1 + rng.IntN(traces), i, 0}
		if f == interpreted {
			fmt.Fprintf(&b, "a %x %x\n", all[i].size, all[i].trace)
		}
	}
	var now []live
	for i := range n {
		if i%5000 == 0 {
			fmt.Fprintf(&b, "c %x\nR %x\n", i/500, 1000+len(now)/100)
		}
		if len(now) > most || len(now) > 0 && rng.IntN(9) < 4 {
			at := rng.IntN(len(now))
			if f == interpreted {
				fmt.Fprintf(&b, "- %x\n", now[at].kind)
			} else {
				fmt.Fprintf(&b, "- %x\n", now[at].addr)
			}
			now[at] = now[len(now)-1]
			now = now[:len(now)-1]
			continue
		}
		l := all[rng.IntN(kinds)]
		l.addr = 0x55d000001000 + 16*i
		if now = append(now, l); f == interpreted {
			fmt.Fprintf(&b, "+ %x\n", l.kind)
		} else {
			fmt.Fprintf(&b, "+ %x %x %x\n", l.size, l.trace, l.addr)
		}
	}
	return b.Bytes()
}

// BenchmarkConvert reads text that is in memory, and writes its events.
func BenchmarkConvert(b *testing.B) {
	for name, f := range map[string]form{"raw": rawForm, "interpreted": interpreted} {
		data := recording(1_000_000, f)
		b.Run(name, func(b *testing.B) {
			events := int64(0)
			for b.Loop() {
				src, err := loaders.OpenStream(b.Context(), "-", bytes.NewReader(data))
				if err != nil {
					b.Fatal(err)
				}
				c := newConverter(b.Context(), src)
				if _, err := io.Copy(io.Discard, struct{ io.Reader }{c}); err != nil {
					b.Fatal(err)
				}
				events += c.events
				src.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}
