/**
 * A request of a workload, whose text differs only in its keys. Keys are numbers of 12 digits, so that all requests of
 * a template have the same length. Placeholders in path and body: `{key}` is the number, `{key64}` the same in base64,
 * `{prefix}` its first 10 digits, `{key:3}` the fourth number of a request with several keys, and `{nonce}` six random
 * digits, because a store that finds no change (SQLite) need not write.
 */
export interface RequestTemplate {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A buffer is sent as it is: it has no placeholders. */
  readonly body?: string | Buffer;
}

/** A request with its keys filled in. */
export interface RenderedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

export type KeyForm = 'key' | 'key64' | 'prefix' | 'nonce';

/** Literal text, or a placeholder. */
export type Piece = string | { readonly form: KeyForm; readonly slot: number };

const placeholder = /\{(key64|key|prefix|nonce)(?::(\d+))?\}/;
const keyDigits = 12;

/** Splits a text at its placeholders. */
export function pieces(text: string): Piece[] {
  // split() with two groups in the pattern: text, form, slot, text, form, slot, …, text.
  const cut = text.split(placeholder);
  const found: Piece[] = [];
  for (let at = 0; at < cut.length; at += 3) {
    if (cut[at] !== '') found.push(cut[at]!);
    if (at + 1 < cut.length) found.push({ form: cut[at + 1] as KeyForm, slot: Number(cut[at + 2] ?? 0) });
  }
  return found;
}

/** The number of different keys in one request of the template; at least 1. */
export function slotsOf(template: RequestTemplate): number {
  const body = typeof template.body === 'string' ? template.body : '';
  const used = pieces(template.path + body).map((piece) => (typeof piece === 'string' ? 0 : piece.slot));
  return Math.max(0, ...used) + 1;
}

/** Replaces every placeholder by the key number `first` + slot. */
export function renderText(text: string, first: number): string {
  return pieces(text)
    .map((piece) => (typeof piece === 'string' ? piece : formatKey(first + piece.slot, piece.form)))
    .join('');
}

/** @param first the number of the first key; the others follow it. */
export function render(template: RequestTemplate, first: number): RenderedRequest {
  const { method, path, headers = {}, body } = template;
  return {
    method,
    path: renderText(path, first),
    headers,
    body: typeof body === 'string' ? renderText(body, first) : body,
  };
}

function formatKey(number: number, form: KeyForm): string {
  const key = String(number).padStart(keyDigits, '0');
  if (form === 'nonce') return String(100_000 + Math.floor(Math.random() * 900_000));
  if (form === 'key64') return Buffer.from(key).toString('base64');
  return form === 'prefix' ? key.slice(0, 10) : key;
}
