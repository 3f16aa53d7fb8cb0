import type { Operation } from './operation.js';

/** The parts of the API, with what they are about. */
export const tags = {
  Items: 'JSON documents in a base',
  Sets: 'All items that match a query, changed at once',
  Indexes: 'Indexes, which make queries fast',
  Files: 'Files in a drive',
  Trash: 'Deleted files, which can be restored',
  Uploads: 'Large files, uploaded in parts',
  Sharing: 'Files for people without a key',
  Projects: 'What a project contains',
  Changes: 'What has changed, as it happens',
  Webhooks: 'Changes, sent to an address',
  Keys: 'Keys with limits',
  Administration: 'Projects, with the key of the operator',
  Service: 'The service itself',
} as const;

/** Operations by their names, by the part of the API that they belong to. */
export type OperationGroups<Services> = Partial<
  Readonly<Record<keyof typeof tags, Readonly<Record<string, Operation<Services>>>>>
>;

export interface ListedOperation<Services = never> extends Operation<Services> {
  /** `getItem` */
  readonly id: string;
  readonly tag: string;
  readonly section: string;
}

/** All operations of some groups, in their order. */
export function listed<Services>(...all: readonly OperationGroups<Services>[]): ListedOperation<Services>[] {
  return all
    .flatMap((groups) => Object.entries(groups))
    .flatMap(([tag, group]) =>
      Object.entries(group).map(([id, value]) => ({ section: anchorOf(id), ...value, id, tag })),
    );
}

/** `getItem` as the anchor of its section: `get-item`. */
function anchorOf(id: string): string {
  return id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
