/** How a command shows its progress on standard error. */
export interface StatusLine {
  /** Prints a line. */
  readonly print: (line: string) => void;
  /** On a terminal: shows a line in place of the previous one. */
  readonly show?: ((line: string) => void) | undefined;
}

const printEveryMs = 5000;

/**
 * The text as a terminal of that many columns can replace it: a line that wraps would stay. A bar goes first, then the
 * last of the words that `·` separates.
 */
export function fittingLine(text: string, columns: number): string {
  // In the last column, some terminals begin the next line.
  const room = columns - 1;
  if (text.length <= room) return text;
  const words = text.replace(/\[#*-*\] /, '').split(' · ');
  while (words.length > 1 && words.join(' · ').length > room) words.pop();
  return words.join(' · ').slice(0, room);
}

/**
 * Shows progress: on a terminal one line that changes, elsewhere a line every five seconds and one for each phase.
 * `phaseOf` gives a text that differs between phases.
 */
export function createProgressLines<T>(
  { print, show }: StatusLine,
  textOf: (progress: T) => string,
  phaseOf: (progress: T) => string,
): (progress: T) => void {
  let printedMs = Number.NEGATIVE_INFINITY;
  let phase: string | undefined;
  return (progress) => {
    const line = textOf(progress);
    if (show !== undefined) {
      show(line);
      return;
    }
    const nowMs = performance.now();
    if (phaseOf(progress) === phase && nowMs - printedMs < printEveryMs) return;
    phase = phaseOf(progress);
    printedMs = nowMs;
    print(line);
  };
}
