import { expect, test } from "vitest";

type Emit = (name: string, value: unknown) => void;
type State = { address: string | null } | null;
/** The function under test. Its module needs the types of a browser, which tests are not compiled with. */
type Create = (
  provider: { request(call: { method: string }): Promise<unknown>; listen(on: Emit): void; report(): void },
  of: { host: string; publish: (state: State) => void },
) => { connect(id: string): Promise<void> };
const file = "../../../src/console/embed/embed-lent-wallet.ts";
const { createLentConnection } = (await import(file)) as { createLentConnection: Create };

const FIRST = "0x00000000000000000000000000000000000000aa";
const SECOND = "0x00000000000000000000000000000000000000bb";

/** Creates a connection to a host's wallet that gives `accounts()`, and returns the states that it publishes. */
function lentBy(accounts: () => Promise<string[]>) {
  let emit: Emit = () => undefined;
  const provider = {
    request: ({ method }: { method: string }) =>
      method === "eth_chainId" ? Promise.resolve("0x1") : accounts(),
    listen: (on: Emit) => {
      emit = on;
    },
    report: () => undefined,
  };
  const states: State[] = [];
  const publish = (state: State) => void states.push(state);
  const connection = createLentConnection(provider, { host: "https://host.example", publish });
  return { connection, emit: (name: string, value: unknown) => emit(name, value), states };
}

/** Waits until every promise that is settled already has called its handlers. */
const handlers = () => new Promise((resolve) => setImmediate(resolve));
const addresses = (states: readonly State[]) => states.map((state) => state?.address ?? null);

test("a wallet that refuses to name its account after a change is disconnected", async () => {
  let refuses = false;
  const { connection, emit, states } = lentBy(async () => {
    if (refuses) throw Object.assign(new Error("unauthorized"), { code: 4100 });
    return [FIRST];
  });
  await connection.connect("host");
  refuses = true;
  emit("accountsChanged", [SECOND]);
  await handlers();
  expect(addresses(states)).toEqual([FIRST, null]);
});

test("of two changes of the account, the account of the later is used, whatever is answered first", async () => {
  const answers: ((accounts: string[]) => void)[] = [];
  const { connection, emit, states } = lentBy(() => new Promise((resolve) => answers.push(resolve)));
  const connected = connection.connect("host");
  answers[0]?.([FIRST]);
  await connected;
  emit("accountsChanged", [SECOND]);
  emit("accountsChanged", [FIRST]);
  answers[2]?.([FIRST]);
  await handlers();
  answers[1]?.([SECOND]);
  await handlers();
  expect(addresses(states).at(-1)).toBe(FIRST);
});
