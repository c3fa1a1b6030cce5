package report

import (
	"fmt"
	"testing"
)

// A table of a thread shows its innermost frames, and says how many more there are; JSON has them all.
func TestThreadFrames(t *testing.T) {
	thread := HeapThread{Name: "deep", most: 3}
	for i := range 1006 {
		thread.Frames = append(thread.Frames, HeapThreadFrame{Function: fmt.Sprintf("call%d", i), Locals: []HeapLocal{{Label: "int[]"}}})
	}
	tab := heapWriter{h: &Heap{Threads: []HeapThread{thread}}}.thread(&thread)
	if len(tab.rows) != 6 || tab.more != 1003 || tab.answer != "1,006 frames" {
		t.Errorf("%d rows, %d more, %s", len(tab.rows), tab.more, tab.answer)
	}
}
