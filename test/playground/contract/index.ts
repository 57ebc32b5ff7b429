/** All cases, in the order in which they run. */
import { cacheCases } from "./cache";
import { editorCases } from "./editors";
import { fileCases } from "./files";
import type { ContractCase } from "./host";
import { networkCases } from "./network";
import { vaultCases } from "./vault";

export const contract: ContractCase[] = [
	...vaultCases,
	...fileCases,
	...cacheCases,
	...editorCases,
	...networkCases,
];
