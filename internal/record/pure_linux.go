package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/memtui/memtui/internal/record/pure"
)

// pureOptions are how the tracer of a Python program is started: the arguments of its start.
type pureOptions struct {
	Path      string  `json:"path"` // {pid} is the process ID
	Frames    int     `json:"frames"`
	Overwrite bool    `json:"overwrite"`
	Limit     float64 `json:"limit"` // seconds, 0 for none
	MaxSize   int64   `json:"max_size"`
	Report    string  `json:"report"` // the file where the tracer says what it wrote
}

// RunPure starts a Python program with a tracer of Python's standard library instead of the hook, and returns as [Run]
// does.
func RunPure(ctx context.Context, o Options) (files []Recorded, status int, err error) {
	if err := o.vacant(); err != nil {
		return nil, 0, err
	}
	folder, err := os.MkdirTemp("", "memtui-record-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(folder)
	cmd, err := pureCommand(folder, o)
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, errors.Join(ErrStart, err)
	}
	s := &session{o: o}
	s.ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	defer s.signals(cmd.Process)()
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		status = exitStatus(cmd.ProcessState, o.Log)
	case <-s.ctx.Done():
		o.Log("process %d keeps running, and so does its tracer", cmd.Process.Pid)
	}
	files = reported(filepath.Join(folder, "report"))
	if len(files) == 0 {
		o.Log("nothing was recorded: %s did not start the tracer; it may not be Python 3.8 or newer, or have run with -I, -E or -S", o.Command[0])
	}
	return files, status, nil
}

// pureCommand returns the command that runs the program with the tracer, whose files it puts into a folder.
func pureCommand(folder string, o Options) (*exec.Cmd, error) {
	for name, text := range map[string]string{"memtui_trace.py": pure.Module, "sitecustomize.py": pure.Starter} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o400); err != nil {
			return nil, err
		}
	}
	path := o.Output
	if path == "" {
		path = strings.Replace(fileName(o.Command[0], 0, ".mlyze"), "-0.", "-{pid}.", 1)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	options, err := json.Marshal(pureOptions{path, o.Frames, o.Overwrite,
		o.Duration.Round(time.Millisecond).Seconds(), o.MaxSize, filepath.Join(folder, "report")})
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	search := folder
	if before := os.Getenv("PYTHONPATH"); before != "" {
		search += ":" + before
	}
	cmd.Env = append(os.Environ(), "PYTHONPATH="+search, "MEMTUI_TRACE="+string(options))
	return cmd, nil
}

// reported returns the files that tracers report, with the number of their events as of the last snapshot.
func reported(path string) (files []Recorded) {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		var pid int
		var events uint64
		if n, err := fmt.Sscanf(line, "%d %d ", &pid, &events); n != 2 || err != nil {
			continue
		}
		name := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)[2]
		if here, err := os.Getwd(); err == nil && filepath.Dir(name) == here {
			name = filepath.Base(name)
		}
		if k := len(files) - 1; k >= 0 && files[k].PID == pid && files[k].Path == name {
			files[k].Events = events
			continue
		}
		files = append(files, Recorded{Path: name, PID: pid, Events: events})
	}
	return files
}
