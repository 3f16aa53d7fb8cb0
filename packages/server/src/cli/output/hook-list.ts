import type { Webhook } from '#client';
import { writePlainJson } from '../../json/plain.js';
import { scopeText } from './key-list.js';
import { table } from './table.js';

/** The table of `hooks list`. */
export function hookTable(hooks: readonly Webhook[]): string {
  const rows = hooks.map((hook) => [
    hook.id,
    hook.name ?? '-',
    hook.state,
    lagText(hook.lag),
    lastText(hook),
    scopeText(hook, hook.query && `query ${writePlainJson(hook.query)}`),
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
