import * as z from "zod";
import { PartnerId } from "./partner-schema.ts";
import { AddressText, AmountText, ChainIdNumber, TimeText } from "./primitive-schemas.ts";

const TokenName = {
  chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the token's chain." }),
  symbol: z
    .string()
    .meta({ description: "Symbol of the token, or empty if it is unknown.", example: "USDC" }),
  decimals: z
    .int()
    .nullable()
    .meta({ description: "Decimals of the token, or `null` if they are unknown.", example: 6 }),
};

/** Completed deposits of a partner that were paid with one token. Amounts of different tokens are never added up. */
const Volume = z
  .object({
    ...TokenName,
    token_address: AddressText.meta({ description: "Token that the deposits were paid with, checksummed." }),
    deposits: z.int().meta({ description: "Number of completed deposits paid with the token.", example: 42 }),
    users: z
      .int()
      .meta({ description: "Number of distinct addresses that paid for these deposits.", example: 31 }),
    amount: AmountText.meta({
      description: "Total amount paid, in the token's smallest unit.",
      example: "125000000000",
    }),
  })
  .meta({ id: "PartnerVolume", description: "Completed deposits paid with one token." });

/** Completed withdrawals of a partner that vaults paid in one token. */
const WithdrawnVolume = z
  .object({
    ...TokenName,
    token_address: AddressText.meta({ description: "Token in which the vaults paid, checksummed." }),
    withdrawals: z
      .int()
      .meta({ description: "Number of completed withdrawals paid in the token.", example: 14 }),
    users: z
      .int()
      .meta({ description: "Number of distinct addresses that made these withdrawals.", example: 11 }),
    amount: AmountText.meta({
      description:
        "Total amount that the vaults paid, in the token's smallest unit, without withdrawals of unknown amounts.",
      example: "83000000000",
    }),
    unknown: z.int().meta({
      description: "Number of these withdrawals whose amount is unknown, and therefore not in `amount`.",
      example: 0,
    }),
  })
  .meta({ id: "PartnerWithdrawnVolume", description: "Completed withdrawals paid in one token." });

const Day = z
  .object({
    date: z.string().meta({ description: "Day in UTC, `YYYY-MM-DD`.", example: "2026-11-22" }),
    deposits: z.int().meta({ description: "Number of deposits of the day seen on-chain.", example: 12 }),
    completed: z
      .int()
      .meta({ description: "Number of these deposits whose shares reached the user.", example: 11 }),
    withdrawals: z.int().meta({ description: "Number of withdrawals of the day seen on-chain.", example: 3 }),
  })
  .meta({ id: "PartnerDay", description: "Deposits and withdrawals built on one day." });

/** Statistics on the deposits and withdrawals built with a partner's API keys. */
export const Dashboard = z
  .object({
    partner_id: PartnerId,
    since: TimeText.nullable().meta({
      description:
        "Start of the period: only deposits and withdrawals built from this time on are counted. `null` if all are counted.",
    }),
    deposits: z
      .object({
        built: z.int().meta({
          description: "Number of deposits built. Unsent ones count until they are deleted.",
          example: 120,
        }),
        verified: z.int().meta({
          description: "Number of deposits built with the API key and its secret, not the API key alone.",
          example: 90,
        }),
        sent: z.int().meta({ description: "Number of deposits seen on-chain.", example: 60 }),
        pending: z
          .int()
          .meta({ description: "Number of deposits that were sent and are in progress.", example: 4 }),
        completed: z
          .int()
          .meta({ description: "Number of deposits whose shares reached the user.", example: 52 }),
        partial: z.int().meta({
          description: "Number of deposits in which the user received a token instead of shares.",
          example: 1,
        }),
        refunded: z
          .int()
          .meta({ description: "Number of deposits that were refunded to the user.", example: 2 }),
        failed: z.int().meta({
          description: "Number of deposits that failed, without shares or a refund so far.",
          example: 1,
        }),
      })
      .meta({ description: "Number of deposits by outcome." }),
    withdrawals: z
      .object({
        built: z.int().meta({
          description: "Number of withdrawals built. Unsent ones count until they are deleted.",
          example: 30,
        }),
        sent: z.int().meta({ description: "Number of withdrawals seen on-chain.", example: 21 }),
        pending: z
          .int()
          .meta({ description: "Number of withdrawals that were sent and are in progress.", example: 3 }),
        completed: z
          .int()
          .meta({ description: "Number of withdrawals whose token reached the user.", example: 16 }),
        partial: z.int().meta({
          description: "Number of withdrawals whose request was paid only in part.",
          example: 0,
        }),
        refunded: z
          .int()
          .meta({ description: "Number of withdrawals whose bridge refunded the user.", example: 0 }),
        cancelled: z
          .int()
          .meta({ description: "Number of withdrawals whose request was cancelled.", example: 1 }),
        failed: z
          .int()
          .meta({ description: "Number of withdrawals that failed or were rejected.", example: 1 }),
      })
      .meta({ description: "Number of withdrawals by outcome." }),
    users: z.int().meta({
      description: "Number of distinct addresses with a deposit seen on-chain.",
      example: 48,
    }),
    success_rate: z.number().nullable().meta({
      description:
        "Completed deposits as a fraction of those that completed, failed, or ended as partial or refunded; `null` if there are none.",
      example: 0.9286,
    }),
    volumes: z.array(Volume).meta({ description: "Completed deposits by paid token; at most 200 tokens." }),
    withdrawn: z.array(WithdrawnVolume).meta({
      description: "Completed withdrawals by the token in which the vaults paid; at most 200 tokens.",
    }),
    days: z.array(Day).meta({
      description:
        "Deposits and withdrawals seen on-chain by the day on which they were built, in ascending order; days without any are left out. At most the newest 366 days.",
    }),
  })
  .meta({
    id: "Dashboard",
    description: "Statistics on the deposits and withdrawals built with a partner's API key.",
  });
export type Dashboard = z.infer<typeof Dashboard>;
