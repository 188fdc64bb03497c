/**
 * Runs the contracts' tests: `npm run contracts:test`, with forge's own options after `--`. Prints forge's summary
 * and exits with its code; fails as well when the tested bytecode is not the committed one.
 */
import { readFileSync } from "node:fs";
import { depositRouterCreationCode } from "../../src/router/deposit-router-artifact.ts";
import { offerHelp } from "../command.ts";
import { forge } from "./forge.ts";

const args = offerHelp(`Runs the contract tests with forge and prints its summary.

  npm run contracts:test [-- <options>]

  --help  show this text; all other options are forge's, such as --match-test <name> and -vvv

Exits with forge's code; also fails when the tested bytecode is not the committed one.`);
const { code } = await forge({ root: ".", args: ["test", ...args] });
if (code !== 0) process.exit(code);
const tested = JSON.parse(readFileSync(".cache/forge/out/DepositRouter.sol/DepositRouter.json", "utf8")) as {
  bytecode: { object: string };
};
if (tested.bytecode.object !== depositRouterCreationCode) {
  console.error("The tested bytecode is not the committed one: run npm run contracts:build.");
  process.exit(1);
}
console.log("The tested bytecode is the committed one.");
