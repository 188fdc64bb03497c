import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Something about the machine, not the program, stops the stack; the message is meant for a person. */
export class StackError extends Error {}

/**
 * Below what systems give out themselves (Linux from 32768, others from 49152): a port found here is not given to
 * somebody else between the search and its use, seconds later.
 */
const FIRST_PORT = 20_000;
const END_PORT = 32_000;
const TRIES = 100;

/** The port if it is free, or any free one for 0. Throws {@link StackError} naming a port that is taken. */
export async function findPort(port: number): Promise<number> {
  if (port === 0) return anyFreePort();
  if (await isFree(port)) return port;
  const advice = "stop what is using it, or choose another with --port";
  throw new StackError(`port ${port} is already in use: ${advice}`);
}

async function anyFreePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const candidate = randomInt(FIRST_PORT, END_PORT);
    if (await isFree(candidate)) return candidate;
  }
  throw new StackError(`no free port was found between ${FIRST_PORT} and ${END_PORT}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
