/** `npm run stack -- …`: changes a running local stack from the terminal. */
import { readArguments, reportFailure, UsageError } from "./command.ts";
import { readManifest, type StackManifest } from "./stack/manifest.ts";
import { setFault } from "./stack/playground/set-fault.ts";
import { signStep } from "./stack/playground/sign-step.ts";
import { useUpLimit } from "./stack/playground/use-up-limit.ts";

const { values, positionals } = readArguments({
  help: `Changes the running local stack of npm start.

  npm run stack -- status
  npm run stack -- fund <address> <symbol> <amount>
  npm run stack -- sign [tracking_id]
  npm run stack -- settle <vault_id>
  npm run stack -- fault <emulator> <json>|clear
  npm run stack -- limit <name>

  status   chains, vaults that settle deposits or redemptions later, faults that are set
  fund     gives an address whole tokens on every chain; ETH is the native token
  sign     sends the first required step of a deposit or withdrawal from its user, whose key it does
           not need; without an id, of the last one that was built for an account of stack.json
  settle   settles all open requests of a vault, as its operator does, and ends its cooldowns
  fault    sets faults and the relayer of lifi, across, swaps, velora, prices, neon, upstash or
           rpc:<chain_id>; 'bridges' is lifi and across together; 'clear' ends them
  limit    uses up this minute's requests of one rate limit (quote, build, nonce), for a 429
  --stack  path of stack.json; default: .stack/stack.json
  --help   show this text`,
  options: { stack: { type: "string" } },
  words: true,
});

/** Commands with the number of their arguments. Each returns the lines to print. */
const commands: Readonly<
  Record<
    string,
    {
      takes: readonly [least: number, most: number];
      run(stack: StackManifest, words: readonly string[]): Promise<string[]>;
    }
  >
> = {
  // What needs a compiled stand-in is imported when it runs: the stack has compiled them by then.
  status: {
    takes: [0, 0],
    run: async (stack) => (await import("./stack/playground/describe-stack.ts")).describeStack(stack),
  },
  fund: {
    takes: [3, 3],
    run: async (stack, words) =>
      (await import("./stack/playground/fund-account.ts")).fundAccount(stack, words),
  },
  sign: { takes: [0, 1], run: signStep },
  settle: {
    takes: [1, 1],
    run: async (stack, words) =>
      (await import("./stack/playground/settle-vault.ts")).settleVault(stack, words),
  },
  fault: { takes: [2, 2], run: setFault },
  limit: { takes: [1, 1], run: useUpLimit },
};

try {
  const [name = "", ...words] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(name === "" ? "no command" : `no command '${name}'`);
  const [least, most] = command.takes;
  if (words.length < least || words.length > most)
    throw new UsageError(
      `${name} takes ${least < most ? "at most " : ""}${most} ${most === 1 ? "argument" : "arguments"}, not ${words.length}`,
    );
  for (const line of await command.run(readManifest(values.stack), words)) console.log(line);
} catch (error) {
  reportFailure(error);
}
