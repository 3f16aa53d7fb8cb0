import { writeObject } from '../../../exact/print.js';

/** A change of an update by query: docs/http.md#update-by-query */
export interface Change {
  readonly operation: 'set' | 'increment' | 'append' | 'delete';
  /** The path of an attribute: docs/http.md#attribute-paths */
  readonly path: string;
  /** The JSON text of the operand; for `append` a list. Empty for `delete`. */
  readonly json: string;
}

/** The members of a request that does the changes, as JSON text without braces. */
export function writeChanges(changes: readonly Change[]): string {
  const members = (['set', 'increment', 'append'] as const).flatMap((operation) => {
    const own = changes.filter((change) => change.operation === operation);
    if (own.length === 0) return [];
    return [`"${operation}":${writeObject(own.map(({ path, json }) => [path, json]))}`];
  });
  const deleted = changes.filter(({ operation }) => operation === 'delete').map(({ path }) => path);
  if (deleted.length > 0) members.push(`"delete":${JSON.stringify(deleted)}`);
  return members.join(',');
}

/** The names of the attributes of an item in which the changes are. */
export function changedNames(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.map(({ path }) => path.split('.')[0] ?? ''))];
}

/** What is wrong with changes before they are sent, or undefined. The service checks all the rest. */
export function changesProblem(changes: readonly Change[]): string | undefined {
  for (const { path } of changes) {
    if (path === '') return 'Name the attribute to change';
    if (path === 'key') return 'The key of an item cannot be changed';
    if (path.split('.').includes('')) return `${path}: a name between two dots is empty`;
    const others = changes.filter((one) => one.path === path || one.path.startsWith(`${path}.`));
    if (others.length > 1) return `${path} is changed twice`;
  }
  return undefined;
}
