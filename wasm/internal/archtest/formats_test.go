//go:build !js

package archtest

import (
	"net"
	"net/mail"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"
)

// letters are those that addresses are made of, and those that they must not have; comments and space around an address,
// which only messages have, are left out.
var letters = []rune("ab.Z9!#$%&'*+-/=?^_`{|}~@<>[]:;,\"\\é中\x01\x7f")

func TestTheCopyOfJSONSchemaTakesTheAddressesThatTheLibraryTakes(t *testing.T) {
	email, ipv6 := jsonschema.Formats["email"], jsonschema.Formats["ipv6"]
	same := func(t rapid.TB, address string) {
		_, err := mail.ParseAddress(address)
		if got := email(address); got != (err == nil) {
			t.Fatalf("%q is an address: %v, and for the library: %v", address, got, err)
		}
	}
	for _, local := range []string{
		"a", "a.b", ".a", "a.", "a..b", `"a b"`, `"a\"b"`, `"a"b"`, `"a\"`, `"`, `"\\"`, `a"b`, "a@b", "é", "a\xff", `"a` + "\xff" + `"`, strings.Repeat("a", 64),
	} {
		same(t, local+"@example.org")
	}
	rapid.Check(t, func(t *rapid.T) {
		local := rapid.StringOfN(rapid.SampledFrom(letters), 1, 8, -1).Draw(t, "local")
		if rapid.Bool().Draw(t, "quoted") {
			local = `"` + local + ` "`
		}
		same(t, local+"@example.org")
	})
	for _, address := range []string{"::1", "::", "fe80::1%eth0", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "::ffff:1.2.3.4", "1.2.3.4", "::g", ""} {
		if want := strings.Contains(address, ":") && net.ParseIP(address) != nil; ipv6(address) != want {
			t.Errorf("%q is an address: %v", address, !want)
		}
	}
}
