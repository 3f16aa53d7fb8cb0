import type { KeyInfo } from '../../keys/key-administration.js';
import { table } from './table.js';

/** A key as the commands print it as JSON. What a key does not have is absent. */
export function describedKey(info: KeyInfo) {
  const { id, project, name, limits, accessKeyId, createdSeconds, lastUsedSeconds } = info;
  const {
    access = 'full',
    expiresAtSeconds,
    requestsPerSecond,
    bases,
    drives,
    prefix,
    origins,
  } = limits ?? {};
  return {
    id,
    project,
    name,
    access_key_id: accessKeyId,
    access,
    bases,
    drives,
    prefix,
    origins,
    requests_per_second: requestsPerSecond,
    created: timeText(createdSeconds),
    expires: timeText(expiresAtSeconds),
    last_used: timeText(lastUsedSeconds),
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
      scopeText(info),
      created ?? none,
      expires ?? 'never',
      last_used ?? none,
    ];
  });
  return table(['ID', 'PROJECT', 'NAME', 'ACCESS', 'SCOPE', 'CREATED', 'EXPIRES', 'LAST USED'], rows);
}

function scopeText({ limits }: KeyInfo): string {
  const { bases, drives, prefix, origins, requestsPerSecond } = limits ?? {};
  const parts = [
    bases && `bases ${bases.join(' ')}`,
    drives && `drives ${drives.join(' ')}`,
    prefix !== undefined && `prefix ${prefix}`,
    origins && `origins ${origins.join(' ')}`,
    requestsPerSecond !== undefined && `${requestsPerSecond}/s`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? 'all' : parts.join(', ');
}

function timeText(seconds: number): string;
function timeText(seconds: number | undefined): string | undefined;
function timeText(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000', '');
}
