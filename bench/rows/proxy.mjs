// The sentinel machine and the proxy, native (targets: sentinel_vs_copy <= 10 x,
// proxy_latency_median <= 0.3 ms, proxy_latency_p99 <= 3 ms).
import { execFileSync } from "node:child_process";

export const names = [
	"sentinel_vs_copy",
	"sentinel_10mb_vs_10x_1mb",
	"proxy_latency_median",
	"proxy_latency_p99",
];

export async function* rows(ctx) {
	const prefixes = ["sentinel", "proxy"].filter((prefix) =>
		names.some((name) => name.startsWith(prefix) && ctx.wanted(name)),
	);
	for (const prefix of prefixes) {
		const out = execFileSync("go", ["run", "./wasm/internal/proxy/proxybench", prefix], {
			cwd: ctx.root,
			encoding: "utf8",
		});
		for (const line of out.trim().split("\n")) {
			const [name, value, unit] = line.split(/\s+/);
			if (names.includes(name)) yield [name, Number(value), unit];
		}
	}
}
