import * as z from "zod";
import { NextStep } from "./deposit-schema.ts";
import {
  AddressText,
  AmountText,
  ChainIdNumber,
  NullableTrackingId,
  TimeText,
  UsdText,
  VaultIdText,
} from "./primitive-schemas.ts";
import { NextStepRefusal, TokenRef } from "./step-schema.ts";
import { VaultType } from "./vault-schema.ts";

/** A user's deposit or redemption request that the vault has not settled, or whose result the user has not claimed. */
export const VaultRequest = z
  .object({
    request_id: z.string().meta({
      description:
        "Id of the request in this vault, which `/v1/withdraw/claim` and `/v1/withdraw/cancel` take: the vault's number of it, or another text, such as its date. `0` if it is the only one of its user, or if the id of a deposit request is unknown.",
      example: "42",
    }),
    kind: z.enum(["deposit", "redeem"]).meta({
      description: "`deposit`: shares are to be minted; `redeem`: assets are to be paid.",
      example: "redeem",
    }),
    shares: AmountText.nullable().meta({
      description:
        "Shares of the request, in the share token's smallest unit, or `null` if unknown; for a deposit, those that can be claimed.",
    }),
    assets: AmountText.nullable().meta({
      description:
        "What the request pays or will pay, in the smallest unit of the token paid out, at today's price until the vault " +
        "has fixed it; for a deposit, its assets. `null` if unknown.",
    }),
    token: TokenRef.meta({
      description: "Token of `assets`: the one that a redemption pays, the vault's asset for a deposit.",
    }),
    state: z.enum(["pending", "claimable"]).meta({
      description:
        "`claimable`: it can be claimed now, all or in part; `pending`: it cannot, because the vault has not settled it or the time to claim is over.",
      example: "pending",
    }),
    since: TimeText.nullable().meta({
      description: "Time of the request, or `null` if the contract does not provide it.",
    }),
    earliest: TimeText.nullable().meta({
      description: "Earliest time at which it can be paid, or `null` if the contract does not provide it.",
    }),
    expires_at: TimeText.nullable().meta({
      description:
        "Time at which it expires, or `null` if it does not expire or the contract does not provide the time.",
    }),
    claimable: AmountText.nullable().meta({
      description:
        "What can be claimed now, in the smallest unit: assets of a redemption, shares of a deposit or of a cancelled redemption (`request_id` is `cancelled`), assets of a cancelled deposit (its `shares` are `null`), or `null` if unknown.",
    }),
    cancellable: z.boolean().meta({
      description:
        "Whether the user can take it back now, by the vault's views; in the answer of `/v1/actions`, also by a simulation.",
      example: false,
    }),
    in_wallet: z.boolean().meta({
      description: "Whether the shares are still in the wallet and therefore part of `share_balance`.",
      example: false,
    }),
    tracking_id: NullableTrackingId.meta({
      description:
        "Tracking id of the withdrawal or deposit that this API built for it, or `null` if none is known.",
    }),
  })
  .meta({ id: "VaultRequest", description: "A request of a user to a vault that is not finished." });
export type VaultRequest = z.infer<typeof VaultRequest>;

/**
 * A user's shares in one vault and the open requests to it, with the value of the shares and of unpaid redemptions, the
 * net deposits and the yield. A user with an open request may have no shares.
 */
