// Every file of words. A test fails when a file in this folder is missing here.

import deAction from "./de/action.json";
import deActions from "./de/actions.json";
import deAgent from "./de/agent.json";
import deBridge from "./de/bridge.json";
import deChat from "./de/chat.json";
import deBundled from "./de/bundled.json";
import deCore from "./de/core.json";
import deLlm from "./de/llm.json";
import dePanel from "./de/panel.json";
import dePlan from "./de/plan.json";
import dePlanner from "./de/planner.json";
import dePolicy from "./de/policy.json";
import dePlugins from "./de/plugins.json";
import deRun from "./de/run.json";
import deServer from "./de/server.json";
import deSettings from "./de/settings.json";
import deTool from "./de/tool.json";
import deTools from "./de/tools.json";
import enAction from "./en/action.json";
import enActions from "./en/actions.json";
import enAgent from "./en/agent.json";
import enBridge from "./en/bridge.json";
import enChat from "./en/chat.json";
import enBundled from "./en/bundled.json";
import enCore from "./en/core.json";
import enLlm from "./en/llm.json";
import enPanel from "./en/panel.json";
import enPlan from "./en/plan.json";
import enPlanner from "./en/planner.json";
import enPolicy from "./en/policy.json";
import enPlugins from "./en/plugins.json";
import enRun from "./en/run.json";
import enServer from "./en/server.json";
import enSettings from "./en/settings.json";
import enTool from "./en/tool.json";
import enTools from "./en/tools.json";
import zhAction from "./zh-CN/action.json";
import zhActions from "./zh-CN/actions.json";
import zhAgent from "./zh-CN/agent.json";
import zhBridge from "./zh-CN/bridge.json";
import zhChat from "./zh-CN/chat.json";
import zhBundled from "./zh-CN/bundled.json";
import zhCore from "./zh-CN/core.json";
import zhLlm from "./zh-CN/llm.json";
import zhPanel from "./zh-CN/panel.json";
import zhPlan from "./zh-CN/plan.json";
import zhPlanner from "./zh-CN/planner.json";
import zhPolicy from "./zh-CN/policy.json";
import zhPlugins from "./zh-CN/plugins.json";
import zhRun from "./zh-CN/run.json";
import zhServer from "./zh-CN/server.json";
import zhSettings from "./zh-CN/settings.json";
import zhTool from "./zh-CN/tool.json";
import zhTools from "./zh-CN/tools.json";

/** Messages by key. */
export type Catalogue = Record<string, string>;

/** English: the source, and the same files that the Go core embeds (i18n.go). */
export const english: Catalogue = {
	...enAction,
	...enActions,
	...enAgent,
	...enBridge,
	...enChat,
	...enBundled,
	...enCore,
	...enLlm,
	...enPanel,
	...enPlan,
	...enPlanner,
	...enPolicy,
	...enPlugins,
	...enRun,
	...enServer,
	...enSettings,
	...enTool,
	...enTools,
};

const german: Catalogue = {
	...deAction,
	...deActions,
	...deAgent,
	...deBridge,
	...deChat,
	...deBundled,
	...deCore,
	...deLlm,
	...dePanel,
	...dePlan,
	...dePlanner,
	...dePolicy,
	...dePlugins,
	...deRun,
	...deServer,
	...deSettings,
	...deTool,
	...deTools,
};

const chinese: Catalogue = {
	...zhAction,
	...zhActions,
	...zhAgent,
	...zhBridge,
	...zhChat,
	...zhBundled,
	...zhCore,
	...zhLlm,
	...zhPanel,
	...zhPlan,
	...zhPlanner,
	...zhPolicy,
	...zhPlugins,
	...zhRun,
	...zhServer,
	...zhSettings,
	...zhTool,
	...zhTools,
};

/** Every language, by its BCP 47 tag. */
export const catalogues: Record<string, Catalogue> = { en: english, de: german, "zh-CN": chinese };
