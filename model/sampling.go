package model

import "strconv"

// Estimate states that values of an event were scaled from samples, and how often samples were taken, if known:
// "estimated from samples every 512 KiB". It is "" if every allocation was recorded, or if that is unknown.
func (e *ProfileEvent) Estimate() string {
	every, ok := e.every()
	switch {
	case !ok:
		return ""
	case every == "":
		return "estimated from samples"
	}
	return "estimated from samples every " + every
}

// Sampled states the same in few cells: "sampled every 512 KiB".
func (e *ProfileEvent) Sampled() string {
	every, ok := e.every()
	switch {
	case !ok:
		return ""
	case every == "":
		return "sampled"
	}
	return "sampled every " + every
}

// every returns the distance of two samples, "" if unknown; ok is false if the values are not known to be estimates.
func (e *ProfileEvent) every() (every string, ok bool) {
	n := e.SamplePeriod
	if n <= 1 || n >= 1<<62 || e.PeriodUnit == "" && e.Kind != "allocation" {
		return "", e.Estimated
	}
	unit := ProfileMetric{Unit: e.PeriodUnit}
	switch measure := unit.Measure(); {
	case measure.Bytes, e.PeriodUnit == "":
		return Bytes(n).String(), true
	case measure.Tick > 0:
		return Time(n * measure.Tick).String(), true
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + " " + Clean(e.PeriodUnit), true
}

// BytePeriod returns the mean distance of two samples of allocated memory in bytes; ok is false if it is unknown.
func (e *ProfileEvent) BytePeriod() (period uint64, ok bool) {
	n := e.SamplePeriod
	if n <= 1 || n >= 1<<62 || e.Kind != "allocation" {
		return 0, false
	}
	unit := ProfileMetric{Unit: e.PeriodUnit}
	return uint64(n), e.PeriodUnit == "" || unit.Measure().Bytes
}

// Estimates reports whether values of a metric are estimates of memory: an event of allocations has them scaled from
// samples. The samples themselves are counted.
func (p *StackProfile) Estimates(event uint16, metric MetricID) bool {
	return p.Sampled(event) != "" && p.Events[event].Kind == "allocation" && p.Metrics[metric].Name != "samples"
}

// Sampled states how values of an event are estimated, as [ProfileEvent.Sampled] does; "" if they are exact, or the
// profile has no such event.
func (p *StackProfile) Sampled(event uint16) string {
	if p == nil || int(event) >= len(p.Events) {
		return ""
	}
	return p.Events[event].Sampled()
}
