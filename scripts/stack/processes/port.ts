import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** An error caused by the machine, not the program; its message is for the user. */
export class StackError extends Error {}

/**
 * First port to try. It is below the ephemeral ports (Linux from 32768, others from 49152), so that the system does not
 * assign a found port to another process before it is used.
 */
const FIRST_PORT = 20_000;
const END_PORT = 32_000;
const TRIES = 100;

/** Returns the port when it is free, or any free port for 0. Throws {@link StackError} when the port is taken. */
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