export const Position = z
  .object({
    vault_id: VaultIdText,
    vault_name: z.string().meta({ description: "Display name of the vault.", example: "Steakhouse USDC" }),
    vault_address: AddressText.meta({
      description: "Address of the vault contract, checksummed.",
      example: "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183",
    }),
    chain_id: ChainIdNumber.meta({ description: "EIP-155 id of the vault's chain." }),
    asset_symbol: z
      .string()
      .meta({ description: "Symbol of the underlying asset, in uppercase.", example: "USDC" }),
    asset_address: AddressText.meta({ description: "Address of the underlying asset, checksummed." }),
    asset_decimals: z.int().meta({ description: "Decimals of the underlying asset.", example: 6 }),
    share_balance: AmountText.meta({
      description: "The user's balance of the share token, in its smallest unit.",
      example: "944000000000000000",
    }),
    share_decimals: z.int().meta({ description: "Decimals of the share token.", example: 18 }),
    vault_type: VaultType,
    current_assets: AmountText.nullable().meta({
      description:
        "Current value of the shares and of redemptions that are requested and not paid yet, in the asset's smallest unit, " +
        "or `null` if a part of it is unknown. Deposit requests are in `requests` until their shares are claimed.",
    }),
    redeemable_assets: AmountText.nullable().meta({
      description:
        "What the shares would pay if they were redeemed now, after exit fees, in the asset's smallest unit, regardless of the vault's liquidity. `null` if it is unknown or the vault does not pay at once.",
    }),
    requests: z.array(VaultRequest).meta({
      description: "The user's requests to the vault that are not finished.",
    }),
    deposited_assets: z
      .string()
      .nullable()
      .meta({
        pattern: "^(0|-?[1-9][0-9]*)$",
        description:
          "Deposits minus withdrawals that were paid to date, in the asset's smallest unit. Amounts in other accepted tokens are " +
          "converted by the vault's own prices at that time, rounded down. `null` if none are recorded, an amount is not known, or " +
          "the vault's history is not completely indexed, for example right after a deposit or withdrawal.",
        example: "990000",
      }),
    yield_assets: z
      .string()
      .nullable()
      .meta({
        pattern: "^(0|-?[1-9][0-9]*)$",
        description:
          "Yield to date: `current_assets` minus `deposited_assets`, in the asset's smallest unit. Negative for a loss, " +
          "`null` if either value is unknown, or if shares came from or went to another account by a transfer, because what they cost is then unknown.",
        example: "10000",
      }),
    value_usd: UsdText.nullable().meta({
      description:
        "Value of `current_assets` in US dollars, rounded down, or `null` if it or the asset's price is unknown.",
      example: "1000.00",
    }),
  })
  .meta({
    id: "Position",
    description: "A user's shares in one vault, with their value in the vault's asset.",
  });
export type Position = z.infer<typeof Position>;

/**
 * Coverage of one chain in a user's positions: whether and at which block it was read, and which blocks are indexed.
 */
export const ChainCoverage = z
  .object({
    chain_id: ChainIdNumber,
    ok: z.boolean().meta({
      description: "Whether the chain could be read. If not, its vaults are missing from the response.",
      example: true,
    }),
    block_number: z.int().nullable().meta({
      description:
        "Block of the first read of the chain, or `null` if it is unknown. Further reads may be at later blocks.",
      example: 41250000,
    }),
    block_timestamp: TimeText.nullable().meta({
      description: "Timestamp of that block, or `null` if it is unknown.",
    }),
    indexed_from: z.int().nullable().meta({
      description:
        "First block from which the deposits and withdrawals of all of the chain's vaults are indexed, or `null` if a vault is not indexed yet or the index could not be read.",
      example: 12300000,
    }),
    indexed_to: z
      .int()
      .nullable()
      .meta({
        description:
          "Last block of the index, or `null` if there is none or it could not be read. A request that only events show is in " +
          "`positions` before the index reaches its block, too, if the shares differ from the indexed ones and the chain's nodes " +
          "return the events of the blocks since. If these do not explain that shares are missing, `current_assets` is `null` " +
          "until then.",
        example: 41249990,
      }),
    unread: z.array(VaultIdText).meta({ description: "Vaults whose share balance could not be read." }),
  })
  .meta({ id: "ChainCoverage", description: "Coverage of one chain in a user's positions." });
export type ChainCoverage = z.infer<typeof ChainCoverage>;

