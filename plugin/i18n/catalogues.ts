// Every file of words. A test fails when a file in this folder is missing here.

import enAction from "./en/action.json";
import enAgent from "./en/agent.json";
import enBridge from "./en/bridge.json";
import enCore from "./en/core.json";
import enLlm from "./en/llm.json";
import enPanel from "./en/panel.json";
import enPlan from "./en/plan.json";
import enPlanner from "./en/planner.json";
import enPolicy from "./en/policy.json";
import enRun from "./en/run.json";
import enServer from "./en/server.json";
import enSettings from "./en/settings.json";
import enTool from "./en/tool.json";
import enTools from "./en/tools.json";

/** Messages by key. */
export type Catalogue = Record<string, string>;

/** English: the source, and the same files that the Go core embeds (i18n.go). */
export const english: Catalogue = {
	...enAction,
	...enAgent,
	...enBridge,
	...enCore,
	...enLlm,
	...enPanel,
	...enPlan,
	...enPlanner,
	...enPolicy,
	...enRun,
	...enServer,
	...enSettings,
	...enTool,
	...enTools,
};

/** Every language, by its BCP 47 tag. */
export const catalogues: Record<string, Catalogue> = { en: english };
