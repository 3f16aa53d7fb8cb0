import type { KeyDetails } from 'basedrive-client';
import { visible } from '../ui/visible.js';

/** What a key reaches, in words: `bases shop-*; names from 2026/; web pages of https://shop.example`. */
export function scopeText(details: Omit<KeyDetails, 'created'>): string {
  const { bases, drives, prefix, origins, requests_per_second } = details;
  const parts = [
    ...(bases === undefined ? [] : [`bases ${bases.join(', ')}`]),
    ...(drives === undefined ? [] : [`drives ${drives.join(', ')}`]),
    ...(prefix === undefined ? [] : [`names that begin with ${prefix}`]),
    ...(origins === undefined ? [] : [`web pages of ${origins.join(', ')}`]),
    ...(requests_per_second === undefined ? [] : [`${requests_per_second} requests a second`]),
  ];
  return parts.length === 0 ? 'everything' : visible(parts.join('; '));
}

/** The names between commas. */
export function splitNames(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** What a key with these limits reaches, in a sentence: docs/http.md#create-key */
export function reachText(bases: readonly string[], drives: readonly string[]): string {
  if (bases.length === 0 && drives.length === 0) return 'It reaches every base and every drive.';
  const of = (noun: string, names: readonly string[]) =>
    names.length === 0
      ? `no ${noun}`
      : `the ${noun}${names.length === 1 ? '' : 's'} ${visible(names.join(', '))}`;
  return `It reaches ${of('base', bases)} and ${of('drive', drives)}.`;
}
