package record

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

func TestTmp(t *testing.T) {
	sample, _ := strconv.ParseInt(os.Getenv("SAMPLE"), 10, 64)
	f, st, err := Run(t.Context(), Options{Command: []string{"sh", "-c", os.Getenv("CMD")}, Output: "/tmp/rec/out.mlyze", Sample: sample, Frames: 64, Ring: 16 << 20, Follow: os.Getenv("FOLLOW") != "", Log: func(f string, a ...any) { fmt.Fprintf(os.Stderr, f+"\n", a...) }})
	fmt.Println(f, st, err)
}
