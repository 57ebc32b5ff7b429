// Package i18n gives the core the English words of the panel's catalogue.
//
// The words live here once, as JSON: one folder per language, one file per
// area. The panel loads every language; the core embeds English for what is
// read outside the panel (the model, the log, the native command).
//
// A message is text with {name} placeholders. A key that ends in _one or
// _other is the form for the number in the parameter "n" (CLDR plural rules;
// English needs these two).
package i18n

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

//go:embed en/*.json */bundled.json
var files embed.FS

var catalogue = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	entries, err := files.ReadDir("en")
	if err != nil {
		panic(err) // embedded: cannot fail in a built program
	}
	for _, e := range entries {
		b, err := files.ReadFile("en/" + e.Name())
		if err != nil {
			panic(err)
		}
		area := map[string]string{}
		if err := json.Unmarshal(b, &area); err != nil {
			panic(fmt.Sprintf("i18n: en/%s: %v", e.Name(), err))
		}
		for k, v := range area {
			if _, twice := all[k]; twice {
				panic("i18n: key twice: " + k)
			}
			all[k] = v
		}
	}
	return all
})

// Bundled gives the texts of bundled.json in a language (BCP 47), English where
// there is none: the names of the actions that come with the plugin, which are
// data (they are searched by, and copied), not messages. Nothing is filled in.
func Bundled(language string) func(key string) string {
	words := bundled(folderOf(language))
	return func(key string) string { return cmp.Or(words[key], englishBundled()[key], key) }
}

// HasBundled says whether bundled.json has words for the key. The rest of the
// catalogue is not read for it: it is asked when the core starts.
func HasBundled(key string) bool {
	_, ok := englishBundled()[key]
	return ok
}

var englishBundled = sync.OnceValue(func() map[string]string { return bundled("en") })

// folderOf chooses as the panel does (index.ts).
func folderOf(language string) string {
	switch low := strings.ToLower(language); low {
	case "zh", "zh-cn", "zh-hans", "zh-sg":
		return "zh-CN"
	default:
		base, _, _ := strings.Cut(low, "-")
		return base
	}
}

func bundled(folder string) map[string]string {
	b, err := files.ReadFile(folder + "/bundled.json")
	if err != nil {
		return nil // no such language
	}
	words := map[string]string{}
	if err := json.Unmarshal(b, &words); err != nil {
		panic(fmt.Sprintf("i18n: %s/bundled.json: %v", folder, err))
	}
	return words
}

// Has says whether the catalogue has words for the key.
func Has(key string) bool {
	c := catalogue()
	_, ok := c[key]
	if !ok {
		_, ok = c[key+"_other"]
	}
	return ok
}

// Keys lists every key of the catalogue.
func Keys() []string {
	c := catalogue()
	keys := make([]string, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	return keys
}

// English gives the words of a message. A key without words is shown as it is,
// with its parameters, so that nothing is lost; a test keeps that from
// happening.
func English(key string, params map[string]string) string {
	c := catalogue()
	text, ok := c[key]
	if !ok {
		form := "_other"
		if params["n"] == "1" {
			form = "_one"
		}
		if text, ok = c[key+form]; !ok {
			return fmt.Sprint(key, params)
		}
	}
	return fill(text, params)
}

// fill replaces {name} in one pass: a value that holds braces is never
// expanded again.
func fill(text string, params map[string]string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(text[open:], '}')
		if end < 0 {
			break
		}
		name := text[open+1 : open+end]
		v, ok := params[name]
		if !ok {
			v = text[open : open+end+1]
		}
		b.WriteString(text[:open])
		b.WriteString(v)
		text = text[open+end+1:]
	}
	b.WriteString(text)
	return b.String()
}
