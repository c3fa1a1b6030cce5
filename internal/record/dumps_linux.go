package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/memtui/memtui/internal/record/ruby"
	"github.com/memtui/memtui/model"
)

// starter returns what starts the command and records it.
func (s *session) starter() func() (*exec.Cmd, error) {
	switch RuntimeOf(s.o.Command) {
	case "node":
		return s.startNode
	case "ruby":
		return s.startRuby
	case "java":
		return s.startJava
	}
	return s.start
}

// startRuby starts a program with the helper for Ruby in its environment.
func (s *session) startRuby() (*exec.Cmd, error) {
	preload, list := filepath.Join(s.folder, "memtui.rb"), filepath.Join(s.folder, "dumps")
	if err := os.WriteFile(preload, ruby.Preload, 0o400); err != nil {
		return nil, err
	}
	options := strings.TrimSpace(os.Getenv("RUBYOPT") + " -r" + preload)
	env := []string{"RUBYOPT=" + options, "MEMTUI_DUMPS=" + stem(s.o.Output, "ruby"), "MEMTUI_LIST=" + list,
		fmt.Sprintf("MEMTUI_PARENT=%d", os.Getpid())}
	if s.o.Every > 0 {
		env = append(env, fmt.Sprintf("MEMTUI_EVERY=%g", s.o.Every.Seconds()))
	}
	if s.o.Follow {
		env = append(env, "MEMTUI_FOLLOW=1")
	}
	cmd := s.command(env...)
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(ErrStart, err)
	}
	s.main = cmd.Process.Pid
	close(s.known)
	often := "--every 10s writes one every ten seconds"
	if s.o.Every > 0 {
		often = "one is written every " + s.o.Every.String()
	}
	s.o.Log("Ruby: a heap dump is written at the end and at kill -USR2 %d, and stops the program meanwhile; %s", s.main, often)
	s.wait.Go(func() {
		<-s.ctx.Done()
		b, _ := os.ReadFile(list)
		var dumps []string
		for line := range strings.Lines(string(b)) {
			dumps = append(dumps, relative(strings.TrimSpace(line)))
		}
		if len(dumps) > 0 {
			s.made(Recorded{PID: s.main, Program: s.o.Command[0], Dumps: dumps}, nil)
		}
	})
	return cmd, nil
}

// stem returns how the names of files begin that belong to an output, "" for the usual one.
func stem(output, usual string) string {
	if output == "" || output == Pipe {
		return usual
	}
	return strings.TrimSuffix(output, filepath.Ext(output))
}

// relative returns a path as a user in this folder would write it.
func relative(path string) string {
	if here, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(here, path); err == nil && !strings.HasPrefix(short, "..") {
			return short
		}
	}
	return path
}

// How the heap of a Java program is watched: a histogram of its classes is a full collection.
const (
	usualHistogram = 10 * time.Second
	topClasses     = 30 // of each histogram get a curve
	mostClasses    = 200
)

// classes are the curves of the heap of a Java program, one for each large class.
type classes struct {
	s       *session
	path    string
	d       dump
	series  map[string]int
	dumps   []string
	samples *flight // nil where allocations are not sampled
	stopped error
}

// startJava starts a program and watches the histograms of its classes.
func (s *session) startJava() (*exec.Cmd, error) {
	if _, err := exec.LookPath("jcmd"); err != nil {
		return nil, errors.New("jcmd, which a JDK has, is needed to watch a Java program, and is not installed; memtui record --pages PID watches any process")
	}
	if _, err := exec.LookPath(s.o.Command[0]); err != nil {
		return nil, errors.Join(ErrStart, err)
	}
	samples, err := newFlight(s.o.Command[0], s.folder)
	if err == nil {
		s.o.Command = slices.Insert(slices.Clone(s.o.Command), 1, samples.arguments()...)
	} else {
		s.o.Log("Java: allocations are not sampled: %v", err)
	}
	cmd := s.command()
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(ErrStart, err)
	}
	s.main = cmd.Process.Pid
	close(s.known)
	c := &classes{s: s, path: s.o.Output, d: dump{began: time.Now()}, series: map[string]int{}, samples: samples}
	if c.path == "" {
		c.path = fileName("java", s.main, ".mb")
	}
	every := s.o.Every
	if every == 0 {
		every = usualHistogram
	}
	s.o.Log("Java: a histogram of classes every %s, each with a full collection (--every TIME changes that); kill -USR2 %d writes a heap dump", every, os.Getpid())
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR2)
	s.wait.Go(func() {
		defer signal.Stop(asked)
		c.watch(every, asked)
	})
	return cmd, nil
}

