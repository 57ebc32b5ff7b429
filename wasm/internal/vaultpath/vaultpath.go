// Package vaultpath holds the rules for paths inside a vault: what is refused,
// what a new name may look like, and when two names are one.
//
// Everything here is pure text work: nothing looks at a disk. Paths are as in
// package host: relative to the vault's root, "/" between the parts, no
// leading or trailing slash; the root itself is "".
//
// There are two questions, and two functions for them. Clean asks whether a
// path is safe: does it stay in the vault and away from hidden files and
// devices, however it is spelled? CheckNew asks in addition whether a name can
// be created on every system a vault may be synchronised to (Linux, macOS,
// Windows, Android, iOS) and linked to by a wikilink. A file that exists
// already may have a name that CheckNew refuses; it can be read and renamed,
// but no new one like it is made.
//
// All errors are VALIDATION_ERROR with a key error.path.*, which says what to
// do instead.
package vaultpath

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"embedded-agent/wasm/internal/fault"
)

const (
	// MaxName is the most bytes of UTF-8 that a file or folder name may have,
	// extension included (ext4, APFS; NTFS allows 255 UTF-16 units, which are
	// never fewer bytes than that).
	MaxName = 255
	// MaxPath is the most bytes of UTF-8 for a whole new path inside the vault.
	// It leaves room for the vault's own place below the 1,024 bytes of macOS
	// and iOS.
	MaxPath = 800
	// MaxForeignPath is where a path is refused before anything looks at it
	// (PATH_MAX of Linux).
	MaxForeignPath = 4096
)

// Clean gives the one spelling of a path: NFC, no-break spaces as spaces,
// backslashes as slashes, slashes collapsed, "." parts, a trailing slash and
// the leading slash of a vault-absolute path ("/Projects/a.md") dropped.
//
// It refuses what could lead out of the vault or to what is not a note: "..",
// in whatever disguise (percent-encoding, look-alike dots and slashes, padding
// by spaces or invisible characters), absolute and drive paths, addresses,
// NUL and control characters, hidden names, and the names of Windows devices
// on every system. The root is refused too (error.path.empty); see
// CleanFolder.
func Clean(p string) (string, error) {
	clean, err := CleanFolder(p)
	if err == nil && clean == "" {
		return "", refuse("error.path.empty", p, nil)
	}
	return clean, err
}

// CleanFolder is Clean for a folder, which may be the root: "", "/" and "."
// give "".
func CleanFolder(p string) (string, error) {
	if ordinary(p) {
		return p, nil
	}
	return cleanFolder(p)
}

// cleanFolder is CleanFolder of any path whatever.
func cleanFolder(p string) (string, error) {
	if len(p) > MaxForeignPath {
		return "", refuse("error.path.long", p, fault.P{"max": itoa(MaxForeignPath)})
	}
	if r, bad := firstControl(p); bad {
		return "", refuse("error.path.illegal", p, fault.P{"char": describe(r)})
	}
	clean := strings.Map(plainSeparator, norm.NFC.String(p))
	if isAbsolute(clean) {
		return "", refuse("error.path.absolute", p, nil)
	}
	parts := strings.Split(clean, "/")
	kept := parts[:0]
	for _, part := range parts {
		if part != "" && part != "." {
			kept = append(kept, part)
		}
	}
	if err := refuseDisguised(p, clean); err != nil {
		return "", err
	}
	for _, part := range kept {
		if err := checkPart(p, part); err != nil {
			return "", err
		}
	}
	clean = strings.Join(kept, "/")
	if isAbsolute(clean) { // "./C:/x"
		return "", refuse("error.path.absolute", p, nil)
	}
	return clean, nil
}

// Check says whether an existing path is safe to ask for: Clean's error.
func Check(p string) error {
	_, err := Clean(p)
	return err
}

// Windows is the platform on which a file has a second name (host.Platform.Name).
const Windows = "win"

