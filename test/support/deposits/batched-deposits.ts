import { concatHex, type Hex, keccak256, type Log, pad, size, toHex } from "viem";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { vaultRow } from "../../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import { type DepositRow, selectDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { trackDeposit } from "../../../src/tracking/deposits/track-deposit.ts";
import { testChain } from "../chains/rpc-node.ts";
import { NOW, row, USDC, USER, VAULT } from "./fixtures.ts";
import { depositRequestLog, receiptOf, transferLog } from "./logs.ts";

/** Deposits of one account into one vault that one batch of its wallet makes: one transaction proves all of them. */

export const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
export const [BATCH, DELIVERY] = [hashOf("b"), hashOf("d")];
const { chainId } = testChain;

/** One deposit of the test: what it pays in which call, whether as a second step, and the deposit that it continues. */
export interface Part {
  letter: string;
  amount: bigint;
  call?: string;
  second?: true;
  parent?: Part;
}

const callOf = ({ letter, call = letter }: Part): Hex => concatHex(["0xabcdef12", pad(toHex(call))]);
export const idOf = ({ letter }: Part): string => `trk_${letter.repeat(32)}`;

export function rowOf(part: Part): DepositRow {
  const { letter, amount, second, parent } = part;
  const built: DepositRow = {
    ...{ ...row, trackingId: idOf(part), ref: hashOf(letter), sourceTo: VAULT.toLowerCase() },
    ...{ sourceDataHash: keccak256(callOf(part)), fromAmount: amount.toString() },
    parentTrackingId: parent === undefined ? null : idOf(parent),
  };
  if (second === undefined) return built;
  return {
    ...{ ...built, provider: "across", bridge: "across", fromChainId: 10, twoStep: true },
    ...{ state: "awaiting_deposit", sourceTxHash: hashOf(letter), sourceProven: true },
    ...{ moveToken: USDC.toLowerCase(), deliveredAmount: amount.toString(), moveMin: `${amount - 1n}` },
    destinationTxHash: DELIVERY,
  };
}

export const pay = (value: bigint): Log => transferLog({ token: USDC, from: USER, to: VAULT, value });
export const request = (assets: bigint, requestId = 0n): Log[] => [
  pay(assets),
  depositRequestLog({ requestId, assets }),
];
export const mint = (amount: bigint, shares: bigint): Log[] => [pay(amount), transferLog({ value: shares })];

/** Returns a batch of the user's account with these calls, whose receipt has these events. */
export function batchOf(calls: readonly Part[], events: readonly Log[]): TransactionOnChain {
  const packed = calls.map(callOf).flatMap((data) => [toHex(size(data), { size: 32 }), data]);
  const input = concatHex(["0x34fcd5be", ...packed]);
  const transaction = { hash: BATCH, from: USER, to: USER, input, value: 0n, gas: 1n };
  return { transaction, receipt: receiptOf(...events), confirmations: testChain.confirmations };
}

/** Starts a deployment for a file's tests, whose tables are empty before each, with what stores and tracks deposits. */
export function startBatches() {
  let causeway: TestDeployment;
  beforeAll(async () => {
    causeway = await startTestDeployment();
  });
  afterAll(() => causeway?.close());
  beforeEach(async () => {
    await causeway.db.delete(deposits);
    await causeway.db.delete(vaults);
  });

  async function store(adapter: "lagoon" | "erc4626", parts: readonly Part[]): Promise<void> {
    const vault = vaultRow({ number: 1, chainId, address: VAULT, adapter });
    await causeway.db.insert(vaults).values({ ...vault, assetAddress: USDC.toLowerCase() });
    await causeway.db.insert(deposits).values(parts.map(rowOf));
  }

  /** The chain on which the batch was sent, and one on which nothing of the deposits is found. */
  function chainOf(batch: TransactionOnChain) {
    const given = causeway.context();
    const definitions = new Map([chainId, 10].map((id) => [id, { ...testChain, chainId: id }]));
    // No log is searched: what is looked at was reported.
    const ctx = { ...given, now: () => NOW, chains: { ...given.chains, definitions, client: () => null } };
    const readTransaction = async (_chainId: number, hash: Hex): Promise<TransactionOnChain> =>
      hash === BATCH ? batch : { ...batch, receipt: { ...receiptOf(), blockNumber: 90n } };
    return { ctx, readTransaction };
  }

  /** Tracks the deposits after a batch was reported for each, three times, and returns what each has. */
  async function track(
    parts: readonly Part[],
    { batch, together = false }: { batch: TransactionOnChain; together?: boolean },
  ): Promise<string[]> {
    const { ctx, readTransaction } = chainOf(batch);
    const left = new Map(parts.map((part) => [part, true]));
    const trackOne = async (part: Part): Promise<void> => {
      const found = await selectDeposit(ctx.db, idOf(part));
      if (found === null) throw new Error("no row");
      const hint = {
        trackingId: idOf(part),
        chainId,
        txHash: BATCH,
        origin: "report",
        droppedAt: null,
      } as const;
      const hints = left.get(part) === true ? [{ ...hint, notedAt: new Date(NOW) }] : [];
      const after = await trackDeposit(ctx, { row: found, readTransaction, hints });
      if (after.unreadable === null) left.set(part, after.left.length > 0);
    };
    for (let round = 0; round < 3; round += 1) {
      if (together) await Promise.all(parts.map(trackOne));
      else for (const part of parts) await trackOne(part);
    }
    const rows = await Promise.all(parts.map((part) => selectDeposit(ctx.db, idOf(part))));
    return rows.map((one) => {
      if (one?.state === "requested") return `request ${one.requestId} of ${one.receivedAmount}`;
      return one?.state === "completed" ? `${one.shares} shares` : `${one?.state}`;
    });
  }

  const stored = async () => (await causeway.db.select().from(deposits)) as DepositRow[];

  return { deployment: () => causeway, store, chainOf, track, stored };
}
