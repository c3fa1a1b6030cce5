package record

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memtui/memtui/model"
)

// The events of allocation of JDK Flight Recorder: samples from Java 16 on, before that one for each buffer that a
// thread fills, and for each object that needs no buffer.
const (
	jfrSample  = "jdk.ObjectAllocationSample"
	jfrBuffer  = "jdk.ObjectAllocationInNewTLAB"
	jfrOutside = "jdk.ObjectAllocationOutsideTLAB"
)

// flight is the recording of allocations by a Java program's own recorder.
type flight struct {
	events   []string
	settings string // files in the folder of the session
	output   string
	chunks   string // the folder where the program writes what it has sampled, every second from Java 14 on
	frames   int
}

// jfrFrames is how many frames of a stack JDK Flight Recorder keeps.
const jfrFrames = 64

// newFlight returns how the allocations of a Java program are sampled, or why they are not.
func newFlight(java, folder string) (*flight, error) {
	if _, err := exec.LookPath("jfr"); err != nil {
		return nil, errors.New("jfr is not installed")
	}
	out, err := exec.Command(java, "-version").CombinedOutput()
	if err != nil {
		return nil, err
	}
	f := &flight{settings: filepath.Join(folder, "allocations.jfc"), output: filepath.Join(folder, "allocations.jfr"),
		chunks: filepath.Join(folder, "chunks"), frames: jfrFrames}
	switch v := javaVersion(string(out)); {
	case v >= 16:
		f.events = []string{jfrSample}
	case v >= 11:
		f.events = []string{jfrBuffer, jfrOutside}
	default:
		return nil, errors.New("this Java is older than 11")
	}
	text := `<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0" label="memtui">`
	for _, e := range f.events {
		text += `<event name="` + e + `"><setting name="enabled">true</setting><setting name="throttle">100/s</setting><setting name="stackTrace">true</setting></event>`
	}
	return f, os.WriteFile(f.settings, []byte(text+"</configuration>\n"), 0o600)
}

// javaVersion returns the feature release that java -version states, 0 if it states none.
func javaVersion(text string) int {
	m := regexp.MustCompile(`version "(?:1\.)?(\d+)`).FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// arguments returns the arguments of java that start the recording, and keep it from printing that.
func (f *flight) arguments() []string {
	return []string{"-Xlog:jfr+startup=off", "-XX:FlightRecorderOptions=repository=" + f.chunks,
		"-XX:StartFlightRecording=name=memtui,dumponexit=true,maxsize=250MB,settings=" + f.settings + ",filename=" + f.output}
}

// jfrEvent is an event as jfr print has it.
type jfrEvent struct {
	Type   string
	Values struct {
		StartTime   time.Time
		EventThread struct {
			OSThreadID uint64 `json:"osThreadId"`
			OSName     string
			JavaName   string
		}
		StackTrace *struct {
			Frames []struct {
				Method struct {
					Name string
					Type struct{ Name string }
				}
				LineNumber int
			}
		}
		ObjectClass    *struct{ Name string }
		Weight         uint64 // of samples: the bytes that one represents
		TLABSize       uint64 `json:"tlabSize"`
		AllocationSize uint64
	}
}

// ofRecorder reports whether the recorder allocated for itself, as it does above all when it starts: no code of the program
// called it.
func (e *jfrEvent) ofRecorder() (own bool) {
	if e.Values.StackTrace == nil {
		return false
	}
	for _, f := range e.Values.StackTrace.Frames { // innermost first
		class := javaClass(f.Method.Type.Name)
		switch {
		case strings.HasPrefix(class, "jdk.jfr."):
			own = true
		case own && !ofRuntime(class):
			return false
		}
	}
	return own
}

// ofRuntime reports whether a class is one of Java's own.
func ofRuntime(class string) bool {
	for _, prefix := range []string{"java.", "jdk.", "sun."} {
		if strings.HasPrefix(class, prefix) {
			return true
		}
	}
	return false
}

// leftOut returns which samples were left out, "" for none.
func (p *stackLines) leftOut() string {
	if p.own.samples == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s) of the Flight Recorder itself",
		model.CountedAs(p.own.samples, "sample", "samples"), model.Bytes(p.own.bytes))
}

