package symbols

import (
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/memtui/memtui/model"
)

// companions are the files that have parts of the debug information of another one: .dwo files and packages of them
// (.dwp) have the functions, and a shared one (.gnu_debugaltlink of dwz) has their common parts.
type companions struct {
	search *search
	image  *image // whose debug information it is
	binary *image // that is debugged; may be the same

	alt     *image
	altName string // of a file that is named and missing

	once   sync.Once
	pack   *dwp
	packed *image

	mu      sync.Mutex
	missing int    // units whose file is missing, or another one
	first   string // the first reason
}

func (c *companions) close() {
	c.alt.close()
	c.packed.close()
}

// problems reports missing files.
func (c *companions) problems() (list []model.Problem) {
	if c.missing > 0 {
		list = append(list, model.Problem{Severity: model.Note, Code: "symbols-split", Offset: -1, Message: fmt.Sprintf(
			"%s: functions inlined by its compiler are unknown in %s, as the split debug information is missing: %s; names are those of symbols",
			c.image.path, model.Counted(c.missing, "unit"), c.first)})
	}
	if c.altName != "" {
		list = append(list, model.Problem{Severity: model.Note, Code: "symbols-shared", Offset: -1, Message: fmt.Sprintf(
			"%s: some inlined functions have no name, as those are in a file (.gnu_debugaltlink of dwz) that is missing or does not match: %s", c.image.path, c.altName)})
	}
	return list
}

// addMissing records a unit whose functions are missing.
func (c *companions) addMissing(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.missing++; c.first == "" {
		c.first = why
	}
}

// moved returns where a file may be that another one names, written in or below dir: at its own path, and in the user's
// folders.
func (c *companions) moved(dir, name string) (paths []string) {
	if name == "" || strings.ContainsRune(name, 0) {
		return nil
	}
	whole := name
	if !filepath.IsAbs(name) {
		whole = filepath.Join(dir, name)
	}
	base := filepath.Base(name)
	for _, d := range c.search.opt.Dirs {
		paths = append(paths, below(d, whole), below(d, name), filepath.Join(d, base))
	}
	if root := c.search.opt.Sysroot; root != "" {
		paths = append(paths, below(root, whole))
	} else if filepath.IsAbs(whole) {
		paths = append(paths, filepath.Clean(whole))
	}
	for _, im := range []*image{c.image, c.binary} {
		beside := filepath.Dir(im.path)
		if !filepath.IsAbs(name) {
			paths = append(paths, filepath.Join(beside, name))
		}
		paths = append(paths, filepath.Join(beside, base))
	}
	return paths
}

// shared opens the shared file, and reads where its units are.
func (c *companions) shared(ctx context.Context, d *debugInfo) {
	s := c.image.elf.Section(".gnu_debugaltlink")
	if s == nil {
		return
	}
	b := c.image.stored(s)
	name := stringAt(b, 0)
	id := hex.EncodeToString(b[min(len(b), len(name)+1):])
	paths := c.moved(filepath.Dir(c.image.path), name)
	for _, dir := range c.search.opt.Dirs {
		paths = append(paths, byBuildID(dir, id)...)
	}
	for _, dir := range c.search.debugDirs() {
		paths = append(paths, filepath.Join(dir, ".dwz", filepath.Base(name)))
		paths = append(paths, byBuildID(filepath.Join(dir, ".build-id"), id)...)
	}
	c.altName = name
	for _, path := range paths {
		im, err := openImage(ctx, path)
		if err != nil {
			continue
		}
		if id != "" && sameID(im.buildID, id) {
			var alt *debugInfo
			if err := im.guard(func() (err error) { alt, err = im.openDWARF(ctx); return err }); err == nil {
				c.alt, c.altName, d.alt = im, "", alt
				return
			}
		}
		im.close()
	}
}
