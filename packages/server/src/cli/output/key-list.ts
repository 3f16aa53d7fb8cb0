import type { Limits } from '../../access/grant.js';
import type { KeyInfo } from '../../keys/key-administration.js';
import { detailsOf } from '../../keys/key-details.js';
import { table } from './table.js';

/** A key as the commands print it as JSON. What a key does not have is absent. */
export function describedKey(info: KeyInfo) {
  const { id, name, created, expires, last_used, ...others } = detailsOf(info);
  return {
    id,
    project: info.project,
    name,
    ...others,
    created: timeText(created),
    expires: timeText(expires),
    last_used: timeText(last_used),
  };
}

/** The table of `keys list`. */
export function keyTable(keys: readonly KeyInfo[]): string {
  const none = '-';
  const rows = keys.map((info) => {
    const { id, project, name, access, created, expires, last_used } = describedKey(info);
    return [
      id,
      project,
      name ?? none,
      access,
      keyScope(info),
      created,
      expires ?? 'never',
      last_used ?? none,
    ];
  });
  return table(['ID', 'PROJECT', 'NAME', 'ACCESS', 'SCOPE', 'CREATED', 'EXPIRES', 'LAST USED'], rows);
}

function keyScope({ limits = { access: 'full' } }: KeyInfo): string {
  const { origins, requestsPerSecond: rate } = limits;
  return scopeText(
    limits,
    origins && `origins ${origins.join(' ')}`,
    rate === undefined ? undefined : `${rate}/s`,
  );
}

/** What of a project a key or a webhook is about, and what else limits it. */
export function scopeText(
  { bases, drives, prefix }: Pick<Limits, 'bases' | 'drives' | 'prefix'>,
  ...more: readonly (string | undefined)[]
): string {
  const parts = [
    bases && `bases ${bases.join(' ')}`,
    drives && `drives ${drives.join(' ')}`,
    prefix !== undefined && `prefix ${prefix}`,
    ...more,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? 'all' : parts.join(', ');
}

function timeText(seconds: number): string;
function timeText(seconds: number | undefined): string | undefined;
function timeText(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000', '');
}
