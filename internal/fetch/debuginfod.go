package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/memtui/memtui/internal/indexcache"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	debuginfodEnv  = "env"           // means the servers that the environment names
	silenceAllowed = 1 * time.Minute // without a byte of a response
)

// DebugServers fetches files from debuginfod servers, and implements [loaders.DebugFetcher].
type DebugServers struct {
	Servers  []string
	Cache    string    // folder where files are kept, "" for none
	Limit    int64     // bytes of a file, 0 for the default
	Insecure bool      // certificates are not verified
	Note     io.Writer // receives what is fetched, nil for nothing

	mu     sync.Mutex
	absent map[string]bool // files that no server has
}

var _ loaders.DebugFetcher = (*DebugServers)(nil)

// Servers returns the addresses for the values of a flag: env means those that the environment names.
func Servers(values []string, getenv func(string) string) (list []string, err error) {
	for _, s := range values {
		if s == debuginfodEnv {
			named := strings.Fields(getenv("DEBUGINFOD_URLS"))
			if len(named) == 0 {
				return nil, errors.New("--debuginfod env: DEBUGINFOD_URLS names no server")
			}
			list = append(list, named...)
		} else {
			list = append(list, s)
		}
	}
	for _, s := range list {
		if u, err := url.Parse(s); err != nil || u.Host == "" || !IsURL(s) {
			return nil, fmt.Errorf("--debuginfod: %s is not a URL that begins with http:// or https://", model.Clean(s))
		}
	}
	return list, nil
}

// Fetch implements [loaders.DebugFetcher].
func (d *DebugServers) Fetch(ctx context.Context, buildID, kind string, check func(path string) error) (string, func(), error) {
	key := kind + "-" + buildID
	none := func() {}
	d.mu.Lock()
	absent := d.absent[key]
	d.mu.Unlock()
	if absent {
		return "", none, fs.ErrNotExist
	}
	files := indexcache.DebugFiles{Dir: d.Cache}
	if d.Cache != "" {
		if path := files.Path(key); path != "" && check(path) == nil {
			return path, none, nil
		}
	}
	var failed error
	for _, server := range d.Servers {
		fill := func(f *os.File) error {
			if err := d.download(ctx, server, buildID, kind, f); err != nil {
				return err
			}
			return check(f.Name())
		}
		path, done, err := "", none, error(nil)
		if d.Cache != "" {
			path, err = files.Write(key, fill)
		} else {
			path, done, err = temporary(fill)
		}
		if err == nil {
			return path, done, nil
		}
		if ctx.Err() != nil {
			return "", none, ctx.Err()
		}
		if failed == nil || errors.Is(failed, fs.ErrNotExist) {
			failed = err
		}
	}
	d.mu.Lock()
	if d.absent == nil {
		d.absent = map[string]bool{}
	}
	d.absent[key] = true // it is not requested again
	d.mu.Unlock()
	return "", none, failed
}

// temporary creates a file that done removes.
func temporary(fill func(*os.File) error) (path string, done func(), err error) {
	f, err := os.CreateTemp("", "memtui-*.debug")
	if err != nil {
		return "", func() {}, err
	}
	done = func() { os.Remove(f.Name()) }
	err = fill(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		done()
		return "", func() {}, err
	}
	return f.Name(), done, nil
}

// download writes a server's response to a file. It does not wait for a server that sends nothing.
func (d *DebugServers) download(ctx context.Context, server, buildID, kind string, f *os.File) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	silent := time.AfterFunc(silenceAllowed, func() { stop(errors.New("the server does not respond")) })
	defer silent.Stop()
	address := strings.TrimRight(server, "/") + "/buildid/" + buildID + "/" + kind
	answer, err := get(ctx, address, d.Insecure)
	if errors.Is(err, errNotThere) {
		return fs.ErrNotExist
	}
	if err != nil {
		return cause(ctx, err)
	}
	defer answer.Close()
	limit := d.Limit
	if limit <= 0 {
		limit = fetchLimit
	}
	body := &fetched{body: answer, left: limit, limit: limit}
	d.print(address)
	heard := &heardReader{body, func() { silent.Reset(silenceAllowed) }}
	if _, err := io.Copy(f, heard); err != nil {
		return cause(ctx, err)
	}
	return nil
}

// print prints what is fetched, if nothing else is shown.
func (d *DebugServers) print(address string) {
	if u, err := url.Parse(address); err == nil && d.Note != nil {
		fmt.Fprintf(d.Note, "memtui: fetching %s\n", model.Clean(u.Redacted()))
	}
}

// cause returns why a context ended, if that is the reason for err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// heardReader calls heard after each read.
type heardReader struct {
	io.Reader
	heard func()
}

// Read implements [io.Reader].
func (r *heardReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.heard()
	return n, err
}
