import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { UsageError } from "../../../scripts/command.ts";
import { writeManifest } from "../../../scripts/stack/manifest.ts";
import { exampleAccount, firstSteps } from "../../../scripts/stack/playground/first-steps.ts";
import { fundAccount } from "../../../scripts/stack/playground/fund-account.ts";
import { setFault } from "../../../scripts/stack/playground/set-fault.ts";
import { settlesLater, settleVault } from "../../../scripts/stack/playground/settle-vault.ts";
import { signStep } from "../../../scripts/stack/playground/sign-step.ts";
import { useUpLimit } from "../../../scripts/stack/playground/use-up-limit.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainIds, chainOf, tokenOn } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "causeway-playground-"));
const file = join(folder, "stack.json");
beforeAll(() => writeManifest(file, inject("stack")));
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await forgetLimits();
});

/** Runs a line as it was printed, against the stack of the tests. */
async function paste(line: string): Promise<string> {
  const command = line.replace(
    /^npm run stack -- /,
    `"${process.execPath}" scripts/stack.ts --stack "${file}" `,
  );
  return (await run("bash", ["-c", command])).stdout;
}

/** Ends the windows of limits that were used up, so that other files may send requests. */
async function forgetLimits(): Promise<void> {
  const { emulators, redis_token: token } = inject("stack");
  const send = async (command: string[]) => {
    const init = {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(command),
    };
    return ((await (await fetch(emulators.upstash, init)).json()) as { result: string[] }).result;
  };
  const keys = await send(["KEYS", "*:limit:quote:*"]);
  if (keys.length > 0) await send(["DEL", ...keys]);
}

describe("what npm start prints to try", () => {
  const commandsOf = (title: RegExp): readonly string[] =>
    firstSteps(inject("stack")).find((one) => title.test(one.title))?.commands ?? [];
  const trial = async (title: RegExp): Promise<string[]> => {
    const printed: string[] = [];
    for (const command of commandsOf(title)) printed.push(await paste(command));
    return printed;
  };

  test("a deposit, step by step", async () => {
    const [built, approved, deposited] = await trial(/^Build a deposit/);
    expect(JSON.parse(built ?? "")).toMatchObject({ tracking_id: expect.stringMatching(/^trk_/) });
    expect(approved).toContain("the deposit is built");
    expect(deposited).toContain("the deposit is completed");
  });

  test("an asynchronous vault, which is settled", async () => {
    const [, , requested, settled, claimed] = await trial(/settles later/);
    expect(requested).toContain("the deposit is requested");
    expect(settled).toContain(`settled the request of ${exampleAccount(inject("stack"))}`);
    expect(claimed).toContain("the deposit is completed");
  });

  test("a vault with a cooldown, which is ended", async () => {
    const [, , deposited, withdrawal, cooling, settled, claimed] = await trial(/cooldown/);
    expect(deposited).toContain("the deposit is completed");
    expect(JSON.parse(withdrawal ?? "")).toMatchObject({ mode: "cooldown", approval: null });
    expect(cooling).toContain("the withdrawal is cooling");
    expect(settled).toContain(`settled the redemption of ${exampleAccount(inject("stack"))}`);
    expect(claimed).toContain("the withdrawal is completed");
  });

  test("a bridge that refunds", async () => {
    const [refund = "", build = "", approve = "", send = "", clear = "", look = ""] = commandsOf(/refund/);
    expect(await paste(refund)).toContain('"mode":"refund"');
    for (const command of [build, approve, send]) await paste(command);
    // Only then does the bridge deliver again: it fills what it has not refunded.
    await expect.poll(() => paste(look)).toContain("the deposit is refunded");
    expect(await paste(clear)).toContain('"mode":"deliver"');
    expect(await paste(look)).toContain("the deposit is refunded");
  });

  test("a bridge that is slow", async () => {
    const [delayed, cleared] = await trial(/Delay/);
    expect(delayed).toContain('"delay_ms":30000');
    expect(cleared).toContain('"delay_ms":0');
  });

  test("a 429", async () => {
    // A window that other files' quotes have opened could end between the two commands.
    await forgetLimits();
    const [limited, answer] = await trial(/429/);
    expect(limited).toMatch(/^quote: used up for the next \d+ seconds/);
    expect(answer).toMatch(/^HTTP\/1.1 429/);
    expect(answer).toMatch(/^retry-after: \d+/im);
    await forgetLimits();
  });

  test("tokens for an address, and the stack's state", async () => {
    const chain = chainOf(chainIds.two);
    const of = { token: tokenOn(chain, "USDC"), owner: exampleAccount(inject("stack")) as `0x${string}` };
    const before = await balanceOf(chain, of);
    const [, status] = await trial(/^Give/);
    expect((await balanceOf(chain, of)) - before).toBe(1_000_000_000n);
    expect(status).toContain(`api            ${inject("stack").api}, ready`);
    expect(status).toMatch(/^settles later {2}31337:0x[0-9a-f]{40} {2}Lagoon Later USDC$/m);
    for (const name of ["Lagoon USDC", "Cooldown USDC", "Boring Queue USDC", "Maple USDC"])
      expect(status).toMatch(new RegExp(`^redeems later {2}31337:0x[0-9a-f]{40} {2}${name}$`, "m"));
  });
});

