/** Loading costs nothing that is not needed, and unloading leaves nothing behind. */
import type { Page } from "playwright-core";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { eventually, leave, pluginFolder, sitDown, type Person } from "./person";

afterAll(leave);

const id = "embedded-agent";

async function seat(): Promise<Person> {
	const person = await sitDown();
	onTestFinished(() => person.standUp());
	return person;
}

const disable = (page: Page) => page.evaluate((plugin) => window.app.plugins.disablePlugin(plugin), id);
const enable = (page: Page) => page.evaluate((plugin) => window.app.plugins.enablePlugin(plugin), id);

/** Workers that run, and listeners on what outlives the plugin, are counted from now on. */
async function count(page: Page): Promise<void> {
	await page.evaluate(() => {
		const counts = { workers: 0, urls: 0, timers: 0 };
		const known = new Map<EventTarget, Map<unknown, Set<string>>>();
		Object.assign(window, { counts, known });
		const Native = window.Worker;
		window.Worker = class extends Native {
			private ended = false;
			constructor(...args: ConstructorParameters<typeof Worker>) {
				super(...args);
				counts.workers++;
			}
			override terminate(): void {
				if (!this.ended) counts.workers--;
				this.ended = true;
				super.terminate();
			}
		};
		const lasting = (target: EventTarget) =>
			target === window ||
			target === document ||
			target === document.body ||
			(target instanceof Element && target.closest(".ea-view") === null && target.isConnected);
		type Listen = (this: EventTarget, type: string, listener: unknown, options?: unknown) => void;
		const addEventListener = Reflect.get(EventTarget.prototype, "addEventListener") as Listen;
		const removeEventListener = Reflect.get(EventTarget.prototype, "removeEventListener") as Listen;
		const key = (type: string, options: unknown) =>
			`${type}:${typeof options === "object" && options !== null && "capture" in options ? String(options.capture) : String(options === true)}`;
		EventTarget.prototype.addEventListener = function (type, listener, options) {
			addEventListener.call(this, type, listener, options);
			const once = typeof options === "object" && (options?.once === true || options?.signal !== undefined);
			if (!listener || once || !lasting(this)) return;
			const of = known.get(this) ?? new Map<unknown, Set<string>>();
			known.set(this, of);
			const types = of.get(listener) ?? new Set<string>();
			of.set(listener, types);
			types.add(key(type, options));
		};
		EventTarget.prototype.removeEventListener = function (type, listener, options) {
			removeEventListener.call(this, type, listener, options);
			known.get(this)?.get(listener)?.delete(key(type, options));
		};
		const createObjectURL = URL.createObjectURL.bind(URL);
		const revokeObjectURL = URL.revokeObjectURL.bind(URL);
		const urls = new Set<string>();
		URL.createObjectURL = (object) => {
			const url = createObjectURL(object);
			urls.add(url);
			counts.urls = urls.size;
			return url;
		};
		URL.revokeObjectURL = (url) => {
			revokeObjectURL(url);
			urls.delete(url);
			counts.urls = urls.size;
		};
		const setInterval = window.setInterval.bind(window);
		const clearInterval = window.clearInterval.bind(window);
		const timers = new Set<number>();
		window.setInterval = ((...args: Parameters<typeof setInterval>) => {
			const timer = setInterval(...args);
			timers.add(timer);
			counts.timers = timers.size;
			return timer;
		}) as typeof window.setInterval;
		window.clearInterval = (timer) => {
			clearInterval(timer);
			timers.delete(Number(timer));
			counts.timers = timers.size;
		};
	});
}

/** What is there while the plugin is off: an element that is gone takes its listeners with it. */
function left(page: Page) {
	return page.evaluate(() => {
		const { counts, known } = window as unknown as {
			counts: { workers: number; urls: number; timers: number };
			known: Map<EventTarget, Map<unknown, Set<string>>>;
		};
		const listeners = [...known]
			.filter(([target]) => !(target instanceof Element) || target.isConnected)
			.flatMap(([, of]) => [...of.values()].map((types) => types.size));
		const commands = window.app.commands.listCommands().filter(({ id }) => id.startsWith("embedded-agent"));
		return {
			...counts,
			listeners: listeners.reduce((all, n) => all + n, 0),
			leaves: window.app.workspace.getLeavesOfType("embedded-agent-panel").length,
			elements: document.querySelectorAll("*:not(.notice-container *)").length,
			styles: document.querySelectorAll("style").length,
			commands: commands.length,
			ribbon: document.querySelectorAll(".side-dock-ribbon-action").length,
			links: window.app.workspace.protocolHandlers.size,
		};
	});
}

test("twenty times off and on leaves no worker, listener, leaf, element, command, icon or address behind", async () => {
	const person = await seat();
	const { page } = person;
	await count(page);
	const cycle = async () => {
		await enable(page);
		await page.evaluate(() => window.app.commands.executeCommandById("embedded-agent:open"));
		// The core is up: its saved actions are there.
		await person.panel.getByRole("region", { name: "Saved actions" }).getByRole("listitem").first().waitFor();
		const { workers } = await left(page);
		await disable(page);
		return workers;
	};
	await disable(page);
	await cycle();
	const before = await left(page);
	expect(before).toMatchObject({ workers: 0, commands: 0 });
	for (let n = 0; n < 20; n++) expect(await cycle(), `worker of cycle ${n}`).toBeGreaterThan(0);
	expect(await left(page)).toEqual(before);
	expect(person.playground.errors).toEqual([]);
}, 300_000);

test("loading reads data.json and no other file, compiles no wasm and starts no worker", async () => {
	const person = await seat();
	const { page } = person;
	await disable(page);
	// A panel that was left open starts the core; without one nothing asks for it.
	await page.evaluate(() => window.app.workspace.detachLeavesOfType("embedded-agent-panel"));
	await page.evaluate(() => {
		const did: string[] = [];
		Object.assign(window, { did });
		const { adapter } = window.app.vault;
		for (const method of [
			"read",
			"readBinary",
			"list",
			"stat",
			"exists",
			"write",
			"append",
			"process",
		] as const) {
			const own = adapter[method].bind(adapter) as (...args: unknown[]) => unknown;
			Object.assign(adapter, {
				[method]: (...args: unknown[]) => {
					did.push(`${method} ${String(args[0])}`);
					return own(...args);
				},
			});
		}
		for (const method of ["compile", "compileStreaming", "instantiate", "instantiateStreaming"] as const) {
			const own = WebAssembly[method].bind(WebAssembly) as (...args: unknown[]) => unknown;
			Object.assign(WebAssembly, {
				[method]: (...args: unknown[]) => {
					did.push(method);
					return own(...args);
				},
			});
		}
		const Native = window.Worker;
		window.Worker = class extends Native {
			constructor(...args: ConstructorParameters<typeof Worker>) {
				super(...args);
				did.push("worker");
			}
		};
	});
	const did = () => page.evaluate(() => [...(window as unknown as { did: string[] }).did]);
	await enable(page);
	expect((await did()).filter((what) => what !== `exists ${pluginFolder}/data.json`)).toEqual([
		`read ${pluginFolder}/data.json`,
	]);
	// Counting works: opening the panel starts the core.
	await page.evaluate(() => window.app.commands.executeCommandById("embedded-agent:open"));
	await eventually(async () => (await did()).includes("worker")).toBe(true);
});
