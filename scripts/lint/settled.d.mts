import type { Rule } from "eslint";

declare const settled: Rule.RuleModule;
export default settled;