describe("npm run stack", () => {
  const address = "0x00000000000000000000000000000000000000AA";

  test("gives native and wrapped money too", async () => {
    const chain = chainOf(chainIds.one);
    await fundAccount(inject("stack"), [address, "ETH", "1.5"]);
    await fundAccount(inject("stack"), [address, "weth", "0.5"]);
    expect(await chain.client.getBalance({ address })).toBe(15n * 10n ** 17n);
    expect(await balanceOf(chain, { token: tokenOn(chain, "WETH"), owner: address })).toBe(5n * 10n ** 17n);
  });

  test("settles the deposit requests of every family that has them", async () => {
    const stack = inject("stack");
    const user = exampleAccount(stack);
    for (const vault of stack.vaults.filter(settlesLater)) {
      const amount = amounts[vault.asset_symbol] / 20n;
      const body = bodyFor(vault, { user: getAddress(user), amount });
      const { tracking_id: trackingId, steps } = await new Api().buildToSign(body);
      for (const _ of steps.filter(({ state }) => state === "required")) await signStep(stack, [trackingId]);
      expect(await settleVault(stack, [vault.vault_id])).toContain(
        `${vault.name}: settled the request of ${user}`,
      );
    }
  });

  test("settles nothing where no request is open", async () => {
    for (const { vault_id: id, name } of inject("stack").vaults.filter(settlesLater)) {
      await settleVault(inject("stack"), [id]);
      expect(await settleVault(inject("stack"), [id])).toEqual([`${name}: no request is open`]);
    }
  });

  test.each([
    ["fund", fundAccount, ["0x1", "USDC", "1"], "'0x1' is not an address"],
    [
      "fund",
      fundAccount,
      [address, "DOGE", "1"],
      "no token 'DOGE': the stack has ETH, USDC, WBTC, WETH, USDT, FEE",
    ],
    ["fund", fundAccount, [address, "USDC", "1e3"], "'1e3' is not an amount such as 250 or 0.5"],
    [
      "fund",
      fundAccount,
      [address, "USDC", "0.0000001"],
      "'0.0000001' has more decimals than USDC, which has 6",
    ],
    ["fault", setFault, ["across", '{"x":1}'], 'Unrecognized key: "x"'],
    ["fault", setFault, ["across", "{"], "the body is not JSON"],
    ["fault", setFault, ["moon", "{}"], /^no emulator 'moon': bridges, neon, /],
    ["limit", useUpLimit, ["reads"], "no limit 'reads': quote, build, nonce"],
    ["settle", settleVault, ["1:0x"], /^no vault '1:0x': /],
  ])("%s refuses what it cannot do", async (_, command, words, text) => {
    const failed = await command(inject("stack"), words).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UsageError);
    expect((failed as Error).message).toMatch(text);
  });

  test("settle refuses a vault that settles at once", async () => {
    const vault = inject("stack").vaults.find(({ name }) => name === "Local Prime USDC");
    await expect(settleVault(inject("stack"), [vault?.vault_id ?? ""])).rejects.toThrow(
      "Local Prime USDC settles each deposit and withdrawal at once",
    );
  });

  test.each([
    ["no command", [], 2, "no command; see --help\n"],
    ["too many words", ["sign", "a", "b"], 2, "sign takes at most 1 argument, not 2; see --help\n"],
    ["too few words", ["fund", "0x1"], 2, "fund takes 3 arguments, not 1; see --help\n"],
    [
      "no stack",
      ["--stack", "/nonexistent", "status"],
      1,
      /^no stack is running: \/nonexistent does not exist/,
    ],
  ])("ends with one line on %s", async (_, words, code, text) => {
    const ended = await run(process.execPath, ["scripts/stack.ts", ...words]).catch(
      (error: unknown) => error,
    );
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(text) });
  });
});