// CheckShort says whether no part of a path may be the second, short name that
// NTFS gives to a file with a longer one: OBSIDI~1 is .obsidian there, and
// whoever compares names does not see it. error.path.short.
func CheckShort(p string) error {
	for part := range strings.SplitSeq(p, "/") {
		if short(part) {
			return refuse("error.path.short", p, fault.P{"name": part})
		}
	}
	return nil
}

// short says whether a name has the form of an 8.3 name that was made up: up to
// eight characters that end in "~" and a number, and an extension of up to three.
func short(name string) bool {
	stem, ext, _ := strings.Cut(strings.TrimRight(name, ". "), ".")
	at := strings.LastIndexByte(stem, '~')
	if at < 1 || at == len(stem)-1 || utf8.RuneCountInString(stem) > 8 || utf8.RuneCountInString(ext) > 3 {
		return false
	}
	return strings.Trim(stem[at+1:], "0123456789") == ""
}

// CheckStored says whether a path is safe and one that Clean could have given:
// a record that names one with "..", "." or nothing between two slashes, or with
// backslashes, was not written by this program. error.path.outside.
func CheckStored(p string) error {
	if err := Check(p); err != nil {
		return err
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || strings.Contains(part, "\\") {
			return refuse("error.path.outside", p, nil)
		}
	}
	return nil
}

// CheckNew says whether the path is safe (Clean) and its names can be made on
// every system: none of * " \ < > : | ? and, because they break links, none of
// # ^ [ ]; no trailing dot or space; nothing invisible but the joiners that
// emoji and scripts need; names up to MaxName bytes, the whole up
// to MaxPath. It applies to every part, since the folders may have to be made.
func CheckNew(p string) error {
	_, err := CleanNew(p)
	return err
}

// CleanNew is Clean followed by CheckNew: the path to create.
func CleanNew(p string) (string, error) { return CleanNewOn("", p) }

// Android is the platform (host.Platform.Name) that refuses more than the
// others: + and '. Both are so common in titles that only a path for that
// platform is held against it.
const Android = "android"

const androidIllegal = "+'"

// CleanNewOn is CleanNew for a path that is created on the platform named.
func CleanNewOn(platform, p string) (string, error) {
	clean, err := Clean(p)
	if err != nil {
		return "", err
	}
	if len(clean) > MaxPath {
		return "", refuse("error.path.long", clean, fault.P{"max": itoa(MaxPath)})
	}
	for part := range strings.SplitSeq(clean, "/") {
		if err := checkName(platform, clean, part); err != nil {
			return "", err
		}
	}
	return clean, nil
}

// CheckNameOn says whether the last part of a clean path can be made on every
// system, and on the platform named; the folders above it may be there
// already, under names that no new one would get.
func CheckNameOn(platform, clean string) error {
	if len(clean) > MaxPath {
		return refuse("error.path.long", clean, fault.P{"max": itoa(MaxPath)})
	}
	return checkName(platform, clean, Base(clean))
}

// checkName checks what is asked of a new name beyond being safe.
func checkName(platform, whole, part string) error {
	if len(part) > MaxName {
		return refuse("error.path.long", whole, fault.P{"max": itoa(MaxName)})
	}
	for _, r := range part {
		if illegalInName(r) || platform == Android && strings.ContainsRune(androidIllegal, r) {
			return refuse("error.path.illegal", whole, fault.P{"char": describe(r)})
		}
	}
	if last := part[len(part)-1]; last == '.' || last == ' ' {
		return refuse("error.path.trailing", whole, nil)
	}
	for _, r := range part {
		if unseen(r) {
			return refuse("error.path.invisible", whole, fault.P{"char": describe(r)})
		}
	}
	return nil
}

// checkPart refuses one part of a normalised path: "..", hidden names and
// devices.
func checkPart(whole, part string) error {
	bare := strings.Map(visible, part)
	switch {
	case strings.Trim(bare, ". ") == "":
		return refuse("error.path.outside", whole, nil)
	case strings.TrimLeft(bare, " ")[0] == '.': // some systems drop the spaces
		return refuse("error.path.hidden", whole, nil)
	}
	if name := Device(bare); name != "" {
		return refuse("error.path.reserved", whole, fault.P{"name": name})
	}
	return nil
}

