/** `npm start`: runs the whole service on this machine, makes demonstration deposits, then serves until Ctrl-C. */
import { join } from "node:path";
import { messageOf, readArguments } from "./command.ts";
import { bootStack, type Stack, startFolder } from "./stack/boot.ts";
import { Terminal } from "./stack/demo/terminal.ts";
import { StackError } from "./stack/processes/port.ts";

const HELP = `Runs Causeway on this machine, with its chains, stores and providers, and makes demonstration deposits.

  npm start -- [--port 8787] [--no-demo] [--keep] [--edge-cache]

  --port        port of the API; default: 8787
  --no-demo     do not make the demonstration deposits
  --keep        keep chains and database when Ctrl-C stops the stack, and continue with them;
                npm start without it starts anew and leaves what was kept alone
  --edge-cache  put a model of the platform's cache in front of the API, as in production
  --help        show this text

Environment: DATABASE_URL and REDIS_URL select a real Postgres and a real Redis instead of the embedded ones.`;

const DEFAULT_PORT = "8787";
const CRON_EVERY_MS = 5_000;
const terminal = new Terminal();

const { values } = readArguments({
  help: HELP,
  options: {
    port: { type: "string", default: DEFAULT_PORT },
    "no-demo": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    "edge-cache": { type: "boolean", default: false },
  },
});

async function main(): Promise<void> {
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new StackError(`--port ${values.port}: not a port between 1 and 65535`);
  const started = performance.now();
  terminal.title("Causeway, local stack");
  const stack = await bootStack({
    port,
    folder: startFolder,
    cronEveryMs: CRON_EVERY_MS,
    edgeCache: values["edge-cache"],
    ...(values.keep ? { keep: join(startFolder, "kept") } : {}),
    report: (name, ms) => terminal.step(name, ms),
  });
  stopOnSignal(stack);
  terminal.line(
    `\n  ${terminal.paint("bold", `ready in ${((performance.now() - started) / 1000).toFixed(1)} s`)}`,
  );
  if (stack.resumed) terminal.line(`  ${terminal.paint("dim", "continues with the data of the last run")}`);
  else if (values.keep)
    terminal.line(`  ${terminal.paint("dim", "starts with new data: nothing was kept for these contracts")}`);
  if (!stack.resumed && !values["no-demo"]) await demonstrate(stack);
  await showTrials(stack);
  showLinks(stack);
}

async function demonstrate({ manifest }: Stack): Promise<void> {
  const transferred = async (transactions: 1 | 2) => {
    const { demonstrateTransfer } = await import("./stack/demo/transfer.ts");
    const { describeTransfer } = await import("./stack/demo/describe-transfer.ts");
    return describeTransfer(await demonstrateTransfer(manifest, { transactions }));
  };
  await show("Deposit through the API, as a wallet makes it", async () => {
    const { demonstrateDeposit } = await import("./stack/demo/deposit.ts");
    const { describeDeposit } = await import("./stack/demo/describe-deposit.ts");
    return describeDeposit(await demonstrateDeposit(manifest));
  });
  await show("Deposit from another chain, in one transaction", () => transferred(1));
  await show("Deposit from another chain, in two transactions, into a vault that the user must call", () =>
    transferred(2),
  );
}

async function show(title: string, work: () => Promise<[string, string][]>): Promise<void> {
  terminal.title(title);
  try {
    terminal.table(await work());
  } catch (error) {
    terminal.line(`  ${terminal.paint("red", `failed: ${messageOf(error)}`)}`);
    process.exitCode = 1;
  }
}

/** Prints examples with commands to paste. */
async function showTrials({ manifest }: Stack): Promise<void> {
  const { firstSteps, exampleAccount } = await import("./stack/playground/first-steps.ts");
  terminal.title("Try it");
  terminal.table([
    ["account", exampleAccount(manifest)],
    ["", "holds every token on both chains; all accounts and their keys are in .stack/stack.json"],
  ]);
  for (const { title, commands } of firstSteps(manifest)) {
    terminal.line(`\n  ${title}\n`);
    for (const command of commands) terminal.line(`    ${terminal.paint("cyan", command)}`);
  }
}

function showLinks({ manifest, file }: Stack): void {
  const { api, chains, emulators, edge_cache: edgeCache } = manifest;
  terminal.title("Serving");
  terminal.table([
    ["api", terminal.paint("cyan", api)],
    ["docs", terminal.paint("cyan", `${api}/docs`)],
    ["openapi", `${api}/openapi.json`],
    ["health", `${api}/health/ready`],
    ...(edgeCache === null
      ? []
      : [["edge cache", `${edgeCache}  (GET: contents, DELETE: empty it)`] as const]),
    ...chains.map((chain): [string, string] => [
      `chain ${chain.chain_id}`,
      `${chain.rpc_url}  ${chain.name}`,
    ]),
    ["postgres", `${emulators.neon}/sql`],
    ["redis", emulators.upstash],
    ["manifest", file],
  ]);
  terminal.line(
    `\n  ${terminal.paint("dim", values.keep ? "Ctrl-C stops everything and keeps the data." : "Ctrl-C stops everything and drops its data; --keep keeps it.")}\n`,
  );
}

/** Stops the stack on a signal or when one of its processes dies; a second signal exits at once. */
function stopOnSignal(stack: Stack): void {
  let stopping = false;
  const stop = async (code: number) => {
    if (stopping) process.exit(code);
    stopping = true;
    await stack.close();
    process.exit(code);
  };
  process.on("SIGINT", () => {
    terminal.line("\n  stopping");
    void stop(0);
  });
  process.on("SIGTERM", () => void stop(0));
  stack.onCrash((message) => {
    terminal.line(`\n  ${terminal.paint("red", message)}`);
    void stop(1);
  });
}

main().catch((error: unknown) => {
  console.error(`\n  ${messageOf(error)}\n`);
  process.exit(1);
});
