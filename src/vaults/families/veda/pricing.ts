import type { Vault } from "../../vault.ts";
import { addressParam, choiceParam } from "../../vault-params.ts";

/** The tellers of 2024-04, 2024-09, 2025-04 and 2025-09: `a` has no premium, `d` takes a referrer. */
const GENERATIONS = ["a", "b", "c", "d"] as const;

/** The generation of a row's teller. Throws an Error for a row that does not say. */
export const generationOf = (vault: Vault): (typeof GENERATIONS)[number] =>
  choiceParam(vault, { name: "teller", choices: GENERATIONS });

/** Whether yield reaches the rate second by second: such a teller mints at a rate that is one unit higher. */
export const isStreamed = (vault: Vault): boolean =>
  vault.params["rate"] !== undefined &&
  choiceParam(vault, { name: "rate", choices: ["pushed", "streamed"] }) === "streamed";

/** Reads all parameters of a row. Throws an Error where one of them is none. */
export function checkVedaParams(vault: Vault): void {
  generationOf(vault);
  isStreamed(vault);
  addressParam(vault, "referrer");
}
