import type { Relayer } from "../emulators/control.ts";
import type { Transfer } from "./transfer.ts";

export type Step = "wait" | "fill" | "expire" | "refund";

/**
 * What happens to a transfer next. The mode is read whenever the relayer looks, so that what it held back goes on
 * once the mode is another; what has expired is never filled again. Until `delay_ms` after the deposit
 * nothing happens.
 * `stall` does nothing for ever. `expire` gives the transfer up and holds the refund back; `refund` pays it. Neither
 * waits until the fill deadline is over, which takes two hours.
 * `deliver`, `underdeliver` and `fail_destination` fill, and what the chain's clock let expire is refunded.
 */
export function decide(
  transfer: Pick<Transfer, "state" | "seenAt" | "relay">,
  at: { relayer: Relayer; now: number; destinationTime: number },
): Step {
  const { mode, delay_ms: delay } = at.relayer;
  if (mode === "stall" || at.now < transfer.seenAt + delay) return "wait";
  if (transfer.state === "expired") return mode === "expire" ? "wait" : "refund";
  if (transfer.state !== "pending") return "wait";
  const late = at.destinationTime > transfer.relay.fillDeadline;
  return late || mode === "expire" || mode === "refund" ? "expire" : "fill";
}

/** Smallest units that LI.FI's bridge lets go missing on the way, at most everything; Across delivers what it said. */
export function shortfall(
  { lifi, relay: { outputAmount } }: Pick<Transfer, "lifi" | "relay">,
  { mode, underdeliver, underdeliver_bps }: Relayer,
): bigint {
  if (mode !== "underdeliver" || lifi === null) return 0n;
  const missing = BigInt(underdeliver) + (outputAmount * BigInt(underdeliver_bps)) / 10_000n;
  return missing < outputAmount ? missing : outputAmount;
}
