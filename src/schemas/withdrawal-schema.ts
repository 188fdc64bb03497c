import * as z from "zod";

/** States of a tracked withdrawal. */
export const withdrawalStates = [
  "built",
  "expired",
  "abandoned",
  "submitted",
  "requested",
  "cooling",
  "claimable",
  "awaiting_transfer",
  "bridging",
  "completed",
  "partial",
  "refunded",
  "cancelled",
  "failed",
  "rejected",
] as const;
/** State of a tracked withdrawal. */
export const WithdrawalState = z
  .enum(withdrawalStates)
  .meta({ id: "WithdrawalState", description: "State of the withdrawal." });
export type WithdrawalState = z.infer<typeof WithdrawalState>;
