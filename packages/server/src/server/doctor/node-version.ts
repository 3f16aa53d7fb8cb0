import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { version } from '../../lib/version.js';

/** The oldest version that the tests run on; `engines` in package.json says it to npm. */
const oldest = [20, 19] as const;

/** The versions of this program and of Node, and whether that Node still gets security fixes. */
export function versions(node: string, nowMs: number): Finding {
  const found = `Basedrive ${version()} on Node.js ${node}, ${process.platform}`;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    return failed('versions', found, `Install Node.js ${oldest.join('.')} or later.`);
  }
  const endMs = endOfFixes(major);
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