// plainSeparator maps every kind of space that is not a plain one to it, and
// the backslash to the slash, as the app's own normalizePath does.
func plainSeparator(r rune) rune {
	switch r {
	case '\\':
		return '/'
	case '\u00A0', '\u202F':
		return ' '
	}
	return r
}

// osRoots are the first parts of absolute paths on the systems we run on. A
// path that starts with one is meant for the disk, not for the vault.
var osRoots = map[string]bool{
	"etc": true, "home": true, "root": true, "usr": true, "var": true, "tmp": true, "bin": true, "sbin": true,
	"dev": true, "proc": true, "sys": true, "opt": true, "mnt": true, "media": true, "boot": true, "lib": true,
	"Users": true, "Volumes": true, "System": true, "Library": true, "Applications": true, "private": true,
	"storage": true, "sdcard": true, "data": true,
}

// isAbsolute recognises "//server", "/etc/passwd", "C:…", "~/…" and addresses
// ("https://…"); the path has plain slashes.
func isAbsolute(p string) bool {
	switch {
	case strings.HasPrefix(p, "//"), p == "~", strings.HasPrefix(p, "~/"):
		return true
	case len(p) >= 2 && p[1] == ':' && isLetter(p[0]):
		return true
	case strings.HasPrefix(p, "/"):
		first, _, _ := strings.Cut(p[1:], "/")
		return osRoots[first] || isAbsolute(p[1:])
	}
	scheme, _, found := strings.Cut(p, "://")
	if !found || scheme == "" || !isLetter(scheme[0]) {
		return false
	}
	return strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+.-") == ""
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// firstControl finds a control character, a line or paragraph separator, or a
// byte that is not UTF-8 (given as utf8.RuneError).
func firstControl(s string) (rune, bool) {
	for i, r := range s {
		switch {
		case r < 0x20, r >= 0x7F && r < 0xA0, r == '\u2028', r == '\u2029':
			return r, true
		case r == utf8.RuneError:
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return r, true
			}
		}
	}
	return 0, false
}

// illegalInName lists what no new name may hold (see CheckNew), and the marks
// that turn the direction of text around, which can hide an extension.
func illegalInName(r rune) bool {
	switch r {
	case '*', '"', '\\', '/', '<', '>', ':', '|', '?', '#', '^', '[', ']':
		return true
	}
	return bidiOverride(r)
}

func bidiOverride(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// describe gives a character as people can read it.
func describe(r rune) string {
	if unicode.IsGraphic(r) && r != utf8.RuneError {
		return string(r)
	}
	const hex = "0123456789ABCDEF"
	if r == utf8.RuneError {
		return "bytes that are not UTF-8"
	}
	out := []byte{'U', '+'}
	shift := 12
	for r>>(shift+4) != 0 {
		shift += 4
	}
	for ; shift >= 0; shift -= 4 {
		out = append(out, hex[r>>shift&15])
	}
	return string(out)
}

// Device gives the Windows device that a name stands for ("CON", "COM1"), or
// "". What follows the first dot does not matter to Windows, nor do trailing
// spaces, nor letter case; the superscript digits ¹ ² ³ count as digits.
func Device(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return stem
	}
	if len(stem) > 3 && (stem[:3] == "COM" || stem[:3] == "LPT") {
		switch stem[3:] {
		case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
			return stem
		}
	}
	return ""
}

// refuse makes the error; the path is shortened for reading.
func refuse(key, path string, params fault.P) error {
	if params == nil {
		params = fault.P{}
	}
	const most = 120
	if len(path) > most {
		path = path[:graphemeCut(path, most)] + "…"
	}
	params["path"] = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(path, "\uFFFD"))
	return fault.New(fault.Validation, key, params)
}
