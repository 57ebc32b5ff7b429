#!/bin/sh
# Installs what the project needs: the npm packages of package-lock.json, and,
# asked with "chromium", a Chromium, with "ripgrep", where it can, that. Does nothing where all is there.
set -eu
cd "$(dirname "$0")/.."

need() {
	command -v "$1" >/dev/null 2>&1 && return
	echo "This needs $1: $2" >&2
	exit 1
}
need node "install Node.js 20.19 or newer, https://nodejs.org"
need npm "install Node.js 20.19 or newer, https://nodejs.org"
need go "install Go 1.26 or newer, https://go.dev/dl"

# npm ci writes node_modules/.package-lock.json last.
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
	npm ci --no-audit --no-fund
	touch node_modules/.package-lock.json
fi

go mod download

# Benchmarks compare with ripgrep; without it they say so.
if [ "${1:-}" = ripgrep ]; then
	if ! command -v rg >/dev/null 2>&1 && [ -e /etc/debian_version ] && [ "$(id -u)" = 0 ]; then
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq ripgrep || true
	fi
	exit 0
fi

[ "${1:-}" = chromium ] || exit 0
# Debian has the engine apart from its window: what the tests need, and less to fetch.
if [ -z "${CHROMIUM:-}" ] && [ -e /etc/debian_version ] && [ "$(id -u)" = 0 ] && ! command -v chromium-headless-shell >/dev/null; then
	apt-get update -qq || true
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-headless-shell || true
fi
if browser=$(node scripts/chromium.mjs); then
	echo "Browser: $browser"
	exit 0
fi
echo "The tests in a browser need Chrome, Chromium or Edge. Install one, or name it: CHROMIUM=/path/to/chromium make test" >&2
exit 1
