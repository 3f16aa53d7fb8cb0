/** A file that runs a script when a browser opens it as a page of its origin: it takes the key of the console along. */
export interface HostileFile {
  readonly name: string;
  readonly type: string;
  readonly body: string;
}

/** Sets the title and asks for a path that nobody else asks for, with what the console keeps in its storage. */
const script = `
  document.title = 'ran';
  let key = 'none';
  try { key = sessionStorage.getItem('key'); } catch {}
  fetch('/stolen?' + key);
`;
const escaped = script.replaceAll('<', '&lt;').replaceAll('&', '&amp;').replaceAll('"', '&quot;');

const html = `<!doctype html><title>a page</title><meta http-equiv="refresh" content="0;url=javascript:${escaped}">
<script>${script}</script><script src="data:text/javascript,fetch('/stolen')"></script>
<img src="nowhere" onerror="${escaped}"><iframe srcdoc="&lt;script>parent.fetch('/stolen');fetch('/stolen')&lt;/script>"></iframe>
<object data="data:text/html,<script>fetch('/stolen')</script>"></object><body onload="${escaped}">`;
const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><script><![CDATA[${script}]]></script></head></html>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${escaped}"><script><![CDATA[${script}]]></script>
<foreignObject><div xmlns="http://www.w3.org/1999/xhtml"><script><![CDATA[${script}]]></script></div></foreignObject></svg>`;
const xml = `<a><x:script xmlns:x="http://www.w3.org/1999/xhtml"><![CDATA[${script}]]></x:script></a>`;
const mixed = `--x\r\nContent-Type: text/html\r\n\r\n${html}\r\n--x--\r\n`;

/** Those that a browser runs if nothing prevents it: the test checks that, too. */
export const runnable: readonly HostileFile[] = [
  { name: 'page.html', type: 'text/html', body: html },
  { name: 'page', type: 'TEXT/HTML;charset=utf-8', body: html },
  { name: 'page.xhtml', type: 'application/xhtml+xml', body: xhtml },
  { name: 'image.svg', type: 'image/svg+xml', body: svg },
  { name: 'data.xml', type: 'text/xml', body: xml },
  { name: 'feed.xml', type: 'application/atom+xml', body: xml },
];

/** Those whose type is no page, or is understood in several ways. */
export const confusing: readonly HostileFile[] = [
  { name: 'page.txt', type: 'text/plain', body: html },
  { name: 'list', type: 'text/plain, text/html', body: html },
  { name: 'semicolons', type: 'text/plain;, text/html', body: html },
  { name: 'quote', type: 'text/html;charset="', body: html },
  { name: 'star', type: '*/*', body: html },
  { name: 'nonsense', type: 'nonsense', body: html },
  { name: 'mixed', type: 'multipart/x-mixed-replace;boundary=x', body: mixed },
  { name: 'mail.mht', type: 'multipart/related;boundary=x', body: mixed },
  { name: 'mail.eml', type: 'message/rfc822', body: mixed },
  { name: 'image.png', type: 'image/png', body: html },
  { name: 'data.json', type: 'application/json', body: html },
  { name: 'a.js', type: 'text/javascript', body: script },
];

/** A PDF with a script, which says what the script can see. */
export function pdfWithScript(): string {
  const said = [
    'typeof fetch',
    'typeof XMLHttpRequest',
    'typeof sessionStorage',
    'typeof document',
    'typeof window',
  ];
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\([${said}].join\\(\\)\\)) >> >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${offsets.join('')}`;
  return `${text}${table}trailer << /Size 4 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF`;
}
