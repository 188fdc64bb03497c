import type { AddressInfo } from "node:net";
import { createServer } from "node:net";

/** Something about the machine, not the program, stops the stack; the message is meant for a person. */
export class StackError extends Error {}

/** The port if it is free, or any free one for 0. Throws {@link StackError} naming a port that is taken. */
export function findPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EADDRINUSE") return reject(error);
      const advice = "stop what is using it, or choose another with --port";
      reject(new StackError(`port ${port} is already in use: ${advice}`));
    });
    probe.listen(port, "127.0.0.1", () => {
      const { port: found } = probe.address() as AddressInfo;
      probe.close(() => resolve(found));
    });
  });
}
