import { chainIn, type StackManifest, type StackVault } from "../manifest.ts";
import { settlesLater } from "./settle-vault.ts";

/** An example for a running stack: a description and commands to paste, in order. */
export interface StackExample {
  title: string;
  commands: readonly string[];
}

/** Number of the examples' account; the demonstration does not use its tokens. */
const ACCOUNT = 1;
const WHOLE_DOLLARS = 250n;

/** Returns the address of the examples' account. It holds every token on both chains. */
export function exampleAccount({ accounts }: StackManifest): string {
  const account = accounts[ACCOUNT];
  if (account === undefined) throw new Error("the stack has no second account");
  return account.address;
}

/** Returns the first examples. Every command works unchanged; `sign` continues the last build. */
export function firstSteps(stack: StackManifest): StackExample[] {
  const { api } = stack;
  const direct = vaultOf(stack, ({ name }) => name === "Local Prime USDC");
  const remote = vaultOf(stack, ({ name }) => name === "Remote USDC");
  const later = vaultOf(stack, (vault) => settlesLater(vault) && vault.asset_symbol === "USDC");
  const cooling = vaultOf(stack, ({ scenario }) => scenario === "cooldown");
  const build = (vault: StackVault, from = vault.chain_id) => buildCommand(stack, { vault, from });
  const sign = "npm run stack -- sign";
  const limited = JSON.stringify({ from_chain_id: direct.chain_id });
  return [
    {
      title: "Build a deposit, then send its steps: the approval, the deposit",
      commands: [build(direct), sign, sign],
    },
    {
      title: "Take everything out again",
      commands: [withdrawCommand(stack, direct), sign, sign],
    },
    {
      title: `Deposit into a vault that settles later: ${later.name}`,
      commands: [build(later), sign, sign, `npm run stack -- settle ${later.vault_id}`, sign],
    },
    {
      title: `Leave a vault that pays after a cooldown (settle ends the cooldown): ${cooling.name}`,
      commands: [
        ...[build(cooling), sign, sign, withdrawCommand(stack, cooling), sign],
        ...[`npm run stack -- settle ${cooling.vault_id}`, sign],
      ],
    },
    {
      title: "Let the bridge refund a deposit from another chain",
      commands: [
        `npm run stack -- fault bridges '{"relayer":{"mode":"refund"}}'`,
        build(remote, direct.chain_id),
        sign,
        sign,
        "npm run stack -- fault bridges clear",
        sign,
      ],
    },
    {
      title: "Delay the bridge by 30 seconds, build and sign as above, then end the delay",
      commands: [
        `npm run stack -- fault bridges '{"relayer":{"delay_ms":30000}}'`,
        "npm run stack -- fault bridges clear",
      ],
    },
    {
      title: "See a 429",
      commands: ["npm run stack -- limit quote", `curl -si ${api}/v1/quote ${JSON_BODY} -d '${limited}'`],
    },
    {
      title: "Give an address tokens on both chains",
      commands: [`npm run stack -- fund ${exampleAccount(stack)} USDC 1000`, "npm run stack -- status"],
    },
  ];
}

const JSON_BODY = "-H 'content-type: application/json'";

function buildCommand(stack: StackManifest, { vault, from }: { vault: StackVault; from: number }): string {
  const token = chainIn(stack, from).contracts.tokens[vault.asset_symbol];
  const body = {
    from_chain_id: from,
    from_token: token.address,
    from_amount: String(WHOLE_DOLLARS * 10n ** BigInt(token.decimals)),
    vault_id: vault.vault_id,
    user_address: exampleAccount(stack),
  };
  return `curl -s ${stack.api}/v1/quote/build ${JSON_BODY} -d '${JSON.stringify(body)}'`;
}

function withdrawCommand(stack: StackManifest, vault: StackVault): string {
  const body = { vault_id: vault.vault_id, user_address: exampleAccount(stack), shares: "all" };
  return `curl -s ${stack.api}/v1/withdraw/build ${JSON_BODY} -d '${JSON.stringify(body)}'`;
}

function vaultOf({ vaults }: StackManifest, fits: (vault: StackVault) => boolean): StackVault {
  const vault = vaults.find(fits);
  if (vault === undefined) throw new Error("the stack lacks a vault of the examples");
  return vault;
}