// watch looks at the classes until the program, or recording, has ended.
func (c *classes) watch(every time.Duration, asked <-chan os.Signal) {
	next := time.After(min(every, time.Second)) // the machine must have started
	for c.s.ctx.Err() == nil {
		select {
		case <-c.s.ctx.Done():
		case <-asked:
			c.dumpHeap()
		case <-next:
			began := time.Now()
			c.look()
			next = time.After(max(every, 2*time.Since(began)))
		}
	}
	if len(c.d.series) > 0 {
		c.write()
		c.s.made(Recorded{Path: c.path, PID: c.s.main, Program: "java", Points: len(c.d.series[0].times), Stopped: c.stopped}, nil)
	}
	c.profile()
	if len(c.dumps) > 0 {
		c.s.made(Recorded{PID: c.s.main, Program: "java", Dumps: c.dumps}, nil)
	}
}

// profile writes the stacks of sampled allocations.
func (c *classes) profile() {
	if c.samples == nil {
		return
	}
	if syscall.Kill(c.s.main, 0) == nil { // the program goes on
		_, _ = c.jcmd("JFR.stop", "name=memtui", "filename="+c.samples.output)
	}
	path := strings.TrimSuffix(c.path, filepath.Ext(c.path)) + ".spaa"
	n, leftOut, err := c.samples.profile(c.s.main, path, c.s.o.Overwrite)
	if err != nil {
		c.s.o.Log("Java: no samples of allocations: %v", err)
		return
	}
	if leftOut != "" {
		c.s.o.Log("Java: left out of the samples: %s", leftOut)
	}
	if n == 0 {
		c.s.o.Log("Java: no allocation of the program was sampled: it allocates little, or ended early")
		return
	}
	c.s.made(Recorded{Path: path, PID: c.s.main, Program: "java", Events: uint64(n)}, nil)
}

// jcmd runs a command in the program.
func (c *classes) jcmd(words ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return exec.CommandContext(ctx, "jcmd", append([]string{strconv.Itoa(c.s.main)}, words...)...).Output()
}

// look adds a histogram, and makes the file whole.
func (c *classes) look() {
	now := time.Now()
	out, err := c.jcmd("GC.class_histogram")
	if err != nil {
		return // it has not begun to listen, or ended
	}
	list, total := histogram(out)
	if len(list) == 0 {
		return
	}
	c.d.add(c.at("all classes"), now, total)
	large := map[string]bool{}
	for _, l := range list[:min(len(list), topClasses)] {
		large[l.name] = true
	}
	for _, l := range list {
		if _, known := c.series[l.name]; known || large[l.name] && len(c.series) < mostClasses {
			c.d.add(c.at(l.name), now, l.bytes)
		}
	}
	c.write()
}

// at returns the number of a curve.
func (c *classes) at(name string) int {
	i, ok := c.series[name]
	if !ok {
		i = len(c.d.series)
		c.series[name] = i
		c.d.series = append(c.d.series, dumpSeries{name: name})
	}
	return i
}

func (c *classes) write() {
	if err := c.d.write(c.path); err != nil && c.stopped == nil {
		c.stopped = err
	}
}

// dumpHeap has the program write a heap dump.
func (c *classes) dumpHeap() {
	path, err := filepath.Abs(fmt.Sprintf("%s-%d-%d.hprof", stem(c.s.o.Output, "java"), c.s.main, len(c.dumps)+1))
	if err == nil {
		_, err = c.jcmd("GC.heap_dump", path)
	}
	if err != nil {
		c.s.o.Log("no heap dump: %v", err)
		return
	}
	c.dumps = append(c.dumps, relative(path))
}

// class is a line of a histogram.
type class struct {
	name  string
	bytes uint64
}

// histogram returns the classes of a histogram, largest first, and the sum of their bytes.
func histogram(out []byte) (list []class, total uint64) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		f := strings.Fields(lines.Text()) // "12: 100 2400 java.lang.String (java.base@17.0.1)"
		if len(f) < 4 || !strings.HasSuffix(f[0], ":") {
			continue
		}
		n, err := strconv.ParseUint(f[2], 10, 63)
		if err != nil {
			continue
		}
		list = append(list, class{model.Clean(f[3]), n})
		total += n
	}
	slices.SortStableFunc(list, func(a, b class) int { return int(min(max(int64(b.bytes)-int64(a.bytes), -1), 1)) })
	return list, total
}
