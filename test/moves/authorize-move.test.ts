import { encodeErrorResult, type Hex, isAddressEqual, parseAbi } from "viem";
import { expect, test } from "vitest";
import type { DepositRow } from "../../src/db/queries/deposit-queries.ts";
import { explainSignedOrder } from "../../src/moves/authorize-move.ts";
import { prepareMove } from "../../src/moves/prepare-move.ts";
import type { PlannedAuthorization } from "../../src/orders/authorization/planned-authorization.ts";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import type { AuthorizationKind } from "../../src/router/router-signature-messages.ts";
import { USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects } from "../support/deposits/simulated-chain.ts";
import { plannedBy, routerRevert, signedCall } from "../support/orders/signed-chain.ts";
import { HELD, WORTH } from "../support/withdrawals/fixtures.ts";
import { createMoveFixture, into, moveInput, TARGET_VAULT } from "../support/withdrawals/moving.ts";
import { storedOf } from "../support/withdrawals/withdrawing.ts";

type MovingWorld = NonNullable<Parameters<typeof createMoveFixture>[0]>;

const paused = encodeErrorResult({ abi: parseAbi(["error EnforcedPause()"]) });
const unheard: Hex = "0xdeadbeef";
const isMove = (data: string): boolean =>
  isAddressEqual(decodeRouterCall(data as Hex).order.tokenOut, TARGET_VAULT);

/** Returns the code with which an unsigned build refuses a move that reverts with this data. */
async function unsignedCode(revert: Hex, world: MovingWorld): Promise<string> {
  const effects = ({ data }: { data: string }): SimulatedEffects =>
    isMove(data) ? { revert } : { rises: { [balanceKey(USDC, USER)]: WORTH } };
  const { ctx } = await createMoveFixture({ ...world, effects });
  return prepareMove(ctx, { input: moveInput(), from: vault }).then(
    () => "none",
    ({ code }: { code: string }) => code,
  );
}

/** Returns the payload that a user signs for a move of all shares. */
async function plannedMove(kind: AuthorizationKind): Promise<PlannedAuthorization> {
  const { ctx } = await createMoveFixture();
  const made = await prepareMove(ctx, { input: moveInput(), from: vault });
  if (made.kind !== "direct") throw new Error(made.kind);
  return { ...plannedBy(kind, decodeRouterCall(made.direct.deposit.data)), owner: USER };
}

/** Returns how an order with this payload is explained, while Postgres answers with both vaults and then with each. */
async function signedCode(
  revert: Hex,
  of: { planned: PlannedAuthorization; world?: MovingWorld; stored?: (typeof vault)[] },
): Promise<string | null> {
  const { ctx } = await createMoveFixture(of.world ?? {});
  const answers = [
    [storedOf(vault), storedOf(into)],
    ...(of.stored ?? [vault, into]).map((one) => [storedOf(one)]),
  ];
  const db = { run: async <T>() => answers.shift() as T };
  const row = { vaultChainId: into.chainId, vaultAddress: TARGET_VAULT, slippage: 0.005 } as DepositRow;
  const { planned } = of;
  const error = await explainSignedOrder({ ...ctx, db }, { row, planned, amount: WORTH, revert });
  return error?.code ?? null;
}

test.each<[string, Hex, string, MovingWorld?]>([
  ["the old vault is paused", routerRevert("StepFailed", [0n, paused]), "exits_paused"],
  ["the old vault's share is paused", routerRevert("TokenFailed", [VAULT, paused]), "exits_paused"],
  [
    "the old vault redeems less",
    routerRevert("StepFailed", [0n, unheard]),
    "no_liquidity",
    {
      answers: { maxRedeem: HELD / 2n },
      functions: parseAbi(["function maxRedeem(address) view returns (uint256)"]),
    },
  ],
  ["the old vault pays less", routerRevert("StepUnderfunded", [1n, 1n, 2n]), "price_unsafe"],
  ["the old vault gives no reason", routerRevert("StepFailed", [0n, unheard]), "would_revert"],
  ["the new vault is paused", routerRevert("StepFailed", [1n, paused]), "vault_paused"],
  ["the new vault's share is paused", routerRevert("TokenFailed", [TARGET_VAULT, paused]), "vault_paused"],
  ["the new vault mints fewer shares", routerRevert("OutputBelowMinimum", [1n, 2n]), "price_unsafe"],
  ["the new vault mints no shares", routerRevert("OutputBelowMinimum", [0n, 2n]), "zero_shares"],
  ["the asset is paused", routerRevert("TokenFailed", [USDC, paused]), "would_revert"],
])(
  "a signed move is refused with the code of an unsigned one where %s",
  async (_what, revert, code, world = {}) => {
    expect(await unsignedCode(revert, world)).toBe(code);
    for (const kind of ["permit2", "erc3009", "permit"] as const)
      expect(await signedCode(revert, { planned: await plannedMove(kind), world })).toBe(code);
  },
);

test("what only the signature can be the reason of is no vault's", async () => {
  const unauthorized = routerRevert("AuthorizationFailed", [paused]);
  const untaken = routerRevert("TokenFailed", [VAULT, unheard]);
  for (const kind of ["permit2", "erc3009", "permit"] as const)
    expect(await signedCode(unauthorized, { planned: await plannedMove(kind) })).toBeNull();
  expect(await signedCode(untaken, { planned: await plannedMove("permit") })).toBeNull();
  expect(await signedCode(untaken, { planned: await plannedMove("permit2") })).toBe("would_revert");
});

test("a vault that its views show as closed is named, whatever the token says of the signature", async () => {
  const planned = await plannedMove("permit2");
  const revert = routerRevert("AuthorizationFailed", ["0x"]);
  const left = { answers: { previewRedeem: 0n, convertToAssets: 0n } };
  expect(await signedCode(revert, { planned, world: left })).toBe("below_minimum");
  const entered = { answers: { previewDeposit: 0n } };
  expect(await signedCode(revert, { planned, world: entered })).toBe("zero_shares");
});

test("a deposit of one step asks only its own vault, and one of a swap asks none", async () => {
  const [step] = signedCall.steps;
  if (step === undefined) throw new Error("no step");
  const deposit = {
    ...signedCall,
    order: { ...signedCall.order, tokenOut: TARGET_VAULT },
    steps: [{ ...step, target: TARGET_VAULT, spender: TARGET_VAULT }],
  };
  const revert = routerRevert("StepFailed", [0n, paused]);
  // Only the vault itself is read from Postgres.
  const ofVault = async (call: typeof deposit) => {
    const { ctx } = await createMoveFixture();
    const answers = [[storedOf(into)]];
    const db = { run: async <T>() => answers.shift() as T };
    const row = { vaultChainId: into.chainId, vaultAddress: TARGET_VAULT, slippage: 0.005 } as DepositRow;
    const planned = plannedBy("permit2", call);
    const error = await explainSignedOrder({ ...ctx, db }, { row, planned, amount: WORTH, revert });
    return error?.code ?? null;
  };
  expect(await ofVault(deposit)).toBe("vault_paused");
  expect(await ofVault({ ...deposit, order: { ...deposit.order, tokenOut: USDC } })).toBeNull();
});
