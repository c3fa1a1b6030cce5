package symbols

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memtui/memtui/loaders"
)

// shelf has files by kind, and says what was asked for.
type shelf struct {
	t     *testing.T
	dir   string
	files map[string]string // names in testdata
	err   error             // of what it does not have
	asked []string
}

func (s *shelf) Fetch(_ context.Context, id, kind string, check func(string) error) (string, func(), error) {
	s.asked = append(s.asked, kind+" "+id)
	name, ok := s.files[kind]
	if !ok {
		return "", nil, s.err
	}
	path := unpacked(s.t, name, filepath.Join(s.dir, kind))
	if err := check(path); err != nil {
		return "", nil, err
	}
	return path, func() { os.Remove(path) }, nil
}

// What is not on the machine is asked for by build id, and only where the user wants that; what comes must have that
// build id.
func TestFetched(t *testing.T) {
	addrs, want := expected(t, "sample.full")
	id := buildIDOf(t, "sample.full")
	for name, c := range map[string]struct {
		files    map[string]string
		there    bool // the stripped binary is on the machine
		recorded string
		err      error
		named    bool
		codes    []string
	}{
		"debug file of a binary":      {map[string]string{"debuginfo": "sample.debug"}, true, "", fs.ErrNotExist, true, nil},
		"debug file alone":            {map[string]string{"debuginfo": "sample.debug"}, false, id, fs.ErrNotExist, true, nil},
		"binary alone":                {map[string]string{"executable": "sample.full"}, false, id, fs.ErrNotExist, true, nil},
		"another file":                {map[string]string{"debuginfo": "sample.old"}, true, "", fs.ErrNotExist, false, []string{"symbols-fetch"}},
		"nobody has it":               {nil, true, "", fs.ErrNotExist, false, nil},
		"the server fails":            {nil, true, "", errors.New("503"), false, []string{"symbols-fetch"}},
		"neither there nor recorded":  {map[string]string{"debuginfo": "sample.debug"}, false, "", fs.ErrNotExist, false, []string{"symbols-missing"}},
		"a recorded ID that is a way": {nil, false, "../../etc", fs.ErrNotExist, false, []string{"symbols-missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "shop")
			full := unpacked(t, "sample.full", filepath.Join(dir, "full"))
			if c.there {
				unpacked(t, "sample.stripped", path)
			}
			m := moduleOf(t, full, path, loadedAt)
			m.BuildID = c.recorded
			s := &shelf{t: t, dir: dir, files: c.files, err: c.err}
			table, problems := resolved(t, loaders.Symbols{Fetcher: s}, m, addrs...)
			if !slices.Equal(codes(problems), c.codes) {
				t.Errorf("problems %v, asked %v", problems, s.asked)
			}
			if c.named {
				check(t, table, addrs, want)
			} else if f := table.Frames(0); len(f) > 0 && f[0].File != "" {
				t.Errorf("%+v", f)
			}
			if slices.ContainsFunc(s.asked, func(a string) bool { return a != "debuginfo "+id && a != "executable "+id }) {
				t.Errorf("asked %v", s.asked)
			}
		})
	}
}
