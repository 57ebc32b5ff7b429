// Reviews of many files, as tests look at them.

import type { FileChange } from "../../plugin/protocol";
import { event, file, review, state } from "./fixtures";
import type { Scene } from "./stage";

/** So many files of every kind, in folders and out of order. */
export function many(count: number): FileChange[] {
	const rest = Array.from({ length: count - 8 }, (_, n) =>
		n % 3 === 0
			? file(`Projects/Garden ${n % 4}/Note ${n}.md`)
			: file(`Areas/Note ${n}.md`, { status: "modify", added: 2, removed: 1, linksOnly: n % 5 === 0 }),
	);
	return [
		...rest,
		file("Areas", { status: "mkdir", added: 0, bytes: 0 }),
		file("Archive/2024/Old 2.md", { status: "rename", from: "Inbox/Old 2.md", added: 0 }),
		file("Archive/2024/Old 10.md", { status: "rename", from: "Inbox/Old 10.md", added: 0 }),
		file("Archive", { status: "mkdir", added: 0, bytes: 0 }),
		file("Inbox/Scrap 10.md", { status: "trash", added: 0, removed: 3 }),
		file("Inbox/Scrap 9.md", { status: "trash", added: 0, removed: 3 }),
		file("Inbox", { status: "rmdir", added: 0, removed: 0 }),
		file("בית.md", { status: "modify", added: 1, removed: 1 }),
	];
}

const ready = event("state", { state: state() });

/** States of a review of many files. */
export const reviewScenes: Record<string, Scene> = {
	"review-many": {
		events: [
			ready,
			event("review.opened", {
				review: review({ files: many(120).map((f, n) => (n % 9 ? f : { ...f, dropped: true })) }),
			}),
		],
	},
	"review-filtered": {
		events: [ready, event("review.opened", { review: review({ files: many(120) }) })],
		after: async (page) => {
			await page.getByRole("searchbox", { name: "Filter files" }).fill("garden");
			await page.locator(".ea-kind[aria-pressed]").nth(2).click(); // the new ones
		},
	},
	"review-renames": {
		events: [
			ready,
			event("review.opened", {
				review: review({
					files: [
						file("Archive/2024/A note about the rain barrel and its many long pipes.md", {
							status: "rename",
							from: "Inbox/Old notes of the garden/Rain barrel and pipes, first draft.md",
							added: 0,
						}),
						file("Areas/Garden", { status: "rename", from: "Projects/Garden", added: 0, moves: 14 }),
						...["Home", "Daily/2026-11-20", "Projects/A project with a name that is long/Plan"].map((name) =>
							file(`${name}.md`, {
								status: "modify",
								added: 1,
								removed: 1,
								linksOnly: true,
								follows: "Areas/Garden",
							}),
						),
						file("Inbox/New.md"),
					],
				}),
			}),
		],
		after: (page) => page.locator(".ea-file-head.is-following button").click(),
	},
	"review-all-out": {
		events: [
			ready,
			event("review.opened", {
				review: review({ approvable: false, files: review().files.map((f) => ({ ...f, dropped: true })) }),
			}),
		],
	},
	"review-refused": {
		events: [
			ready,
			event("review.opened", {
				review: review({
					approvable: false,
					stopped: true,
					refused: ["s1"],
					mayAllow: true,
					problem: {
						code: "POLICY_DENIED",
						key: "policy.deletesOff",
						params: { path: "Inbox/Scrap.md" },
						tool: "vault.delete",
						step: "s1",
					},
				}),
			}),
		],
	},
	"review-in-a-tab": {
		events: [ready, event("review.opened", { review: review() })],
		after: (page) => page.evaluate(() => void (window.dev.controller.tabs = 1)),
	},
};
