const colours = { bold: [1, 22], dim: [2, 22], green: [32, 39], red: [31, 39], cyan: [36, 39] } as const;
const LABEL_WIDTH = 14;
const STEP_WIDTH = 46;

/** Prints aligned text, in colour on a terminal unless NO_COLOR is set. */
export class Terminal {
  readonly #stream: NodeJS.WriteStream;
  readonly #coloured: boolean;

  constructor(stream: NodeJS.WriteStream = process.stdout) {
    this.#stream = stream;
    this.#coloured = stream.isTTY === true && (process.env["NO_COLOR"] ?? "") === "";
  }

  paint(colour: keyof typeof colours, text: string): string {
    const [on, off] = colours[colour];
    return this.#coloured ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  }

  line(text = ""): void {
    this.#stream.write(`${text}\n`);
  }

  title(text: string): void {
    this.line(`\n${this.paint("bold", text)}\n`);
  }

  /** Prints a finished step and its duration. */
  step(name: string, ms: number): void {
    const dots = this.paint("dim", ".".repeat(Math.max(2, STEP_WIDTH - name.length)));
    this.line(`  ${this.paint("green", "✓")} ${name} ${dots} ${(ms / 1000).toFixed(1)} s`);
  }

  /** Prints labels on the left and texts on the right; an empty label continues the row above. */
  table(rows: readonly (readonly [string, string])[]): void {
    for (const [label, text] of rows) {
      this.line(`  ${this.paint("dim", label.padEnd(LABEL_WIDTH))}${text}`);
    }
  }
}
