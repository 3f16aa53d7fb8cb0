import type { Webhook } from '#client';
import { writePlainJson } from '../../json/plain.js';
import { table } from './table.js';

/** The table of `hooks list`. */
export function hookTable(hooks: readonly Webhook[]): string {
  const rows = hooks.map((hook) => [
    hook.id,
    hook.name ?? '-',
    hook.state,
    lagText(hook.lag),
    lastText(hook),
    scopeText(hook),
    hook.url,
  ]);
  return table(['ID', 'NAME', 'STATE', 'LAG', 'LAST', 'SENDS', 'ADDRESS'], rows);
}

function lagText(seconds: number): string {
  return seconds === 0 ? '-' : `${seconds} s`;
}

function lastText({ last, failures }: Webhook): string {
  if (last === undefined) return '-';
  const what = `${last.status ?? last.error}`;
  return failures === undefined ? what : `${what}, ${failures} in a row`;
}

function scopeText({ bases, drives, prefix, query }: Webhook): string {
  const parts = [
    bases && `bases ${bases.join(' ')}`,
    drives && `drives ${drives.join(' ')}`,
    prefix !== undefined && `prefix ${prefix}`,
    query !== undefined && `query ${writePlainJson(query)}`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? 'all' : parts.join(', ');
}
