package model

import "testing"

func TestEqualProblemsAreSaidOnce(t *testing.T) {
	of := func(severity Severity, count int64, message string) Problem {
		return Problem{Severity: severity, Code: "cut", Message: message, Count: count, Offset: count}
	}
	merged := MergeProblems([]Problem{
		of(Warning, 2, "a line is cut"), of(Warning, 3, "b.json: a line is cut"), of(Note, 1, "c.json: a line is cut"),
		of(Warning, 1, "a.json: 2: no name"), of(Warning, 1, "b.json: 2: no name"), of(Warning, 1, "c.json: 2: no name"), of(Warning, 4, "d.json: 2: no name"),
		of(Warning, 1, "b.json: a line is cut"),
	})
	want := []Problem{
		{Warning, "cut", "2 of the files: a line is cut", 6, 2, 0}, {Note, "cut", "c.json: a line is cut", 1, 1, 0},
		{Warning, "cut", "a.json, b.json, c.json and 1 more: 2: no name", 7, 1, 0},
	}
	if len(merged) != len(want) {
		t.Fatalf("%+v", merged)
	}
	for i := range want {
		if merged[i] != want[i] {
			t.Errorf("%+v, want %+v", merged[i], want[i])
		}
	}
	if one := MergeProblems([]Problem{of(Note, 1, "a.json: alone")}); one[0].Message != "a.json: alone" {
		t.Error(one)
	}
}
