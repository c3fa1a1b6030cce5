package v8profile

import (
	"slices"
	"strconv"

	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// build creates stacks and records from the nodes. It takes about as long as reading them did.
func (r *reader) build() {
	byID := make(map[int64]int, len(r.nodes))
	for i := range r.nodes {
		if n := &r.nodes[i]; n.hasID {
			if _, known := byID[n.id]; !known {
				byID[n.id] = i
			}
		}
	}
	r.link(byID)
	stacks := r.stacks()
	if stacks == nil {
		return
	}
	r.begin()
	r.count(byID)
	records := r.records(stacks)
	if !r.heap {
		r.timeline(records)
	}
	r.Count("nodes", "Nodes", int64(len(r.nodes)))
	r.Count("scripts", "Scripts", int64(len(r.scripts)))
	if r.heap && r.hasSamples {
		r.Count("samples", "Samples in the file (not added up)", r.heapCount)
	}
}

// link finds the parents of nodes in a list.
func (r *reader) link(byID map[int64]int) {
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.parent != none {
			continue
		}
		id, named := r.parents[-1-int64(i)]
		if !named && n.hasID && n.id >= 0 {
			id, named = r.parents[n.id]
		}
		if !named {
			continue
		}
		parent, known := byID[id]
		if !known || parent == i {
			r.Say(model.Error, "node", n.offset, 0, "the parent of node %d does not exist", n.id)
			continue
		}
		n.parent = parent
	}
}

// stopped reports whether building must stop, at step i of n of one of its two long parts.
func (r *reader) stopped(part, i, n int) bool {
	if i%model.AskEvery != 0 {
		return false
	}
	r.Src.Works((float64(part) + float64(i)/float64(n)) / 2)
	return r.Ctx.Err() != nil
}

// stacks returns the leaf of each node's stack, nil if it was stopped. Nodes that are their own ancestors become roots.
func (r *reader) stacks() []model.NodeID {
	out := make([]model.NodeID, len(r.nodes))
	state := make([]uint8, len(r.nodes)) // 1: in progress, 2: done
	depth := make([]int, len(r.nodes))
	var way []int
	for i := range r.nodes {
		if r.stopped(0, i, len(r.nodes)) {
			return nil
		}
		for at := i; at != none && state[at] != 2; at = r.nodes[at].parent {
			if state[at] == 1 {
				r.Say(model.Error, "node", r.nodes[at].offset, 0, "node %d is its own ancestor", r.nodes[at].id)
				r.nodes[at].parent = none
				break
			}
			state[at] = 1
			way = append(way, at)
		}
		for len(way) > 0 {
			at := way[len(way)-1]
			way = way[:len(way)-1]
			n := &r.nodes[at]
			parent := model.NodeID(0)
			if n.parent != none && state[n.parent] == 2 {
				parent, depth[at] = out[n.parent], depth[n.parent]+1
			}
			state[at] = 2
			if depth[at] >= weighted.MaxDepth {
				r.Say(model.Warning, "stack-depth", n.offset, 0,
					"a stack has more frames than the limit of %d: the others were left out; it cannot be raised", weighted.MaxDepth)
				out[at] = parent
				continue
			}
			out[at] = r.Child(parent, n.frame)
		}
	}
	return out
}

// begin creates the event and its metric.
func (r *reader) begin() {
	name, metric, unit, kind := "cpu", "samples", "", "timer"
	if r.heap {
		name, metric, unit, kind = "heap", "live_bytes", "bytes", "allocation"
		r.Say(model.Note, "collected", model.NoOffset, 0,
			"sizes are estimates of a sampling profiler; the file does not say whether objects that were collected are included")
	}
	id, _ := r.Metric(model.ProfileMetric{Name: metric, Unit: unit})
	r.Event(model.ProfileEvent{Name: name, Kind: kind, Primary: id, PrimaryName: metric, TracksFrees: r.heap,
		Estimated: r.heap, HasTimestamps: !r.heap && len(r.times) > 0})
}

