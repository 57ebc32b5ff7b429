export { default } from "./plugin/plugin";
