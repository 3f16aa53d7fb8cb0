import { quoted } from '../../lib/text/words.js';
import type { Problem } from '../../store/problems.js';

/** A line for each listed problem, and one that says how many are not listed. */
export function problemLines(problems: readonly Problem[], problemCount: number): string[] {
  const lines = problems.map(({ where, key, problem }) => `${quoted(where)} ${quoted(key)}: ${problem}`);
  if (problemCount > problems.length) lines.push(`… and ${problemCount - problems.length} more`);
  return lines;
}
