import { type Finding, ok, warning } from '../../lib/finding.js';
import { version } from '../../lib/version.js';

/** The versions of this program and of Node, and whether that Node still gets security fixes. One too old runs nothing. */
export function versions(node: string, nowMs: number): Finding {
  const found = `Basedrive ${version()} on Node.js ${node}, ${process.platform}`;
  const endMs = endOfFixes(Number.parseInt(node, 10));
  if (endMs === undefined || nowMs < endMs) return ok('versions', found);
  const since = new Date(endMs).toISOString().slice(0, 10);
  return warning(
    'versions',
    `${found}, which has had no security fixes since ${since}`,
    'Install a later Node.js.',
  );
}

/**
 * When a line of Node ends, by the plan that held up to Node 26: an even one lives for three years, an odd one for eight
 * months. Undefined for later lines, whose plan is another.
 */
function endOfFixes(major: number): number | undefined {
  if (major > 26) return undefined;
  if (major % 2 === 0) return Date.UTC(2016 + major / 2, 3, 30);
  return Date.UTC(2013 + (major + 1) / 2, 5, 1);
}
