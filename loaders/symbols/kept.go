package symbols

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/memtui/memtui/loaders"
)

// keptVersion changes whenever the names of the same file may change: older cached names are not used then.
const keptVersion = 1

// kept is the entry of a [loaders.NameCache] for one binary. Names are stored once, however many frames have them.
type kept struct {
	Version int      `json:"version"`
	Source  string   `json:"source"` // the files that it was read from
	Names   []string `json:"names"`
	// By address: that, then function, file, line and 1 for inlined of each frame, leaf first. Functions and files are
	// indexes of Names.
	Places [][]int64 `json:"places"`
}

const keptFrame = 4 // numbers of a frame

// keptKey returns the key of a binary, "" for one without a build id, which could not be recognized next time.
func keptKey(im *image) string {
	if im.buildID == "" {
		return ""
	}
	return "names-" + im.buildID
}

// sourceOf returns which files names come from, so that they are read again if there is a debug file, or another one.
func sourceOf(im, info *image) string {
	if info == nil {
		return fmt.Sprintf("symbols %d", im.info.Size())
	}
	return fmt.Sprintf("DWARF %d %d", info.info.Size(), info.info.ModTime().UnixNano())
}

// load returns the cached frames of a binary; nil if there are none, or they are not usable.
func load(cache loaders.NameCache, key, source string) map[uint64][]Frame {
	all := map[uint64][]Frame{}
	if cache == nil || key == "" {
		return all
	}
	b, err := cache.Load(key)
	var k kept
	if err != nil || json.Unmarshal(b, &k) != nil || k.Version != keptVersion || k.Source != source {
		return all
	}
	for _, p := range k.Places {
		frames, err := k.frames(p)
		if err != nil {
			return map[uint64][]Frame{}
		}
		all[uint64(p[0])] = frames
	}
	return all
}

var errKept = errors.New("a number is out of range")

// frames decodes a place.
func (k *kept) frames(p []int64) (list []Frame, err error) {
	if len(p)%keptFrame != 1 || len(p) > 1+keptFrame*(maxFrames+1) {
		return nil, errKept
	}
	for p = p[1:]; len(p) > 0; p = p[keptFrame:] {
		n := int64(len(k.Names))
		if p[0] < 0 || p[0] >= n || p[1] < 0 || p[1] >= n || p[2] < 0 {
			return nil, errKept
		}
		list = append(list, Frame{Function: k.Names[p[0]], File: k.Names[p[1]], Line: p[2], Inlined: p[3] == 1})
	}
	return list, nil
}

// maxKept bounds how many addresses of a binary are kept.
const maxKept = 200_000

// store caches the frames of a binary. Addresses without frames are cached, too, so that they are not looked up again.
func store(cache loaders.NameCache, key, source string, all map[uint64][]Frame) error {
	if cache == nil || key == "" || len(all) > maxKept {
		return nil
	}
	k := kept{Version: keptVersion, Source: source}
	ids := map[string]int64{}
	id := func(s string) int64 {
		n, ok := ids[s]
		if !ok {
			n = int64(len(k.Names))
			ids[s] = n
			k.Names = append(k.Names, s)
		}
		return n
	}
	for a, frames := range all {
		p := []int64{int64(a)}
		for _, f := range frames {
			inlined := int64(0)
			if f.Inlined {
				inlined = 1
			}
			p = append(p, id(f.Function), id(f.File), max(0, f.Line), inlined)
		}
		k.Places = append(k.Places, p)
	}
	slices.SortFunc(k.Places, func(a, b []int64) int { return slices.Compare(a[:1], b[:1]) })
	b, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return cache.Store(key, b)
}
