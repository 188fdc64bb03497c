import type { Relayer } from "../emulators/control.ts";
import type { Transfer } from "./transfer.ts";

/** An action of the relayer for a transfer, as `nextAction` decides it. */
export type RelayerAction = "wait" | "fill" | "outlast" | "expire" | "refund";

/**
 * Decides the next action for a transfer; `now` is in unix milliseconds, `destinationTime` in unix seconds. The mode is
 * read on every poll, so a changed mode applies to held transfers; an expired transfer is never filled. Until
 * `delay_ms` after the deposit the action is `wait`. `stall` always waits. `refund` and `expire` let the fill deadline
 * pass (`outlast`: the chains' clocks are moved past it); `refund` then pays the refund, which `expire` withholds.
 * `deliver`, `underdeliver` and `fail_destination` fill the transfer; after its fill deadline they refund it.
 */
export function nextAction(
  transfer: Pick<Transfer, "state" | "seenAt" | "relay" | "messaging">,
  at: { relayer: Relayer; now: number; destinationTime: number },
): RelayerAction {
  const { mode, delay_ms: delay } = at.relayer;
  if (mode === "stall" || at.now < transfer.seenAt + delay) return "wait";
  if (transfer.state === "expired") return mode === "expire" ? "wait" : "refund";
  if (transfer.state !== "pending") return "wait";
  const late = at.destinationTime > transfer.relay.fillDeadline;
  if (late || (transfer.messaging !== null && gaveUp(mode))) return "expire";
  return gaveUp(mode) ? "outlast" : "fill";
}

const gaveUp = (mode: Relayer["mode"]): boolean => mode === "expire" || mode === "refund";

/** Returns the smallest units that LI.FI's bridge fails to deliver, at most the whole amount; zero for Across. */
export function shortfall(
  { lifi, relay: { outputAmount } }: Pick<Transfer, "lifi" | "relay">,
  { mode, underdeliver, underdeliver_bps }: Relayer,
): bigint {
  if (mode !== "underdeliver" || lifi === null) return 0n;
  const missing = BigInt(underdeliver) + (outputAmount * BigInt(underdeliver_bps)) / 10_000n;
  return missing < outputAmount ? missing : outputAmount;
}
