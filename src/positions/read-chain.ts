import { z } from "@hono/zod-openapi";
import type { Address, Hex } from "viem";
import type { ChainClient } from "../chains/client.ts";
import { adapterOf } from "../vaults/adapters.ts";
import { decodePositions } from "../vaults/lens/decode.ts";
import { encodePositionCalls } from "../vaults/lens/encode.ts";
import type { LensVault, PositionAnswer, PositionCall } from "../vaults/lens/types.ts";
import type { Vault } from "../vaults/vault.ts";

/** Shares a user holds of a vault, and what they are worth in the asset; both in smallest units. */
export interface HeldShares {
  vault: Vault;
  shares: bigint;
  /** Null: no conversion answered. */
  assets: bigint | null;
}

/** A chain's positions at one block. */
export interface ChainPositions {
  held: HeldShares[];
  /** Vaults whose share balance could not be read: not zero, not known. */
  unread: Vault[];
  blockNumber: number | null;
  /** Seconds; null when there was nothing to read. */
  blockTimestamp: number | null;
}

type LensedVault = LensVault & { vault: Vault };
type Answered = { call: PositionCall<LensedVault>; answer: PositionAnswer };

const AnswerHex = z.string().regex(/^0x([0-9a-fA-F]{2})+$/);
/** A call that ran out of gas is asked again for the rest, this often at most. */
const ROUNDS = 8;

/**
 * Reads a user's shares of many vaults through the deployless lens: one request for as many vaults as fit
 * one call. Throws what the chain client throws, and an Error when vaults stay out of reach.
 */
export async function readChainPositions(
  client: ChainClient,
  query: { user: Address; lensed: readonly LensedVault[] },
): Promise<ChainPositions> {
  const answered: Answered[] = [];
  let open: readonly LensedVault[] = query.lensed;
  for (let round = 0; round < ROUNDS && (open.length > 0 || answered.length === 0); round += 1) {
    const calls = encodePositionCalls({ user: query.user, vaults: open });
    if (calls.length === 0) break;
    const batch = await Promise.all(calls.map(async (call) => ({ call, answer: await ask(client, call) })));
    answered.push(...batch);
    open = batch.flatMap(({ call, answer }) =>
      call.vaults.filter((_, index) => answer.positions[index]?.status === "not_reached"),
    );
  }
  if (open.length > 0) throw new Error(`${open.length} vaults were not reached`);
  const first = answered[0]?.answer ?? null;
  return {
    held: answered.flatMap(heldShares),
    unread: answered.flatMap(({ call, answer }) =>
      call.vaults.flatMap(({ vault }, index) =>
        answer.positions[index]?.status === "balance_unknown" ? [vault] : [],
      ),
    ),
    blockNumber: first === null || first.blockNumber === null ? null : Number(first.blockNumber),
    blockTimestamp: first === null ? null : Number(first.blockTimestamp),
  };
}

function ask(client: ChainClient, call: PositionCall<LensedVault>): Promise<PositionAnswer> {
  return client.ask({
    method: "eth_call",
    params: [{ data: call.data }, "latest"],
    read: (told, seen) => {
      const answer = decodePositions(AnswerHex.parse(told) as Hex, call.vaults.length);
      const blockNumber = answer.blockNumber === null ? null : Number(answer.blockNumber);
      seen({ chainId: answer.chainId, blockNumber });
      return answer;
    },
  });
}

/** The vaults in which something is held. */
function heldShares({ call, answer }: Answered): HeldShares[] {
  return call.vaults.flatMap(({ vault }, index): HeldShares[] => {
    const position = answer.positions[index];
    switch (position?.status) {
      case "converted":
      case "ratio":
        return [{ vault, shares: position.balance, assets: position.assets }];
      case "rate": {
        const { balance: shares, rate } = position;
        return [{ vault, shares, assets: adapterOf(vault).worth?.(vault, { shares, rate }) ?? null }];
      }
      case "assets_unknown":
        return [{ vault, shares: position.balance, assets: null }];
      default:
        return [];
    }
  });
}
