/** Names that would become a header, another name or another path if they were not quoted. */
export const hostileNames: readonly string[] = [
  'a"b.txt',
  `"; filename*=UTF-8''evil.html; x="`,
  "a'b.txt",
  'a;b=c,d.txt',
  'a%22b%0d%0aSet-Cookie:%20a=b.txt',
  'a\\b.txt',
  'a\\',
  'photos/2026/ä ö ü.png',
  'x/invoice\u202egnp.exe',
  '\u200f\u2066right to left\u2069.txt',
  '🙂 👩‍👩‍👧.png',
  'ÿþ.txt',
  '\u2028line\u2029.txt',
  '..',
  'a/..',
  '../../etc/passwd',
  '//host/share',
  '<script>alert(1)</script>',
  'C:\\temp\\x.exe',
  '.htaccess',
  'a b  c.txt',
];

/** Types that a browser may run, or that readers of headers understand in different ways. */
export const hostileTypes: readonly string[] = [
  'text/html',
  'TEXT/HTML',
  'text/html;charset=utf-7',
  'text/plain, text/html',
  'text/plain;, text/html',
  'text/html;boundary="',
  'text/html\t;x',
  'image/svg+xml',
  'application/xhtml+xml',
  'text/xml',
  'application/pdf',
  'multipart/x-mixed-replace;boundary=x',
  'multipart/byteranges; boundary=x',
  'message/rfc822',
  'text/javascript',
  'application/x-shockwave-flash',
  'nonsense',
  '*/*',
  'text/',
  '/html',
  ';text/html',
];

/** The name of a file in a `Content-Disposition`, as browsers read it (RFC 6266): `filename*` before `filename`. */
export function fileNameOf(disposition: string): string | undefined {
  const extended = /; filename\*=UTF-8''([^;]*)$/.exec(disposition)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /; filename="((?:[^"\\]|\\.)*)"$/.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1');
}
