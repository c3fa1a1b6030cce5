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

// companions are the files that hold parts of the debug information of another: .dwo files and packages of them (.dwp)
// the functions, and one that several share (.gnu_debugaltlink of dwz) what is equal in them.
type companions struct {
	search *search
	image  *image // whose debug information it is
	binary *image // that is debugged; may be the same

	alt     *image
	altName string // of one that is named and not there

	once   sync.Once
	pack   *dwp
	packed *image

	mu      sync.Mutex
	lacking int    // units whose file is not there, or is another one
	first   string // why, of the first
}

func (c *companions) close() {
	c.alt.close()
	c.packed.close()
}

// problems says which files are missing.
func (c *companions) problems() (list []model.Problem) {
	if c.lacking > 0 {
		list = append(list, model.Problem{Severity: model.Note, Code: "symbols-split", Offset: -1, Message: fmt.Sprintf(
			"%s: functions inlined by its compiler are unknown in %s, as the split debug information is missing: %s; names are those of symbols",
			c.image.path, model.Counted(c.lacking, "unit"), c.first)})
	}
	if c.altName != "" {
		list = append(list, model.Problem{Severity: model.Note, Code: "symbols-shared", Offset: -1, Message: fmt.Sprintf(
			"%s: some inlined functions have no name, as those are in a file (.gnu_debugaltlink of dwz) that is missing or does not match: %s", c.image.path, c.altName)})
	}
	return list
}

// lacks notes a unit whose functions are not there.
func (c *companions) lacks(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lacking++; c.first == "" {
		c.first = why
	}
}

// moved returns where a file may lie that another one, beside or below which it was written, names: as it says, and
// where the user says that files are.
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

// shared opens the file that several share, and reads where its units are.
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