// bytes returns the bytes that an event represents.
func (e *jfrEvent) bytes() uint64 {
	return cmp.Or(e.Values.Weight, e.Values.TLABSize, e.Values.AllocationSize)
}

// whole makes the recording of the chunks that a program has left that was killed.
func (f *flight) whole() error {
	if info, err := os.Stat(f.output); err == nil && info.Size() > 0 {
		return nil
	}
	left, _ := filepath.Glob(filepath.Join(f.chunks, "*", "*.jfr"))
	if len(left) == 0 {
		return errors.New("it was killed before it wrote them")
	}
	_ = os.Remove(f.output)
	if out, err := exec.Command("jfr", "assemble", filepath.Dir(left[0]), f.output).CombinedOutput(); err != nil {
		return fmt.Errorf("it was killed, and jfr cannot read what it left: %s", model.Clean(strings.TrimSpace(string(out))))
	}
	return nil
}

// profile has jfr print the recording, writes it to a path as a stack profile, and returns the number of its samples and
// what was left out.
func (f *flight) profile(pid int, path string, overwrite bool) (n int, leftOut string, err error) {
	if err := f.whole(); err != nil {
		return 0, "", err
	}
	cmd := exec.Command("jfr", "print", "--json", "--events", strings.Join(f.events, ","), "--stack-depth",
		strconv.Itoa(f.frames), f.output)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, "", err
	}
	if err := cmd.Start(); err != nil {
		return 0, "", err
	}
	p := newStackLines(pid)
	err = eachJFR(bufio.NewReaderSize(out, 1<<16), p.add)
	_, _ = io.Copy(io.Discard, out)
	if err = errors.Join(err, cmd.Wait()); err != nil || len(p.samples) == 0 {
		return 0, p.leftOut(), err
	}
	how := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if overwrite {
		how = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	file, err := os.OpenFile(path, how, 0o600)
	if err != nil {
		return 0, p.leftOut(), err
	}
	return len(p.samples), p.leftOut(), errors.Join(p.write(file), file.Close())
}

