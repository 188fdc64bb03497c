/** Boots the local stack once for all end-to-end files and provides its manifest. */
import { readFileSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { bootStack } from "../../scripts/stack/boot.ts";
import type { StackManifest } from "../../scripts/stack/manifest.ts";

declare module "vitest" {
  interface ProvidedContext {
    stack: StackManifest;
  }
}

/** With `STACK_FILE`, uses the running stack of this `stack.json` instead. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = process.env["STACK_FILE"] ?? "";
  if (running !== "") {
    project.provide("stack", JSON.parse(readFileSync(running, "utf8")) as StackManifest);
    return async () => undefined;
  }
  const stack = await bootStack({ quiet: true });
  stack.onCrash((message) => console.error(message));
  project.provide("stack", stack.manifest);
  return () => stack.close();
}
