import { randomBytes } from 'node:crypto';

/** What the console may load and do: docs/console.md#security */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const nonceBytes = 16;

/** What `packages/console/build.mjs` writes where the page needs its nonce. */
const noncePlaceholder = '{nonce}';

/** A text that nobody can guess, for one answer. */
export function createNonce(): string {
  return randomBytes(nonceBytes).toString('base64');
}

/** The page with its nonce, which its elements give to the scripts and styles that they load. */
export function withNonce(page: string, nonce: string): string {
  return page.replaceAll(noncePlaceholder, nonce);
}

/**
 * The headers of the page, and without a nonce those of its files. The page has a second policy in addition to the first, and
 * both must allow what is loaded: stored files have the origin of the page, so `'self'` alone would allow a script of
 * `/public/…`. A path in place of `'self'` would need the address that a proxy gives the service.
 */
export function securityHeaders(nonce?: string): string[] {
  const ofPage = nonce === undefined ? '' : `, script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`;
  return [
    'Content-Security-Policy',
    policy + ofPage,
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Cross-Origin-Resource-Policy',
    'same-origin',
    'Permissions-Policy',
    'camera=(), geolocation=(), microphone=()',
  ];
}
