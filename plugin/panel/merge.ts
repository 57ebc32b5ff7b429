// By its path: the build leaves @codemirror/* to the app, and the app has no
// merge package to give.
export { MergeView, unifiedMergeView } from "../../node_modules/@codemirror/merge/dist/index.js";