// eachJFR yields the events of the JSON that jfr print writes.
func eachJFR(in io.Reader, yield func(*jfrEvent)) error {
	d := json.NewDecoder(in)
	for {
		t, err := d.Token()
		if err != nil {
			return err
		}
		if t == "events" {
			break
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		var e jfrEvent
		if err := d.Decode(&e); err != nil {
			return err
		}
		yield(&e)
	}
	return nil
}

// stackLines is a stack profile as lines of JSON (SPAA).
type stackLines struct {
	pid     int
	frames  map[javaFrame]int
	names   []javaFrame
	stacks  map[string]int
	list    []javaStack
	threads map[uint64]string
	samples []javaSample
	sum     uint64
	own     struct{ samples, bytes uint64 } // of the recorder itself, which are left out
}

type javaFrame struct {
	function, class string
	line            int
}

type javaStack struct {
	frames  []int
	thread  uint64
	bytes   uint64
	samples int
}

type javaSample struct {
	at    time.Time
	stack int
	bytes uint64
}

func newStackLines(pid int) *stackLines {
	return &stackLines{pid: pid, frames: map[javaFrame]int{}, stacks: map[string]int{}, threads: map[uint64]string{}}
}

// frame returns the number of a frame.
func (p *stackLines) frame(f javaFrame) int {
	n, ok := p.frames[f]
	if !ok {
		n = len(p.names) + 1
		p.frames[f] = n
		p.names = append(p.names, f)
	}
	return n
}

// add adds an event. What is allocated is its first frame.
func (p *stackLines) add(e *jfrEvent) {
	bytes := e.bytes()
	if bytes == 0 || bytes > 1<<50 {
		return
	}
	if e.ofRecorder() {
		p.own.samples++
		p.own.bytes += bytes
		return
	}
	v := &e.Values
	var frames []int
	if v.ObjectClass != nil {
		frames = append(frames, p.frame(javaFrame{function: "new " + javaClass(v.ObjectClass.Name)}))
	}
	if v.StackTrace != nil {
		for _, f := range v.StackTrace.Frames {
			class := javaClass(f.Method.Type.Name)
			frames = append(frames, p.frame(javaFrame{class + "." + f.Method.Name, class, f.LineNumber}))
		}
	}
	thread := v.EventThread.OSThreadID
	p.threads[thread] = cmp.Or(v.EventThread.JavaName, v.EventThread.OSName)
	key := fmt.Sprint(thread, frames)
	i, ok := p.stacks[key]
	if !ok {
		i = len(p.list)
		p.stacks[key] = i
		p.list = append(p.list, javaStack{frames: frames, thread: thread})
	}
	p.list[i].bytes += bytes
	p.list[i].samples++
	p.samples = append(p.samples, javaSample{v.StartTime, i, bytes})
	p.sum += bytes
}

// javaClass returns the name of a class as in Java: java/lang/String, [B and [Ljava/lang/String; are those of the
// machine.
func javaClass(name string) string {
	dims := len(name) - len(strings.TrimLeft(name, "["))
	base := name[dims:]
	if dims > 0 {
		primitive := map[string]string{"B": "byte", "C": "char", "D": "double", "F": "float", "I": "int", "J": "long",
			"S": "short", "Z": "boolean"}
		base = cmp.Or(primitive[base], strings.TrimSuffix(strings.TrimPrefix(base, "L"), ";"))
	}
	return strings.ReplaceAll(base, "/", ".") + strings.Repeat("[]", dims)
}

type fields = map[string]any

// allocations is the name of the event.
const allocations = "allocations"

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// head returns the lines before those of stacks: what was sampled, frames and threads.
func (p *stackLines) head() []fields {
	lines := []fields{
		{
			"type": "header", "format": "spaa", "version": "1.0", "frame_order": "leaf_to_root",
			"stack_id_mode": "local", "source_tool": "memtui",
			"source": fields{"tool": "jfr", "left_out": p.leftOut()}, "time_range": fields{"start": seconds(p.samples[0].at),
				"end": seconds(p.samples[len(p.samples)-1].at), "unit": "seconds"},
			"events": []fields{{
				"name": allocations, "kind": "allocation",
				"sampling": fields{"mode": "period", "primary_metric": "alloc_bytes",
					"sample_period": max(p.sum/uint64(len(p.samples)), 1)},
				"allocation_tracking": fields{"tracks_frees": false, "has_timestamps": true},
			}},
		},
		{"type": "dso", "id": 1, "name": "java", "is_kernel": false},
	}
	for i, f := range p.names {
		line := fields{"type": "frame", "id": i + 1, "func": f.function, "func_resolved": true, "dso": 1, "kind": "user", "inlined": false}
		if f.line > 0 {
			line["srcline"], line["srcline_resolved"] = fmt.Sprintf("%s:%d", f.class, f.line), true
		}
		lines = append(lines, line)
	}
	for _, id := range slices.Sorted(maps.Keys(p.threads)) {
		lines = append(lines, fields{"type": "thread", "pid": p.pid, "tid": id, "comm": p.threads[id]})
	}
	return lines
}

// write writes the profile.
func (p *stackLines) write(to io.Writer) error {
	slices.SortStableFunc(p.samples, func(a, b javaSample) int { return a.at.Compare(b.at) })
	lines := p.head()
	for i, s := range p.list {
		weights := []fields{{"metric": "alloc_bytes", "value": s.bytes, "unit": "bytes"}, {"metric": "samples", "value": s.samples}}
		line := fields{
			"type": "stack", "id": strconv.Itoa(i), "frames": s.frames,
			"context": fields{"event": allocations, "pid": p.pid, "tid": s.thread}, "weights": weights,
		}
		if len(s.frames) > 0 {
			line["exclusive"] = fields{"frame": s.frames[0], "weights": weights}
		}
		lines = append(lines, line)
	}
	for _, s := range p.samples {
		lines = append(lines, fields{
			"type": "sample", "timestamp": seconds(s.at), "event": allocations, "stack_id": strconv.Itoa(s.stack), "period": s.bytes,
			"pid": p.pid, "tid": p.list[s.stack].thread,
		})
	}
	w := bufio.NewWriter(to)
	out := json.NewEncoder(w)
	for _, line := range lines {
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	return w.Flush()
}
