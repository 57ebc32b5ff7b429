package audit_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

var pem = "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB\n", 6) + "-----END RSA PRIVATE KEY-----"

// typed are keys as people paste them: put together here, so that no scanner
// takes this file for a leak.
var typed = map[string]string{
	"OpenAI":                "sk-" + "proj-abcDEF123456_7890-xyz",
	"OpenAI, masked":        "sk-" + "abc***********************wxyz",
	"Anthropic":             "sk-" + "ant-api03-0123456789abcdefABCDEF",
	"Google":                "AIza" + "SyA-0123456789abcdefABCDEF_0123456",
	"Google's OAuth":        "ya29." + "a0AfH6SMBx0123456789abcdefABCDEF",
	"Groq":                  "gsk_" + "0123456789abcdefABCDEF0123",
	"xAI":                   "xai-" + "0123456789abcdefABCDEF0123",
	"Hugging Face":          "hf_" + "abcdefghijklmnopqrstuvwxyzABCD",
	"an AWS key":            "AKIA" + "IOSFODNN7EXAMPLE",
	"a passing AWS key":     "ASIA" + "IOSFODNN7EXAMPLE",
	"an AWS secret":         "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"an AWS secret in JSON": `"SecretAccessKey": "` + `wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`,
	"Azure":                 "AccountKey=" + strings.Repeat("Ab1+", 21) + "Ab==",
	"GitHub":                "ghp_" + "0123456789abcdefABCDEF0123456789abcd",
	"GitHub's OAuth":        "gho_" + "0123456789abcdefABCDEF0123456789abcd",
	"GitHub's server":       "ghs_" + "0123456789abcdefABCDEF0123456789abcd",
	"GitHub, fine-grained":  "github_pat_" + "11ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz",
	"GitLab":                "glpat-" + "0123456789abcdef_-AB",
	"GitLab's runner":       "glrt-" + "0123456789abcdef_-AB",
	"npm":                   "npm_" + "0123456789abcdefABCDEF0123456789abcd",
	"PyPI":                  "pypi-" + "AgEIcHlwaS5vcmcCJDAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2",
	"Slack's bot":           "xoxb-" + "123456789012-1234567890123-abcdefABCDEF",
	"Slack's person":        "xoxp-" + "123456789012-1234567890123-abcdefABCDEF",
	"Slack's app":           "xapp-" + "1-A0123456789-1234567890-abcdef0123456789",
	"Slack's hook":          "hooks.slack.com/services/" + "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
	"SendGrid":              "SG." + "0123456789abcdefABCDEF" + ".0123456789abcdefABCDEF0123456789abcdefABCDE",
	"Telegram":              "123456789:" + "AAabcdefghijklmnopqrstuvwxyz0123456",
	"Stripe":                "sk_live_" + "0123456789abcdefABCDEF01",
	"Stripe's hook":         "whsec_" + "0123456789abcdefABCDEF0123",
	"Shopify":               "shpat_" + "0123456789abcdef0123456789abcdef",
	"Notion":                "ntn_" + "0123456789abcdefABCDEF0123456789abcdefABCDEF",
	"DigitalOcean":          "dop_v1_" + strings.Repeat("0a1b2c3d", 8),
	"age":                   "AGE-SECRET-KEY-1" + strings.Repeat("QPZRY9X8", 7),
	"a JWT":                 "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
	"a JWE":                 "eyJhbGciOiJSU0EtT0FFUCJ9." + "OKOawDo13gRp2ojaHV7LFpZcgV7T6DVZ" + ".48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6ji.XFBoMYUZodetZdvTiFvSkQ",
	"a PEM":                 pem,
	"an SSH key":            strings.ReplaceAll(pem, "RSA PRIVATE", "OPENSSH PRIVATE"),
	"a PKCS 8 key":          strings.ReplaceAll(pem, "RSA PRIVATE", "PRIVATE"),
	"a PGP key":             strings.ReplaceAll(pem, "RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
	"a PEM that is cut off": pem[:200],
	"a bearer token":        "Bearer " + "0123456789abcdef",
	"a header":              "x-api-key: " + "0123456789abcdef",
	"a setting":             `api_key = "` + `abcdef0123456789`,
}

