import { type Kind, kindOf, readAttributes, readElements } from '../../exact/scan.js';
import { startOfString } from '../../exact/string-start.js';
import type { GridCell } from '../../grid/grid-props.js';
import { directionOf } from '../../ui/direction.js';
import { formatFromNow, formatTime } from '../../ui/format.js';
import { visible } from '../../ui/visible.js';

/** The sign of a type, so that it is known without its colour. */
const glyphs: Readonly<Record<Kind, string>> = {
  string: 'S',
  number: '#',
  boolean: '◐',
  null: '∅',
  list: '[ ]',
  object: '{ }',
};

const emptyText = '""';

/** Characters of a value that are put into a cell: more than the widest shows. */
const maxInCell = 400;
/** Characters of a value that are shown where it is read before it is saved. */
const maxRead = 4000;
/** Characters of a value up to which its elements are counted: a cell is drawn again and again while it is scrolled. */
const maxCounted = 20_000;

interface ValueProps {
  readonly json: string;
  /** Characters that are shown of it. */
  readonly maxShown?: number;
}

/** A value in a cell: one line, cut at the end. */
export function Value({ json, maxShown = maxInCell }: ValueProps) {
  const kind = kindOf(json);
  const text = textOf(json, kind, maxShown);
  return (
    <span class={`value ${kind}`} title={titleOf(json)}>
      {(kind === 'list' || kind === 'object') && <span class="count">{sizeOf(json, kind)}</span>}
      <span class={json === emptyText ? 'clip empty-string' : 'clip'} dir={directionIn(kind, text)}>
        {text}
      </span>
    </span>
  );
}

/** A value as a cell of the grid. */
export function valueCell(json: string): GridCell {
  const kind = kindOf(json);
  const hasCount = kind === 'list' || kind === 'object';
  const text = textOf(json, kind, maxInCell);
  return {
    content: hasCount ? [<span class="count">{sizeOf(json, kind)}</span>, text] : text,
    class: json === emptyText ? 'value empty-string' : `value ${kind}`,
    title: titleOf(json),
    dir: directionIn(kind, text),
  };
}

/** The sign of a type. */
export function Glyph({ kind }: { readonly kind: Kind }) {
  return (
    <span class={`glyph ${kind}`} title={kind}>
      {glyphs[kind]}
    </span>
  );
}

/** When an item expires. */
export function ExpiryValue({ json }: { readonly json: string }) {
  const { content, title } = expiryCell(json);
  return (
    <span class="value" title={title}>
      <span class="clip">{content}</span>
    </span>
  );
}

/** When an item expires, as a cell of the grid. */
export function expiryCell(json: string): GridCell {
  const seconds = Number(json);
  return { content: formatFromNow(seconds), class: 'value', title: `${formatTime(seconds)} (${json})` };
}

/** JSON is written from left to right, whatever is in it. */
const directionIn = (kind: Kind, text: string) => (kind === 'string' ? directionOf(text) : undefined);

/** The start of a value that a cell may cut. */
function titleOf(json: string): string | undefined {
  return json.length > 40 ? json.slice(0, 1000) : undefined;
}

function textOf(json: string, kind: Kind, maxShown: number): string {
  // Nothing would look as if there was no such attribute.
  if (json === emptyText) return json;
  const text = kind === 'string' ? startOfString(json, maxShown + 1) : json;
  return visible(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
}

function sizeOf(json: string, kind: Kind): string {
  if (json.length > maxCounted) return kind === 'list' ? '[…]' : '{…}';
  return kind === 'list' ? `[${readElements(json).length}]` : `{${readAttributes(json).length}}`;
}

interface ValueOrNoneProps extends Pick<ValueProps, 'maxShown'> {
  readonly json: string | undefined;
}

/** A value before or after a change, to be read: `none` where the item has no such attribute. */
export function ValueOrNone({ json, maxShown = maxRead }: ValueOrNoneProps) {
  return json === undefined ? <span class="meta">none</span> : <Value json={json} maxShown={maxShown} />;
}
