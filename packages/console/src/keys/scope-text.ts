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
