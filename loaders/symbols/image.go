package symbols

import (
	"bytes"
	"compress/zlib"
	"context"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	maxSection = 4 << 30 // bytes of a section after decompression
	sectionMin = 1 << 20 // bytes that any section may decompress to
	maxGrowth  = 2000    // times its stored size that a section may decompress to
	readPart   = 1 << 20
	maxNote    = 64 // bytes of a build id
)

// image is an open ELF file. Its bytes must be read under [image.guard].
type image struct {
	path    string
	src     *loaders.Source
	info    fs.FileInfo
	data    []byte // the complete file; mapped
	elf     *elf.File
	buildID string
}

// errNotELF is why an existing file is not used.
var errNotELF = errors.New("it is not an ELF file")

// openImage opens an ELF file. It never waits: other than regular files are refused.
func openImage(ctx context.Context, path string) (*image, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() < elfHeader:
		return nil, errNotELF
	}
	src, err := loaders.OpenSource(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	im := &image{path: path, src: src}
	if src.Piped() || src.Outer() != "" {
		err = errNotELF
	} else {
		_, im.info = src.Stored()
		err = src.Guard(func() error { return im.parse(ctx) })
	}
	if err != nil {
		src.Close()
		return nil, err
	}
	return im, nil
}

const elfHeader = 52 // bytes of the smaller one

func (im *image) parse(ctx context.Context) (err error) {
	if im.data, err = im.src.Range(ctx, 0, im.src.StoredSize()); err != nil {
		return err
	}
	if !bytes.HasPrefix(im.data, []byte(elf.ELFMAG)) {
		return errNotELF
	}
	if im.elf, err = elf.NewFile(bytes.NewReader(im.data)); err != nil {
		return fmt.Errorf("%w that can be read: %v", errNotELF, err)
	}
	im.buildID = im.readBuildID()
	return nil
}

// guard runs f, which reads the file.
func (im *image) guard(f func() error) error { return im.src.Guard(f) }

func (im *image) close() {
	if im != nil {
		im.src.Close()
	}
}

// readBuildID returns the GNU build id in hexadecimal, "" for none.
func (im *image) readBuildID() string {
	for _, s := range im.elf.Sections {
		if s.Type == elf.SHT_NOTE {
			if id := im.noteID(im.stored(s), s.Addralign); id != "" {
				return id
			}
		}
	}
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_NOTE {
			if id := im.noteID(im.slice(p.Off, p.Filesz), p.Align); id != "" {
				return id
			}
		}
	}
	return ""
}

// noteID returns the build id in a list of notes, "" for none.
func (im *image) noteID(b []byte, align uint64) string {
	const gnuBuildID = 3
	if align != 8 {
		align = 4
	}
	for len(b) >= 12 {
		order := im.elf.ByteOrder
		nameSize, size, kind := uint64(order.Uint32(b)), uint64(order.Uint32(b[4:])), order.Uint32(b[8:])
		from := 12 + (nameSize+align-1)&^(align-1)
		if align == 4 {
			from = 12 + (nameSize+3)&^3
		}
		end := from + size
		if end > uint64(len(b)) {
			return ""
		}
		if kind == gnuBuildID && nameSize == 4 && string(b[12:16]) == "GNU\x00" && size > 0 && size <= maxNote {
			return hex.EncodeToString(b[from:end])
		}
		b = b[min(uint64(len(b)), (end+align-1)&^(align-1)):]
	}
	return ""
}

// slice returns bytes of the file, nil if they are out of range.
func (im *image) slice(off, n uint64) []byte {
	if size := uint64(len(im.data)); off > size || n > size-off {
		return nil
	}
	return im.data[off : off+n]
}

// stored returns a section's bytes as stored.
func (im *image) stored(s *elf.Section) []byte {
	if s.Type == elf.SHT_NOBITS {
		return nil
	}
	return im.slice(s.Offset, s.FileSize)
}

// section returns a section's bytes, decompressed; nil if there is none, or it is damaged.
func (im *image) section(ctx context.Context, name string) ([]byte, error) {
	s := im.elf.Section(name)
	old := s == nil && strings.HasPrefix(name, ".debug_") // GNU's compression, from before there was a standard
	if old {
		s = im.elf.Section(".z" + name[1:])
	}
	if s == nil {
		return nil, nil
	}
	stored := im.stored(s)
	switch {
	case old && bytes.HasPrefix(stored, []byte("ZLIB")) && len(stored) > 12:
		r, err := zlib.NewReader(bytes.NewReader(stored[12:]))
		if err != nil {
			return nil, err
		}
		return readSection(ctx, r, len(stored), name)
	case s.Flags&elf.SHF_COMPRESSED != 0:
		return readSection(ctx, s.Open(), len(stored), name)
	}
	return stored, nil
}

// readSection decompresses a section of some stored bytes, up to limits of memory and of compression.
func readSection(ctx context.Context, r io.Reader, stored int, name string) ([]byte, error) {
	budget := model.BudgetOf(ctx)
	limit := min(maxSection, max(sectionMin, int64(stored)*maxGrowth))
	var out bytes.Buffer
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.CopyN(&out, r, readPart)
		switch {
		case err == io.EOF || n == 0 && err == nil:
			return out.Bytes(), nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case int64(out.Len()) > limit:
			return nil, fmt.Errorf("%s decompresses to more than %s", name, model.Bytes(limit))
		case budget.Full(model.BudgetOfFile):
			return nil, budget.Error("the debug information in " + name)
		}
	}
}

// hasDWARF reports whether the file has debug information of its own.
func (im *image) hasDWARF() bool {
	for _, name := range []string{".debug_info", ".zdebug_info"} {
		if s := im.elf.Section(name); s != nil && s.Type != elf.SHT_NOBITS && s.FileSize > 0 {
			return true
		}
	}
	return false
}

// debugOnly reports whether the file has debug information only, and no code.
func (im *image) debugOnly() bool {
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && p.Filesz > 0 {
			return false
		}
	}
	return true
}
