// Package ids makes and reads the names of turns, reviews, runs and questions.
// They are UUIDs of version 7 (RFC 9562), so that sorting them sorts by time.
package ids

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"embedded-agent/wasm/internal/fault"
)

// New gives a new id.
func New() string {
	id, err := uuid.NewV7()
	if err != nil {
		id = uuid.New()
	}
	return id.String()
}

// Time reads out of an id when it was made; def where it does not say.
func Time(id string, def time.Time) time.Time {
	u, err := uuid.Parse(id)
	if err != nil || u.Version() != 7 {
		return def
	}
	sec, nsec := u.Time().UnixTime()
	return time.Unix(sec, nsec)
}

// CheckRun refuses an id that cannot be a run's: its folder has that name, and
// no id leads out of it. The error is NOT_FOUND.
func CheckRun(id string) error {
	if id == "" || strings.ContainsAny(id, "/\\.") {
		return fault.New(fault.NotFound, "error.run.missing", nil)
	}
	return nil
}
