// Runs a command with busy loops beside it, as on a machine that has other work:
// node scripts/busy.mjs LOOPS COMMAND ARGS… Its status is the command's.
import { spawn } from "node:child_process";

const [loops, command, ...args] = process.argv.slice(2);
const busy = Array.from({ length: Number(loops) }, () =>
	spawn(
		process.execPath,
		[
			"-e",
			"process.on('disconnect', () => process.exit()); (function turn() { for (let i = 0; i < 1e8; i++); setImmediate(turn); })()",
		],
		{
			// A loop ends with this program, however that ends: its channel closes.
			stdio: ["ignore", "ignore", "ignore", "ipc"],
		},
	),
);
const child = spawn(command, args, { stdio: "inherit" });
const end = (status) => {
	busy.forEach((loop) => loop.kill());
	process.exit(status);
};
child.on("error", (error) => {
	console.error(error.message);
	end(1);
});
child.on("close", (status) => end(status ?? 1));
