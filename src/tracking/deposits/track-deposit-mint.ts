import type { Hex } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { selectMadeTogether } from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { countShareTransfers, findShareProof } from "./deposit-proofs.ts";
import { completedTransition, type Transition } from "./deposit-transitions.ts";
import { MADE_FOR_OTHERS, ownMintIn, provenBesides } from "./deposits-in-batch.ts";

/**
 * Returns the transition of a deposit whose transaction brought its user shares by the user's own call of the vault, of
 * several in one batch by the mint for its payment; `MADE_FOR_OTHERS` if none are left for it, empty if there are none. A
 * mint names no deposit, so it counts for the first one that it proves. Throws `store_unavailable`.
 */
export async function mintTransitions(
  ctx: Context,
  at: { row: DepositRow; hash: Hex; receipt: Receipt; confirmed: boolean; batched: boolean },
): Promise<Transition[]> {
  const { row, hash, receipt, batched } = at;
  const several = batched && countShareTransfers(row, receipt) > 1;
  const proof = several ? null : findShareProof(receipt, { row, via: "user" });
  if (!several && proof === null) return [];
  const others = await selectMadeTogether(ctx.db, { row, hash });
  const single = others.length === 0 ? proof : null;
  const own = several ? ownMintIn(row, { receipt, others }) : single;
  if (own === null) return [MADE_FOR_OTHERS];
  return [provenBesides(others, completedTransition(at, { ...own, depositTxHash: hash }))];
}
