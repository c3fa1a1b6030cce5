package verdict

import "slices"

// Together judges sites of one place together: one does not leak if it grows by as much as the others shrink. The same
// function may fill a pool for one caller, and replace what broke for another. placeOf returns the place of a key, "" if
// that is not known.
func Together(list []Verdict, evidence []*Evidence, placeOf func(key uint32) string) {
	leaks := func(v Verdict) bool { return v.Kind == Leak && v.reason != container }
	if !slices.ContainsFunc(list, leaks) {
		return
	}
	shrinking := map[string][]*Evidence{}
	for i := range list {
		if leaks(list[i]) || list[i].freed == 0 || !evidence[i].shrinks() {
			continue
		}
		if place := placeOf(list[i].Key); place != "" {
			shrinking[place] = append(shrinking[place], evidence[i])
		}
	}
	for i := range list {
		if v := &list[i]; len(shrinking) > 0 && leaks(*v) && evidence[i].replaces(shrinking[placeOf(v.Key)]) {
			v.Kind, v.reason, v.Growth = Bounded, replacing, 0
		}
	}
}

// shrinks reports whether a site's memory becomes less in the last two thirds of the run.
func (e *Evidence) shrinks() bool {
	count, bytes := e.envelopes()
	return count[groups-1] < count[groups/3] && bytes[groups-1] < bytes[groups/3]
}

// replaces reports whether a site's blocks take the place of those that others free: together they do not become more,
// although those of the site do.
func (e *Evidence) replaces(others []*Evidence) bool {
	if len(others) == 0 {
		return false
	}
	all := Evidence{sums: &sums{count: e.count, bytes: e.bytes}}
	for _, o := range others {
		for w := range Windows {
			all.count[w] += o.count[w]
			all.bytes[w] += o.bytes[w]
		}
	}
	count, bytes := e.envelopes()
	allCount, allBytes := all.envelopes()
	return levelOut(&count, &allCount) && levelOut(&bytes, &allBytes)
}

// levelOut reports whether levels rise in the last two thirds of the run while the sums with others neither rise nor fall
// by a large part of that.
func levelOut(least, all *[groups]float64) bool {
	rise := least[groups-1] - least[groups/3]
	sums := all[groups/3:]
	return rise > 0 && slices.Max(sums)-slices.Min(sums) < goesOn*rise
}
