const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof unitMs;

/** A time with its unit, in milliseconds: `500ms`, `90s`, `30m`, `24h`, `7d`. Undefined for another text. */
export function durationMs(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Math.round(Number(digits) * unitMs[unit as Unit]);
}

/** The time with the largest unit of which it is a whole number. */
export function durationText(ms: number): string {
  const units = Object.entries(unitMs).reverse();
  const [unit, size] = units.find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
