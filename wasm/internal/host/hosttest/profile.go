package hosttest

import (
	"strings"

	"embedded-agent/wasm/internal/fault"
)

// Profile is how a system's disk treats names.
type Profile struct {
	Name        string
	IgnoresCase bool
	Illegal     string // characters that a name cannot hold
}

// The five systems the app runs on. The characters are those its error
// messages list; that phones ignore case is a guess for Android's shared
// storage.
var (
	Linux   = Profile{Name: "linux", Illegal: "/"}
	Mac     = Profile{Name: "mac", IgnoresCase: true, Illegal: `\/:`}
	Windows = Profile{Name: "win", IgnoresCase: true, Illegal: `*"\/<>:|?`}
	Android = Profile{Name: "android", IgnoresCase: true, Illegal: `|\?*"<>:+[]/'`}
	IOS     = Profile{Name: "ios", IgnoresCase: false, Illegal: `\/:`}
)

// Profiles lists the five.
func Profiles() []Profile { return []Profile{Linux, Mac, Windows, Android, IOS} }

func (p Profile) checkName(path, name string) error {
	if i := strings.IndexAny(name, p.Illegal); i >= 0 {
		return fault.New(fault.Validation, "error.path.illegal", fault.P{"path": path, "char": name[i : i+1]})
	}
	return nil
}