// count recounts hits from samples, if there are any, and replaces their ids by indexes of nodes, none if unknown.
func (r *reader) count(byID map[int64]int) {
	if r.heap || !r.hasSamples {
		return
	}
	hits := uint64(0)
	for i := range r.nodes {
		hits += r.nodes[i].weight
		r.nodes[i].weight = 0
	}
	unknown := int64(0)
	for k, id := range r.samples {
		i, ok := byID[id]
		if !ok {
			i = none
			unknown++
		} else {
			r.nodes[i].weight++
		}
		r.samples[k] = int64(i)
	}
	if unknown > 0 {
		r.AddProblem(model.Problem{Severity: model.Error, Code: "samples",
			Message: "a sample names a node that does not exist", Count: unknown, Offset: model.NoOffset})
	}
	if hits != uint64(len(r.samples)) && hits > 0 {
		r.Say(model.Note, "hits", model.NoOffset, 0,
			"nodes count %s hits, but there are %s samples: samples are shown", model.Group(hits), model.Group(uint64(len(r.samples))))
	}
}

// records adds a record for every stack with a weight, and returns the record of each node.
func (r *reader) records(stacks []model.NodeID) []model.RecordID {
	at := make([]int32, slices.Max(append(stacks, 0))+1) // by stack: its position in order, plus one
	var order []model.NodeID
	var sums []model.Amount
	var offsets []int64
	for i, leaf := range stacks {
		n := &r.nodes[i]
		if n.weight == 0 {
			continue
		}
		if at[leaf] == 0 {
			order, sums, offsets = append(order, leaf), append(sums, model.Amount{}), append(offsets, n.offset)
			at[leaf] = int32(len(order))
		}
		sums[at[leaf]-1].Add(model.Unsigned(n.weight))
	}
	first := model.RecordID(r.Profile.Records.Len())
	for k, leaf := range order {
		r.Weigh(0, sums[k].Number())
		r.Add(weighted.Record{Node: leaf, CPU: model.NoCPU, Offset: offsets[k]})
	}
	out := make([]model.RecordID, len(stacks))
	for i, leaf := range stacks {
		out[i] = first + model.RecordID(at[leaf]) - 1
	}
	return out
}

// timeline adds the samples of a CPU profile in time, starting with the recording.
func (r *reader) timeline(records []model.RecordID) {
	r.Profile.Start, r.Profile.End = model.NoTime, model.NoTime
	if len(r.times) == 0 {
		return
	}
	if len(r.times) != len(r.samples) {
		r.Say(model.Error, "samples", model.NoOffset, 0, "there are %d samples but %d times", len(r.samples), len(r.times))
	}
	micros := 1.0
	if r.instants { // the start of old files is in seconds, their instants are not
		micros = 1e6
	}
	start, last, t := int64(r.start*micros), int64(0), int64(0)
	backward := int64(0)
	for i, n := range r.samples[:min(len(r.samples), len(r.times))] {
		if r.stopped(1, i, len(r.samples)) {
			break
		}
		if r.times[i] < 0 && !r.instants {
			backward++
		}
		if t += r.times[i]; r.instants {
			t = r.times[i] - start
		}
		t = max(-int64(model.MaxTime)/4, min(int64(model.MaxTime)/4, t))
		last = max(last, t)
		if n == none {
			continue
		}
		r.Sample(model.Sample{Time: model.Time(t), Record: records[n], SampleLabel: model.SampleLabel{CPU: model.NoCPU}, Period: 1})
	}
	if backward > 0 {
		r.AddProblem(model.Problem{Severity: model.Note, Code: "backward",
			Message: "a sample is earlier than the one before it", Count: backward, Offset: model.NoOffset})
	}
	if d := (r.end - r.start) * micros; d > 0 && d < float64(model.MaxTime) {
		last = max(last, int64(d))
	}
	r.Profile.Start, r.Profile.End = 0, model.Time(last)
	r.Profile.StartSeconds = r.start * micros / 1e6
	r.Fact("start_time", "Started at, by the engine's clock", strconv.FormatFloat(r.Profile.StartSeconds, 'f', 6, 64)+" s")
}
