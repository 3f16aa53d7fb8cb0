import { requestText } from '../../api/request.js';
import { type Kind, readAttribute, readAttributes, readElements } from '../../exact/scan.js';

/** What the items of a base have in common: docs/http.md#profile. Values are JSON texts. */
export interface Profile {
  readonly items: number;
  /** Whether there are no other items. */
  readonly isComplete: boolean;
  /** From how many places among the keys they were read. */
  readonly places: number;
  /** Whether there are no other attributes. */
  readonly hasAll: boolean;
  readonly attributes: readonly AttributeProfile[];
}

export interface AttributeProfile {
  readonly path: string;
  readonly items: number;
  /** The number of items with each type, the most frequent first. */
  readonly kinds: readonly (readonly [Kind, number])[];
  readonly numbers: Range | undefined;
  readonly strings: Range | undefined;
  readonly distinct: number | undefined;
  readonly values: readonly { readonly json: string; readonly items: number }[];
}

interface Range {
  readonly min: string;
  readonly max: string;
}

/** Asks for the profile of what matches a query, which is JSON text. */
export async function readProfile(base: string, query: string, signal: AbortSignal): Promise<Profile> {
  const path = `/${encodeURIComponent(base)}/query/profile`;
  const answer = await requestText('POST', path, { body: `{"query":${query}}`, signal });
  const members = new Map(readAttributes(answer));
  return {
    items: Number(members.get('items')),
    isComplete: members.get('complete') === 'true',
    places: Number(members.get('places')),
    hasAll: members.get('all_attributes') === 'true',
    attributes: readElements(members.get('attributes') ?? '[]').map(attributeOf),
  };
}

function attributeOf(json: string): AttributeProfile {
  const members = new Map(readAttributes(json));
  const distinct = members.get('distinct');
  return {
    path: JSON.parse(members.get('path') ?? '""') as string,
    items: Number(members.get('items')),
    kinds: readAttributes(members.get('types') ?? '{}')
      .map(([name, count]) => [name as Kind, Number(count)] as const)
      .toSorted(([, a], [, b]) => b - a),
    numbers: rangeOf(members.get('numbers')),
    strings: rangeOf(members.get('strings')),
    distinct: distinct === undefined ? undefined : Number(distinct),
    values: readElements(members.get('values') ?? '[]').map((value) => ({
      json: readAttribute(value, 'value') ?? 'null',
      items: Number(readAttribute(value, 'items')),
    })),
  };
}

function rangeOf(json: string | undefined): Range | undefined {
  if (json === undefined) return undefined;
  return { min: readAttribute(json, 'min') ?? 'null', max: readAttribute(json, 'max') ?? 'null' };
}
