/** The contract as a script for a page: `window.runContract(host)` gives the outcomes. */
import { contract } from "./index";
import { runContract, type ContractHost, type Outcome } from "./host";

declare global {
	interface Window {
		runContract?: (host: Omit<ContractHost, "folder">) => Promise<Outcome[]>;
	}
}

window.runContract = (host) => runContract(contract, host);