func TestKeysOfEveryKnownKindAreTakenOutWhereverTheyStand(t *testing.T) {
	r := redactor(t)
	secret := func(key string) string { // the part that must not be left
		if strings.Contains(key, "PRIVATE KEY") {
			return "MIIEpAIBAAKCAQEA"
		}
		return key[len(key)-8:]
	}
	for name, key := range typed {
		raw, err := json.Marshal("before " + key + "\nafter")
		if err != nil {
			t.Fatal(err)
		}
		twice, err := json.Marshal(string(raw))
		if err != nil {
			t.Fatal(err)
		}
		for how, text := range map[string]string{
			"alone": key, "in a sentence": "My key is " + key + ", keep it.", "in quotes": `"` + key + `"`, "in a line of code": "export K=" + key + "\nnext",
			"in JSON": string(raw), "at the beginning of a line in JSON": `{"text":"a\n` + key + `\nb"}`, "in JSON in JSON": string(twice), "in an address": "https://example.com/?k=" + key, "after a mark": "`" + key + "`",
		} {
			got := r.Text(text)
			if strings.Contains(got, secret(key)) || !strings.Contains(got, "[redacted:") {
				t.Errorf("%s, %s: want a text without secret(key) and a text with \"[redacted:\", got %s", name, how, got)
			}
			if how == "in a sentence" && !strings.HasPrefix(got, "My key is ") || how == "in a line of code" && !strings.HasSuffix(got, "next") && !strings.Contains(name, "cut off") {
				t.Errorf("%s, %s: want how other than \"in a sentence\" (or a text beginning with \"My key is \") and how other than \"in a line of code\" (or a text ending in \"next\") (or name with \"cut off\"), got %s", name, how, got)
			}
		}
	}
}

func TestOrdinaryNotesStayAsTheyAre(t *testing.T) {
	r := redactor(t)
	image := "![](data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x89PNG\r\n\x1a\n0123456789", 400))) + ")"
	for _, text := range []string{
		image,
		"sha256-" + strings.Repeat("0a1b2c3d", 8), strings.Repeat("deadbeef", 8), "commit 3f8ec62a5b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e",
		"550e8400-e29b-41d4-a716-446655440000", "ISBN 978-3-16-148410-0, +49 30 901820, 2026-11-20T08:00:00.000Z",
		"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
		"a task-management-system-for-two, risk-averse-investors, desk-1234567890", "sk-learn-contrib-package and sk-ip-able",
		"The bearer certificates were lost. bearer of good news. Bearer Instruments",
		"api_key: yourkeyhere-please", "apikey = placeholder", "The API: keyboard-shortcuts", "x-api-key: enter-yours",
		"key-performance-indicators key-valuestorethings", "ASIA is a continent; ASIAPACIFICREGIONS", "AKIA", "AKIAshort",
		"eyJ is how base64 of JSON begins; eyJhbGciOiJIUzI1NiJ9 is a part", "SG. stands for Singapore. SG.Sports.Club",
		"npm_config_registry=https://registry.example.com", "npm_lifecycle_event", "ghp_ is GitHub's mark", "gh_pages-branch-of-the-repository",
		"glide-ratio-of-a-glider-123456", "xoxo-love-and-kisses-from-me", "hf_hub_download", "fw_short", "secret_santa_list_of_the_whole_family",
		"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJB\n-----END PUBLIC KEY-----", "My PRIVATE KEY is in the safe.",
		"[[A note with a long name-0123456789]] #tag/sub-tag ^block-id-123456", "12345678:AAshort", "shp_at", "whsec_ret",
		"https://example.com/a/b/c?x=1&y=%20%2F#fragment-0123456789abcdef", "`const skeleton = key - 1;`", "数据 key 数据", "",
	} {
		if got := r.Text(text); got != text {
			t.Errorf("%.80q became %.120q", text, got)
		}
	}
}
