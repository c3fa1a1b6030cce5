package analysis

import "testing"

// Shown ends the wait for the first chart at once, however often it is called, and nothing where nobody waits.
func TestShown(t *testing.T) {
	k := NewKeptIndex(nil)
	k.Shown()
	hold := k.FirstChart()
	for range 2 {
		k.Shown()
		select {
		case <-hold:
		default:
			t.Fatal("others still wait")
		}
	}
}

// The first chart gives back what it mapped, no other question does, and not while the file may be gone.
func TestFirstChartForgets(t *testing.T) {
	source, data := smallTrace(t, 300)
	place := &memoryPlace{data: data, key: IndexKey{1}}
	k, _ := reopened(t, place, source, testStacks())
	if used, why := k.Used(); !used {
		t.Fatal(why)
	}
	if _, err := k.Sites(t.Context(), Query{}); err != nil || place.forgot != 0 {
		t.Errorf("forgot %d times before a chart, %v", place.forgot, err)
	}
	for range 2 {
		if _, err := k.Chart(t.Context(), Whole, 40); err != nil || place.forgot != 1 || place.closed != 0 {
			t.Errorf("forgot %d times, closed %d times, %v", place.forgot, place.closed, err)
		}
	}
	k.Close()
	if _, err := k.Chart(t.Context(), Whole, 40); err == nil || place.forgot != 1 || place.closed != 1 {
		t.Errorf("forgot %d times, closed %d times, %v", place.forgot, place.closed, err)
	}

	built, _ := reopened(t, &memoryPlace{}, source, testStacks())
	if _, err := built.Chart(t.Context(), Whole, 40); err != nil { // there is no file
		t.Error(err)
	}
}
