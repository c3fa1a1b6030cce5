package export

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/memtui/memtui/model"
)

// Records of SPAA, members in the order of the specification.
type (
	spaaHeader struct {
		Type       string      `json:"type"`
		Format     string      `json:"format"`
		Version    string      `json:"version"`
		SourceTool string      `json:"source_tool"`
		FrameOrder string      `json:"frame_order"`
		Events     []spaaEvent `json:"events"`
		TimeRange  *spaaRange  `json:"time_range,omitempty"`
		Source     *spaaSource `json:"source,omitempty"`
		IDMode     string      `json:"stack_id_mode"`
	}
	spaaEvent struct {
		Name     string        `json:"name"`
		Kind     string        `json:"kind"`
		Sampling spaaSampling  `json:"sampling"`
		Tracking *spaaTracking `json:"allocation_tracking,omitempty"`
	}
	spaaSampling struct {
		Mode      string  `json:"mode"`
		Primary   string  `json:"primary_metric"`
		Period    float64 `json:"sample_period,omitempty"`
		Frequency float64 `json:"frequency_hz,omitempty"`
	}
	spaaTracking struct {
		Frees      bool `json:"tracks_frees"`
		Timestamps bool `json:"has_timestamps"`
	}
	spaaRange struct {
		Start json.Number `json:"start"`
		End   json.Number `json:"end"`
		Unit  string      `json:"unit"`
	}
	spaaSource struct {
		Tool    string `json:"tool"`
		Command string `json:"command,omitempty"`
		Version string `json:"tool_version,omitempty"`
	}
	spaaDSO struct {
		Type    string `json:"type"`
		ID      uint32 `json:"id"`
		Name    string `json:"name"`
		BuildID string `json:"build_id,omitempty"`
		Kernel  bool   `json:"is_kernel"`
	}
	spaaThread struct {
		Type string `json:"type"`
		PID  int64  `json:"pid"`
		TID  int64  `json:"tid"`
		Comm string `json:"comm,omitempty"`
	}
	spaaFrame struct {
		Type     string  `json:"type"`
		ID       uint32  `json:"id"`
		Function string  `json:"func"`
		Resolved bool    `json:"func_resolved"`
		DSO      uint32  `json:"dso"`
		Source   *string `json:"srcline,omitempty"`
		Inlined  bool    `json:"inlined,omitempty"`
		Kind     string  `json:"kind"`
	}
	spaaStack struct {
		Type      string         `json:"type"`
		ID        string         `json:"id"`
		Frames    []uint32       `json:"frames"`
		StackType string         `json:"stack_type"`
		Context   spaaContext    `json:"context"`
		Weights   []spaaWeight   `json:"weights"`
		Exclusive *spaaExclusive `json:"exclusive,omitempty"`
	}
	// spaaPlace is the thread and CPU of a record, as far as known.
	spaaPlace struct {
		PID *int64  `json:"pid,omitempty"`
		TID *int64  `json:"tid,omitempty"`
		CPU *uint16 `json:"cpu,omitempty"`
	}
	spaaContext struct {
		Event string `json:"event"`
		spaaPlace
		Comm string `json:"comm,omitempty"`
	}
	spaaExclusive struct {
		Frame   uint32       `json:"frame"`
		Weights []spaaWeight `json:"weights"`
	}
	spaaWeight struct {
		Metric string      `json:"metric"`
		Value  json.Number `json:"value"`
		Unit   string      `json:"unit,omitempty"`
	}
	spaaSample struct {
		Type string      `json:"type"`
		Time json.Number `json:"timestamp"`
		spaaPlace
		Event   string      `json:"event"`
		Period  json.Number `json:"period"`
		StackID string      `json:"stack_id"`
	}
	spaaWindow struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Start json.Number     `json:"start"`
		End   json.Number     `json:"end"`
		Unit  string          `json:"unit"`
		Rows  []spaaWindowRow `json:"by_stack"`
	}
	spaaWindowRow struct {
		StackID string       `json:"stack_id"`
		Weights []spaaWeight `json:"weights"`
	}
)

const (
	spaaNoStack = "[unknown stack]" // the function of frame 0, for stacks without frames
	spaaUnknown = "[unknown]"       // a binary or an event without a name
)

// spaaOut writes the records of one file.
type spaaOut struct {
	ctx     context.Context
	buf     *bufio.Writer
	records *json.Encoder
	p       *model.Profile
	stacks  *model.Stacks
	lost    losses
}

func newSPAAOut(ctx context.Context, w io.Writer, p *model.Profile) spaaOut {
	buf := bufio.NewWriterSize(w, 1<<16)
	out := spaaOut{ctx: ctx, buf: buf, records: json.NewEncoder(buf), p: p, stacks: p.Stacks}
	out.records.SetEscapeHTML(false)
	if out.stacks == nil {
		out.stacks = model.NewStacks()
	}
	return out
}

// write takes the steps of writing a file, and returns what was left out of it.
func (o *spaaOut) write(steps ...func() error) ([]Loss, error) {
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return o.lost.list, o.buf.Flush()
}

// encode writes a record, unless the user has given up.
func (o *spaaOut) encode(record any) error {
	if err := o.ctx.Err(); err != nil {
		return err
	}
	return o.records.Encode(record)
}

// head writes the header, of which the caller says what differs between files.
func (o *spaaOut) head(h spaaHeader) error {
	h.Type, h.Format, h.Version, h.SourceTool, h.FrameOrder = "header", "spaa", "1.0", "memtui", "leaf_to_root"
	return o.encode(h)
}

// frameIDs returns the frames of a stack, leaf first; frame 0 for one without frames.
func (o *spaaOut) frameIDs(leaf model.NodeID) (out []uint32) {
	for n := leaf; n != 0; n = o.stacks.Parent[n] {
		out = append(out, uint32(o.stacks.Frame[n]))
	}
	if len(out) == 0 {
		o.lost.add("a stack without frames is written as " + spaaNoStack)
		out = []uint32{0}
	}
	return out
}

// spaaUnit is that of all times written.
const spaaUnit = "seconds"

// seconds returns a time in the unit of the file, exactly.
func seconds(t model.Time) json.Number {
	sign := ""
	if t < 0 {
		sign, t = "-", -t
	}
	return json.Number(fmt.Sprintf("%s%d.%06d", sign, t/model.Second, t%model.Second))
}

func spaaBytes(metric string, n uint64) spaaWeight {
	return spaaWeight{metric, json.Number(strconv.FormatUint(n, 10)), "bytes"}
}

func spaaCount(metric string, n uint64) spaaWeight {
	return spaaWeight{metric, json.Number(strconv.FormatUint(n, 10)), ""}
}

// text returns a text for a format that is UTF-8, and notes where it is not.
func (l *losses) text(s string) string {
	if !utf8.ValidString(s) {
		l.add("a name is not valid UTF-8: invalid bytes were replaced")
	}
	return s
}
