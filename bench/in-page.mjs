// What the rows that measure in the playground have in common: functions that
// are put into the page, since one that runs there cannot import.

/** Puts `window.bench` into the page. */
export async function prepare(page) {
	await page.evaluate(install);
}

function install() {
	const core = () => window.app.plugins.plugins["embedded-agent"].core();

	/** The steps that make a note for each of so many bullets. */
	const makeNotes = (notes, folder) => [
		{
			id: "list",
			tool: "util.parseMarkdownBullets",
			args: { text: Array.from({ length: notes }, (_, i) => `- Note ${i}`).join("\n") },
		},
		{
			id: "make",
			tool: "vault.createFile",
			args: { folder, title: "{bullet.title}", content: "{bullet.title}\n".repeat(60) },
			foreach: { from: "$steps.list.items", itemName: "bullet" },
		},
	];

	/** Saves steps as an action and gives its id. */
	async function save(name, steps) {
		const client = await core();
		const actions = [{ id: "", name, plan: { goal: name, assumptions: [], steps } }];
		const json = JSON.stringify({ format: "embedded-agent/actions", version: 1, actions });
		await client.request("actions.import", { json, confirm: true });
		return (await client.request("actions.list", {})).actions.find((action) => action.name === name).id;
	}

	/** Starts an action, and gives the event with which it is done. */
	async function begin(id, done) {
		const client = await core();
		return new Promise((resolve, reject) => {
			const end = client.subscribe((event) => {
				if (event.turn?.problem || event.review?.problem) reject(new Error(JSON.stringify(event)));
				if (!done(event, client, reject)) return;
				end();
				resolve(event);
			});
			client.request("actions.run", { id }).catch(reject);
		});
	}

	/** Runs an action to its end, approving its review, and gives the run's id. */
	async function run(id) {
		const end = await begin(id, (event, client, reject) => {
			if (event.type === "review.opened") {
				const { run, approval } = event.review;
				client.request("review.approve", { run, approval }).catch(reject);
			}
			return event.type === "run.state" && event.run.state === "finished";
		});
		if (end.run.outcome !== "ok") throw new Error(JSON.stringify(end.run));
		return end.run.run;
	}

	/** Runs an action that only reads, until its answer is there. */
	const answer = (id) => begin(id, (event) => event.type === "turn.ended" && event.turn.findings);

	/** The longest task while something goes on, in ms; 0 when none was over 50. */
	async function longestTask(work) {
		let longest = 0;
		const observer = new PerformanceObserver((list) => {
			for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration);
		});
		observer.observe({ entryTypes: ["longtask"] });
		await work();
		observer.disconnect();
		return longest;
	}

	window.bench = { core, makeNotes, save, run, answer, longestTask };
}
