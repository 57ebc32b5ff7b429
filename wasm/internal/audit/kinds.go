package audit

import (
	"math/bits"
	"regexp"
	"strings"

	"embedded-agent/wasm/internal/regex"
)

// kind is one way that keys are written. The hints spare most text the regular
// expression: one of them stands in whatever it finds.
type kind struct {
	hints   []string
	pattern func() *regexp.Regexp
	// only says, where set, which of what the pattern finds is a key.
	only func(found string) bool
}

// hinted has, for each byte, the kinds with a hint that begins with it, and those with
// a hint whose second byte it is; a kind is the bit of its place in kinds.
type hinted struct{ first, second [256]uint64 }

func newHinted(kinds []kind) *hinted {
	h := &hinted{}
	for i := range kinds {
		for _, hint := range kinds[i].hints {
			h.first[hint[0]] |= 1 << i
			h.second[hint[1]] |= 1 << i
		}
	}
	return h
}

// in gives the kinds that a text has a hint of, in one pass over it: to look for each
// hint on its own was a tenth of a run's work.
func (h *hinted) in(text string) uint64 {
	var found uint64
	for i := 1; i < len(text); i++ {
		maybe := h.first[text[i-1]] & h.second[text[i]] &^ found
		for ; maybe != 0; maybe &= maybe - 1 {
			k := bits.TrailingZeros64(maybe)
			for _, hint := range kinds[k].hints {
				if strings.HasPrefix(text[i-1:], hint) {
					found |= 1 << k
				}
			}
		}
	}
	return found
}

// hints is of kinds.
var hints = newHinted(kinds)

// numbered leaves words alone: a key of this kind has a digit, or is masked.
func numbered(found string) bool { return strings.ContainsAny(found, "0123456789*") }

// at is a pattern that begins where a word does, also after the end of a line
// that is written out, as in JSON: in "\nghp_…" the key begins after the n.
func at(flags, pattern string) func() *regexp.Regexp {
	return regex.Lazy(flags + `(?:\b|\\[nrt])(?:` + pattern + `)`)
}

// kinds are the keys, tokens and private keys that are known by how they look.
// The forms are those that the services document, and that their own scanners
// look for; lengths are a little below theirs. What looks like nothing (a
// password) is found by the person's own patterns alone.
var kinds = []kind{
	// Private keys, over several lines or with the ends of lines written out as in
	// JSON; one that is cut off too. (RFC 7468; OpenSSH; PGP)
	{
		hints: []string{"PRIVATE KEY"},
		pattern: regex.Lazy(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----` +
			`(?:(?:[^-]|-[^-])*-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\+[nrt])*[A-Za-z0-9+/=]{8,})*)`),
	},
	{hints: []string{"AGE-SECRET-KEY-"}, pattern: at(``, `AGE-SECRET-KEY-1[A-Z0-9]{40,}`)},
	// JSON Web Tokens (RFC 7519), signed or encrypted.
	{hints: []string{"eyJ"}, pattern: at(``, `eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]+){0,2}`)},
	// Model providers.
	{hints: []string{"sk-", "SK-"}, pattern: at(`(?i)`, `sk-[a-z0-9_\-*.]{8,}`), only: numbered},
	{hints: []string{"key-"}, pattern: at(`(?i)`, `key-[a-z0-9]{16,}`), only: numbered},
	{hints: []string{"gsk_", "xai-", "hf_", "r8_", "pplx-", "tvly-", "nvapi-", "fw_"}, pattern: at(``, `(?:gsk_|xai-|hf_|r8_|pplx-|tvly-|nvapi-|fw_)[A-Za-z0-9_\-]{20,}`)},
	{hints: []string{"AIza", "ya29.", "GOCSPX-"}, pattern: at(``, `(?:AIza[A-Za-z0-9_\-]{20,}|ya29\.[A-Za-z0-9_\-]{20,}|GOCSPX-[A-Za-z0-9_\-]{20,})`)},
	// Clouds. An id of an AWS key is 20 characters; a secret one is known by what
	// stands before it alone.
	{hints: []string{"AKIA", "ASIA"}, pattern: at(``, `(?:AKIA|ASIA)[A-Z2-7]{16}\b`)},
	{
		hints:   []string{"aws_", "AWS_", "SecretAccessKey", "secretAccessKey", "SessionToken", "sessionToken"},
		pattern: at(`(?i)`, `(?:aws_(?:secret_access_key|secret_key|session_token)|secretaccesskey|sessiontoken)\\*["']?\s*[:=]\s*\\*["']?[a-z0-9/+=]{40,}`),
	},
	{hints: []string{"AccountKey=", "SharedAccessKey="}, pattern: at(``, `(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}={0,2}`)},
	{hints: []string{"dop_v1_", "doo_v1_"}, pattern: at(``, `do[op]_v1_[a-f0-9]{40,}`)},
	// Where code and packages are kept.
	{hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, pattern: at(``, `(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})`)},
	{hints: []string{"gl"}, pattern: at(``, `gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_\-.]{16,}`)},
	{hints: []string{"npm_"}, pattern: at(``, `npm_[A-Za-z0-9]{36,}`)},
	{hints: []string{"pypi-"}, pattern: at(``, `pypi-[A-Za-z0-9_\-]{40,}`)},
	// Messages and mail.
	{hints: []string{"xox", "xapp-"}, pattern: at(``, `(?:xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9\-]{10,}|xapp-[0-9]-[A-Za-z0-9\-]{10,})`), only: numbered},
	{hints: []string{"hooks.slack.com"}, pattern: regex.Lazy(`hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_\-]{20,}`)},
	{hints: []string{"SG."}, pattern: at(``, `SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`)},
	{hints: []string{":AA"}, pattern: at(``, `[0-9]{8,10}:AA[A-Za-z0-9_\-]{30,}`)}, // Telegram's bots
	// Shops, notes, tickets.
	{hints: []string{"k_live_", "k_test_", "whsec_"}, pattern: at(``, `(?:[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,})`)},
	{hints: []string{"shp"}, pattern: at(``, `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}`)},
	{hints: []string{"ntn_", "secret_", "lin_api_", "ATATT3"}, pattern: at(``, `(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{40,}|lin_api_[A-Za-z0-9]{30,}|ATATT3[A-Za-z0-9_\-=]{40,})`)},
	// What a header or a setting says of itself.
	{hints: []string{"Bearer", "bearer", "BEARER"}, pattern: at(`(?i)`, `bearer\s+[a-z0-9._~+/\-]{8,}=*`), only: numbered},
	{hints: []string{"api", "API", "Api"}, pattern: regex.Lazy(`(?i)(?:api_?key|x-api-key)\\*["']?\s*[:=]\s*\\*["']?[a-z0-9._~+/\-]{8,}`), only: numbered},
}
