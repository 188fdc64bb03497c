import type { PreparedDeposit } from "../deposits/prepare.ts";
import type { Quote } from "../schemas/quote.ts";

type Step = Quote["estimate"]["steps"][number];

/** What happens on the way, in order: a swap or a bridge, then the deposit. */
export function toSteps(prepared: PreparedDeposit): Step[] {
  const { vault, from } = prepared.order;
  const deposit = (to: string): Step => ({
    type: "deposit",
    chain_id: vault.chainId,
    tool: vault.adapter,
    to,
  });
  if (prepared.kind === "direct") return [deposit(prepared.direct.deposit.target)];
  const { move, end } = prepared.moved;
  const type = from.chainId === vault.chainId ? "swap" : "bridge";
  const first = { type, chain_id: from.chainId, tool: move.tool, to: move.transaction.to };
  return [first, deposit(end.kind === "second" ? end.deposit.deposit.target : prepared.order.entry.address)];
}
