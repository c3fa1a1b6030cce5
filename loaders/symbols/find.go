package symbols

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtui/memtui/loaders"
)

const systemDebug = "/usr/lib/debug"

// search finds the files of one module.
type search struct {
	opt    loaders.Symbols
	m      *Module
	path   string
	other  string // the first file that exists but is not the right one, and why
	broken string // the first file that cannot be read, and why

	unfetched string // the first file that could not be fetched, and why, unless it does not exist
}

// note records why a file is not used.
func (s *search) note(path string, err error) {
	if s.broken == "" && !errors.Is(err, fs.ErrNotExist) {
		s.broken = path + ": " + err.Error()
	}
}

// below puts a path of the recorded machine under a folder, which it cannot leave.
func below(dir, path string) string { return filepath.Join(dir, filepath.Clean("/"+path)) }

// binary opens the recorded file, nil if there is none.
func (s *search) binary(ctx context.Context) *image {
	var paths []string
	for _, dir := range s.opt.Dirs {
		base := filepath.Base(s.path)
		paths = append(paths, below(dir, s.path), filepath.Join(dir, base), filepath.Join(dir, base+".debug"))
		paths = append(paths, byBuildID(dir, s.m.BuildID)...)
	}
	switch {
	case s.opt.Sysroot != "":
		paths = append(paths, below(s.opt.Sysroot, s.path))
	case filepath.IsAbs(s.path):
		paths = append(paths, filepath.Clean(s.path))
	}
	for _, dir := range s.debugDirs() {
		paths = append(paths, byBuildID(filepath.Join(dir, ".build-id"), s.m.BuildID)...)
	}
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			continue
		}
		im, err := openImage(ctx, path)
		if err != nil {
			s.note(path, err)
			continue
		}
		why := im.mismatch(s.m)
		if why == "" {
			return im
		}
		im.close()
		if s.other == "" {
			s.other = path + " is not the file that was recorded: " + why
		}
	}
	if im := s.fetched(ctx, s.m.BuildID, "debuginfo"); im != nil {
		return im
	}
	return s.fetched(ctx, s.m.BuildID, "executable")
}

// fetched opens a fetched file of a build id, nil if there is none.
func (s *search) fetched(ctx context.Context, id, kind string) *image {
	id = strings.ToLower(id)
	if s.opt.Fetcher == nil || byBuildID("", id) == nil {
		return nil
	}
	path, done, err := s.opt.Fetcher.Fetch(ctx, id, kind, func(path string) error {
		im, err := openImage(ctx, path)
		if err != nil {
			return err
		}
		defer im.close()
		if !sameID(im.buildID, id) {
			return fmt.Errorf("its build id is %s, but %s was requested", shortID(im.buildID), shortID(id))
		}
		return nil
	})
	if err != nil {
		if s.unfetched == "" && ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
			s.unfetched = kind + " of build id " + shortID(id) + ": " + err.Error()
		}
		return nil
	}
	defer done()
	im, err := openImage(ctx, path)
	if err != nil {
		s.note(path, err)
		return nil
	}
	return im
}

// debugDirs returns the folders where a system keeps debug files.
func (s *search) debugDirs() []string {
	if s.opt.Sysroot != "" {
		return []string{below(s.opt.Sysroot, systemDebug)}
	}
	return []string{systemDebug}
}

// byBuildID returns where a folder may have the debug file of a build id: in its own layout, or in a .build-id in it.
func byBuildID(dir, id string) []string {
	id = strings.ToLower(id)
	if len(id) < 4 || strings.Trim(id, "0123456789abcdef") != "" {
		return nil
	}
	name := filepath.Join(id[:2], id[2:]+".debug")
	if filepath.Base(dir) == ".build-id" {
		return []string{filepath.Join(dir, name)}
	}
	return []string{filepath.Join(dir, ".build-id", name), filepath.Join(dir, name)}
}

// debug opens the debug file of a binary, nil if there is none.
func (s *search) debug(ctx context.Context, im *image) *image {
	var paths []string
	for _, dir := range s.opt.Dirs {
		paths = append(paths, byBuildID(dir, im.buildID)...)
	}
	for _, dir := range s.debugDirs() {
		paths = append(paths, byBuildID(filepath.Join(dir, ".build-id"), im.buildID)...)
	}
	for _, path := range paths {
		d, err := openImage(ctx, path)
		if err != nil {
			s.note(path, err)
			continue
		}
		if sameID(d.buildID, im.buildID) && d.hasDWARF() {
			return d
		}
		d.close()
	}
	if d := s.linked(ctx, im); d != nil {
		return d
	}
	d := s.fetched(ctx, im.buildID, "debuginfo")
	if d != nil && !d.hasDWARF() {
		d.close()
		return nil
	}
	return d
}

// linked opens the debug file that a binary names, whose build id or checksum must match.
func (s *search) linked(ctx context.Context, im *image) *image {
	name, sum, ok := im.debugLink()
	if !ok {
		return nil
	}
	dir := filepath.Dir(im.path)
	paths := []string{filepath.Join(dir, name), filepath.Join(dir, ".debug", name)}
	for _, d := range s.opt.Dirs {
		paths = append(paths, filepath.Join(d, name), filepath.Join(below(d, filepath.Dir(s.path)), name))
	}
	for _, d := range s.debugDirs() {
		paths = append(paths, filepath.Join(below(d, filepath.Dir(s.path)), name), filepath.Join(below(d, dir), name))
	}
	for _, path := range paths {
		d, err := openImage(ctx, path)
		if err != nil {
			s.note(path, err)
			continue
		}
		err = d.guard(func() error { return d.isLinked(ctx, im.buildID, sum) })
		if err == nil && d.hasDWARF() {
			return d
		}
		d.close()
		if err != nil {
			s.note(path, err)
		}
	}
	return nil
}

// isLinked fails unless a debug file has the build id, or else the checksum, of the binary that names it.
func (im *image) isLinked(ctx context.Context, buildID string, sum uint32) error {
	if buildID != "" && im.buildID != "" {
		if !sameID(buildID, im.buildID) {
			return fmt.Errorf("its build id is %s, but %s was requested", shortID(im.buildID), shortID(buildID))
		}
		return nil
	}
	have := uint32(0)
	for b := im.data; len(b) > 0; {
		part := b[:min(len(b), readPart)]
		have = crc32.Update(have, crc32.IEEETable, part)
		if b = b[len(part):]; ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if have != sum {
		return fmt.Errorf("its checksum is %08x, but the binary names %08x", have, sum)
	}
	return nil
}

// debugLink returns the name of the debug file in .gnu_debuglink, and its checksum.
func (im *image) debugLink() (name string, sum uint32, ok bool) {
	s := im.elf.Section(".gnu_debuglink")
	if s == nil {
		return "", 0, false
	}
	b := im.stored(s)
	name = stringAt(b, 0)
	at := (len(name) + 1 + 3) &^ 3
	if name == "" || name == "." || name == ".." || strings.ContainsRune(name, os.PathSeparator) || len(b) < at+4 {
		return "", 0, false
	}
	return name, im.elf.ByteOrder.Uint32(b[at:]), true
}
