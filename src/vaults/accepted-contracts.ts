import type { Address } from "viem";
import { parseAddress, sameAddress } from "../lib/address.ts";
import type { Vault } from "./vault.ts";
import { addressesParam, addressParam } from "./vault-params.ts";

/**
 * Names of the registry parameters for the contracts that hold one kind of a vault's requests: of the present contract,
 * and of the list of those that proofs have accepted, in which a replaced one stays.
 */
export interface ContractParams {
  present: string;
  accepted: string;
}

/** The kinds of contracts that hold requests: Veda's two, and Midas's RedemptionVaults. */
export const requestContracts = {
  queues: { present: "withdraw_queue", accepted: "queue_requests" },
  delayed: { present: "delayed_withdraw", accepted: "delayed_requests" },
  redemptions: { present: "redemption_vault", accepted: "redemption_requests" },
} as const satisfies Record<string, ContractParams>;

/**
 * Returns the parameters of a changed registry entry with those lists of accepted contracts of the entry `before` that
 * the change does not mention: an operator who names another contract does not end the requests of the replaced one. A
 * list that the entry lacks, because no proof has written it yet, starts with the replaced contract, whose ids name none.
 */
export function keepAccepted(
  params: Readonly<Record<string, string>>,
  { before }: { before: Readonly<Record<string, string>> },
): Record<string, string> {
  const kept = Object.values(requestContracts).flatMap(({ present, accepted }) => {
    const list = before[accepted] ?? replacedOf(present, { params, before });
    return list === null || params[accepted] !== undefined ? [] : [[accepted, list] as const];
  });
  return { ...params, ...Object.fromEntries(kept) };
}

/** Returns the contract that the entry `before` names by a parameter and the changed one does not. Null if there is none. */
function replacedOf(
  name: string,
  of: Record<"params" | "before", Readonly<Record<string, string>>>,
): string | null {
  const named = parseAddress(of.before[name] ?? "");
  return named === null || sameAddress(named, of.params[name] ?? "") ? null : named.toLowerCase();
}

/** Maximum number of accepted contracts of one kind that a registry entry remembers. */
const MAX_CONTRACTS = 4;

/**
 * Returns the accepted contracts after one was accepted: the first one, by whose requests' ids no contract is named, then
 * the others, the last accepted one last. Of more than four, the oldest but the first is forgotten.
 */
export function withAccepted(contracts: readonly Address[], accepted: Address): Address[] {
  const [first = accepted, ...others] = contracts;
  if (sameAddress(contracts.at(-1) ?? accepted, accepted)) return [first, ...others];
  const between = others.filter((one) => ![first, accepted].some((kept) => sameAddress(one, kept)));
  return [first, ...[...between, accepted].slice(1 - MAX_CONTRACTS)];
}

/** Returns the accepted contracts of an earlier registry entry. Other texts than addresses are left out. */
export const acceptedBefore = (params: Readonly<Record<string, string>>, { accepted }: ContractParams) =>
  (params[accepted] ?? "").split(",").flatMap((text) => parseAddress(text) ?? []);

/**
 * Returns the contracts whose open requests are read, claimed and cancelled: the accepted ones, the first one first, and
 * the present one. Throws an Error if a parameter is invalid.
 */
export function contractsOf(vault: Vault, { present, accepted }: ContractParams): Address[] {
  const named = addressParam(vault, present);
  const all = [...addressesParam(vault, accepted), ...(named === null ? [] : [named])];
  return all.filter((one, index) => all.findIndex((other) => sameAddress(other, one)) === index);
}

/**
 * Returns the id of a request that its contract knows by `id`: at any but the first of the `contracts`, `@<address>`
 * follows. So a request keeps its id when another contract takes over.
 */
export function acceptedRequestId(
  contracts: readonly Address[],
  { contract, id }: { contract: Address; id: string },
): string {
  const isFirst = sameAddress(contract, contracts[0] ?? contract);
  return isFirst ? id : `${id}@${contract.toLowerCase()}`;
}

/** Returns which of the `contracts` holds a request by its id (`acceptedRequestId`), or null if none of them does. */
export function contractOfRequest(contracts: readonly Address[], requestId: string): Address | null {
  const [first = null, ...others] = contracts;
  const [, named] = requestId.split("@");
  return named === undefined ? first : (others.find((one) => sameAddress(one, named)) ?? null);
}

/** Returns the id by which its contract knows a request, from the id that `acceptedRequestId` returned. */
export const idAtContract = (requestId: string): string => requestId.split("@")[0] ?? "";
