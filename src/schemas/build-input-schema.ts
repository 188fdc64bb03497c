import { zeroAddress } from "viem";
import * as z from "zod";
import { sameAddress } from "../lib/address.ts";
import type { VaultKey } from "../lib/vault-id.ts";
import {
  AddressInput,
  AmountInput,
  ChainIdInput,
  TokenInput,
  TrackingIdInput,
  UserInput,
  VaultIdInput,
} from "./primitive-schemas.ts";
import { authorizeFields, canSubmit, submitterIssue } from "./signing-schema.ts";

/** Keys of the bridges that a caller may prefer: those with calldata that this service decodes and verifies. */
export const bridgeKeys = ["across", "stargate", "stargate_bus", "cctp", "cctp_fast"] as const;

/** Error text for a slippage tolerance that is out of range. */
const SLIPPAGE_RANGE = "must be a fraction above 0 and at most 0.5: 0.01 = 1 %, 0.5 = 50 %";

/** Returns the schema of a slippage tolerance in a request: a fraction above 0 and at most 0.5 (50%). */
export const slippageInput = () => z.number(SLIPPAGE_RANGE).gt(0, SLIPPAGE_RANGE).max(0.5, SLIPPAGE_RANGE);

/** Error text for an unknown kind of partner. */
const PARTNER_TYPES = "must be 0 (direct), 1 (creator) or 2 (wallet)";

/** The kind of partner in a request: 0 direct, 1 creator, 2 wallet. */
export const PartnerTypeInput = z.int(PARTNER_TYPES).min(0, PARTNER_TYPES).max(2, PARTNER_TYPES);

/**
 * Adds an issue if the user of an order is a contract that the order itself names: the vault or the token. It would
 * receive the shares and could not give them back.
 */
function refuseContractAsUser(
  order: { user_address: string; from_token: string; vault_id: VaultKey },
  context: z.RefinementCtx,
): void {
  const contracts = { vault: order.vault_id.address, token: order.from_token };
  for (const [what, address] of Object.entries(contracts))
    if (sameAddress(address, order.user_address))
      context.addIssue({
        code: "custom",
        path: ["user_address"],
        message: `is the ${what}: send the address of the wallet that pays and receives the shares`,
      });
}

/** Request body for quoting or building a deposit. Unknown fields are rejected: a misspelled name could cost money. */
export const BuildInput = z
  .strictObject({
    from_chain_id: ChainIdInput.meta({ description: "EIP-155 id of the chain that the user pays on." }),
    from_token: TokenInput.meta({
      description:
        "Token that the user pays with; for the native currency the zero address or " +
        "`0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE`.",
    }),
    from_amount: AmountInput.meta({ description: "Amount to pay, in the smallest unit of `from_token`." }),
    vault_id: VaultIdInput.meta({
      description:
        "Vault to deposit into: `<chain_id>:<vault address>`, in any letter case; `%3A` is accepted for the colon.",
    }),
    user_address: UserInput.meta({
      description: "Wallet that pays for the deposit and receives the shares; not the zero address.",
      example: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    }),
    slippage: slippageInput().default(0.03).meta({
      description:
        "Slippage tolerance: maximum total loss between the expected value and the value of the received shares, as a fraction.",
      example: 0.01,
    }),
    referrer: AddressInput.default(zeroAddress).meta({
      description: "Address that referred the user. Default: the zero address, which stands for none.",
      example: "0x0000000000000000000000000000000000000000",
    }),
    referrer_handle: z.string().max(64).default("").meta({
      description: "Handle that referred the user.",
      example: "alice",
    }),
    parent_tracking_id: TrackingIdInput.optional().meta({
      description:
        "Tracking id of an earlier deposit or withdrawal of the same user that this deposit belongs to. If that is a deposit that waits for its second step, and this one pays what was delivered into the same vault, it completes both.",
    }),
    preferred_bridge: z.enum(bridgeKeys).optional().meta({
      description:
        "Key of the preferred bridge (`GET /v1/bridges`). Another bridge is used if the preferred bridge has no route.",
    }),
    partner_id: z.string().max(64).default("").meta({
      description:
        "Id of the partner. If an API key is sent, it must be empty or the id of the key's partner. The DepositRouter records it on-chain as the keccak256 hash of its UTF-8 bytes, or as zero if there is none.",
      example: "ptr_0123456789abcdef0123456789abcdef",
    }),
    partner_type: PartnerTypeInput.default(0).meta({
      description:
        "Kind of partner: 0 direct, 1 creator, 2 wallet. With an API key, that of the partner's settings is used instead.",
      example: 2,
    }),
    ...authorizeFields,
  })
  .refine(canSubmit, submitterIssue)
  .superRefine(refuseContractAsUser)
  .meta({
    id: "BuildInput",
    description: "A deposit to quote or to build.",
    // A whole body: one made of the fields' examples would name a parent deposit that does not exist.
    example: {
      from_chain_id: 8453,
      from_token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      from_amount: "25000000",
      vault_id: "8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183",
      user_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      slippage: 0.03,
    },
  });
export type BuildInput = z.infer<typeof BuildInput>;
