import type { Hex } from "viem";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { describeError } from "../lib/log.ts";
import type { MoveStatus } from "../providers/provider.ts";

/**
 * Asks how a deposit's transfer stands: whoever built it, and whoever knows its bridge at first hand. Both at
 * once, witnesses first; who does not answer says nothing.
 */
export async function askHints(ctx: Context, row: DepositRow): Promise<MoveStatus[]> {
  const { scope } = ctx.providers;
  const asked = (await ctx.providers.all()).filter(
    ({ name }) => name === row.provider || name === row.bridge,
  );
  const transfer = {
    txHash: row.sourceTxHash as Hex,
    fromChainId: row.fromChainId,
    toChainId: row.vaultChainId,
    tool: row.tool ?? "",
  };
  const answers = await Promise.all(
    asked.map(async (provider) => {
      try {
        return await provider.status(scope, transfer);
      } catch (error) {
        ctx.log.warn("provider_status_failed", {
          provider: provider.name,
          tracking_id: row.trackingId,
          error: describeError(error),
        });
        return null;
      }
    }),
  );
  const said = answers.filter((answer) => answer !== null);
  return said.sort((a, b) => Number(b.witness !== null) - Number(a.witness !== null));
}
