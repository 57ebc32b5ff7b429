# Embedded Agent. `make run` tries it, `make test` proves it; each installs what
# it needs.

.PHONY: audit contract eval run test rest test-all check lint go-test js-test e2e build generate golden fuzz flaky flaky-part bench large release screenshots install browser clean

# One Go for everything, since each makes other bytes; an older one fetches it.
export GOTOOLCHAIN := $(shell sed -n 's/^toolchain //p' go.mod)

stages := node scripts/stages.mjs
# What takes minutes where nothing is compiled yet is in `make check` and `make rest`.
go_lint := generated
js_lint := types scan
slow_go_lint := gofumpt go-vet go-vet-js staticcheck
slow_js_lint := prettier eslint
slow_lint := $(slow_go_lint) $(slow_js_lint)
lint_stages := $(go_lint) $(js_lint) $(slow_lint)

# Serves the playground: PORT= chooses the port, VAULT= a folder to copy.
run: install build
	node test/playground/run.mjs

install:
	@scripts/install.sh

browser:
	@scripts/install.sh chromium

# main.js, with the core inside.
build: install
	node esbuild.config.mjs

# Everything a change must pass; under 10 minutes on 2 cores.
# Go, TypeScript and the browser run beside each other: the browser waits much.
test: browser
	$(stages) build
	@go=$$(mktemp); ts=$$(mktemp); \
	$(stages) $(go_lint) go go-js >$$go 2>&1 & first=$$!; \
	$(stages) vitest model $(js_lint) >$$ts 2>&1 & second=$$!; \
	status=0; $(stages) browser e2e || status=1; \
	for lane in $$first $$second; do wait $$lane || status=1; done; \
	cat $$ts $$go; rm -f $$ts $$go; exit $$status

# What is exhaustive or heavy; under 30 minutes.
rest: browser
	@test -f main.js || $(stages) build
	@log=$$(mktemp); $(stages) $(slow_go_lint) go-all go-race go-js-all >$$log 2>&1 & beside=$$!; \
	status=0; $(stages) e2e-rest vitest-rest $(slow_js_lint) || status=1; \
	wait $$beside || status=1; cat $$log; rm -f $$log; \
	$(stages) peers release flaky-part || status=1; exit $$status

test-all: test rest

# The quick part of `make test`: no browser.
check: install
	$(stages) $(lint_stages) go vitest vitest-rest model

lint: install
	$(stages) $(lint_stages)

go-test: install
	$(stages) go go-js-all

js-test: install
	$(stages) vitest vitest-rest model

e2e: browser build
	$(stages) browser e2e

# bridge/protocol.gen.ts and the contract's hash, from wasm/internal/protocol, and
# NOTICE, from what is linked and bundled.
generate: install
	node scripts/generate.mjs
	node scripts/notice.mjs

# Writes the golden files of the Go tests anew; read the difference before you commit it.
golden: install
	go test $$(grep -rl 'flag.Bool("update"' --include=*_test.go wasm | xargs -n1 dirname | sort -u | sed 's|^|./|') -update

# Each fuzz target for FUZZTIME (10s).
fuzz: install
	$(stages) fuzz

# Every Go test 20 times and the browser's 5 times, with two busy loops beside;
# an hour or more. `make rest` and every push do a part of it.
flaky: browser build
	$(stages) flaky-go flaky-browser

# A quarter of the Go tests three times; which one, the commit decides.
flaky-part: install
	$(stages) flaky-part

# Prints `name value unit`; ONLY=prefix runs a part.
bench:
	@$(MAKE) --no-print-directory browser build >&2
	@scripts/install.sh ripgrep >&2
	@npm ci --no-audit --no-fund --prefix test/engines >&2
	@node bench/run.mjs $(ONLY)

# Lets a model work on graded tasks; the variables are in wasm/internal/eval/main.go.
# Without EVAL_URL a script answers with what the tasks have recorded as right.
eval:
	@go run ./wasm/cmd/eval

# A vault of LARGE (100000) notes in the folder INTO.
large:
	@node scripts/make-large.mjs $(INTO) $(or $(LARGE),100000)

# main.js, manifest.json and styles.css with their hashes, and the release copy of the core.
release: install
	node scripts/release.mjs

# Puts a plugin into the vault VAULT that runs the host's contract in a real Obsidian.
contract: install
	@node test/playground/build.mjs contract "$(VAULT)"

# Known weaknesses of the packages inside main.js, as npm knows them.
audit: install
	node scripts/audit.mjs

screenshots: browser build
	node scripts/screenshots.mjs

clean:
	rm -rf build dist main.js test/playground/dist
