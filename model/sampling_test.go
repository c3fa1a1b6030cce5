package model

import "testing"

func TestEstimates(t *testing.T) {
	for want, e := range map[string]ProfileEvent{
		"sampled every 512 KiB":      {SamplePeriod: 524288, PeriodUnit: "bytes"},
		"sampled every 10.0 ms":      {SamplePeriod: 1e7, PeriodUnit: "nanoseconds"},
		"sampled every 4.00 KiB":     {SamplePeriod: 4096, Kind: "allocation"},
		"sampled every 99 contended": {SamplePeriod: 99, PeriodUnit: "contended"},
		"sampled":                    {Estimated: true},
		"":                           {SamplePeriod: 1, PeriodUnit: "bytes", Kind: "allocation"},
	} {
		if got := e.Sampled(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	cycles := ProfileEvent{SamplePeriod: 1000, Kind: "hardware"}
	if got := (&StackProfile{Events: []ProfileEvent{cycles}}).Sampled(0); got != "" {
		t.Error(got)
	}
	if got := (&StackProfile{}).Sampled(0); got != "" {
		t.Error(got)
	}
}
