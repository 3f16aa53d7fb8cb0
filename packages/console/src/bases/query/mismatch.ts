import { kindOf, readElements } from '../../exact/scan.js';
import type { Column } from '../view/columns.js';
import type { Condition } from './model.js';

const comparing = ['', 'gt', 'gte', 'lt', 'lte', 'r'];

/**
 * Says that a text is compared with an attribute which holds numbers in the items that are loaded: such a condition is
 * allowed, and matches none of them. Undefined for other conditions.
 */
export function mismatchOf(
  { path, operator, operand }: Condition,
  columns: readonly Column[],
): string | undefined {
  const holdsNumbers = columns.some(({ name, kind }) => name === path && kind === 'number');
  if (!holdsNumbers || !comparing.includes(operator)) return undefined;
  const compared = kindOf(operand) === 'list' ? readElements(operand) : [operand];
  const text = compared.find((json) => kindOf(json) === 'string');
  if (text === undefined) return undefined;
  return `${path} holds numbers in the loaded items, and ${text} is text: no number matches.`;
}
