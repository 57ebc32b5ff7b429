package action

import (
	"embed"
	"encoding/json"
	"path"
	"strings"

	"embedded-agent/i18n"
)

// bundledOrder is the order that the bundled actions are listed in; each is a
// file of the folder bundled. Names, goals and labels are in the catalogue.
var bundledOrder = []string{
	"bulletsToNotes", "folderIndex", "rollOver", "addProperty", "renameByDate", "splitNote",
	"mergeNotes", "replaceText", "renameTag", "moveByTag", "linkMentions", "dailyNote",
}

//go:embed bundled/*.json
var bundledFiles embed.FS

// bundledPrefix begins the ids of bundled actions.
const bundledPrefix = "bundled."

// Bundled gives the actions that come with the plugin, with names and goals in
// a language (BCP 47): English where there are no words in it.
func Bundled(language string) []*Action {
	words := i18n.Bundled(language)
	out := make([]*Action, 0, len(bundledOrder))
	for _, name := range bundledOrder {
		b, err := bundledFiles.ReadFile(path.Join("bundled", name+".json"))
		if err != nil {
			panic(err) // embedded: cannot fail in a built program
		}
		var a struct {
			Icon   string                     `json:"icon"`
			Params []Param                    `json:"params"`
			Plan   map[string]json.RawMessage `json:"plan"`
		}
		if err := json.Unmarshal(b, &a); err != nil {
			panic("bundled/" + name + ".json: " + err.Error())
		}
		id := bundledPrefix + name
		a.Plan["goal"] = quoted(words(id + ".goal"))
		plan, err := json.Marshal(a.Plan)
		if err != nil {
			panic(err) // of JSON that was read
		}
		out = append(out, &Action{
			ID: id, Name: words(id + ".name"), Icon: a.Icon, Plan: plan, Params: a.Params, Trusted: true, bundled: true,
		})
	}
	return out
}

func quoted(text string) json.RawMessage {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string
	}
	return b
}

// IsBundledLabel says whether a label belongs to the words of bundled actions:
// the only ones that an action may name.
func IsBundledLabel(key string) bool {
	return strings.HasPrefix(key, bundledPrefix+"field.") && i18n.HasBundled(key)
}