/** A user's shares and open requests in vaults of all chains or one, with the coverage of each chain. */
export const Positions = z
  .object({
    user_address: AddressText.meta({
      description: "Wallet whose positions these are, checksummed.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    positions: z.array(Position).meta({
      description:
        "One position for each share token that the user holds, and for each further vault to which the user has or may have an open request.",
    }),
    pending: z
      .array(
        z.object({
          vault_id: VaultIdText,
          pending_assets: AmountText.nullable().meta({
            description:
              "Assets in requests that the vault has not settled yet, in the asset's smallest unit, or `null` if unknown.",
          }),
          claimable_shares: AmountText.nullable().meta({
            description:
              "Shares that can be claimed now, in the share token's smallest unit, or `null` if unknown.",
          }),
          next: NextStep.nullable().meta({
            description: "Claim transaction that the user can sign now, or `null` if there is none.",
          }),
          next_refusal: NextStepRefusal.nullable().meta({
            description: "Reason why the shares cannot be claimed now, or `null` if there is no such reason.",
          }),
        }),
      )
      .meta({
        description: "Deposit requests to asynchronous vaults whose shares have not been claimed yet.",
      }),
    chains: z.array(ChainCoverage).meta({ description: "Coverage of each chain." }),
  })
  .meta({
    id: "Positions",
    description:
      "A user's shares and pending deposits in vaults that are paused, or that are or were open for deposits.",
  });
export type Positions = z.infer<typeof Positions>;

/** Whether a user can take an action at a vault now, with the largest possible amount, or with the reason if not. */
export const VaultAction = z
  .object({
    allowed: z.boolean().meta({
      description:
        "Whether it is possible now by the vault's views and a simulation, for a deposit whatever the account holds of the asset. The simulation of a build decides.",
      example: true,
    }),
    max: AmountText.nullable().meta({
      description:
        "Largest amount that is possible now, in the smallest unit: assets of a deposit and of claims, shares of a withdrawal " +
        "and of cancellations. Where a vault can pay for only a part of the shares, a withdrawal of slightly more may be possible: " +
        "of the worth of two smallest units of the asset, or of 0.1% if its views and its payment differ. " +
        "If no view shows how much can leave, up to 2% of the account's shares may be missing, and `reason` says so. " +
        "Several claimable requests are added up, and each needs a claim of its own. `null` if unlimited, unknown, or no amount of one token, such as a claim of several tokens.",
    }),
    mode: z.enum(["instant", "request", "cooldown"]).nullable().meta({
      description: "How the vault would settle it, or `null` if it does not apply.",
      example: "instant",
    }),
    code: z.string().nullable().meta({
      description: "Error code of the reason why it is not possible now, or `null` if it is allowed.",
      example: null,
    }),
    reason: z.string().meta({
      description: "Reason why it is not possible now, or a note for the user; empty if there is neither.",
      example: "",
    }),
    until: TimeText.nullable().meta({
      description: "Earliest time at which it becomes possible, or `null` if it is unknown or possible now.",
    }),
  })
  .meta({ id: "VaultAction", description: "Whether a user can take one action at a vault now." });
export type VaultAction = z.infer<typeof VaultAction>;

/**
 * Whether a user can deposit, withdraw, claim and cancel at a vault now, and the user's open redemptions and deposit
 * requests.
 */
export const VaultActions = z
  .object({
    deposit: VaultAction.meta({ description: "Deposit of the asset." }),
    withdraw: VaultAction.meta({ description: "Withdrawal of the shares." }),
    claim: VaultAction.meta({
      description:
        "Claim of a redemption that is ready, otherwise of the shares of a deposit request; the latter's transaction is in " +
        "`pending` of the positions.",
    }),
    cancel: VaultAction.meta({ description: "Cancellation of a redemption that is not paid yet." }),
    requests: z.array(VaultRequest).meta({
      description:
        "The user's redemptions and deposit requests that the vault has not settled yet, or that can be claimed.",
    }),
  })
  .meta({ id: "VaultActions", description: "What a user may do at a vault now." });
export type VaultActions = z.infer<typeof VaultActions>;
