import { expect } from "vitest";
import type { Relayer } from "../../../scripts/stack/emulators/control.ts";
import type { bridgeKeys } from "../../../src/schemas/build-input-schema.ts";
import type { TransferStatus } from "../../../src/schemas/deposit-schema.ts";
import { Api, type SentDeposit } from "./api.ts";
import { chainIds, chainOf, mined, vaultNamed } from "./chain.ts";
import { emulators } from "./faults.ts";
import { signDeposit } from "./sign-deposit.ts";
import { statusOf } from "./track.ts";
import {
  DELIVERY_POLLING,
  type Journey,
  type MultiChainUser,
  newMultiChainUser,
  type Paid,
  prepare,
  sharesOf,
  signSecond,
} from "./transfer.ts";

const control = () => `${emulators().lifi}/__control`;

/** Changes the settings of LI.FI's emulated relayer. */
export async function relayer(settings: Partial<Relayer>): Promise<void> {
  const body = JSON.stringify({ relayer: settings });
  expect((await fetch(control(), { method: "POST", body })).status).toBe(200);
}

/** Restores the relayer's default settings. */
export const settled = (): Promise<Response> => fetch(control(), { method: "DELETE" });

/** A deposit into a vault through LI.FI by one bridge. */
export interface LifiDepositCase {
  bridge: (typeof bridgeKeys)[number];
  paid: Paid;
  vault: string;
  steps: 1 | 2;
  /** Amount in the smallest unit. Absent for an ordinary amount. */
  amount?: bigint;
}

export interface SentLifiDeposit {
  journey: Journey;
  traveller: MultiChainUser;
  built: SentDeposit;
  hash: `0x${string}`;
}

/** Builds a deposit that uses one bridge, and signs its first transaction. */
export async function start({
  bridge,
  paid,
  vault: name,
  steps,
  amount,
}: LifiDepositCase): Promise<SentLifiDeposit> {
  const [one, two] = [chainOf(chainIds.one), chainOf(chainIds.two)];
  const vault = vaultNamed(name);
  const journey: Journey = { from: vault.chain_id === chainIds.one ? two : one, paid, vault };
  const traveller = await newMultiChainUser([one, two]);
  const body = { ...(await prepare(journey, traveller, amount)), preferred_bridge: bridge };
  const built = await new Api().build(body);
  expect([built.tracking.bridge, built.two_step], `${bridge} from ${paid}`).toEqual([bridge, steps === 2]);
  const hash = await signDeposit(journey.from, { user: traveller.on(journey.from), built, style: "calls" });
  await mined(journey.from, hash);
  return { journey, traveller, built, hash };
}

const chainsOf = ({ from, vault }: Journey) => [from, chainOf(vault.chain_id)] as const;

/** Polls the status of the first transaction, without reporting it, until it contains `wanted`, and returns it. */
export async function until({ journey, hash }: SentLifiDeposit, wanted: object): Promise<TransferStatus> {
  const [from, to] = chainsOf(journey);
  const ask = () => statusOf(hash, from.chainId, to.chainId);
  await expect.poll(ask, { ...DELIVERY_POLLING, interval: 250 }).toMatchObject(wanted);
  return ask();
}

/**
 * Waits until the deposit is completed, signing the second step that the status offers if there is one. Returns the
 * user's shares.
 */
export async function finish(trip: SentLifiDeposit): Promise<bigint> {
  const { journey, traveller, built } = trip;
  const [, to] = chainsOf(journey);
  if (built.two_step) {
    const arrived = await until(trip, { deposit: { state: "awaiting_deposit", next: { kind: "deposit" } } });
    const next = arrived.deposit?.next;
    if (next?.kind !== "deposit") throw new Error("nothing to sign");
    await signSecond(to, { user: traveller.on(to), second: next });
  }
  await until(trip, { status: "DONE", substatus: "COMPLETED" });
  return sharesOf(journey.vault, traveller.address);
}

export function expectQuotedShares({ built }: SentLifiDeposit, shares: bigint, perMille = 995n): void {
  const estimated = BigInt(built.estimate.estimated_shares);
  expect(shares * 1_000n).toBeGreaterThanOrEqual(estimated * perMille);
  expect(shares).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
}
