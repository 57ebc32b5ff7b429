package action_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"embedded-agent/wasm/internal/action"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host/hosttest"
	"embedded-agent/wasm/internal/plan"
)

const onePlan = `{"goal":"g","assumptions":[],"steps":[{"id":"a","tool":"vault.createFile","args":{"path":"x.md","content":"${what}"}}]}`

func own(id, name string) *action.Action {
	return &action.Action{ID: id, Name: name, Plan: []byte(onePlan), Trusted: true}
}

// names lists the actions that are shown: own ones by name, bundled ones by the
// end of their id.
func names(t *testing.T, l *action.Library) []string {
	t.Helper()
	list, err := l.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range list {
		if a.Bundled() {
			out = append(out, strings.TrimPrefix(a.ID, "bundled."))
		} else {
			out = append(out, a.Name)
		}
	}
	return out
}

func put(t *testing.T, l *action.Library, list ...*action.Action) {
	t.Helper()
	for _, a := range list {
		if err := l.Put(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOwnActionsComeFirstUntilThePersonOrdersThem(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	l := action.NewLibrary(m.Host().Store)
	put(t, l, own("1", "One"), own("2", "Two"))
	if got := names(t, l); got[0] != "One" || got[1] != "Two" || got[2] != "bulletsToNotes" || len(got) != 14 {
		t.Fatalf("want got[0] \"One\", got[1] \"Two\", got[2] \"bulletsToNotes\" and 14 of them, got %v", got)
	}
	if err := l.Order(t.Context(), []string{"bundled.renameTag", "2", "gone", "bundled.rollOver", "1"}); err != nil {
		t.Fatal(err)
	}
	put(t, l, own("3", "Three"))
	want := []string{"Three", "renameTag", "Two", "rollOver", "One", "bulletsToNotes"}
	if got := names(t, l)[:6]; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	again := action.NewLibrary(m.Host().Store)
	if a, b := names(t, l), names(t, again); !slices.Equal(a, b) {
		t.Errorf("after a restart %v, before %v", b, a)
	}
}

func TestABundledActionIsHiddenShownAndCopiedAndNeverChanged(t *testing.T) {
	m := hosttest.New(hosttest.Options{})
	l := action.NewLibrary(m.Host().Store)
	ctx := t.Context()
	const id = "bundled.renameTag"
	if err := l.Remove(ctx, id); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(names(t, l), "renameTag") || slices.Contains(names(t, action.NewLibrary(m.Host().Store)), "renameTag") {
		t.Error("it is still shown")
	}
	if hidden, err := l.Hidden(ctx); err != nil || len(hidden) != 1 || hidden[0].ID != id {
		t.Errorf("hidden: %v %v", hidden, err)
	}
	a, err := l.Get(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Restore(ctx, id); err != nil || !slices.Contains(names(t, l), "renameTag") {
		t.Errorf("it is not shown again: %v", err)
	}
	changed := *a
	changed.Name = "Mine"
	if err := l.Put(ctx, &changed); !fault.Is(err, fault.Precondition) {
		t.Errorf("changed: %v", err)
	}
	if err := l.Rename(ctx, id, "Mine"); !fault.Is(err, fault.Precondition) {
		t.Errorf("renamed: %v", err)
	}
	if err := changed.AddCall("util.joinLines", "1.0.0", map[string]any{}, ""); !fault.Is(err, fault.Precondition) {
		t.Errorf("a step was added: %v", err)
	}
	name, err := l.Free(ctx, a.Name)
	if err != nil || name != a.Name+" (2)" {
		t.Fatalf("want no error and name equal to a.Name+\" (2)\", got %q %v", name, err)
	}
	put(t, l, &action.Action{ID: "copy", Name: name, Plan: a.Plan, Params: a.Params})
	if c, err := l.Get(ctx, "copy"); err != nil || c.Bundled() || !c.Same(a) {
		t.Errorf("the copy is %+v, %v", c, err)
	}
}

func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	l := action.NewLibrary(hosttest.New(hosttest.Options{}).Host().Store)
	put(t, l, own("1", "One"))
	for _, c := range []struct {
		name string
		a    *action.Action
		code fault.Code
	}{
		{"without a name", own("2", " "), fault.Validation},
		{"a name that is taken", own("2", "ONE"), fault.Conflict},
		{"the name of a bundled one", own("2", "rename a tag"), fault.Conflict},
		{"neither plan nor prompt", &action.Action{ID: "2", Name: "x"}, fault.Validation},
		{"both", &action.Action{ID: "2", Name: "x", Plan: []byte(onePlan), Prompt: "p"}, fault.Validation},
		{"no plan", &action.Action{ID: "2", Name: "x", Plan: []byte(`{"steps":1}`)}, fault.Validation},
		{"an unknown kind", &action.Action{ID: "2", Name: "x", Prompt: "p", Params: []action.Param{{Name: "a", Kind: "password"}}}, fault.Validation},
		{"a choice of nothing", &action.Action{ID: "2", Name: "x", Prompt: "p", Params: []action.Param{{Name: "a", Kind: action.Choice}}}, fault.Validation},
	} {
		if err := l.Put(t.Context(), c.a); !fault.Is(err, c.code) {
			t.Errorf("%s: want the error of the case, got %v", c.name, err)
		}
	}
	put(t, l, own("1", "one")) // its own name is not taken
}

func TestAnExportComesBackWithAllThatItHad(t *testing.T) {
	from := action.NewLibrary(hosttest.New(hosttest.Options{}).Host().Store)
	put(
		t, from,
		&action.Action{
			ID: "1", Name: "It's & <more>", Icon: "leaf", Group: "Größe", Ribbon: true, Plan: []byte(onePlan), Trusted: true,
			Params: []action.Param{
				{Name: "what", Kind: action.Choice, Value: "b", Choices: []string{"a", "b"}, Optional: true, Label: "bundled.field.tag"},
			},
		},
		&action.Action{ID: "2", Name: "Ask", Prompt: "Sum up ${selection} in ${words} words", Params: []action.Param{{Name: "words", Kind: action.Text, Value: "50"}}},
	)
	raw, err := from.Export(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := action.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	into := action.NewLibrary(hosttest.New(hosttest.Options{}).Host().Store)
	put(t, into, own("x", "Ask"))
	n := 0
	if err := into.Import(t.Context(), list, func() string { n++; return fmt.Sprint("new", n) }); err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"1", "2"} {
		was, err := from.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := into.Get(t.Context(), fmt.Sprint("new", i+1))
		if err != nil {
			t.Fatal(err)
		}
		want := *was
		want.ID, want.Trusted = got.ID, false // nothing that comes from elsewhere is trusted
		if id == "2" {
			want.Name = "Ask (2)"
		}
		if !want.Same(got) || was.Kind() != got.Kind() {
			t.Errorf("%s does something else", id)
		}
		want.Plan, got.Plan = nil, nil
		if d := cmp.Diff(&want, got, cmpopts.IgnoreUnexported(action.Action{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", id, d)
		}
	}
	one, err := from.Export(t.Context(), []string{"bundled.renameTag"})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := action.Parse(one); err != nil || len(list) != 1 || list[0].Bundled() {
		t.Errorf("a bundled one that is named: %v %v", list, err)
	}
}

func TestAFileOfTheFirstVersionIsReadAndANewerOneRefused(t *testing.T) {
	const old = `{"format":"embedded-agent/actions","version":1,"actions":[{"id":"1","name":"Old","icon":"leaf","plan":` + onePlan +
		`,"params":[{"name":"what","kind":"folder","value":"Projects"}],"trusted":true}]}`
	m := hosttest.New(hosttest.Options{})
	if err := m.Host().Store.Write(t.Context(), "actions.json", []byte(old)); err != nil {
		t.Fatal(err)
	}
	l := action.NewLibrary(m.Host().Store)
	a, err := l.Get(t.Context(), "1")
	if err != nil || a.Name != "Old" || a.Trusted || a.Kind() != action.KindTemplate || a.Params[0].Value != "Projects" {
		t.Fatalf("want no error, Name \"Old\", Trusted false, Kind action.KindTemplate and Params[0].Value \"Projects\", got %+v %v", a, err)
	}
	put(t, l, own("2", "New")) // it is written anew, and read again
	if got := names(t, action.NewLibrary(m.Host().Store)); got[0] != "Old" || got[1] != "New" {
		t.Errorf("want got[0] \"Old\" and got[1] \"New\", got %v", got)
	}
	if list, err := action.Parse([]byte(old)); err != nil || len(list) != 1 || list[0].Trusted {
		t.Errorf("imported: %v %v", list, err)
	}
	if _, err := action.Parse([]byte(strings.Replace(old, `"version":1`, `"version":3`, 1))); !fault.Is(err, fault.Validation) {
		t.Errorf("a newer version: %v", err)
	}
	if _, err := action.Parse([]byte(strings.Replace(old, `"icon"`, `"iconic"`, 1))); !fault.Is(err, fault.Validation) {
		t.Errorf("an unknown field: %v", err)
	}
}

func TestACallBecomesAStepWithItsArgumentsAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[${}a-z.\\ ]{0,12}`),
			rapid.SampledFrom([]string{"${folderName}", "$steps.a.path", "{item}", `\${x}`, "{{date}}", "${value2}", `C:\${x}\\`, ""}),
		)
		args := map[string]any{
			"a": text.Draw(t, "a"), "b": []any{text.Draw(t, "b"), 3.0, true}, "c": map[string]any{"d": text.Draw(t, "d"), "${x}": nil},
		}
		a := &action.Action{ID: "1", Name: "n", Trusted: true}
		for range 2 {
			if err := a.AddCall("vault.createFile", "1.2.0", args, "vault"); err != nil {
				t.Fatal(err)
			}
		}
		if a.Trusted || a.Kind() != action.KindPlan {
			t.Errorf("trusted: %v, kind %s", a.Trusted, a.Kind())
		}
		p, err := a.Bind(nil, action.Context{})
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range []string{"createFile", "createFile2"} {
			s := p.Steps[i]
			if s.ID != id || s.Tool != "vault.createFile" || s.Version != "1.2.0" || s.SecretScope != "vault" {
				t.Errorf("want ID equal to id, Tool \"vault.createFile\", Version \"1.2.0\" and SecretScope \"vault\", got %+v", s)
			}
			got, err := plan.Bind(&s, &plan.Scope{})
			if err != nil {
				t.Fatal(err)
			}
			x, _ := json.Marshal(got)
			y, _ := json.Marshal(args)
			if string(x) != string(y) {
				t.Errorf("got %s, want %s", x, y)
			}
		}
	})
}

func TestACanvasShowsEachStepRightOfWhatItWaitsFor(t *testing.T) {
	for _, a := range action.Bundled("en") {
		p, err := a.Template()
		if err != nil {
			t.Fatal(err)
		}
		g, problems := plan.Check(p, registry(t), plan.Rules{Template: true})
		if g == nil {
			t.Fatal("want something, got:", plan.Fault(problems))
		}
		after := map[string][]string{}
		for _, n := range g.Nodes {
			after[n.Step.ID] = n.DependsOn
		}
		raw, err := action.Canvas(a.Name, p, after)
		if err != nil {
			t.Fatal(err)
		}
		checkCanvas(t, a.Name, raw, len(p.Steps))
	}
	raw, err := action.Canvas("Ask", &plan.Plan{Goal: "Sum up"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkCanvas(t, "Ask", raw, 1)
}

type box struct {
	ID, Type, Text, Label string
	X, Y, Width, Height   int
}

func (b box) meets(o box) bool {
	return b.X < o.X+o.Width && o.X < b.X+b.Width && b.Y < o.Y+o.Height && o.Y < b.Y+b.Height
}

func (b box) holds(o box) bool {
	return b.X <= o.X && b.Y <= o.Y && b.X+b.Width >= o.X+o.Width && b.Y+b.Height >= o.Y+o.Height
}

func checkCanvas(t *testing.T, name string, raw []byte, cards int) {
	t.Helper()
	var c struct {
		Nodes []box
		Edges []struct{ ID, FromNode, FromSide, ToNode, ToSide string }
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != cards+1 || c.Nodes[0].Type != "group" || c.Nodes[0].Label != name {
		t.Fatalf("%s: want as many Nodes as cards+1, Nodes[0].Type \"group\" and Nodes[0].Label equal to name, got %+v", name, c.Nodes)
	}
	byID := map[string]box{}
	for i, b := range c.Nodes {
		if _, twice := byID[b.ID]; twice {
			t.Errorf("%s: %s twice", name, b.ID)
		}
		byID[b.ID] = b
		if i > 0 && (b.Type != "text" || b.Text == "" || !c.Nodes[0].holds(b)) {
			t.Errorf("%s: want at most 0 (or Type \"text\" and Text set), got %+v", name, b)
		}
		for _, o := range c.Nodes[1:max(i, 1)] {
			if i > 0 && b.meets(o) {
				t.Errorf("%s: %s lies over %s", name, b.ID, o.ID)
			}
		}
	}
	for _, e := range c.Edges {
		from, to := byID[e.FromNode], byID[e.ToNode]
		if from.ID == "" || to.ID == "" || from.X+from.Width >= to.X || e.FromSide != "right" || e.ToSide != "left" {
			t.Errorf("%s: the edge %+v", name, e)
		}
	}
}
