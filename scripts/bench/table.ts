/** One line of the report: what was measured, its figures, and what was aimed at. */
export interface Row {
  name: string;
  /** One for each column. */
  values: readonly string[];
  aim?: string;
  /** Whether the aim was reached; absent where there is none. */
  reached?: boolean;
}

/** Prints rows under a title, figures right-aligned under the names of their columns. */
export function printTable(title: string, columns: readonly string[], rows: readonly Row[]): void {
  const lines = [{ name: title, values: columns }, ...rows];
  const names = Math.max(...lines.map(({ name }) => name.length)) + 2;
  const widths = columns.map((_, index) =>
    Math.max(...lines.map(({ values }) => (values[index] ?? "").length)),
  );
  console.log("");
  for (const { name, values, aim, reached } of lines as Row[]) {
    const cells = widths.map((width, index) => (values[index] ?? "").padStart(width)).join("  ");
    const verdict = reached === undefined ? "" : reached ? "  ok" : "  MISSED";
    const indented = name === title ? name : `  ${name}`;
    console.log(
      `${indented.padEnd(names)}  ${cells}${aim === undefined ? "" : `  aim ${aim}`}${verdict}`.trimEnd(),
    );
  }
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
export const times = (value: number): string => `${value.toFixed(2)} x`;
